"""User-data as the provider composes it: one MIME message, packed. The same parts in the same order, in few lines."""

import gzip
import importlib.util
import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BOUNDARY = "==honest-paas=="


def packer():
    spec = importlib.util.spec_from_file_location("pack", ROOT / "scripts/pack-cloud-init.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def sources(role, restored=False, mirror=False):
    """The files that a machine of this role gets, stripped as they are sent."""
    return packer().boot_sources(role, restored, mirror)


def mime(document, files=None, cloud_config="#cloud-config\npackage_update: false\n"):
    restored = bool(document["etcd"] and document["etcd"]["number"])
    files = files or sources(document["node"]["role"], restored, bool(document["mirror"]["binaries"]))
    parts = [("text/part-handler", "part_handler.py"), ("text/x-honest-module", "cc_honest.py")]
    parts += [("text/x-honest-package", name) for name in sorted(files) if name.startswith("honest/")]
    found = [(kind, name.split("/")[-1], files[name]) for kind, name in parts]
    found.append(("text/x-honest-boot", "boot.json", json.dumps(document, sort_keys=True, separators=(",", ":"))))
    found.append(("text/cloud-config", "cloud.cfg", cloud_config))
    text = 'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="%s"\n\n' % BOUNDARY
    for kind, name, body in found:
        text += '--%s\nContent-Type: %s\nContent-Disposition: attachment; filename="%s"\n\n%s\n' % (BOUNDARY, kind, name, body)
    return text + "--%s--\n" % BOUNDARY


def user_data(document, **how):
    return gzip.compress(mime(document, **how).encode(), 9, mtime=0)
