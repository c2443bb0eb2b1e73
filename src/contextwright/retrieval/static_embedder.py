"""Static embeddings from a local folder: a vector a token, their mean a text's (extra
`embed-static`). Reads what model2vec and wordllama write; nothing is ever downloaded."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from contextwright.errors import ModelError
from contextwright.optional_imports import optional_imports

MAX_TOKENS = 512
"""Tokens of a text that are looked at."""


class StaticEmbedder:
    """An embedder that looks vectors up.

    Args:
        folder: holds `tokenizer.json` and one `*.safetensors` with a matrix, a row a token.

    Raises:
        MissingExtra: numpy, tokenizers or safetensors is not installed.
        ModelError: the folder holds no such model.
    """

    def __init__(self, folder: str | Path) -> None:
        path = Path(folder)
        weights = sorted(path.glob("*.safetensors"))
        if not weights or not (path / "tokenizer.json").is_file():
            raise ModelError(
                "no static embedding model",
                where=str(path),
                fix="give a folder with tokenizer.json and one *.safetensors file",
            )
        with optional_imports("embed-static", "tokenizers", "tokenizers", "safetensors", "numpy"):
            from safetensors.numpy import load_file
            from tokenizers import Tokenizer
        tables: dict[str, Any] = load_file(weights[0])
        self.id = f"static:{path.resolve().name}"
        self._tokenizer: Any = Tokenizer.from_file(str(path / "tokenizer.json"))
        self._matrix: Any = max(tables.values(), key=lambda table: table.size)

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """A vector of length 1 for every text; zeros for one without a known token."""
        return self.vectors(texts)

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """The same, without an event loop."""
        import numpy as np

        vectors: list[list[float]] = []
        for encoding in self._tokenizer.encode_batch(list(texts), add_special_tokens=False):
            ids = [id for id in encoding.ids[:MAX_TOKENS] if id < len(self._matrix)]
            if not ids:
                vectors.append([0.0] * self._matrix.shape[1])
                continue
            mean = self._matrix[ids].astype("float32").mean(axis=0)
            norm = float(np.linalg.norm(mean))
            vectors.append((mean / norm if norm else mean).tolist())
        return vectors
