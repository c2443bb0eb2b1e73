"""Whether a provider refused a request because it is too long, and by which numbers."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, cast

import msgspec

from contextwright.tokens.overflow_rules import (
    BYTE_CODES,
    CODES,
    LIMIT_FIELDS,
    NOT_OVERFLOW,
    NUMBER,
    REFUSALS,
    RULES,
    OverflowRule,
)

Unit = Literal["tokens", "characters", "bytes"]


class Overflow(msgspec.Struct, frozen=True, kw_only=True):
    """A provider's word that a request is too long; a number is 0 where it was not stated.

    Args:
        provider: who says it in this way; empty where several do.
        limit: of what may be sent.
        requested: what was sent, and with `whole` what was asked for as an answer.
        output: of these, asked for as an answer.
        over: by how much the limit was passed.
        whole: whether the limit is of the request and its answer together.
        unit: what was counted.
    """

    provider: str = ""
    limit: int = 0
    requested: int = 0
    output: int = 0
    over: int = 0
    whole: bool = False
    unit: Unit = "tokens"

    @property
    def input(self) -> int:
        """What the request itself had; 0 where it was not stated."""
        return max(0, self.requested - self.output)

    @property
    def max_input(self) -> int:
        """What the request itself may have, with the answer that was asked for; 0 where unknown."""
        return max(0, self.limit - self.output) if self.whole else self.limit

    def __str__(self) -> str:
        sizes = f"{self.requested or '?'} {self.unit} where {self.limit or '?'} may be"
        return f"{self.provider or 'the provider'} refused {sizes}"


def overflow_of(error: object) -> Overflow | None:
    """What a provider said of a request that is too long.

    Args:
        error: an exception of an SDK, an HTTP response, the body of an error as dict, list, JSON or
            text.

    Returns:
        The overflow; None for everything else: a rate limit, an answer that is too long, a key, a
        message that is not understood.
    """
    if isinstance(error, BaseExceptionGroup):  # of several requests: each has its own status
        group = cast("BaseExceptionGroup[BaseException]", error)
        each = map(overflow_of, group.exceptions)
        return next((one for one in each if one is not None), None)
    words = ErrorWords()
    words.take(error)
    texts = [text.lower() for text in words.texts]
    codes = [code.lower() for code in words.codes]
    known = words.statuses <= REFUSALS
    if not known or any(map(NOT_OVERFLOW.search, (*texts, *codes))):
        return None
    stated = {
        name: words.numbers[field] for field, name in LIMIT_FIELDS.items() if field in words.numbers
    }
    by_rule = _by_rule(texts)
    code = next((code for code in codes if code in CODES), "")
    if by_rule is not None:
        whose = CODES.get(code, "") if not by_rule.provider else by_rule.provider
        return msgspec.structs.replace(by_rule, provider=whose, **stated)
    if code:
        overflow = Overflow(provider=CODES[code], whole=bool(stated))
        return msgspec.structs.replace(overflow, **stated)
    code = next((code for code in codes if code in BYTE_CODES), "")
    if code or 413 in words.statuses:
        return Overflow(provider=BYTE_CODES.get(code, ""), unit="bytes")
    return None


def _by_rule(texts: Iterable[str]) -> Overflow | None:
    """What the first rule reads that fits one of the texts."""
    several = list(texts)
    for rule in RULES:
        for text in several:
            if match := rule.regex.search(text):
                return _read(rule, match, text)
    return None


_OUTPUTS = (
    re.compile(NUMBER + r"(?: tokens)? (?:in|for|of) the (?:completion|output|response)"),
    re.compile(r"requested " + NUMBER + r" output tokens"),
)


def _read(rule: OverflowRule, match: re.Match[str], text: str) -> Overflow:
    numbers = {name: _number(value) for name, value in match.groupdict().items()}
    output = numbers.pop("output", 0)
    if output:  # stated beside what the request has
        if numbers.get("requested"):
            numbers["requested"] += output
    else:
        stated = next((one for pattern in _OUTPUTS if (one := pattern.search(text))), None)
        output = _number(stated[1]) if stated and numbers.get("requested") else 0
    unit = cast(Unit, rule.unit)
    return Overflow(provider=rule.name, output=output, whole=rule.whole, unit=unit, **numbers)


def _number(text: str | None) -> int:
    return int(text.replace(",", "")) if text else 0


_TEXTS = frozenset({"message", "msg", "detail", "title", "reason", "raw", "error", "errormessage"})
_CODES = frozenset({"code", "type", "status", "error_type", "__type", "error_code", "errorcode"})
_INNER = frozenset(
    {
        "error",
        "errors",
        "message",
        "detail",
        "details",
        "metadata",
        "raw",
        "response",
        "cause",
        "body",
    }
)
"""Keys of an error's body under which others stand; never those of a conversation."""
_ATTRIBUTES = ("body", "details", "message", "response", "doc")
_DEPTH = 8
_LONGEST = 20_000
"""Characters of a text that are looked at: an error is short, an echo of the request is not."""


