"""Artifacts in files: the suite, and what is the files' own."""

import pytest

from contextwright.errors import StoreError
from contextwright.stores import FileArtifacts, files
from contextwright.testing import ArtifactStoreSuite


@pytest.fixture
def artifacts(tmp_path):
    return FileArtifacts(tmp_path / "artifacts")


class TestFiles(ArtifactStoreSuite):
    """The suite that every backend passes."""


def test_changed_bytes_are_never_returned(artifacts):
    ref = artifacts.put(b"the truth")
    blob = next((artifacts.root / "blobs").iterdir())
    blob.chmod(0o600)
    blob.write_bytes(b"a lie")
    with pytest.raises(StoreError, match="not what was stored"):
        artifacts.get(ref)


def test_a_failed_write_leaves_nothing(artifacts, monkeypatch):
    def full(path, data):
        path.write_bytes(data[:3])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "write_durably", full)
    with pytest.raises(StoreError, match="No space left"):
        artifacts.put(b"0123456789")
    assert not list((artifacts.root / "blobs").iterdir())


def test_what_a_killed_process_left_is_swept(artifacts):
    (artifacts.root / "blobs" / "x.1.tmp").write_bytes(b"half")
    assert artifacts.sweep() == 1
    assert artifacts.sweep() == 0


def test_blobs_are_private(artifacts):
    artifacts.put(b"x")
    blob = next((artifacts.root / "blobs").iterdir())
    assert blob.stat().st_mode & 0o077 == 0
