"""A connection that is kept, over real TLS on loopback: it costs one handshake, and is never worse than a new one."""

import http.server
import os
import socketserver
import ssl
import sys
import threading
from pathlib import Path

import pytest
from support import trust

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "honest_agent"))
import link as links

pytestmark = pytest.mark.world


@pytest.fixture
def server(tmp_path):
    """HTTP/1.1 over mutual TLS. `seen`: (connection, method, path); `status`: what it answers; `drops`: requests to cut off."""

    class Seen:
        seen, status, drops = [], 200, 0

    given = Seen()
    given.seen = []
    authority = trust.authority(tmp_path, "ca")
    made, key = trust.leaf(tmp_path, *authority, "api", ["127.0.0.1"])
    (tmp_path / "ca.crt").write_text(authority[0])
    (tmp_path / "own.pem").write_text(made + key)

    class Answers(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self):
            self.rfile.read(int(self.headers.get("content-length") or 0))
            given.seen.append((self.client_address[1], self.command, self.path))
            if given.drops:
                given.drops -= 1
                self.close_connection = True
                return
            self.send_response(given.status)
            self.send_header("content-length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        do_GET = do_POST = do_PATCH = answer

        def log_message(self, *_):
            return

    class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
        daemon_threads = True

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "own.pem")
    context.load_verify_locations(tmp_path / "ca.crt")
    context.verify_mode = ssl.CERT_REQUIRED
    serving = Server(("127.0.0.1", 0), Answers)
    serving.socket = context.wrap_socket(serving.socket, server_side=True)
    thread = threading.Thread(target=serving.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    given.files = (str(tmp_path / "ca.crt"), str(tmp_path / "own.pem"), None)
    given.link = links.Link("127.0.0.1", serving.server_address[1], given.files, 2)
    given.connections = lambda: len({port for port, _, _ in given.seen})
    yield given
    given.link.close()
    serving.shutdown()
    thread.join()
    serving.server_close()


def test_one_handshake_for_many_calls(server):
    for _ in range(5):
        assert server.link.send("GET", "/a") == (200, b"{}")
    assert server.connections() == 1


def test_a_renewed_certificate_counts_at_once(server):
    server.link.send("GET", "/a")
    own = Path(server.files[1])
    own.with_suffix(".new").write_text(own.read_text())
    os.rename(own.with_suffix(".new"), own)
    server.link.send("GET", "/a")
    assert server.connections() == 2


@pytest.mark.parametrize("method, reads", [("GET", False), ("PATCH", False), ("POST", True)])
def test_a_connection_that_was_closed_is_no_failure(server, method, reads):
    server.link.send("GET", "/a")
    server.drops = 1
    assert server.link.send(method, "/b", reads=reads) == (200, b"{}")
    assert [path for _, _, path in server.seen] == ["/a", "/b", "/b"]


def test_a_create_is_never_sent_twice(server):
    server.link.send("GET", "/a")
    server.drops = 1
    with pytest.raises(ConnectionError):
        server.link.send("POST", "/b", "{}")
    assert [path for _, _, path in server.seen] == ["/a", "/b"]


def test_a_new_connection_that_is_cut_fails(server):
    server.drops = 1
    with pytest.raises(ConnectionError):
        server.link.send("GET", "/a")


@pytest.mark.parametrize("status, connections", [(500, 2), (503, 2), (401, 2), (404, 1), (409, 1)])
def test_a_server_that_is_not_well_is_not_kept(server, status, connections):
    server.status = status
    assert server.link.send("GET", "/a")[0] == status
    server.link.send("GET", "/a")
    assert server.connections() == connections
