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


RIGHTS = "s3:ListBucket on the bucket and s3:GetObject, s3:PutObject and s3:DeleteObject below the prefix"
# what is to be done, by the server's own code
ADVICE = {
    "SignatureDoesNotMatch": "the secret access key is another one than the server's: correct backup.target.s3.secret_access_key",
    "InvalidAccessKeyId": "the server does not know the access key id: correct backup.target.s3.access_key_id",
    # versitygw's own word for it
    "XAdminUserNotFound": "the server does not know the access key id: correct backup.target.s3.access_key_id",
    "AccessDenied": "the key may not do that, or the bucket is read-only: give it " + RIGHTS,
    "RequestTimeTooSkewed": "the clocks of this machine and of the server are too far apart: synchronise the one that is wrong",
    "NoSuchBucket": "make the bucket, or correct backup.target.s3.bucket",
    "AuthorizationHeaderMalformed": "the bucket is in another region: correct backup.target.s3.region",
    "PermanentRedirect": "the bucket is at another endpoint or in another region: correct backup.target.s3",
    "SlowDown": "the server is busy; it is tried again later",
    "QuotaExceeded": "the target is full: raise its quota, or lower backup.target.keep",
}
FULL = ("QuotaExceeded", "InsufficientStorage", "StorageFull", "XMinioStorageFull", "InsufficientCapacity")
BY_STATUS = {
    403: ADVICE["AccessDenied"],
    507: ADVICE["QuotaExceeded"],
    503: ADVICE["SlowDown"],
    413: "the target takes no object of that size",
}


def advice(status, code):
    """What to do about a refusal, or an empty text."""
    if code in FULL:
        return ADVICE["QuotaExceeded"]
    if 300 <= status < 400:
        return ADVICE["PermanentRedirect"]
    return ADVICE.get(code) or BY_STATUS.get(status, "")


class S3Error(Exception):
    """What the server refused, and what to do about it; status 0 is no answer at all."""

    def __init__(self, status, message, code=""):
        super().__init__(message)
        self.status, self.code = status, code


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
            try:
                link.request(method, text, body=body, headers=sent)
            except (BrokenPipeError, ConnectionResetError):
                # a server that refuses early does not read the rest; what it said may be there
                if body is None:
                    raise
            reply = link.getresponse()
            if reply.status >= 300:
                raise refused(reply, "%s %s%s" % (method, self.target["endpoint"], path), stamp)
            return reply, link
        except ssl.SSLCertVerificationError as cause:
            link.close()
            hint = "give the authority that signs it as backup.target.s3.ca, or correct the endpoint"
            raise S3Error(
                0, "%s: its certificate is not believed (%s): %s" % (self.target["endpoint"], cause.verify_message, hint)
            ) from cause
        except (OSError, http.client.HTTPException) as cause:
            link.close()
            hint = "look at backup.target.s3.endpoint, at the server, and at what stands between it and the control planes"
            raise S3Error(0, "%s does not answer (%s): %s" % (self.target["endpoint"], cause or type(cause).__name__, hint)) from cause
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


def refused(reply, what, stamp):
    """The server's own code and words, and what to do."""
    text = reply.read(10_000)
    try:
        tree = xml.fromstring(text)
        code, words = tree.findtext("Code") or "", tree.findtext("Message") or ""
    except xml.ParseError:
        code, words = "", reply.reason
    said = "%s: HTTP %d %s" % (what, reply.status, ": ".join(w for w in (code, words.rstrip(".")) if w))
    if code == "RequestTimeTooSkewed":
        said += " (here it is %s, there %s)" % (stamp, reply.getheader("date"))
    hint = advice(reply.status, code)
    return S3Error(reply.status, said + (": " + hint if hint else ""), code)
