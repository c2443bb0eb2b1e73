"""A store that was closed says so, and not that its file is something else."""

import pytest

from contextwright import Session, SQLiteMemory, SQLiteSessions, TaskBoard
from contextwright.errors import StoreError
from contextwright.stores.answers import SQLiteAnswers

USES = {
    "sessions": (SQLiteSessions, lambda store: store.save(Session("s"))),
    "sessions, read": (SQLiteSessions, lambda store: store.load("s")),
    "memory": (SQLiteMemory, lambda store: store.search("x")),
    "board": (TaskBoard, lambda store: store.claim("w")),
    "answers": (SQLiteAnswers, lambda store: store.records()),
}


@pytest.mark.parametrize("name", USES)
def test_it_says_that_it_was_closed(name, tmp_path):
    kind, use = USES[name]
    store = kind(tmp_path / "store.db")
    store.close()
    store.close()
    with pytest.raises(StoreError, match="was closed") as caught:
        use(store)
    assert "store.db" in caught.value.where and "open it again" in caught.value.fix
