"""Artifacts in files: the suite, and what is the files' own."""

import errno
import os

import pytest

from contextwright.errors import CorruptData, ReadOnlyStore, StoreError, StoreFull
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


@pytest.mark.parametrize("damage", [b"", b"a lie", b"the trutH", None])
def test_bytes_that_are_put_again_heal_a_damaged_file(artifacts, damage):
    ref = artifacts.put(b"the truth", name="n")
    blob = next((artifacts.root / "blobs").iterdir())
    blob.unlink()
    if damage is not None:
        blob.write_bytes(damage)
        with pytest.raises(CorruptData, match="not what was stored"):
            artifacts.get(ref)
    assert artifacts.put(b"the truth", name="n") == ref
    assert artifacts.get(ref) == b"the truth"
    assert blob.stat().st_mode & 0o077 == 0


def test_every_flipped_bit_of_a_name_is_found(artifacts):
    ref = artifacts.put(b"the truth", name="a/b")
    (entry,) = (artifacts.root / "names").iterdir()
    whole = entry.read_bytes()
    for place in range(len(whole) * 8):
        data = bytearray(whole)
        data[place // 8] ^= 1 << place % 8
        entry.write_bytes(data)
        with pytest.raises(CorruptData, match="damaged"):
            artifacts.get(ref)
        assert artifacts.names() == [] and len(artifacts.damaged()) == 1


def test_names_of_an_earlier_version_are_read(artifacts):
    ref = artifacts.put(b"the truth", name="a/b")
    (entry,) = (artifacts.root / "names").iterdir()
    entry.write_bytes(entry.read_bytes().partition(b',"check"')[0] + b"}")
    assert artifacts.get(ref) == b"the truth"


def test_the_folders_are_private(tmp_path):
    FileArtifacts(tmp_path / "deep" / "artifacts")
    for folder in ("", "blobs", "names"):
        assert (tmp_path / "deep" / "artifacts" / folder).stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    ("number", "kind"), [(errno.EROFS, ReadOnlyStore), (errno.ENOSPC, StoreFull), (5, StoreError)]
)
def test_a_file_system_that_does_not_write_is_named(artifacts, monkeypatch, number, kind):
    def refuse(*_, **__):
        raise OSError(number, os.strerror(number))

    ref = artifacts.put(b"old")
    for name in ("open", "utime", "unlink"):
        monkeypatch.setattr(os, name, refuse)
    assert artifacts.get(ref) == b"old"
    assert artifacts.put(b"old") == ref, "it is there"
    with pytest.raises(kind) as caught:
        artifacts.put(b"new")
    assert type(caught.value) is kind and str(artifacts.root) in caught.value.where
