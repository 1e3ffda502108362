"""What a control plane tells the others about its etcd disk: HTTPS on 2382, mutual TLS with the etcd CA."""

import http.client
import http.server
import json
import os
import socket
import ssl
import time

from honest import disk
from honest.document import load
from honest.host import PKI, read_json

PORT = 2382
SET = disk.MOUNT + "/birth.json"
QUORUM = disk.MOUNT + "/had-quorum"
CERT = PKI + "/etcd/peer.crt"
KEY = PKI + "/etcd/peer.key"
CA = PKI + "/etcd/ca.crt"


def has_data():
    return os.path.isdir(disk.DATA + "/member")


def answer(doc):
    """This node's own answer, or None without a mounted disk that is this node's: then it says nothing."""
    uid = doc["cluster"]["uid"]
    identity = read_json(disk.IDENTITY) if disk.mounted() else None
    if disk.judge(identity, uid, doc["node"]["name"]):
        return None
    birth = read_json(SET)
    state = "lives" if has_data() else "born" if birth else "empty"
    return {
        "state": state,
        "nonce": identity["nonce"],
        "set": birth["set"] if birth else None,
        "quorum": os.path.exists(QUORUM),
        "uid": uid,
        "number": disk.number(),
    }


def context(server):
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if server else ssl.PROTOCOL_TLS_CLIENT)
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    made.load_cert_chain(CERT, KEY)
    made.load_verify_locations(CA)
    made.verify_mode = ssl.CERT_REQUIRED
    return made


def ask(address, timeout=3):
    """A peer's answer, or None: unreachable, not ready, or not one of ours."""
    link = http.client.HTTPSConnection(address, PORT, timeout=timeout, context=context(False))
    try:
        link.request("GET", "/status")
        reply = link.getresponse()
        return json.loads(reply.read()) if reply.status == 200 else None
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        link.close()


def serve(doc, host="0.0.0.0", port=PORT):
    class Handler(http.server.BaseHTTPRequestHandler):
        timeout = 5

        def do_GET(self):
            mine = answer(doc)
            body = json.dumps(mine).encode() if mine else b"{}"
            self.send_response(200 if mine else 503)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            return

    class Server(http.server.ThreadingHTTPServer):
        address_family = socket.AF_INET
        daemon_threads = True

        def get_request(self):
            # the handshake happens in the handler's thread: a silent caller must not hold up the others
            link, where = self.socket.accept()
            return context(True).wrap_socket(link, server_side=True, do_handshake_on_connect=False), where

    return Server((host, port), Handler)


def main():
    doc = load()
    while not os.path.exists(CERT):
        time.sleep(1)
    serve(doc).serve_forever()
