"""A server of this process that speaks S3, for those tests that want one."""

import uuid

import pytest


@pytest.fixture(scope="session")
def s3_server():
    """Its address; moto's, in this process."""
    server = pytest.importorskip("moto.server", reason="pip install 'moto[s3]' flask flask-cors")
    threaded = server.ThreadedMotoServer(port=0, verbose=False)
    threaded.start()
    host, port = threaded.get_host_and_port()
    yield f"http://{'127.0.0.1' if host == '0.0.0.0' else host}:{port}"
    threaded.stop()


@pytest.fixture
def s3(s3_server, monkeypatch):
    """The URL of an empty bucket; how it is reached is in the environment, as on a machine."""
    import urllib.request

    for name, value in {
        "AWS_ENDPOINT_URL": s3_server, "AWS_ALLOW_HTTP": "true", "AWS_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    bucket = f"b{uuid.uuid4().hex[:12]}"
    request = urllib.request.Request(f"{s3_server}/{bucket}", method="PUT")
    urllib.request.urlopen(request).close()
    return f"s3://{bucket}"
