"""The vocabularies that models count with, as splintr-rs carries them: nothing is downloaded."""

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Protocol
from unicodedata import normalize

from contextwright.compute_gate import holding
from contextwright.errors import ContextwrightError, MissingExtra, ModelError
from contextwright.forked_process import held_over_a_fork
from contextwright.memo.memory_budget import BUDGET

VOCABULARIES = (
    "o200k_base",
    "cl100k_base",
    "llama3",
    "qwen3",
    "deepseek_v3",
    "mistral_v2",
    "mistral_v3",
    "glm4",
    "kimi_k2",
    "phi4",
)
"""By the names that splintr has for them."""
_COMPOSED = frozenset({"qwen3"})
"""Whose tokenizers first compose a text (NFC); splintr leaves that to its caller."""
_MARKED = frozenset({"o200k_base", "cl100k_base"})
_MARK = "<|"
"""What every special token of these has: a text without it is counted without its numbers."""
_RANKS = {"phi4": "cl100k_base"}
"""Whose tokens are another's, but for special ones; splintr has them by name only since 0.19."""
_CACHE = "TIKTOKEN_CACHE_DIR"
_UNLISTED = "xqzt"
"""No token by itself in any of them: with its first such word splintr lists all merges."""


class Encoding(Protocol):
    """Gives the numbers of a text's tokens. Special tokens in it are text like any other."""

    def encode_ordinary(self, text: str, /) -> list[int]: ...


class Vocabulary(Encoding, Protocol):
    """An encoding that counts as well."""

    def count(self, text: str, /) -> int: ...


class _WholeText:
    """An encoding of any text: what is no Unicode (a half of a surrogate pair) is replaced."""

    def __init__(self, own: Encoding, *, composed: bool, marked: bool) -> None:
        self._encode = own.encode_ordinary
        # four bytes a token, in one piece: most of a list's cost is its numbers
        self._flat: Callable[[str], bytes] | None = (
            getattr(own, "encode_flat", None) if marked else None
        )
        self._composed = composed
        self._forget: Callable[[], object] | None = getattr(own, "clear_cache", None)
        self._account = BUDGET.account(self)

    def encode_ordinary(self, text: str, /) -> list[int]:
        if self._composed:
            text = normalize("NFC", text)
        try:
            return self._encode(text)
        except UnicodeEncodeError:
            return self._encode(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))

    def count(self, text: str, /) -> int:
        """How many tokens a text has."""
        if self._flat is not None and _MARK not in text:
            try:
                return len(self._flat(text)) // 4
            except UnicodeEncodeError:
                pass
        return len(self.encode_ordinary(text))

    def turn_over(self) -> None:
        """What the tokenizer remembers it bounds itself."""

    def forget_before(self) -> int:
        """Nothing: the same."""
        return 0

    def forget(self) -> None:
        """Forget the words that the tokenizer remembers: some ten thousand, of any session."""
        if self._forget is not None:
            with suppress(ValueError):  # of SentencePiece's, which remember none, and refuse
                self._forget()


_LOADING = threading.RLock()
held_over_a_fork(_LOADING)


def encoding(name: str) -> Vocabulary:
    """The encoding of a vocabulary, loaded on first use (20 to 60 ms), once for all threads, then
    at hand; with the list of all merges that splintr makes since 0.18 (60 to 150 ms, 25 MB).

    Raises:
        MissingExtra: neither splintr nor tiktoken is installed.
        ModelError: splintr is not installed, and tiktoken has no such vocabulary on this machine.
    """
    with holding(_LOADING):  # a second thread would load another: 84 MB of tiktoken's
        return _loaded(name)


def load_beside(name: str) -> None:
    """Load a vocabulary in a thread of its own, while this one imports and reads; who counts first
    waits for what is left of it, and has the error if there is one."""

    def load() -> None:
        with suppress(ContextwrightError):
            encoding(name)

    with suppress(RuntimeError):  # a system without threads: it is loaded when it is asked for
        threading.Thread(target=load, name="contextwright-vocabulary").start()


@cache
def _loaded(name: str) -> Vocabulary:
    ranks = _RANKS.get(name, name)
    try:
        from splintr import Tokenizer
    except ImportError:
        own = _tiktoken(ranks)
    else:
        own = Tokenizer.from_pretrained(ranks)
        own.encode_batch([_UNLISTED])  # the one call that lets other threads run meanwhile
    return _WholeText(own, composed=name in _COMPOSED, marked=name in _MARKED)


def _tiktoken(name: str) -> Encoding:
    """Of OpenAI's own tokenizer, for machines that splintr is not built for.

    It has its vocabularies from a folder that the user names, or fetches them into it; without
    such a folder it would go to the network unasked.
    """
    try:
        import tiktoken
    except ImportError:
        raise MissingExtra("splintr-rs", "tiktoken") from None
    if not os.environ.get(_CACHE) or name not in tiktoken.list_encoding_names():
        raise ModelError(
            f"the vocabulary {name!r} is not on this machine",
            where="counter",
            fix="pip install splintr-rs (Rust builds it where it has no wheel); or, for OpenAI's "
            f"models, set {_CACHE} to a folder with tiktoken's files",
        )
    return tiktoken.get_encoding(name)
