"""The four calls of an S3 API that backups need, signed with version 4; any server that speaks it will do.

Signing is our own, since a node has Python's standard library and nothing else.
"""

import datetime
import hashlib
import hmac
import http.client
import os
import ssl
import urllib.parse
import xml.etree.ElementTree as xml

EMPTY = hashlib.sha256(b"").hexdigest()
# a single put takes 5 GiB at most; etcd's quota is below that
BLOCK = 1 << 20
TIMEOUT = 60


class S3Error(Exception):
    """What the server refused; status 0 is no answer at all."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


def quote(text, safe="-_.~"):
    return urllib.parse.quote(text, safe=safe)


def signature(secret, day, region, scope, text):
    key = ("AWS4" + secret).encode()
    for part in (day, region, "s3", "aws4_request"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def authorization(target, method, path, query, headers, payload, stamp):
    """The header's value. headers: {lower-case name: value}, all of them signed; payload: sha256 of the body in hex."""
    day = stamp[:8]
    scope = "%s/%s/s3/aws4_request" % (day, target["region"])
    signed = ";".join(sorted(headers))
    canonical = [method, quote(path, "/-_.~"), "&".join("%s=%s" % (quote(k), quote(v)) for k, v in sorted(query.items()))]
    canonical += ["%s:%s" % (name, " ".join(headers[name].split())) for name in sorted(headers)] + ["", signed, payload]
    digest = hashlib.sha256("\n".join(canonical).encode()).hexdigest()
    proof = signature(target["secret_key"], day, target["region"], scope, "\n".join(["AWS4-HMAC-SHA256", stamp, scope, digest]))
    return "AWS4-HMAC-SHA256 Credential=%s/%s, SignedHeaders=%s, Signature=%s" % (target["access_key"], scope, signed, proof)


class Bucket:
    """target: {"endpoint": "https://host:port", "bucket", "region", "access_key", "secret_key", "ca": PEM or None}.

    The bucket's name stands in the path, which every server understands.
    """

    def __init__(self, target):
        self.target = target
        self.url = urllib.parse.urlsplit(target["endpoint"])

    def link(self):
        if self.url.scheme == "http":
            return http.client.HTTPConnection(self.url.netloc, timeout=TIMEOUT)
        context = ssl.create_default_context(cadata=self.target.get("ca") or None)
        return http.client.HTTPSConnection(self.url.netloc, timeout=TIMEOUT, context=context)

    def call(self, method, key="", query=None, body=None, size=0, payload=EMPTY):
        """The response and its link, which the caller closes. body: bytes or an open file."""
        path = "/" + self.target["bucket"] + ("/" + key if key else "")
        stamp = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
        headers = {"host": self.url.netloc, "x-amz-content-sha256": payload, "x-amz-date": stamp}
        query = query or {}
        sent = dict(headers, authorization=authorization(self.target, method, path, query, headers, payload, stamp))
        if body is not None:
            sent["content-length"] = str(size)
        text = quote(path, "/-_.~") + ("?" + "&".join("%s=%s" % (quote(k), quote(v)) for k, v in sorted(query.items())) if query else "")
        link = self.link()
        try:
            link.request(method, text, body=body, headers=sent)
            reply = link.getresponse()
            if reply.status >= 300:
                raise S3Error(reply.status, "%s %s%s: %s" % (method, self.target["endpoint"], path, refusal(reply)))
            return reply, link
        except OSError as cause:
            link.close()
            raise S3Error(0, "%s %s: %s" % (method, self.target["endpoint"], cause)) from cause
        except S3Error:
            link.close()
            raise

    def put(self, key, file):
        """Sends a file. The server checks the sha256 that was signed, so what it took is what was read here."""
        digest = hashlib.sha256()
        with open(file, "rb") as f:
            for block in iter(lambda: f.read(BLOCK), b""):
                digest.update(block)
            f.seek(0)
            reply, link = self.call("PUT", key, body=f, size=os.path.getsize(file), payload=digest.hexdigest())
        reply.read()
        link.close()

    def get(self, key, file):
        """Fetches into a file; gives its sha256."""
        reply, link = self.call("GET", key)
        digest = hashlib.sha256()
        try:
            with open(file, "wb") as f:
                os.chmod(file, 0o600)
                for block in iter(lambda: reply.read(BLOCK), b""):
                    digest.update(block)
                    f.write(block)
        except (OSError, http.client.HTTPException) as cause:
            raise S3Error(0, "GET %s broke off: %s" % (key, cause)) from cause
        finally:
            link.close()
        return digest.hexdigest()

    def delete(self, key):
        reply, link = self.call("DELETE", key)
        reply.read()
        link.close()

    def list(self, prefix):
        """[(key, size)] of everything below a prefix, however much it is."""
        found, more = [], {}
        while True:
            reply, link = self.call("GET", query={"list-type": "2", "prefix": prefix, **more})
            tree = xml.fromstring(reply.read())
            link.close()
            space = tree.tag[: tree.tag.index("}") + 1] if tree.tag.startswith("{") else ""
            found += [(e.findtext(space + "Key"), int(e.findtext(space + "Size") or 0)) for e in tree.findall(space + "Contents")]
            token = tree.findtext(space + "NextContinuationToken")
            if not token:
                return found
            more = {"continuation-token": token}


def refusal(reply):
    """The server's own words: its code and message, else the status."""
    text = reply.read(10_000)
    try:
        tree = xml.fromstring(text)
        return "HTTP %d, %s: %s" % (reply.status, tree.findtext("Code"), tree.findtext("Message"))
    except xml.ParseError:
        return "HTTP %d %s" % (reply.status, reply.reason)
