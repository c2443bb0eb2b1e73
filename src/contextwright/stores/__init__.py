"""Where sessions, artifacts, memories and steps are kept: SQLite and files, behind protocols."""

from contextwright.stores.answers import SQLiteAnswers
from contextwright.stores.artifact_retention import collect, refs_of
from contextwright.stores.artifacts import Artifacts
from contextwright.stores.board import StepClaim, TaskBoard
from contextwright.stores.files import FileArtifacts
from contextwright.stores.memory_store import MemoryRecord, MemoryStore, SQLiteMemory
from contextwright.stores.object_artifacts import ObjectArtifacts
from contextwright.stores.refs import Refs
from contextwright.stores.sqlite import SQLiteSessions
from contextwright.stores.store import ArtifactStore, SessionStore

__all__ = [
    "ArtifactStore",
    "Artifacts",
    "FileArtifacts",
    "MemoryRecord",
    "MemoryStore",
    "ObjectArtifacts",
    "Refs",
    "SQLiteAnswers",
    "SQLiteMemory",
    "SQLiteSessions",
    "SessionStore",
    "StepClaim",
    "TaskBoard",
    "collect",
    "refs_of",
]
