"""Memories that the server finds by words and vectors, so that no process has to hold them all."""

import json
from collections.abc import Collection, Iterator, Sequence
from hashlib import sha256
from typing import Any

from contextwright.retrieval.index import EMBEDDER, ONE, Index
from contextwright.retrieval.query_weights import query_terms, with_synonyms
from contextwright.retrieval.stems import stems
from contextwright.retrieval.vectors import Vectorizer, checked_vectors, reason_of
from contextwright.stores.memory_rows import COLUMNS, MemoryRecord, whole_rows
from contextwright.stores.memory_store import item_of
from contextwright.stores.postgres.hashed_rows import HashedRows
from contextwright.stores.postgres.postgres_connection import PostgresConnection

POOL = 200
"""Memories that words find, and vectors find, at least, of which the best are chosen."""
BATCH = 500
"""Memories that are given their words, or their vectors, in one transaction."""
_LETTERS, _WORDS = 100, 10_000
"""Of a word, and words of a memory, that are looked for: the server takes a megabyte of them."""
_UNREAD = f"{COLUMNS} WHERE words IS NULL AND gone = 0 ORDER BY number LIMIT ?"
_READ = "UPDATE memories SET words = array_to_tsvector(?) WHERE number = ?"
_BY_WORDS = (
    f"{COLUMNS} WHERE gone = 0 AND active = 1 AND scope = ? AND words @@ ?::tsquery {{}} "
    "ORDER BY ts_rank(words, ?::tsquery) DESC, number DESC LIMIT ?"
)
_BARE = (
    f"{COLUMNS} WHERE gone = 0 AND number > ? AND NOT EXISTS (SELECT 1 FROM memory_vectors AS v "  # noqa: S608
    "WHERE v.number = memories.number AND v.model = ?) ORDER BY number LIMIT ?"
)
_PUT = """INSERT INTO memory_vectors (number, model, vector) VALUES (?, ?, ?::real[])
ON CONFLICT DO NOTHING"""
_NEAREST = (
    f"{COLUMNS} WHERE number IN (SELECT v.number FROM memory_vectors AS v "  # noqa: S608
    "JOIN memories AS m ON m.number = v.number WHERE v.model = ? AND cardinality(v.vector) = ? "
    "AND m.gone = 0 AND m.active = 1 AND m.scope = ? {kinds} "
    "ORDER BY v.vector::{schema}.vector OPERATOR({schema}.<=>) ?::{schema}.vector, v.number DESC "
    "LIMIT ?)"
)
_VECTORS = "SELECT number, vector FROM memory_vectors WHERE model = ? AND number = ANY(?)"
_EXTENSION = """SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace AS n
ON n.oid = extnamespace WHERE extname = 'vector'"""


