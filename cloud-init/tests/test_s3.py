"""The signature against the worked examples of the S3 manual; calls against a server of the tests that checks signatures itself."""

import pytest
from honest_agent import s3

# the example account of the manual's chapter on signing a single request
TARGET = {
    "endpoint": "https://examplebucket.s3.amazonaws.com",
    "bucket": "examplebucket",
    "region": "us-east-1",
    "access_key": "AKIAIOSFODNN7EXAMPLE",
    "secret_key": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
}
HOST = "examplebucket.s3.amazonaws.com"
STAMP = "20130524T000000Z"


@pytest.mark.parametrize(
    "method, path, query, extra, payload, wanted",
    [
        ("GET", "/test.txt", {}, {"range": "bytes=0-9"}, s3.EMPTY, "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
        (
            "PUT",
            "/test$file.text",
            {},
            {"date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY"},
            "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
            "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
        ),
        ("GET", "/", {"lifecycle": ""}, {}, s3.EMPTY, "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        ("GET", "/", {"max-keys": "2", "prefix": "J"}, {}, s3.EMPTY, "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ],
)
def test_the_manuals_examples_have_the_manuals_signatures(method, path, query, extra, payload, wanted):
    headers = {"host": HOST, "x-amz-content-sha256": payload, "x-amz-date": STAMP, **extra}
    made = s3.authorization(TARGET, method, path, query, headers, payload, STAMP)
    assert made.endswith("Signature=" + wanted)
    assert "Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request" in made
