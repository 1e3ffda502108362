// Names for the pods of machines on networks with a way out. Docker's resolver knows the host's own, whatever that is, but
// answers on the machine's loopback only: a pod, with a loopback of its own, cannot ask it. The boot stage gives pods the
// machine's address instead (it drops loopback servers); here somebody answers there.
import type { FileEntry } from "./tar.js";

const forwarderPath = "/usr/lib/honest-local/resolver";
const forwarderScript = (guestFile: string): string => `#!/usr/bin/python3
import json, socket, socketserver, sys, threading

UPSTREAM = ("127.0.0.11", 53)
SECONDS = 10

def own_address():
    with open("${guestFile}", encoding="utf-8") as f:
        gateway = json.load(f)["gateway"]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((gateway, 9))
        return probe.getsockname()[0]

def message(stream):
    # over TCP: two bytes of length, then the message
    head = stream.read(2)
    return head + stream.read(int.from_bytes(head, "big")) if len(head) == 2 else b""

class Handler(socketserver.BaseRequestHandler):
    def handle(self):
        try:
            self.pass_on()
        except OSError as cause:
            # no answer: who asked asks again
            print("no answer for %s: %s" % (self.client_address[0], cause), file=sys.stderr, flush=True)

class Datagram(Handler):
    def pass_on(self):
        question, server = self.request
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as upstream:
            upstream.settimeout(SECONDS)
            upstream.connect(UPSTREAM)
            upstream.send(question)
            server.sendto(upstream.recv(65535), self.client_address)

class Stream(Handler):
    def pass_on(self):
        self.request.settimeout(SECONDS)
        with socket.create_connection(UPSTREAM, SECONDS) as upstream:
            asked, answered = self.request.makefile("rb"), upstream.makefile("rb")
            question = message(asked)
            while question:
                upstream.sendall(question)
                self.request.sendall(message(answered))
                question = message(asked)

class Udp(socketserver.ThreadingUDPServer):
    daemon_threads = True
    max_packet_size = 65535

class Tcp(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True

address = own_address()
threading.Thread(target=Tcp((address, 53), Stream).serve_forever, daemon=True).start()
Udp((address, 53), Datagram).serve_forever()
`;

const forwarderUnit = `[Unit]
Description=Hands the pods' questions for names on to the engine's resolver

[Service]
ExecStart=${forwarderPath}
Restart=always
RestartSec=1

[Install]
WantedBy=multi-user.target
`;

/** `guestFile`: the machine's record of its network, with the bridge's address as "gateway". */
export const forwarderFiles = (guestFile: string): readonly FileEntry[] => [
  { path: forwarderPath, content: forwarderScript(guestFile), mode: 0o755 },
  { path: "/etc/systemd/system/honest-local-resolver.service", content: forwarderUnit },
  { path: "/etc/systemd/system/multi-user.target.wants", folder: true },
  {
    path: "/etc/systemd/system/multi-user.target.wants/honest-local-resolver.service",
    link: "/etc/systemd/system/honest-local-resolver.service",
  },
];
