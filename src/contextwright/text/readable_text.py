"""What a reader can not read, out of a text: colours and moves of a terminal, bytes, base64.

Each run of bytes or base64 becomes a mark with its size, so that what stands around it is read.
"""

import re
from itertools import groupby

from contextwright.text.binary_label import CONTROL, binary_label

_ESCAPE = re.compile(
    "\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]{0,2000}(?:\x07|\x1b\\\\)?|[ -/]*[0-~])"
    "|\x9b[0-?]*[@-~]"
)
"""Control sequences of a terminal."""
RUN = 120
"""Characters of letters and digits without a blank from which on a run may be base64."""
_RUN = re.compile(
    rf"(?:data:[\w.+-]+/[\w.+-]+;base64,)?(?<![\w+/=-])[A-Za-z0-9+/_-]{{{RUN},}}={{0,2}}"
)
_WRAPPED = re.compile(r"(?m)^(?:[A-Za-z0-9+/]{60,76}\r?\n){2,}[A-Za-z0-9+/]{0,76}={0,2}$")
"""Base64 as letters and certificates carry it: lines of one length."""
NAME = 16
"""Characters between two dividers, from which on a run is none of names."""
SHORTEST = 4
"""Characters of a line from which on it shows whether it can be read."""
SHOWN = 5
"""A fifth of a text at least can be read, or all of it is bytes."""


def readable(text: str) -> str:
    """The text without control sequences, and with a mark for bytes and base64 in it; itself where
    it has none. Linear in the text."""
    if "\x1b" in text or "\x9b" in text:
        text = _ESCAPE.sub("", text)
    if CONTROL.search(text):
        text = _without_bytes(text)
    if len(text) > RUN:
        text = _WRAPPED.sub(_labelled, text)
        text = _RUN.sub(_labelled, text)
    return text


def is_all_bytes(text: str) -> bool:
    """Whether hardly a line of a text that has bytes in it can be read."""
    lines = _lines(text)
    shown = sum(
        len(line) for line in lines if len(line) >= 2 * SHORTEST and not CONTROL.search(line)
    )
    return shown * SHOWN < len(text)


def _labelled(match: re.Match[str]) -> str:
    """The mark of a run, if it is base64: a path or a name in it has many more dividers."""
    run = match[0]
    is_name = sum(map(run.count, "/-_")) * NAME >= len(run)
    return run if is_name else binary_label(run) or run


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").split("\n")


def _without_bytes(text: str) -> str:
    if is_all_bytes(text):
        return text
    parts: list[str] = []
    for are_bytes, lines in groupby(_lines(text), _Bytes()):
        part = "\n".join(lines)
        mark = binary_label(part) or f"[binary, {len(part)} characters … left out]"
        parts.append(mark if are_bytes else part)
    return "\n".join(parts)


class _Bytes:
    """Whether a line is bytes; one too short to tell is what the line before it was."""

    def __init__(self) -> None:
        self._last = False

    def __call__(self, line: str) -> bool:
        if len(line.strip()) >= SHORTEST:
            self._last = len(CONTROL.findall(line)) * 10 > len(line)
        return self._last
