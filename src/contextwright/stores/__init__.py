"""Where sessions, artifacts, memories and steps are kept: SQLite and files, behind protocols."""

from typing import TYPE_CHECKING

from contextwright.lazy_names import lazy_names

if TYPE_CHECKING:
    from contextwright.stores.answers import SQLiteAnswers
    from contextwright.stores.artifact_retention import collect, refs_of
    from contextwright.stores.artifacts import Artifacts
    from contextwright.stores.board import StepClaim, TaskBoard
    from contextwright.stores.files import FileArtifacts
    from contextwright.stores.memory_store import MemoryRecord, MemoryStore, SQLiteMemory
    from contextwright.stores.object_artifacts import ObjectArtifacts, lifecycle_rules
    from contextwright.stores.refs import Refs
    from contextwright.stores.sqlite import SQLiteSessions
    from contextwright.stores.store import ArtifactStore, SessionStore

_HOMES = {
    "ArtifactStore": "store",
    "Artifacts": "artifacts",
    "FileArtifacts": "files",
    "MemoryRecord": "memory_store",
    "MemoryStore": "memory_store",
    "ObjectArtifacts": "object_artifacts",
    "Refs": "refs",
    "SQLiteAnswers": "answers",
    "SQLiteMemory": "memory_store",
    "SQLiteSessions": "sqlite",
    "SessionStore": "store",
    "StepClaim": "board",
    "TaskBoard": "board",
    "collect": "artifact_retention",
    "lifecycle_rules": "object_artifacts",
    "refs_of": "artifact_retention",
}
"""Imported when they are first named."""

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
    "lifecycle_rules",
    "refs_of",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
