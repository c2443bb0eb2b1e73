"""Stores that forget together, small."""

import os

import pytest

from contextwright.retrieval.index import Index
from contextwright.retrieval.semantic_cache import SemanticCache
from contextwright.session import Session
from contextwright.stores import FileArtifacts, SQLiteAnswers, SQLiteMemory, SQLiteSessions

DAY = 86_400_000
NOW = 1_900_000_000_000
"""Later than any clock of a test's files by years."""


class Stores:
    """One of each, in a folder; `again()` opens the files anew."""

    def __init__(self, folder):
        self.folder = folder
        self.cache = SemanticCache()
        self.open()

    def open(self):
        clock = lambda: NOW  # noqa: E731
        self.sessions = SQLiteSessions(self.folder / "sessions.db")
        self.memory = SQLiteMemory(self.folder / "memory.db", clock=clock)
        self.answers = SQLiteAnswers(self.folder / "answers.db", clock=clock)
        self.artifacts = FileArtifacts(self.folder / "artifacts")
        self.index = Index(path=self.folder / "index.db")
        self.journal = self.folder / "lethe.db"

    def close(self):
        for store in (self.sessions, self.memory, self.answers, self.index):
            store.close()

    def again(self):
        self.close()
        self.open()

    @property
    def all(self):
        return (
            self.sessions, self.memory, self.answers, self.cache, self.artifacts, self.index
        )  # fmt: skip

    def artifact(self, data, name="", days=100):
        """An artifact as old as that."""
        before = set((self.folder / "artifacts").glob("*/*"))
        ref = self.artifacts.put(data, name=name)
        then = (NOW - days * DAY) / 1000
        for path in set((self.folder / "artifacts").glob("*/*")) - before:
            os.utime(path, (then, then))
        return ref

    def session(self, id="s", notes=None, **fields):
        session = Session(id, **fields)
        session.user("hello", time_ms=NOW - 100 * DAY)
        for key, value in (notes or {}).items():
            session.update({key: value})
        self.sessions.save(session)
        return session

    def bytes(self):
        """All that lies on the disk."""
        return b"".join(path.read_bytes() for path in self.folder.rglob("*") if path.is_file())


@pytest.fixture
def stores(tmp_path):
    opened = Stores(tmp_path)
    yield opened
    opened.close()
