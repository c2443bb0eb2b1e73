"""The port to an embedding model: one method."""

from collections.abc import Sequence
from typing import Protocol


class Embedder(Protocol):
    """Turns texts into vectors."""

    @property
    def id(self) -> str:
        """Names it: vectors of two ids are never compared."""
        ...

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """A vector for every text, each of length 1.

        Raises:
            ModelFault: it could not.
        """
        ...
