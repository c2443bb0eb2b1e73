"""Where sessions and artifacts are kept: SQLite and files, behind protocols."""

from contextwright.stores.answers import SQLiteAnswers
from contextwright.stores.files import FileArtifacts
from contextwright.stores.refs import Refs
from contextwright.stores.sqlite import SQLiteSessions
from contextwright.stores.store import ArtifactStore, SessionStore

__all__ = [
    "ArtifactStore",
    "FileArtifacts",
    "Refs",
    "SQLiteAnswers",
    "SQLiteSessions",
    "SessionStore",
]
