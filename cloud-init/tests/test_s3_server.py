"""Calls to a server of the tests: what it refuses is said in words that say what to do."""

import http.server
import sys
import threading
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "honest_agent"))
import s3

pytestmark = pytest.mark.world
ERROR = "<Error><Code>%s</Code><Message>said by the server</Message></Error>"


@pytest.fixture
def server():
    class Handler(http.server.BaseHTTPRequestHandler):
        answers, asked, read_body = [], [], True

        def answer(self):
            length = int(self.headers.get("content-length") or 0)
            body = self.rfile.read(length) if Handler.read_body else b""
            Handler.asked.append((self.command, self.path, body))
            status, text = Handler.answers.pop(0)
            self.send_response(status)
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text.encode())

        do_GET = do_PUT = do_DELETE = answer

        def log_message(self, *args):
            """The test's output is not its place."""

    Handler.answers, Handler.asked = [], []
    listening = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=listening.serve_forever, daemon=True).start()
    place = {"endpoint": "http://127.0.0.1:%d" % listening.server_port, "bucket": "b", "region": "r", "access_key": "i", "secret_key": "s"}
    yield Handler, s3.Bucket(place)
    listening.shutdown()
    listening.server_close()


@pytest.mark.parametrize(
    "status, code, said",
    [
        (403, "SignatureDoesNotMatch", "the secret access key is another one than the server's"),
        (403, "InvalidAccessKeyId", "does not know the access key id"),
        (403, "AccessDenied", "the bucket is read-only: give it s3:ListBucket"),
        (403, "RequestTimeTooSkewed", "synchronise the one that is wrong"),
        (404, "NoSuchBucket", "make the bucket, or correct backup.target.s3.bucket"),
        (400, "AuthorizationHeaderMalformed", "correct backup.target.s3.region"),
        (507, "InsufficientStorage", "the target is full"),
        (403, "QuotaExceeded", "the target is full"),
        (400, "XMinioStorageFull", "the target is full"),
        (503, "SlowDown", "tried again later"),
        (301, "PermanentRedirect", "at another endpoint or in another region"),
        (500, "InternalError", "said by the server"),
    ],
)
def test_a_refusal_says_what_to_do(server, tmp_path, status, code, said):
    handler, bucket = server
    handler.answers = [(status, ERROR % code)]
    (tmp_path / "file").write_bytes(b"x")
    with pytest.raises(s3.S3Error, match=said) as refused:
        bucket.put("k", str(tmp_path / "file"))
    assert (refused.value.status, refused.value.code) == (status, code)


def test_a_refusal_without_words_is_told_by_its_status(server, tmp_path):
    handler, bucket = server
    handler.answers = [(507, ""), (403, "<html>")]
    with pytest.raises(s3.S3Error, match="the target is full"):
        bucket.list("p")
    with pytest.raises(s3.S3Error, match="the key may not do that"):
        bucket.list("p")


def test_clocks_that_differ_are_both_said(server):
    handler, bucket = server
    handler.answers = [(403, ERROR % "RequestTimeTooSkewed")]
    with pytest.raises(s3.S3Error, match=r"here it is \d{8}T\d{6}Z, there \w{3}, "):
        bucket.list("p")


def test_a_refusal_in_the_middle_of_a_large_file_is_still_heard(server, tmp_path):
    handler, bucket = server
    handler.answers, handler.read_body = [(403, ERROR % "AccessDenied")], False
    (tmp_path / "file").write_bytes(b"x" * 30_000_000)
    with pytest.raises(s3.S3Error) as refused:
        bucket.put("k", str(tmp_path / "file"))
    # the link may be cut before the words come; then it says that
    assert "the key may not do that" in str(refused.value) or "does not answer" in str(refused.value)
    handler.read_body = True


def test_nobody_there_is_said(server):
    _, bucket = server
    silent = s3.Bucket({**bucket.target, "endpoint": "http://127.0.0.1:1"})
    with pytest.raises(
        s3.S3Error, match=r"http://127.0.0.1:1 does not answer \(.*refused.*\): look at backup.target.s3.endpoint"
    ) as refused:
        silent.list("p")
    assert refused.value.status == 0


def test_a_long_list_comes_in_pages(server):
    handler, bucket = server
    page = "<ListBucketResult xmlns='http://s3.amazonaws.com/doc/2006-03-01/'><Contents><Key>%s</Key><Size>1</Size></Contents>%s</ListBucketResult>"
    handler.answers = [(200, page % ("a", "<NextContinuationToken>t/+</NextContinuationToken>")), (200, page % ("b", ""))]
    assert bucket.list("p/") == [("a", 1), ("b", 1)]
    assert "continuation-token=t%2F%2B" in handler.asked[1][1]


def test_a_file_goes_and_comes(server, tmp_path):
    handler, bucket = server
    handler.answers = [(200, ""), (200, "hello")]
    (tmp_path / "file").write_bytes(b"hello")
    bucket.put("k", str(tmp_path / "file"))
    assert handler.asked == [("PUT", "/b/k", b"hello")]
    assert bucket.get("k", str(tmp_path / "back")) == "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
    assert (tmp_path / "back").read_bytes() == b"hello"
