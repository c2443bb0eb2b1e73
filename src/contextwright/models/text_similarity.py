"""How like a query texts are, by an embedder: each text is embedded once."""

import math
from hashlib import sha256

from contextwright.blocks.transcript import transcript
from contextwright.models import embedded
from contextwright.models.call import contained
from contextwright.models.llm import Embedder
from contextwright.retrieval.fuse import fused
from contextwright.spec.task import Task
from contextwright.worker_threads import answering_off_loop

MAX_VECTORS = 50_000
"""Texts whose vectors are remembered."""


class TextSimilarity:
    """Similarity of a task's blocks with its query, and the vectors of their texts."""

    def __init__(self) -> None:
        self._vectors: dict[str, list[float]] = {}

    async def of(self, task: Task, embedder: Embedder) -> list[int]:
        """Cosines with the query, in millionths, what points away 0; fused with the words in
        common where no scorer was asked for."""
        keys, texts = await answering_off_loop(_texts_by_key, embedder.id, task)
        missing = {key: text for key, text in texts.items() if key not in self._vectors}
        if missing:
            vectors = await contained(embedder.embed(list(missing.values())))
            self._vectors.update(zip(missing, vectors, strict=True))
        vectors_of = [self._vectors[key] for key in keys]
        for key in list(self._vectors)[: max(0, len(self._vectors) - MAX_VECTORS)]:
            self._vectors.pop(key, None)
        return await answering_off_loop(_similarity, task, vectors_of)


def _texts_by_key(embedder: str, task: Task) -> tuple[list[str], dict[str, str]]:
    """The keys of the query and of the blocks, and the text of each."""
    texts = [task.query, *map(transcript, task.blocks)]
    keys = [f"{embedder}\n{sha256(text.encode()).hexdigest()}" for text in texts]
    return keys, dict(zip(keys, texts, strict=True))


def _similarity(task: Task, vectors: list[list[float]]) -> list[int]:
    query, *others = vectors
    products = (map(math.prod, zip(query, other, strict=True)) for other in others)
    dense = [max(0, round(sum(each) * 1_000_000)) for each in products]
    if task.scorer == "embedding":
        return dense
    return fused(embedded.relevance(task.query, tuple(task.blocks)), dense)
