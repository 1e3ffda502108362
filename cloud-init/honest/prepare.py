"""What a machine needs before anything of Kubernetes runs; done at each boot."""

import glob
import os
import re
import ssl
import time

from honest.host import STATE, StageError, Waiting, in_container, machine_id, now, read, run, write

METADATA = "169.254.169.254"
RESOLV = "/etc/honest-paas/resolv.conf"
CLOUD_INIT = "/run/cloud-init/"


def clock(doc):
    """Tickets and certificates are judged by the clock: it cannot be earlier than the birth of the cluster's CA."""
    begin = run(["openssl", "x509", "-noout", "-startdate"], data=doc["pki"]["ca_cert"]).strip().split("=", 1)[1]
    if time.time() < ssl.cert_time_to_seconds(begin):
        raise Waiting("the clock says %s, but the cluster's CA was made %s: the clock is not set yet" % (now(), begin))


def endpoint(doc):
    """The endpoint's name in /etc/hosts: a control plane is its own endpoint, so a balancer without hairpin works.

    Written in place: in a container the file is a mount and cannot be renamed over.
    """
    name = doc["endpoint"]["name"]
    address = own_address(doc) if doc["node"]["role"] == "control-plane" else doc["endpoint"]["address"]
    kept = [line for line in read("/etc/hosts").splitlines() if name not in line.split()]
    with open("/etc/hosts", "w", encoding="utf-8") as f:
        f.write("\n".join(kept + ["%s %s" % (address, name)]) + "\n")


def own_address(doc):
    """The fixed address of the document, else the address that routes to the endpoint."""
    if doc.get("address"):
        return doc["address"]
    route = run(["ip", "-o", "route", "get", doc["endpoint"]["address"]])
    found = re.search(r" src (\S+)", route)
    if not found:
        raise StageError("no address of this machine leads to %s: %s" % (doc["endpoint"]["address"], route.strip()))
    return found.group(1)


def resolver(doc):
    """A resolv.conf for pods without loopback servers: CoreDNS would ask itself and stop with "Loop detected".

    With no server left, the machine's own address stands there: CoreDNS does not start without one, and an address where
    nobody listens refuses at once.
    """
    lines = [x for x in read("/etc/resolv.conf").splitlines() if not re.match(r"\s*nameserver\s+(127\.|::1)", x)]
    if not any(re.match(r"\s*nameserver\s", x) for x in lines):
        lines.append("nameserver " + own_address(doc))
    write(RESOLV, "\n".join(lines) + "\n")


def guard_metadata(doc):
    """Pods must not read the machine's user-data: only root of the host may ask the metadata address.

    tcp/80 alone, because on some clouds the same address answers DNS. The protocol by its number: small images have no
    /etc/protocols.
    """
    if run(["ip", "rule", "show"]).count(METADATA) == 2:
        return
    for pref in ("10", "11"):
        run(["ip", "rule", "del", "pref", pref], check=False)
    target = ["to", METADATA, "ipproto", "6", "dport", "80"]
    run(["ip", "rule", "add", "pref", "10", "iif", "lo", "uidrange", "0-0"] + target + ["lookup", "main"])
    run(["ip", "rule", "add", "pref", "11"] + target + ["prohibit"])


def kernel(doc):
    """Modules and settings. In a container they belong to the host: what cannot be set there is left as it is."""
    for module in ("overlay", "br_netfilter", "nf_conntrack"):
        run(["modprobe", module], check=False)
    settings = {
        "net.ipv4.ip_forward": "1",
        "net.bridge.bridge-nf-call-iptables": "1",
        "vm.overcommit_memory": "1",
        "kernel.panic": "10",
        "kernel.panic_on_oops": "1",
    }
    for key, value in settings.items():
        run(["sysctl", "-q", "-w", "%s=%s" % (key, value)], check=not in_container() and key == "net.ipv4.ip_forward")


def container_host(doc):
    """In a container: cgroup v1 controllers are mounted read-only and mounts are private; kubelet needs neither so."""
    if not in_container():
        return
    base = "/sys/fs/cgroup"
    for name in [""] + sorted(os.listdir(base)):
        path = os.path.join(base, name) if name else base
        if os.path.ismount(path):
            run(["mount", "-o", "remount,bind,rw", path], check=False)
    run(["mount", "--make-rshared", "/"])


def scrub(doc):
    """The copies of user-data that cloud-init keeps hold the same keys as the document: one place is enough.

    Not under cloud-init's feet: at a later boot its last stage reads the cached source again, and one that finds none takes
    the machine for a new one without a cloud.
    """
    if os.path.exists(CLOUD_INIT + "enabled") and not os.path.exists(CLOUD_INIT + "result.json"):
        raise Waiting("cloud-init still runs; its copies of user-data are removed when it has ended")
    base = "/var/lib/cloud/instances/%s/" % machine_id()
    for path in [base + name for name in ("user-data.txt", "user-data.txt.i", "obj.pkl")] + glob.glob(CLOUD_INIT + "*sensitive*"):
        if os.path.exists(path):
            os.remove(path)
    # emptied, not removed: a seed without its file is no seed, and the machine would get another id at the next boot
    for path in glob.glob("/var/lib/cloud/seed/*/user-data"):
        if os.access(path, os.W_OK):
            open(path, "w", encoding="utf-8").close()
    os.chmod(STATE, 0o700)
