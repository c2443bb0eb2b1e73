"""Stores that several machines share, in one PostgreSQL database (14 or newer)."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from contextwright.stores.postgres.postgres_database import PostgresDatabase
    from contextwright.stores.postgres.postgres_records import (
        PostgresAnswers,
        PostgresBoard,
        PostgresMemory,
    )
    from contextwright.stores.postgres.postgres_sessions import PostgresSessions
    from contextwright.stores.postgres.row_security import enable_row_security

_HOMES = {
    "PostgresAnswers": "postgres_records",
    "PostgresBoard": "postgres_records",
    "PostgresDatabase": "postgres_database",
    "PostgresMemory": "postgres_records",
    "PostgresSessions": "postgres_sessions",
    "enable_row_security": "row_security",
}

__all__ = [
    "PostgresAnswers",
    "PostgresBoard",
    "PostgresDatabase",
    "PostgresMemory",
    "PostgresSessions",
    "enable_row_security",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
