"""An API server for a small test machine, as far as a worker asks before it joins: is my token known?"""

import hashlib

FOLDER = "/opt/stand-in-api"
# it knows a token by its digest: the tests look for places where the token itself is left
SERVER = r"""import hashlib, http.server, os, ssl

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        token = self.headers.get("authorization", "").partition(" ")[2]
        known = hashlib.sha256(token.encode()).hexdigest() == "%s"
        self.send_response(200 if known and os.path.exists("/var/lib/stand-in/granted") else 401)
        self.end_headers()

server = http.server.HTTPServer(("127.0.0.1", 6443), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("%s/cert", "%s/key")
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
"""
UNIT = """[Service]
ExecStart=/usr/bin/python3 %s/server.py
"""


def files(cert, key, token):
    """The server, as a unit that the test starts. The token is known when /var/lib/stand-in/granted is there."""
    return {
        FOLDER + "/cert": cert,
        FOLDER + "/key": key,
        FOLDER + "/server.py": SERVER % (hashlib.sha256(token.encode()).hexdigest(), FOLDER, FOLDER),
        "/etc/systemd/system/stand-in-api.service": UNIT % FOLDER,
    }
