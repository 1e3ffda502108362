"""A cluster's CAs and keys, made by openssl as the provider makes them: EC P-256 only."""

import subprocess

NAMES = ("ca", "client_ca", "etcd_ca", "front_proxy_ca")


def openssl(*argv, data=None):
    return subprocess.run(["openssl", *argv], input=data, check=True, capture_output=True, text=True).stdout


def new_key():
    """Without its public half, which can be computed: that saves bytes of user-data."""
    return openssl("ec", "-no_public", data=openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout"))


def authority(folder, name):
    """Certificate and key of one CA."""
    path = folder / (name + ".key")
    path.write_text(new_key())
    usage = ["-addext", "keyUsage=critical,digitalSignature,keyCertSign"]
    return openssl("req", "-x509", "-new", "-key", str(path), "-days", "3650", "-subj", "/CN=demo-" + name, *usage), path.read_text()


def bundle(folder):
    """What a control plane's document carries below `pki`."""
    made = {}
    for name in NAMES:
        made[name + "_cert"], made[name + "_key"] = authority(folder, name)
    made["sa_key"] = new_key()
    return made


def leaf(folder, authority_cert, authority_key, name, addresses):
    """Certificate and key of a peer, good for both ends of a connection. `addresses`: IPv4 addresses and names."""
    names = ",".join(("IP:" if a[0].isdigit() else "DNS:") + a for a in addresses)
    extensions = "subjectAltName=%s\nextendedKeyUsage=serverAuth,clientAuth\nauthorityKeyIdentifier=keyid\n" % names
    (folder / "ca.crt").write_text(authority_cert)
    (folder / "ca.key").write_text(authority_key)
    (folder / "leaf.key").write_text(new_key())
    (folder / "leaf.ext").write_text(extensions)
    request = openssl("req", "-new", "-key", str(folder / "leaf.key"), "-subj", "/CN=" + name)
    ca = ["-CA", str(folder / "ca.crt"), "-CAkey", str(folder / "ca.key"), "-CAcreateserial"]
    made = openssl("x509", "-req", *ca, "-days", "1", "-extfile", str(folder / "leaf.ext"), data=request)
    return made, (folder / "leaf.key").read_text()


def successors(folder, old):
    """(create, promote, retire): the sets that honest_pki makes for the authorities of a document's `pki`."""
    fresh = {}
    for name in NAMES:
        cert, key = authority(folder, name + "-1")
        (folder / "old.crt").write_text(old[name + "_cert"])
        (folder / "old.key").write_text(old[name + "_key"])
        (folder / "fresh.key").write_text(key)
        usage = "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,digitalSignature,keyCertSign\nsubjectKeyIdentifier=hash\n"
        (folder / "cross.ext").write_text(usage)
        asked = openssl("req", "-new", "-key", str(folder / "fresh.key"), "-subj", "/CN=demo-%s-1" % name)
        by = ["-CA", str(folder / "old.crt"), "-CAkey", str(folder / "old.key"), "-CAcreateserial"]
        cross = openssl("x509", "-req", *by, "-days", "1", "-extfile", str(folder / "cross.ext"), data=asked)
        fresh[name] = {"old": old[name + "_cert"], "cert": cert, "key": key, "cross": cross}
    create = {n: {"trust": f["old"] + f["cert"], "key": None, "chain": ""} for n, f in fresh.items()}
    promote = {n: {"trust": f["cert"] + f["old"], "key": f["key"], "chain": f["cross"]} for n, f in fresh.items()}
    retire = {n: {"trust": f["cert"], "key": f["key"], "chain": ""} for n, f in fresh.items()}
    return [{"number": 1, "state": s, "authorities": a} for s, a in (("create", create), ("promote", promote), ("retire", retire))]
