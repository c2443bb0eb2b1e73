"""The values of named fields in `key: value` text: logs, forms, YAML, code, broken JSON."""

import re
from functools import cached_property, lru_cache

from contextwright.redaction.operators import Operator, Replacement

_NEXT_PAIR = re.compile(r"""[,;&|\s]\s{0,8}["']?[A-Za-z_][\w.-]{0,80}["']?\s{0,4}(?:=|:\s)""")
_STRING = re.compile(r"""(?P<q>["'])((?:(?!(?P=q))[^\\\n]|\\.)*)(?P=q)""")
_ESCAPED_STRING = re.compile(r"""(\\+["'])(.*?)\1""")
_INDENT = re.compile(r"[ \t]*(?:- +)*")
_BLOCK = re.compile(r"(?:[|>][+-]?[0-9]?[+-]?)?[ \t]*(?:#.*)?$", re.MULTILINE)
_BRACKET = re.compile(r"[{}\[\]()]")
_CLOSING = {"{": "}", "[": "]", "(": ")"}


@lru_cache(maxsize=512)
def key_pattern(fields: tuple[str, ...], *, bare: bool = False) -> re.Pattern[str]:
    """Any of the fields with the sign of an assignment behind it; `bare`, the last part of its
    name alone."""
    parts = (field.rpartition(".")[2] if bare else field for field in fields)
    names = sorted({_loose(part) for part in parts}, key=len, reverse=True)
    either = "|".join(names) or "(?!)"
    if bare:
        return re.compile(either, re.IGNORECASE)
    return re.compile(
        rf"""(?<![^\W_])(?:{either})(?P<quote>\\*["'])?[ \t]{{0,8}}[:=]+>?[ \t]{{0,8}}""",
        re.IGNORECASE,
    )


def _loose(field: str) -> str:
    """The field as an expression: its words with any separator, or none, between them."""
    parts: list[str] = []
    for part in field.split("."):
        words = re.findall(r"[A-Z]?[^A-Z_\-\s]+|[A-Z]+", part) or [part]
        parts.append(r"[_\- ]?".join(map(re.escape, words)))
    return r"[./_]".join(parts)


class PairValues:
    """The values behind the keys of one text, asked for from its beginning to its end. What they
    have in common, such as where their line ends, is looked for once.

    Args:
        operator: what stands there instead.
    """

    def __init__(self, text: str, operator: Operator) -> None:
        self._text, self._operator = text, operator
        self._line = -1  # where the line ends that was asked about last

    def value_at(self, key: re.Match[str]) -> Replacement:
        """From where to where the value behind a key stands, and what stands there instead; empty
        where there is nothing to replace."""
        text, start = self._text, key.end()
        if start > self._line:
            line = text.find("\n", start)
            self._line = line if line >= 0 else len(text)
        line = self._line
        string = _STRING.match(text, start, line) or _ESCAPED_STRING.match(text, start, line)
        if string:
            quote, value, end = string[1], string[2], string.end()
        elif key["quote"]:
            end = _end_of_literal(text, start)
            quote, value = key["quote"], text[start:end]
        else:
            end = _end_of_block(text, key.start(), start, line) or self._end_on_line(start)
            # what stands behind a stand-in is the rest of a value of which another took a part
            quote, value = "", text[start:end]
        if end <= start or self._operator.is_stand_in(value):
            return start, end, ""
        return start, end, quote + self._operator.stand_in(value) + quote

    def _end_on_line(self, start: int) -> int:
        """The next pair on the line, behind a bracket that the value opens with; else its end."""
        text, line = self._text, self._line
        if line <= start or text[start] in "'\"":
            return line  # a quote that does not close
        within = start
        if text[start] in _CLOSING:
            closed = self._closings.get(start, line)
            within = closed + 1 if closed < line else start
        following = _NEXT_PAIR.search(text, within, line)
        end = following.start() if following else line
        while end > start and text[end - 1].isspace():
            end -= 1
        return end

    @cached_property
    def _closings(self) -> dict[int, int]:
        """Where each bracket is closed, of whatever kind the closing one is."""
        closings: dict[int, int] = {}
        opened: list[int] = []
        for bracket in _BRACKET.finditer(self._text):
            if bracket[0] in _CLOSING:
                opened.append(bracket.start())
            elif opened:
                closings[opened.pop()] = bracket.start()
        return closings


def _end_of_literal(text: str, start: int) -> int:
    """Behind a quoted key: a literal, to the comma or the bracket behind it."""
    depth, place = 0, start
    while place < len(text):
        sign = text[place]
        string = _STRING.match(text, place) if sign in "\"'" else None
        if string:
            place = string.end()
            continue
        if sign in _CLOSING:
            depth += 1
        elif sign in "}])":
            depth -= 1
        if depth < 0 or (not depth and sign in ",\n"):
            return start + len(text[start:place].rstrip())
        place += 1
    return place


def _end_of_block(text: str, key: int, start: int, line: int) -> int:
    """Behind a key of YAML that has its value on deeper lines: the last of them; else 0."""
    if line == len(text) or not _BLOCK.fullmatch(text, start, line):
        return 0
    first = text.rfind("\n", 0, key) + 1
    indent = _INDENT.match(text, first)
    assert indent is not None
    if indent.end() != key:
        return 0  # in the middle of a line
    depth, end, place = key - first, 0, line + 1
    while place < len(text):
        stop = text.find("\n", place)
        stop = stop if stop >= 0 else len(text)
        content = text[place:stop].strip()
        lead = _INDENT.match(text, place, stop)
        assert lead is not None
        if content and lead.end() - place <= depth:
            break
        if content:
            end = place + len(text[place:stop].rstrip())
        place = stop + 1
    return end
