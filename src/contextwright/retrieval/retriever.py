"""The one protocol of everything that can be searched."""

from collections.abc import Collection, Iterable, Sequence
from typing import Protocol, runtime_checkable

from contextwright.retrieval.item import Hit, Item


@runtime_checkable
class Retriever(Protocol):
    """A collection of items that finds the best for a query.

    An adapter to a search engine of yours is these three methods and an attribute.
    """

    @property
    def degraded(self) -> str:
        """Why it searches less well than it was asked to, such as `no embedder: lexical only`;
        empty where it does not."""
        ...

    def add(self, items: Iterable[Item]) -> None:
        """Puts items in; one of an id that is there already takes its place."""
        ...

    def remove(self, ids: str | Iterable[str]) -> None:
        """Takes items out; an id that is not there is passed over."""
        ...

    def search(self, query: str, k: int = 10, *, kinds: Collection[str] = ()) -> list[Hit]:
        """The best items, best first; equally good ones in the order of their ids."""
        ...


@runtime_checkable
class StaticRetriever(Retriever, Protocol):
    """A retriever that can also be leafed through: `within` gives its turns their neighbours."""

    def items(self) -> Sequence[Item]:
        """All items, those of one thread in the order they were added."""
        ...

    def scores(
        self, query: str, *, earlier: Sequence[str] = (), feedback: bool = False
    ) -> dict[str, int]:
        """How well items answer a query, in millionths of the best; those of 0 are left out.

        Args:
            earlier: questions before it, oldest first: a later one often leaves out their words.
            feedback: look for the words of the best items too.
        """
        ...


@runtime_checkable
class DenseRetriever(Protocol):
    """A retriever that also has vectors: `within` weighs what they say in last."""

    def likeness(self, query: str) -> dict[str, int]:
        """How near items are to a query in meaning: cosines in millionths, any scale; empty where
        nothing is known of that."""
        ...
