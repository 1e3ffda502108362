"""The boot document of this machine and what follows from it."""

import hashlib

from honest.host import STATE, StageError, machine_id, read_json

KEYS = ("cluster", "node", "version", "endpoint", "network", "pki", "kubelet", "component_flags", "mirror", "runtime")


def load():
    doc = read_json(STATE + "/boot.json")
    if doc is None:
        raise StageError("there is no boot document at %s/boot.json" % STATE)
    if doc.get("schema") != 1:
        raise StageError("the boot document has schema %r; this boot stage reads schema 1" % doc.get("schema"))
    missing = [k for k in KEYS if k not in doc]
    if missing:
        raise StageError("the boot document lacks %s" % ", ".join(missing))
    return doc


def control_plane(doc):
    return doc["node"]["role"] == "control-plane"


def node_name(doc):
    """A control plane has its name for good; a worker's ends in something of its machine."""
    name = doc["node"]["name"]
    if control_plane(doc):
        return name
    return "%s-%s" % (name, hashlib.sha256(machine_id().encode()).hexdigest()[:5])


def flags(doc, component):
    """Flags of one component: {"max-pods": "50"}."""
    start = component + "."
    return {k[len(start) :]: v for k, v in sorted(doc["component_flags"].items()) if k.startswith(start)}
