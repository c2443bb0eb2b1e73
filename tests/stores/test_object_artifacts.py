"""Artifacts in an object store: long ones in parts, many names at once, rules of a bucket."""

import json

import pytest
from tests.s3_server import s3, s3_server  # noqa: F401

from contextwright.stores import ObjectArtifacts
from contextwright.stores.object_artifacts import AT_ONCE, PART_BYTES, lifecycle_rules, opened_store

obstore = pytest.importorskip("obstore", reason="pip install 'contextwright[s3]'")


def test_a_long_artifact_goes_up_in_parts_and_comes_back(s3):  # noqa: F811
    artifacts = ObjectArtifacts(f"{s3}/agents")
    data = bytes(range(256)) * (2 * PART_BYTES // 256 + 7)
    ref = artifacts.put(data, name="log")
    assert artifacts.get(ref) == data
    stored = {
        meta["path"]: meta for page in obstore.list(opened_store(f"{s3}/agents")) for meta in page
    }
    parts = [meta["e_tag"] for path, meta in stored.items() if path.startswith("blobs/")]
    assert parts[0].strip('"').endswith("-3")  # S3's mark of an upload of three parts
    short = ObjectArtifacts(f"{s3}/short")
    short.put(b"short")
    (meta,) = next(iter(obstore.list(opened_store(f"{s3}/short"))))
    assert "-" not in meta["e_tag"]


def test_names_are_listed_by_the_page_and_read_many_at_once(monkeypatch):
    artifacts, pages, running, most = ObjectArtifacts("memory:///"), [], [0], [0]
    for number in range(120):
        artifacts.put(b"%d" % number, name=f"n{number}")
    listed, read = obstore.list, type(artifacts._keys).read

    def counted(*arguments, **options):
        pages.append(options["chunk_size"])
        return listed(*arguments, **options)

    def together(self, key):
        running[0] += 1
        most[0] = max(most[0], running[0])
        try:
            return read(self, key)
        finally:
            running[0] -= 1

    monkeypatch.setattr(obstore, "list", counted)
    monkeypatch.setattr(type(artifacts._keys), "read", together)
    names = artifacts.names()
    assert len(names) == 120 and pages == [1000] and most[0] <= AT_ONCE
    assert {name.name for name in names} == {f"n{number}" for number in range(120)}


def test_the_rules_of_a_bucket_end_only_what_nobody_can_see(s3, s3_server):  # noqa: F811
    rules = lifecycle_rules("agents/", forgotten_days=3)
    assert json.loads(json.dumps(rules)) == rules
    for rule in rules["Rules"]:
        assert rule["Filter"] == {"Prefix": "agents/"}
        assert "Days" not in rule.get("Expiration", {}) and "Date" not in rule.get("Expiration", {})
    boto3 = pytest.importorskip("boto3", reason="pip install 'moto[s3]' flask flask-cors")
    client = boto3.client("s3", endpoint_url=s3_server)
    bucket = s3.removeprefix("s3://")
    client.put_bucket_lifecycle_configuration(Bucket=bucket, LifecycleConfiguration=rules)
    rules_there = client.get_bucket_lifecycle_configuration(Bucket=bucket)["Rules"]
    assert [rule["ID"] for rule in rules_there] == [rule["ID"] for rule in rules["Rules"]]
    assert lifecycle_rules()["Rules"][0]["Filter"] == {"Prefix": ""}
