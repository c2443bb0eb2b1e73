"""A text is read by a model once, in this process or another."""

import pytest

from contextwright.errors import StoreError
from contextwright.retrieval.kept_vectors import KeptVectors


def test_a_text_is_read_once(tmp_path, letters):
    path = tmp_path / "vectors.db"
    first = KeptVectors(letters, path)
    one, two, again = first.vectors(["a heron", "a mill", "a heron"])
    assert letters.asked == 2
    assert one == again
    assert one == pytest.approx(letters.vectors(["a heron"])[0], abs=1e-6)
    first.close()
    asked = letters.asked
    second = KeptVectors(letters, path)
    assert second.vectors(["a mill", "a heron"]) == [two, one]
    assert second.vectors([]) == []
    assert letters.asked == asked
    assert b"heron" not in path.read_bytes()
    letters.id = "another model"
    KeptVectors(letters, path).vectors(["a mill"])
    assert letters.asked == asked + 1


def test_what_is_forgotten_is_read_again(tmp_path, letters):
    kept = KeptVectors(letters, tmp_path / "vectors.db")
    kept.vectors(["a heron", "a mill", "\ud800"])
    kept.forget(["a heron"])
    kept.vectors(["a heron", "a mill"])
    assert letters.asked == 4


def test_an_embedder_that_gives_no_vectors_leaves_nothing(tmp_path, letters):
    kept = KeptVectors(letters, tmp_path / "vectors.db")
    letters.vectors = lambda texts: []
    with pytest.raises(ValueError, match="0 vectors for 1 texts"):
        kept.vectors(["a heron"])
    assert kept._known([kept._key("a heron")]) == {}


def test_a_file_of_something_else_is_refused(tmp_path, letters):
    path = tmp_path / "vectors.db"
    path.write_text("not a database, but long enough to be taken for one" * 20)
    with pytest.raises(StoreError, match="no file of vectors"):
        KeptVectors(letters, path)
