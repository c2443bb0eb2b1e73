"""Stores that several machines share, in one PostgreSQL database (14 or newer)."""

from typing import TYPE_CHECKING

from contextwright.lazy_names import lazy_names

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

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