class ErrorWords:
    """What an error says, from wherever it stands.

    Attributes:
        texts, codes, statuses, numbers: messages, names of errors, HTTP's numbers, fields.
    """

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.codes: list[str] = []
        self.statuses: set[int] = set()
        self.numbers: dict[str, int] = {}

    def take(self, value: object, depth: int = _DEPTH) -> None:
        """Look at an error, a body, a text."""
        if depth == 0 or value is None:
            return
        if isinstance(value, (bytes, bytearray)):
            value = bytes(value[:_LONGEST]).decode("utf-8", "replace")
        if isinstance(value, str):
            self._text(value[:_LONGEST], depth)
        elif isinstance(value, Mapping):
            self._mapping(cast("Mapping[Any, Any]", value), depth)
        elif isinstance(value, (list, tuple)):
            for each in cast("list[object]", value)[:_DEPTH]:
                self.take(each, depth - 1)
        elif isinstance(value, BaseException):
            self._exception(value, depth)
        elif _is_status(getattr(value, "status_code", None)):
            self._response(value, depth)

    def _text(self, text: str, depth: int) -> None:
        start = text.lstrip()[:1]
        if start in {"{", "["}:
            try:
                decoded: object = msgspec.json.decode(text)
            except (msgspec.DecodeError, RecursionError):
                pass
            else:
                return self.take(decoded, depth - 1)
        self.texts.append(text)
        return None

    def _mapping(self, fields: Mapping[Any, Any], depth: int) -> None:
        for key, value in fields.items():
            name = str(key).lower()
            if isinstance(value, int) and not isinstance(value, bool):
                self._number(name, value)
            elif isinstance(value, str) and name in _CODES:
                self.codes.append(value)
            elif isinstance(value, str) and name in _TEXTS:
                self._text(value[:_LONGEST], depth)
            elif name in _INNER:
                self.take(value, depth - 1)
            elif name == "responsemetadata" and isinstance(value, Mapping):
                metadata = cast("Mapping[str, Any]", value)
                self._number("status", metadata.get("HTTPStatusCode"))

    def _number(self, name: str, value: object) -> None:
        if name in {"status", "status_code", "code"} and _is_status(value):
            self.statuses.add(cast(int, value))
        elif name in LIMIT_FIELDS and isinstance(value, int) and value > 0:
            self.numbers[name] = value

    def _exception(self, error: BaseException, depth: int) -> None:
        self.codes.append(type(error).__name__)
        for name in ("status_code", "code", "status", "http_status"):
            value: object = getattr(error, name, None)
            if isinstance(value, str):
                self.codes.append(value)
            else:
                self._number("status", value)
        inner = [value for value in _values(error, _ATTRIBUTES) if value is not None]
        before = len(self.texts)
        for value in inner:
            self.take(value, depth - 1)
        if len(self.texts) == before:  # what it says of itself may hold the body once more
            self._text(str(error)[:_LONGEST], depth)
        if isinstance(error, BaseExceptionGroup):  # of tasks that ran together
            self.take(list(cast("BaseExceptionGroup[BaseException]", error).exceptions), depth - 1)
        cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        if not self.statuses:  # a wrapper of one that was answered
            self.take(cause, depth - 1)

    def _response(self, response: object, depth: int) -> None:
        """An HTTP client's response; one that streams has no body yet."""
        self._number("status", getattr(response, "status_code", None))
        try:
            body: object = getattr(response, "text", None)
        except Exception:  # noqa: BLE001 -- a body that was not read
            return
        if isinstance(body, str):
            self.take(body, depth - 1)


def _values(error: BaseException, names: Iterable[str]) -> Iterator[object]:
    for name in names:
        try:
            yield getattr(error, name, None)
        except Exception:  # noqa: BLE001 -- a property of an SDK's may raise anything
            yield None


def _is_status(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 100 <= value < 600