class MemoryCandidates:
    """The memories of a tenant as the server finds them. What it finds is put in order here, by the
    `Index` that processes have of all memories where they hold them.

    Words are ours, also of languages that have no spaces: `tsvector` and its index keep them, with
    the scope among them. Vectors are compared one by one, by pgvector where the server has it: an
    approximate index would miss those of a small tenant among many.

    Args:
        rows: the table of memories.
        tenant: whose they are.
        embedder: gives vectors; each memory is embedded once, by whoever searches first.
    """

    def __init__(self, rows: HashedRows, tenant: str, embedder: Vectorizer | None) -> None:
        self._rows, self._tenant = rows, tenant
        self._index = Index(embedder)  # holds nothing: tells whether vectors can be had
        self._embedder = embedder if not self._index.degraded else None
        self._model = str(getattr(embedder, "id", type(embedder).__name__))
        self._vector_schema: str | None = None
        self._embedded, self._failure = 0, ""
        self.damaged: set[int] = set()

    @property
    def degraded(self) -> str:
        """Why it finds less well than it might."""
        if self._embedder is None:
            return self._index.degraded
        return self._failure or (
            "" if self._vector_schema != "" else "no pgvector: vectors order what words find"
        )

    def best(
        self, query: str, k: int, scope: str, kinds: Collection[str]
    ) -> list[tuple[MemoryRecord, float]]:
        """The best memories of a scope, best first, with their scores from 0 to 1."""
        self._failure = ""
        self._read_new()
        vector = self._vector(query)
        rows = {row[0]: row for row in self._candidates(query, vector, max(k, POOL), scope, kinds)}
        whole = {row[0]: each.memory for row, each in whole_rows(rows.values())}
        self.damaged |= rows.keys() - whole.keys()
        if not whole:
            return []
        index = Index(self._known(query, vector, whole) if vector else None)
        index.add(map(item_of, whole.values()))
        by_id = {one.id: one for one in whole.values()}
        return [(by_id[hit.item.id], hit.score / ONE) for hit in index.search(query, k)]

    def _candidates(
        self, query: str, vector: list[float], size: int, scope: str, kinds: Collection[str]
    ) -> Iterator[tuple[Any, ...]]:
        wanted = (list(kinds),) if kinds else ()
        terms = _query(query, self._scope(scope))
        if terms:
            statement = _BY_WORDS.format("AND kind = ANY(?)" if kinds else "")
            yield from self._rows.rows(statement, scope, terms, *wanted, terms, size)
        if vector and self._vector_schema:
            statement = _NEAREST.format(
                schema=self._vector_schema, kinds="AND m.kind = ANY(?)" if kinds else ""
            )
            within = (self._model, len(vector), scope, *wanted)
            yield from self._rows.rows(statement, *within, json.dumps(vector), size)

    def _read_new(self) -> None:
        """Give memories their words, and their vectors, whoever wrote them."""
        while self._rows.rows(_UNREAD, 1):
            with self._rows.writing() as connection:
                rows = connection.execute(_UNREAD, (BATCH,)).fetchall()
                connection.executemany(_READ, self._words(rows))
        if self._embedder is not None:
            if self._vector_schema is None:
                schemas = self._rows.rows(_EXTENSION)
                self._vector_schema = schemas[0][0] if schemas else ""
            self._embed_new(self._embedder)

    def _words(self, rows: Sequence[tuple[Any, ...]]) -> list[tuple[list[str], int]]:
        words: dict[int, list[str]] = {row[0]: [] for row in rows}  # a damaged one has none
        for row, each in whole_rows(rows):
            text = item_of(each.memory).text
            unique = dict.fromkeys(stem[:_LETTERS] for stem in stems(text) if "\0" not in stem)
            words[row[0]] = [self._scope(each.memory.scope), *list(unique)[:_WORDS]]
        self.damaged |= {number for number, each in words.items() if not each}
        return [(each, number) for number, each in words.items()]

    def _embed_new(self, embedder: Vectorizer) -> None:
        while rows := self._rows.rows(_BARE, self._embedded, self._model, BATCH):
            whole = {row[0]: item_of(each.memory).text for row, each in whole_rows(rows)}
            try:
                vectors = checked_vectors(embedder.vectors(list(whole.values())), len(whole))
            except Exception as error:  # noqa: BLE001 -- code of the user's may raise anything
                self._failure = f"{EMBEDDER} failed ({reason_of(error)}): lexical only"
                return
            with self._rows.writing() as connection:
                _put_vectors(connection, self._model, dict(zip(whole, vectors, strict=True)))
            self._embedded = rows[-1][0]

    def _vector(self, query: str) -> list[float]:
        """The query's; empty where there is none, or it says nothing."""
        if self._embedder is None or self._failure:
            return []
        try:
            vector = checked_vectors(self._embedder.vectors([query]), 1)[0]
        except Exception as error:  # noqa: BLE001 -- code of the user's may raise anything
            self._failure = f"{EMBEDDER} failed ({reason_of(error)}): lexical only"
            return []
        return vector if any(vector) else []

    def _known(
        self, query: str, vector: list[float], memories: dict[int, MemoryRecord]
    ) -> "_KnownVectors":
        rows = self._rows.rows(_VECTORS, self._model, list(memories))
        known = {item_of(memories[number]).text: list(values) for number, values in rows}
        return _KnownVectors(known | {query: vector}, len(vector))

    def _scope(self, scope: str) -> str:
        """The word that stands for a scope of a tenant; no word of a text has a `=`."""
        named = f"{self._tenant}\n{scope}".encode("utf-8", "surrogatepass")
        return f"={sha256(named).hexdigest()[:32]}"


class _KnownVectors:
    """The vectors of texts that have one; zeros for the others."""

    def __init__(self, known: dict[str, list[float]], width: int) -> None:
        self._known, self._none = known, [0.0] * width

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        return [self._known.get(text, self._none) for text in texts]


def _put_vectors(
    connection: PostgresConnection, model: str, vectors: dict[int, list[float]]
) -> None:
    there = "SELECT number FROM memories WHERE gone = 0 AND number = ANY(?)"
    rows = connection.execute(there, (list(vectors),)).fetchall()
    connection.executemany(_PUT, [(number, model, vectors[number]) for (number,) in rows])


def _query(query: str, scope: str) -> str:
    """A tsquery: one of the words, in the scope; empty where the query has none."""
    weights = with_synonyms(dict.fromkeys(query_terms(query), 1.0))
    words = " | ".join(_quoted(term[:_LETTERS]) for term in weights if "\0" not in term)
    return f"{_quoted(scope)} & ({words})" if words else ""


def _quoted(word: str) -> str:
    return "'" + word.replace("\\", "\\\\").replace("'", "''") + "'"
