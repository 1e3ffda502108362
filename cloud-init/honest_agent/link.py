"""JSON over TLS with a certificate of our own, on a connection that is kept: a new one for each call costs ten times as much.

Kept only while it is the same as a new one: certificate and authorities are read again when their files change, and what a
server has closed in the meantime is opened anew.
"""

import http.client
import os
import ssl
import threading


def changed(paths):
    return [(os.stat(path).st_mtime_ns, os.stat(path).st_ino) for path in paths]


class Link:
    """Of one server. Each thread has a connection of its own."""

    def __init__(self, host, port, files, timeout=10):
        """files: (authorities, certificate, key); key None = in the certificate's file."""
        self.host, self.port, self.files, self.timeout = host, port, [path for path in files if path], timeout
        self.own = threading.local()

    def open(self):
        """The connection, and whether it was there before."""
        read = changed(self.files)
        link = getattr(self.own, "link", None)
        if link is not None and self.own.read == read and link.sock is not None:
            return link, True
        self.close()
        context = ssl.create_default_context(cafile=self.files[0])
        context.load_cert_chain(*self.files[1:])
        self.own.link = http.client.HTTPSConnection(self.host, self.port, timeout=self.timeout, context=context)
        self.own.read = read
        return self.own.link, False

    def close(self):
        link, self.own.link = getattr(self.own, "link", None), None
        if link is not None:
            link.close()

    def send(self, method, path, data=None, headers=None, reads=False):
        """(status, bytes). OSError or HTTPException when no answer comes. reads: a POST that changes nothing."""
        if method == "POST" and not reads:
            # one that goes through and is not answered must not be sent twice, so it never meets a closed connection
            self.close()
        link, kept = self.open()
        try:
            return self.ask(link, method, path, data, headers)
        except (ConnectionError, http.client.RemoteDisconnected, ssl.SSLError):
            # a server may close a kept connection in the moment in which we use it: that is no failure
            if not kept:
                raise
        return self.ask(self.open()[0], method, path, data, headers)

    def ask(self, link, method, path, data, headers):
        try:
            link.request(method, path, data, headers or {})
            reply = link.getresponse()
            status, text = reply.status, reply.read()
        except BaseException:
            self.close()
            raise
        if status == 401 or status >= 500:
            # the certificate may have been exchanged a moment ago; and behind a balancer another server may be well
            self.close()
        return status, text
