"""Answers, memories and steps in PostgreSQL."""

from collections.abc import Callable, Collection
from typing import Literal

from contextwright.errors import StoreError
from contextwright.retrieval.vectors import Vectorizer
from contextwright.stores.answers import MOST, RowAnswers
from contextwright.stores.answers import TABLE as ANSWERS
from contextwright.stores.board import LEASE_S, MOST_ATTEMPTS, RowBoard
from contextwright.stores.board_rows import TABLE as STEPS
from contextwright.stores.database import clock_ms
from contextwright.stores.memory_rows import TABLE as MEMORIES
from contextwright.stores.memory_rows import MemoryRecord
from contextwright.stores.memory_store import RowMemory
from contextwright.stores.postgres.hashed_rows import HashedRows
from contextwright.stores.postgres.memory_candidates import MemoryCandidates
from contextwright.stores.postgres.postgres_database import PostgresDatabase

_USED = (
    """UPDATE {} SET uses = uses + ?, used_ms = greatest(coalesce(used_ms, 0), ?) WHERE {} = ?"""
)


class PostgresAnswers(RowAnswers):
    """An `AnswerCache` that several machines share.

    Args:
        database: of the tenant.
        most: answers that are kept of the tenant, about.
        clock: milliseconds since 1970, for when an answer was written and last used.
    """

    def __init__(
        self,
        database: PostgresDatabase,
        *,
        most: int = MOST,
        clock: Callable[[], int] = clock_ms,
    ) -> None:
        rows = HashedRows(database, ANSWERS)
        super().__init__(rows, _USED.format("answers", "key"), most, clock)


class PostgresMemory(RowMemory):
    """A `MemoryStore` that several machines share.

    Args:
        database: of the tenant.
        index: `process`: each process indexes the tenant's memories when it first searches, then
            what is new. `server`: full text search of the server, and pgvector's where it is
            installed and there is an embedder, find some hundred memories, of which the best are
            chosen here: for tenants with more than a process should hold.
        embedder, half_life_days, clock: as `RowMemory` has them.
    """

    def __init__(
        self,
        database: PostgresDatabase,
        *,
        embedder: Vectorizer | None = None,
        index: Literal["process", "server"] = "process",
        half_life_days: float = 0,
        clock: Callable[[], int] = clock_ms,
    ) -> None:
        if index not in ("process", "server"):
            raise StoreError(
                f"no index is named {index!r}",
                where="PostgresMemory(index=...)",
                fix="'process', or 'server' for full text search of PostgreSQL's",
            )
        rows = HashedRows(database, MEMORIES, "memories_epochs", "memory_vectors")
        used = _USED.format("memories", "id")
        super().__init__(rows, used, embedder, half_life_days, clock)
        self._candidates = (
            MemoryCandidates(rows, database.tenant, embedder) if index == "server" else None
        )

    @property
    def degraded(self) -> str:
        if self._candidates is None:
            return super().degraded
        count = len(self._candidates.damaged)
        damaged = f"{count} damaged memories left out" if count else ""
        return "; ".join(filter(None, (self._candidates.degraded, damaged)))

    def _best_memories(
        self, query: str, k: int, scope: str, kinds: Collection[str]
    ) -> list[tuple[MemoryRecord, float]]:
        if self._candidates is None:
            return super()._best_memories(query, k, scope, kinds)
        return self._candidates.best(query, k, scope, kinds)

    def _catch_up(self) -> None:
        if self._candidates is None:
            super()._catch_up()


class PostgresBoard(RowBoard):
    """A task board whose workers are on several machines.

    Args:
        database: of the tenant.
        lease_s, most_attempts, clock: as `RowBoard` has them; the clocks of the machines agree.
    """

    def __init__(
        self,
        database: PostgresDatabase,
        *,
        lease_s: float = LEASE_S,
        most_attempts: int = MOST_ATTEMPTS,
        clock: Callable[[], int] = clock_ms,
    ) -> None:
        super().__init__(HashedRows(database, STEPS, "needs"), lease_s, most_attempts, clock)
