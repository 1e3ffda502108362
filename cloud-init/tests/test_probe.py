"""What the agent sees of units, ports and disks; real sockets, since that is what it is about."""

import http.server
import socket
import sys
import threading
import types
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "honest_agent"))
import probe

SHOWN = """Id=kubelet.service
ActiveState=active
SubState=running
StateChangeTimestampMonotonic=5000000
NRestarts=3

Id=honest-etcd.service
ActiveState=inactive
SubState=dead
StateChangeTimestampMonotonic=0
NRestarts=0
"""


def test_units_as_systemd_has_them(monkeypatch):
    monkeypatch.setattr(probe.subprocess, "run", lambda *_, **__: types.SimpleNamespace(stdout=SHOWN))
    monkeypatch.setattr(probe.time, "monotonic", lambda: 65.0)
    assert probe.units(["kubelet", "honest-etcd"]) == {
        "kubelet": {"active": "active", "sub": "running", "seconds": 60.0, "restarts": 3},
        "honest-etcd": {"active": "inactive", "sub": "dead", "seconds": 65.0, "restarts": 0},
    }


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(503)
        self.end_headers()
        self.wfile.write(b'{"health":"false","reason":"ALARM NOSPACE"}')

    def log_message(self, *_):
        pass


@pytest.mark.world
def test_an_answer_is_an_answer_and_silence_is_none(monkeypatch):
    monkeypatch.setattr(probe, "SECONDS", 0.3)
    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        assert probe.ask("127.0.0.1", server.server_port, "/health") == (503, '{"health":"false","reason":"ALARM NOSPACE"}')
    finally:
        server.shutdown()
        server.server_close()
    assert probe.ask("127.0.0.1", server.server_port, "/health") is None
    # it takes the connection, as the kernel does for a process that is stopped, and says nothing
    with socket.create_server(("127.0.0.1", 0)) as silent:
        assert probe.ask("127.0.0.1", silent.getsockname()[1], "/health") is None


@pytest.mark.world
@pytest.mark.parametrize(
    "says, answers",
    [(b"\0\0\0\4\0\0\0\0\0", True), (b"HTTP/1.1 400", False), (b"", False), (None, False)],
    ids=["settings", "no HTTP/2", "hangs up", "silent"],
)
def test_containerd_answers_with_its_settings(monkeypatch, tmp_path, says, answers):
    monkeypatch.setattr(probe, "SECONDS", 0.3)
    path = str(tmp_path / "containerd.sock")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
        server.bind(path)
        server.listen()

        def serve():
            link, _ = server.accept()
            with link:
                link.recv(100)
                if says is None:
                    threading.Event().wait(0.6)
                else:
                    link.sendall(says)

        thread = threading.Thread(target=serve)
        thread.start()
        assert probe.containerd_answers(path) is answers
        thread.join()


@pytest.mark.world
def test_nobody_listens(tmp_path):
    assert probe.containerd_answers(str(tmp_path / "none")) is False


@pytest.mark.world
def test_each_file_system_once(tmp_path):
    (tmp_path / "a").mkdir()
    found = probe.disks([str(tmp_path), str(tmp_path / "a"), str(tmp_path / "none")])
    assert [disk["path"] for disk in found] == [str(tmp_path)] and 0 < found[0]["free"] <= found[0]["size"]


@pytest.mark.parametrize(
    "text, sizes",
    [
        ("etcd_mvcc_db_total_size_in_bytes 4.096e+06\netcd_mvcc_db_total_size_in_use_in_bytes 1.5e+06\n", (4096000, 1500000)),
        ("etcd_mvcc_db_total_size_in_bytes 4.096e+06\n", None),
        ("", None),
    ],
)
def test_how_much_of_etcds_file_is_used(text, sizes):
    assert probe.fragmentation(text) == sizes
