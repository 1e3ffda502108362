"""One probe of the API over real TLS on loopback: what counts as an answer, and what is believed."""

import http.server
import os
import ssl
import sys
import threading
from pathlib import Path

import pytest
from support import trust

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "honest_agent"))
import availability

pytestmark = pytest.mark.world


@pytest.fixture
def api(monkeypatch, tmp_path):
    """An API server that answers as `reply` says; `address` is in its certificate, `paths` is what it was asked."""

    class Given:
        reply, paths = (200, "ok"), []

        def probe(self, port=None, host="127.0.0.1"):
            return availability.Endpoint(host, port or self.port)()

    given = Given()
    given.paths = []
    authority = trust.authority(tmp_path, "ca")
    made, key = trust.leaf(tmp_path, *authority, "api", ["127.0.0.1"])
    (tmp_path / "ca.crt").write_text(authority[0])
    (tmp_path / "own.pem").write_text(made + key)
    given.ca = tmp_path / "ca.crt"

    class Answers(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            given.paths.append(self.path)
            self.send_response(given.reply[0])
            self.end_headers()
            self.wfile.write(given.reply[1].encode())

        def log_message(self, *_):
            return

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "own.pem")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    given.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    monkeypatch.setattr(availability, "CA", str(given.ca))
    yield given
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize(
    "reply, why",
    [
        ((200, "ok"), None),
        # it answers, and lets nobody unknown ask
        ((401, "{}"), None),
        ((403, "{}"), None),
        ((500, "[+]ping ok\n[-]etcd failed: reason withheld\n"), "HTTP 500: etcd failed"),
        ((503, "shutting down"), "HTTP 503: shutting down"),
    ],
)
def test_what_counts_as_an_answer(api, reply, why):
    api.reply = reply
    assert api.probe() == why
    assert api.paths == ["/readyz"]


def test_nobody_there(api):
    assert api.probe(port=1).startswith("ConnectionRefusedError")


def test_a_certificate_for_another_name_is_no_answer(api):
    assert "certificate verify failed" in api.probe(host="localhost")


def test_another_authority_is_no_answer_and_a_rotated_one_is_read_again(api, tmp_path):
    endpoint = availability.Endpoint("127.0.0.1", api.port)
    assert endpoint() is None
    good = api.ca.read_text()
    (tmp_path / "other").mkdir()
    api.ca.write_text(trust.authority(tmp_path / "other", "other")[0])
    os.utime(api.ca, ns=(1, 1))
    assert "certificate verify failed" in endpoint()
    api.ca.write_text(good)
    os.utime(api.ca, ns=(2, 2))
    assert endpoint() is None
