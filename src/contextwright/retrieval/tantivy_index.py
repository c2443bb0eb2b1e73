"""A retriever for large corpora: tantivy, a search engine in a library (extra `corpus`).

Its words, synonyms and stop words are those of `Index`. A query over 100,000 items takes a
millisecond and over a million some ten, and its memory is a file's; in return an item that is put
in is visible after a commit of milliseconds, so put in many at once.
"""

import threading
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import msgspec

from contextwright.argument_types import expect_types
from contextwright.errors import MissingExtra, SpecError, StoreError
from contextwright.retrieval.item import Hit, Item
from contextwright.retrieval.query_weights import query_terms, with_synonyms
from contextwright.retrieval.stems import stems, stop_stems
from contextwright.typed_decoding import decoder

HEAP_BYTES = 50_000_000
"""Memory in which items are collected before they are written."""
STOP_WEIGHT = 0.3
"""Weight of a stop word beside another word's 1. What `Index` does, to count them by what else of a
query an item has, is not for tantivy to do. Tools for a request are .903 with it, .914 without."""
ONE = 1_000_000
_encode = msgspec.json.Encoder().encode
_decode = decoder(Item).decode


class TantivyIndex:
    """Items that are found by their words.

    Args:
        path: a folder that outlives the process, made where it is missing; in memory without one.
            One process at a time writes to it.

    Raises:
        MissingExtra: tantivy is not installed.
        StoreError: the folder is no such index, or another process writes to it.
    """

    degraded = "no embedder: lexical only"

    def __init__(self, path: str | Path | None = None) -> None:
        try:
            import tantivy
        except ImportError as error:
            raise MissingExtra("tantivy", "corpus") from error
        self._tantivy: Any = tantivy
        fields = tantivy.SchemaBuilder()
        for name in ("id", "kind"):
            fields.add_text_field(name, tokenizer_name="raw", index_option="basic")
        fields.add_text_field("words", tokenizer_name="whitespace", index_option="freq")
        fields.add_bytes_field("item", stored=True)
        self._schema: Any = fields.build()
        self._lock = threading.Lock()
        if path is not None:
            Path(path).mkdir(parents=True, exist_ok=True)
        try:
            self._index: Any = tantivy.Index(self._schema, None if path is None else str(path))
            self._writer: Any = self._index.writer(HEAP_BYTES, 1)
        except (ValueError, OSError) as error:
            raise StoreError(
                f"no index of items: {error}",
                where=str(path),
                fix="give an empty folder, or one that a TantivyIndex of one process wrote",
            ) from error

    def __len__(self) -> int:
        return self._index.searcher().num_docs

    def add(self, items: Iterable[Item]) -> None:
        """Puts items in; one of an id that is there already takes its place.

        Raises:
            SpecError: something that is no item; none was put in.
        """
        items = list(items)
        for item in items:
            expect_types("index.add(items)", SpecError, item=(item, Item))
        wanted = {item.id: item for item in items}
        with self._lock:
            for id, item in wanted.items():
                self._writer.delete_documents_by_term("id", id)
                document = self._tantivy.Document()
                document.add_text("id", id)
                document.add_text("kind", item.kind)
                document.add_text("words", " ".join((*stems(item.text), *stop_stems(item.text))))
                document.add_bytes("item", _encode(item))
                self._writer.add_document(document)
            self._commit()

    def remove(self, ids: str | Iterable[str]) -> None:
        """Takes items out, one or several; an id that is not there is passed over. Their text
        leaves the folder when tantivy merges its files.

        Raises:
            SpecError: the ids are none.
        """
        expect_types("index.remove(ids)", SpecError, ids=(ids, Iterable))
        with self._lock:
            for id in [ids] if isinstance(ids, str) else ids:
                self._writer.delete_documents_by_term("id", id)
            self._commit()

    def search(self, query: str, k: int = 10, *, kinds: Collection[str] = ()) -> list[Hit]:
        """The best items, best first; those that have nothing of the query but stop words are left
        out.

        Raises:
            SpecError: the query is no text, or `k` no whole number.
        """
        expect_types("index.search(query, k)", SpecError, query=(query, str), k=(k, int))
        kinds = (kinds,) if isinstance(kinds, str) else kinds
        terms = query_terms(query)
        if not terms or k <= 0:
            return []
        searcher = self._index.searcher()
        hits = searcher.search(self._query(terms, query, kinds), k).hits
        scored = [(score, _decode(searcher.doc(address)["item"][0])) for score, address in hits]
        scored.sort(key=lambda each: (-each[0], each[1].id))
        best = scored[0][0] if scored else 1.0
        return [Hit(item, round(ONE * score / best)) for score, item in scored]

    def _query(self, terms: list[str], query: str, kinds: Collection[str]) -> Any:
        weights = with_synonyms(dict.fromkeys(terms, 1.0))
        stops = dict.fromkeys(dict.fromkeys(stop_stems(query)), STOP_WEIGHT)
        occur = self._tantivy.Occur
        parts = [(occur.Must, self._any("words", weights))]
        if stops:
            parts.append((occur.Should, self._any("words", stops)))
        if kinds:
            no_score = dict.fromkeys(sorted(kinds), 0.0)
            parts.append((occur.Must, self._any("kind", no_score)))
        return self._tantivy.Query.boolean_query(parts)

    def _any(self, field: str, weights: dict[str, float]) -> Any:
        query, occur = self._tantivy.Query, self._tantivy.Occur
        return query.boolean_query(
            [
                (
                    occur.Should,
                    query.boost_query(query.term_query(self._schema, field, term), weight),
                )
                for term, weight in weights.items()
            ]
        )

    def _commit(self) -> None:
        self._writer.commit()
        self._index.reload()
