"""A text in its sentences; list items, headings and code blocks stay whole."""

import re

from contextwright.memo.ownership import cached_text

MAX_MESSAGE = 2_000
"""Characters of a text whose sentences are remembered: a message is looked through for rules, for
remarks, for conditions, and for what is over, a longer text once."""
FENCES = ("```", "~~~")
"""What a block of code begins with, and ends with."""
_FENCE = re.compile(r"^ {0,3}(```|~~~).*?^ {0,3}\1[^\n]*$", re.MULTILINE | re.DOTALL)
_END = re.compile(
    r"[.!?\n](?:(?<!\n)[\"')\]]?(\s+)(?=[\"'(\[]?[A-Z0-9\u00c0-\u024f])|(?<=\n)(?:\s*\n)?)"
)
"""A mark with the blanks behind it, which are its group, or an end of a line. It begins with signs
of which a text has few: a search leaps from one to the next."""
_END_WIDE = re.compile(rf"(?<=[\u3002\uff01\uff1f])|{_END.pattern}")
_WIDE = re.compile("[\u3002\uff01\uff1f]")
"""Ends of sentences that no blank follows."""
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:[A-Z]|e\.g|i\.e|etc|vs|cf|approx|no|fig|mr|mrs|ms|dr|prof|st|inc|ltd|co|corp|"
    r"jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|u\.s|a\.m|p\.m)\.[\"')\]]*$",
    re.IGNORECASE,
)
LONGEST = 6
"""Letters of the longest of these."""
_ORDINAL = re.compile(r"\b(?:[Aa]m|[Zz]um|[Vv]om|bis|den|dem|der|des|[Aa]b|seit|im) \d{1,2}\.$")
"""A day in German, `bis zum 2. Dezember`: every noun begins with a capital."""
_NO = re.compile(r"\bno\.$", re.IGNORECASE)
"""`No.` before a number; otherwise an answer."""


def sentences(text: str) -> list[str]:
    """The sentences, without white space around them."""
    return [*(_sentences_of(text) if len(text) <= MAX_MESSAGE else _split(text))]


@cached_text
def _sentences_of(message: str) -> list[str]:
    return _split(message)


def _split(text: str) -> list[str]:
    pieces: list[str] = []
    at = 0
    for fence in _FENCE.finditer(text) if any(map(text.__contains__, FENCES)) else ():
        pieces += _prose(text[at : fence.start()])
        pieces.append(fence[0].strip())
        at = fence.end()
    pieces += _prose(text[at:])
    return [sentence for sentence in pieces if sentence]


def _prose(text: str) -> list[str]:
    pieces: list[str] = []
    start = 0
    ends = _END if text.isascii() or not _WIDE.search(text) else _END_WIDE
    for end in ends.finditer(text):
        at, mark = end.start(1), end[0]
        piece = text[start : at if at >= 0 else end.start()]
        if mark[:1] == "." and "\n" not in mark and _goes_on(piece, text, end.end()):
            continue
        pieces.append(piece.strip())
        start = end.end()
    pieces.append(text[start:].strip())
    return pieces


def _goes_on(piece: str, text: str, at: int) -> bool:
    """Whether the full stop at the end of a piece ends no sentence; the next would begin at
    `at`."""
    last = piece[-8:-1]
    if last[-1:].isdigit() and _ORDINAL.search(piece[-8:]):
        return True
    if last.isalpha() and len(last) > LONGEST:  # as most words that end one are
        return False
    if not _ABBREVIATION.search(piece[-12:]):
        return False
    return not _NO.search(piece[-4:]) or text[at].isdigit()
