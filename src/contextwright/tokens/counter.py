"""Tokens of a text, as a model counts them: exact where its vocabulary is at hand, else estimated
high."""

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from contextwright.compute_gate import give_way
from contextwright.errors import ModelError
from contextwright.memo.ownership import owned_table
from contextwright.tokens.vocabulary import VOCABULARIES, encoding

CHUNK = 50_000
"""Characters counted at once; more in one piece takes a tokenizer too long on some texts."""
_DIGITS = "0123456789"


class Counter:
    """Counts tokens of texts; while a session's are counted, each text once.

    Args:
        id: names the way of counting; a manifest records it, and `named_counter` gives it back.
        base: the vocabulary that is counted with.
        factor: hundredths that the count is multiplied with, rounded up.
        digits: whether each digit is a token of its own, as in Google's vocabularies.
    """

    def __init__(self, id: str, base: str, factor: int = 100, *, digits: bool = False) -> None:
        self.id = id
        self.base = base
        self.hundredths = factor
        self.digits = digits
        self._tokens: Callable[[str], int] | None = None

    def __repr__(self) -> str:
        return f"<Counter {self.id}>"

    def __reduce__(self) -> tuple[Any, ...]:
        # for `copy` and `pickle`: a vocabulary is loaded where it is used
        return _same_counter, (self.id, self.base, self.hundredths, self.digits)

    @property
    def exact(self) -> bool:
        """Whether it is the model's own count, not an estimate."""
        return self.hundredths == 100 and not self.digits

    @property
    def factor(self) -> str:
        """The factor as decimal text: hashed documents hold no floats."""
        return f"{self.hundredths // 100}.{self.hundredths % 100:02d}"

    def count(self, text: str) -> int:
        """Tokens of a text. Special tokens in it are text like any other.

        The sum over the pieces of a text is never less than the count of the whole by more
        than one token a join, and not at all where the joins are line ends.
        """
        table = owned_table(self, brief=True)
        if table is None:
            return self._count(text)
        if table.make is None:
            table.make = self._count
        return table[text]

    def counting(self) -> Callable[[str], int]:
        """`count` for the texts of the session that is looked at, at the speed of a dict."""
        table = owned_table(self, brief=True)
        if table is None:
            return self._count
        table.in_use, table.make = True, self._count
        return table.__getitem__

    def counting_in_passing(self) -> Callable[[str], int]:
        """`counting` for all texts of a session at once: who sums them remembers the sums, and the
        next requests ask for few of them."""
        table = owned_table(("in passing", self), passing=True)
        if table is None:
            return self._count
        table.in_use, table.make = True, self._count
        return table.__getitem__

    def _count(self, text: str) -> int:
        tokens_of = self._tokens
        if tokens_of is None:
            tokens_of = self._tokens = encoding(self.base).count
        if len(text) <= CHUNK:
            give_way()  # every compile that takes long counts, and counts often
            tokens = tokens_of(text)
        else:
            tokens = 0
            for piece in _pieces(text):
                give_way()
                tokens += tokens_of(piece) + 1
        if self.digits:
            tokens += -(-2 * sum(map(text.count, _DIGITS)) // 3)
        return -(-tokens * self.hundredths // 100)


class GuardedCounter(Counter):
    """A counter of the user's; where it fails, or gives no number, the estimate stands in.

    Args:
        own: has `count(text)`.
        estimate: the counter of the model by its name.

    Attributes:
        failed: why the estimate stood in; empty where it did not.
    """

    def __init__(self, own: Any, estimate: Counter) -> None:
        id = getattr(own, "id", None)
        named = id if isinstance(id, str) else estimate.id
        super().__init__(named, estimate.base, estimate.hundredths, digits=estimate.digits)
        self._own = own
        self.failed = ""

    def __reduce__(self) -> tuple[Any, ...]:
        estimate = Counter(self.id, self.base, self.hundredths, digits=self.digits)
        return GuardedCounter, (self._own, estimate)

    def _count(self, text: str) -> int:
        try:
            tokens: object = self._own.count(text)
            if isinstance(tokens, int) and tokens >= 0:
                return int(tokens)
            why = f"it gave {tokens!r}"
        except Exception as error:  # noqa: BLE001 -- a counter of the user's may raise anything
            why = f"{type(error).__name__}: {error}"
        self.failed = f"the counter failed ({why[:200]}): tokens are estimated"
        return super()._count(text)


def _pieces(text: str) -> list[str]:
    """A text in pieces of at most CHUNK characters, cut at line ends where there are any."""
    pieces: list[str] = []
    start = 0
    while start < len(text):
        end = min(start + CHUNK, len(text))
        if end < len(text):
            line = text.rfind("\n", start + CHUNK // 2, end)
            end = line + 1 if line >= 0 else end
        pieces.append(text[start:end])
        start = end
    return pieces


CLAUDE = 135
"""Claude up to 4.6 against o200k, in hundredths: measured 1.16 (English) to 1.30 (code)."""
CLAUDE_NEW = 175
"""Claude from 4.7 on, and unknown newer ones: 1.20 to 1.47 times its predecessor's count."""
GEMINI = 118
"""Google's vocabularies, after a token a digit: p95 of the error on mixed texts."""
OPEN = 109
"""Open models whose vocabulary is not at hand: p95 of the error on mixed texts."""
OWN = 102
"""Open models by their own vocabulary, where it was not compared with the file they came with."""
UNKNOWN = 175
"""A model that nothing is known of: as the dearest that is known."""

_OLD_CLAUDE = re.compile(
    r"claude-(?:instant|[123]|v?2|(?:opus|sonnet|haiku)-(?:4(?:-[0-6])?|3)(?![0-9.]*-?[7-9]\b)"
    r"(?:$|[^0-9-]|-[0-6](?:$|\D)|-20\d{6}))"
)
_CL100K = re.compile(r"gpt-4(?!o|\.|-o)|gpt-3\.5|text-embedding-(?:3|ada)")
_O200K = re.compile(r"gpt-|chatgpt|o[1345](?:$|-)|codex")
_OPEN = re.compile(
    r"llama|qwen|deepseek|mi(?:[sx]|nis)tral|pixtral|magistral|codestral|devstral|kimi|glm|phi|gemma"
    r"|grok|command"
)
_BY_VOCABULARY = (
    (r"(?:^|meta[-.])llama-?3(?!\d)", "llama3"),
    (r"(?:^|\.)qwen-?(?:2(?:\.5)?|3)(?![.\d])", "qwen3"),
    (r"deepseek-(?:chat$|reasoner|r1(?!-distill)|v[34](?!\d))", "deepseek_v3"),
    (r"mistral-nemo|^ministral-8b-2410|^mistral-small-2409|^pixtral-12b", "mistral_v3"),
    (r"mistral-7b|mixtral-8x(?:7|22)b|^mistral-(?:small|large)-2402", "mistral_v2"),
    (r"(?:mistral|pixtral)-large-24(?:07|11)|^codestral-(?:2405|mamba-2407)", "mistral_v2"),
    (r"^glm-?4(?!\d)", f"glm4*{OWN}"),
    (r"^kimi-k[23]", f"kimi_k2*{OWN}"),
    (r"^phi-?4(?!-m)", f"phi4*{OWN}"),
)
"""What stands in the names of models whose vocabulary is at hand, and the counter's id. One made
of another ("distill") or named without its generation ("qwen-plus") is none of them."""


def counter_for(model: str | None) -> Counter:
    """The counter for a model, by its name; the same object for the same way of counting.

    Raises:
        ModelError: a name that is no text.
    """
    named: Any = model or ""
    if not isinstance(named, str):
        raise ModelError(
            f"a {type(named).__name__} names no model", where="model", fix='such as "gpt-5"'
        )
    name = named.lower().rpartition("/")[2]
    ids = [id for part in reversed(name.split(":")) if (id := _counter_of(part))]
    return named_counter(ids[0] if ids else f"o200k_base*{UNKNOWN}")


def _counter_of(name: str) -> str | None:
    """The id of the counter that a name tells of, if any."""
    if "claude" in name:
        return f"o200k_base*{CLAUDE if _OLD_CLAUDE.search(name) else CLAUDE_NEW}"
    if "gemini" in name:
        return f"o200k_base+digits*{GEMINI}"
    if _CL100K.match(name):
        return "cl100k_base"
    if _O200K.match(name):
        return "o200k_base"
    for names, id in _BY_VOCABULARY:
        if re.search(names, name):
            return id
    return f"o200k_base*{OPEN}" if _OPEN.search(name) else None


def guarded_counter(own: object, model: str) -> Counter:
    """The counter for a model, or one of the user's that never fails.

    Raises:
        ModelError: it counts no tokens. A text has a `count` too, which finds none in anything.
    """
    if own is None:
        return counter_for(model)
    if isinstance(own, str | Sequence | type) or not callable(getattr(own, "count", None)):
        got = own.__name__ if isinstance(own, type) else type(own).__name__
        raise ModelError(
            f"expected a counter with `count(text)`, got {got}",
            where="counter",
            fix='an object whose count(text) gives a number of tokens, or counter_for("gpt-5")',
        )
    return own if type(own) is Counter else GuardedCounter(own, counter_for(model))


_ID = re.compile(rf"({'|'.join(VOCABULARIES)})(\+digits)?(?:\*(\d{{2,4}}))?")


@cache
def named_counter(id: str) -> Counter:
    """The counter of an id such as `o200k_base*135`: vocabulary, digits, hundredths.

    Raises:
        ModelError: not such an id.
    """
    match = _ID.fullmatch(id)
    if match is None:
        raise ModelError(
            f"no counter {id!r}", where="counter", fix="such as o200k_base or o200k_base*135"
        )
    return Counter(id, match[1], int(match[3] or 100), digits=bool(match[2]))


def _same_counter(id: str, base: str, factor: int, digits: bool) -> Counter:
    """The counter that says the same as one of another process: the one of its id, if it has one
    of those."""
    if _ID.fullmatch(id):
        named = named_counter(id)
        if (named.base, named.hundredths, named.digits) == (base, factor, digits):
            return named
    return Counter(id, base, factor, digits=digits)


def scaled(counter: Counter, factor: int) -> Counter:
    """The counter times a factor in hundredths, rounded up."""
    hundredths = -(-counter.hundredths * factor // 100)
    digits = "+digits" if counter.digits else ""
    return named_counter(f"{counter.base}{digits}*{hundredths}")
