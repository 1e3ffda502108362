"""The agent's way to the Kubernetes API: real HTTPS on loopback, where the server asks for a certificate."""

import http.server
import json
import ssl
import sys
import threading
from pathlib import Path

import pytest
from support import trust

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "honest_agent"))
import api as agent_api

pytestmark = pytest.mark.world


@pytest.fixture
def cluster(monkeypatch, tmp_path):
    """An API server that answers as `replies` says, and what it was asked."""
    authority = trust.authority(tmp_path, "ca")
    made, key = trust.leaf(tmp_path, *authority, "api", ["127.0.0.1"])
    for name, text in (("ca.crt", authority[0]), ("own.pem", made + key)):
        (tmp_path / name).write_text(text)
    asked, replies = [], {}

    class Answers(http.server.BaseHTTPRequestHandler):
        def answer(self):
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            asked.append((self.command, self.path, self.headers.get("content-type"), json.loads(body) if body else None))
            status, data = replies.get(self.path, (404, {"kind": "Status"}))
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(data).encode())

        do_GET = do_PATCH = answer

        def log_message(self, *_):
            return

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "own.pem")
    context.load_verify_locations(tmp_path / "ca.crt")
    context.verify_mode = ssl.CERT_REQUIRED
    server = http.server.HTTPServer(("127.0.0.1", 0), Answers)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    monkeypatch.setattr(agent_api, "CA", str(tmp_path / "ca.crt"))
    yield agent_api.Api("127.0.0.1", server.server_address[1], str(tmp_path / "own.pem")), asked, replies
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_note_on_a_node(cluster):
    api, asked, replies = cluster
    replies["/api/v1/nodes/w-1"] = (200, {"metadata": {"annotations": {"a": "b"}}})
    assert api.note("w-1", {"annotations": {"a": "b"}}) == {"metadata": {"annotations": {"a": "b"}}}
    body = {"metadata": {"annotations": {"a": "b"}}}
    assert asked == [("PATCH", "/api/v1/nodes/w-1", "application/merge-patch+json", body)]


def test_a_node_that_is_gone_is_none_and_no_error(cluster):
    api, _, _ = cluster
    assert api.note("w-1", {}) is None
    assert api.get("/api/v1/nodes/w-1") is None


def test_what_is_forbidden_is_no_absence(cluster):
    """Who may not look must not believe that there is nothing."""
    api, _, replies = cluster
    replies["/api/v1/nodes/w-1"] = (403, {"message": "not yours"})
    with pytest.raises(agent_api.ApiError, match="HTTP 403.*not yours"):
        api.note("w-1", {})
