"""Sweeps out of an object store and into one: the rows of the same files on a disk."""

import json
import os

import pytest
from tests.s3_server import s3, s3_server  # noqa: F401
from tests.sweep.test_run_sweep import JOB, conversation, folder, rows  # noqa: F401

from contextwright.cli.main import main
from contextwright.errors import SessionError, StoreError
from contextwright.formats import write_session
from contextwright.sweep import sweep

pytest.importorskip("obstore", reason="pip install 'contextwright[s3]'")


@pytest.fixture(params=["file", "s3"])
def bucket(request, tmp_path):
    """The URL of an empty place: of a folder, and of a server that speaks S3."""
    if request.param == "s3":
        return request.getfixturevalue("s3")
    (tmp_path / "bucket").mkdir()
    return f"file://{tmp_path}/bucket"


def stored(bucket, folder):  # noqa: F811
    """The files of a folder as objects below `bucket/in`."""
    import obstore

    from contextwright.stores.object_artifacts import opened_store

    store = opened_store(f"{bucket}/in") if not bucket.startswith("file") else None
    if store is None:
        os.makedirs(f"{bucket.removeprefix('file://')}/in", exist_ok=True)
        store = opened_store(f"{bucket}/in")
    for path in folder.iterdir():
        obstore.put(store, path.name, path)
    obstore.put(store, "readme.txt", b"no sessions")


def without_source(path):
    return [{key: value for key, value in row.items() if key != "source"} for row in rows(path)]


def test_objects_are_read_as_files_are(bucket, folder, tmp_path):  # noqa: F811
    stored(bucket, folder)
    sweep([folder], JOB, tmp_path / "disk.parquet", workers=1, size=2)
    done = sweep([f"{bucket}/in"], JOB, tmp_path / "objects.parquet", workers=1, size=2)
    assert without_source(tmp_path / "objects.parquet") == without_source(tmp_path / "disk.parquet")
    sources = {row["source"] for row in rows(tmp_path / "objects.parquet")}
    assert sources == {f"{bucket}/in/{path.name}" for path in folder.iterdir()}
    assert done[0].sessions == 7
    one = sweep([f"{bucket}/in/a1.json"], JOB, tmp_path / "one.parquet", workers=1)
    assert one[0].sessions == 1


def test_a_result_goes_to_a_url(bucket, folder, tmp_path, monkeypatch):  # noqa: F811
    import obstore

    from contextwright.stores.object_artifacts import opened_store

    stored(bucket, folder)
    monkeypatch.chdir(tmp_path)
    url = f"{bucket}/in/r.parquet"
    with pytest.raises(SystemExit, match="0"):
        main(["sweep", str(folder / "a0.json"), "--workers", "1", "-o", url, "--budget", "9k"])
    assert not (tmp_path / "r.parquet").exists() and not list(tmp_path.glob("*.parts"))
    (tmp_path / "back.parquet").write_bytes(
        bytes(obstore.get(opened_store(f"{bucket}/in"), "r.parquet").bytes())
    )
    assert rows(tmp_path / "back.parquet")


def test_what_is_not_there_is_told(bucket, tmp_path):
    if bucket.startswith("file"):
        with pytest.raises(SessionError, match="no object of sessions"):
            sweep([bucket], JOB, tmp_path / "r.parquet", workers=1)
    with pytest.raises(StoreError):
        sweep([f"{bucket}/none.json"], JOB, tmp_path / "r.parquet", workers=1)


def test_a_picture_of_a_sweep_is_the_same_again(tmp_path, capsys):
    pytest.importorskip("matplotlib", reason="pip install 'contextwright[tune]'")
    write_session(conversation(1, turns=1), path=tmp_path / "s.json")
    for name in ("a", "b"):
        with pytest.raises(SystemExit, match="0"):
            main(["sweep", str(tmp_path / "s.json"), "--workers", "1", "--json",
                  "-o", str(tmp_path / "r.parquet"), "--plot", str(tmp_path / f"{name}.svg")])  # fmt: skip
    assert json.loads(capsys.readouterr().out.splitlines()[-1])[0]["calls"]
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
