"""Which certificate requests are approved: by grant, by name, by what the provider wrote."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "honest_agent"))
import csr

GRANT = {"node": "w-1", "machine_id": "i-1"}


def subject(cn="system:node:w-1", o=("system:nodes",), dns=(), ips=()):
    return {"cn": [cn] if isinstance(cn, str) else list(cn), "o": list(o), "dns": list(dns), "ips": list(ips)}


@pytest.mark.parametrize(
    "user, wanted, grant, live, refused",
    [
        ("system:bootstrap:abcdef", subject(), GRANT, None, False),
        ("system:bootstrap:abcdef", subject(), GRANT, "i-1", False),
        ("system:node:w-1", subject(), None, None, False),
        # a token tries a foreign name
        ("system:bootstrap:abcdef", subject("system:node:cp-a"), GRANT, None, True),
        ("system:bootstrap:abcdef", subject(), None, None, True),
        # the name is taken by a machine that lives
        ("system:bootstrap:abcdef", subject(), GRANT, "i-2", True),
        ("system:node:w-2", subject(), None, None, True),
        ("kubernetes-admin", subject(), GRANT, None, True),
        ("system:node:w-1", subject(o=("system:masters",)), None, None, True),
        ("system:node:w-1", subject(o=("system:nodes", "system:masters")), None, None, True),
        ("system:node:w-1", subject(cn=("system:node:w-1", "x")), None, None, True),
        ("system:node:w-1", subject(dns=("api.demo",)), None, None, True),
    ],
)
def test_client(user, wanted, grant, live, refused):
    assert (csr.judge_client(user, wanted, grant, live) is not None) == refused


@pytest.mark.parametrize(
    "wanted, addresses, refused",
    [
        (subject(dns=("w-1",), ips=("10.0.0.5",)), ["10.0.0.5"], False),
        (subject(ips=("10.0.0.5",)), ["10.0.0.5"], False),
        # a worker asks for the endpoint's name or address
        (subject(dns=("w-1", "api.demo.honest.internal")), ["10.0.0.5"], True),
        (subject(ips=("10.0.0.10",)), ["10.0.0.5"], True),
        (subject(dns=("w-1",)), None, True),
        (subject(), ["10.0.0.5"], True),
        (subject("system:node:w-2", dns=("w-2",)), ["10.0.0.5"], True),
        (subject(o=("system:masters",), dns=("w-1",)), ["10.0.0.5"], True),
    ],
)
def test_serving(wanted, addresses, refused):
    assert (csr.judge_serving("system:node:w-1", wanted, addresses) is not None) == refused


@pytest.mark.world
@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_parse_reads_what_openssl_wrote(tmp_path):
    key = tmp_path / "key"
    subprocess.run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", str(key)], check=True)
    argv = ["openssl", "req", "-new", "-key", str(key), "-subj", "/O=system:nodes/CN=system:node:w-1"]
    argv += ["-addext", "subjectAltName=DNS:w-1,IP:10.0.0.5"]
    request = subprocess.run(argv, check=True, capture_output=True, text=True).stdout
    assert csr.parse(request) == {"cn": ["system:node:w-1"], "o": ["system:nodes"], "dns": ["w-1"], "ips": ["10.0.0.5"]}
