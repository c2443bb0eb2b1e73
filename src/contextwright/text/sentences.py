"""A text in its sentences; list items, headings and code blocks stay whole."""

import re

_FENCE = re.compile(r"^ {0,3}(```|~~~).*?^ {0,3}\1[^\n]*$", re.MULTILINE | re.DOTALL)
_END = re.compile(
    r"(?:(?<=[.!?])|(?<=[.!?][\"')\]]))\s+(?=[\"'(\[]?[A-Z0-9\u00c0-\u024f])"
    r"|(?<=[\u3002\uff01\uff1f])|\n\s*\n|\n(?=\s*(?:[-*+\u2022]|[0-9]{1,3}[.)]|#{1,6})\s)|\n"
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:[A-Z]|e\.g|i\.e|etc|vs|cf|approx|no|fig|mr|mrs|ms|dr|prof|st|inc|ltd|co|corp|"
    r"jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|u\.s|a\.m|p\.m)\.[\"')\]]*$",
    re.IGNORECASE,
)
_NO = re.compile(r"\bno\.$", re.IGNORECASE)
"""`No.` before a number; otherwise an answer."""


def sentences(text: str) -> list[str]:
    """The sentences, without white space around them."""
    pieces: list[str] = []
    at = 0
    for fence in _FENCE.finditer(text):
        pieces += _prose(text[at : fence.start()])
        pieces.append(fence[0].strip())
        at = fence.end()
    pieces += _prose(text[at:])
    return [sentence for sentence in pieces if sentence]


def _prose(text: str) -> list[str]:
    pieces: list[str] = []
    start = 0
    for end in _END.finditer(text):
        piece = text[start : end.start()]
        if "\n" not in end[0] and _ABBREVIATION.search(piece[-12:]):
            if not _NO.search(piece[-4:]) or text[end.end()].isdigit():
                continue
        pieces.append(piece.strip())
        start = end.end()
    pieces.append(text[start:].strip())
    return pieces
