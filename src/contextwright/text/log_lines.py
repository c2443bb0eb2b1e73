"""Logs and other output in lines: what failed, what was new, where it ended.

All lines are searched, not only the first ones: the error that matters often stands at the end.
"""

import re
from collections import Counter
from collections.abc import Sequence

from contextwright.text.line_selection import Unit

_ERROR = re.compile(
    r"\b(?:errors?|fatal|critical|severe|panic|emerg|alert|traceback|exceptions?|failed|failures?"
    r"|denied|refused|aborted|unhandled|segfault|timed out)\b|\w(?:Error|Exception)\b|\bERR!",
    re.IGNORECASE,
)
_STEMS = (
    *("err", "fail", "exception", "denied", "refused", "fatal", "critical", "severe", "panic"),
    *("emerg", "alert", "traceback", "aborted", "unhandled", "segfault", "timed out"),
)
"""With one of which every match of it begins, or goes on behind one letter: a look for each, and at
these places alone, is quicker than the expression."""
_NONE = re.compile(
    r"\b(?:no|0|zero|without) (?:errors?|failures?|failed)\b|\b0 \w+ failed", re.IGNORECASE
)
_WARNING = re.compile(r"\b(?:warn|warning|deprecated|retry|retrying)\b", re.IGNORECASE)
_STAMP = re.compile(
    r"^\W{0,2}(?:\d{4}[-/]\d\d[-/]\d\d[T ]?)?(?:\d\d:\d\d:\d\d)?\S{0,14}[\s\]]+"
    r"|^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d "
)
_VARYING = re.compile(r"0x[0-9a-fA-F]+|\b[0-9a-fA-F]{8,}\b|\d+")
_MILD = re.compile(r"\b(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?)\b|\blevel=\W?(?:debug|info|warn)")
"""A level below error, as logs write it: words of such a line are no error of its own."""
LEVEL_WITHIN = 80
"""Characters from the beginning in which a line names its level: behind its time and process."""
READ = 2_000
"""Characters of a line that are looked at: its level and its words stand at its beginning."""

LONG = 60
"""Characters of a line from which on it could be a sentence."""
_SENTENCE = re.compile(r"[a-z0-9\"')][.!?] +[\"'(]?[A-Z]|[.!?:;,…][\"'”’)\]*`]*\s*$")
"""The end of a sentence within a line, or at its end."""

FIRST_LINES = 3
"""Lines at the beginning that stay beside the end: what was run, and with what."""
FOR_ONE = 3
"""Of repeats, lines near the end for each near the beginning."""
_WORD = re.compile(r"[^\W\d_]{3,}")
_SAYS = re.compile(r"[^\W_]")
DRAWN = 12
"""Characters from which on a line without a letter or a digit is drawn: a map, a ruler, a bar."""
ALIKE = 2
"""Words of lines that differ in their numbers alone from which on they say the same: of fewer the
numbers are what they say, as the rows of a table do."""
REPEATED = 3
"""Characters up to which a line is a bracket or a rule: how often it stands says nothing."""


def severity(line: str) -> int:
    """0 for an error, 1 for a warning and for talk of errors at a lower level, 2 for the rest."""
    head = line[:READ]
    if has_error(head) and _ERROR.search(_NONE.sub("", head)):
        mild, error = _MILD.search(head[:LEVEL_WITHIN]), _ERROR.search(head)
        return int(mild is not None and error is not None and mild.start() < error.start())
    return 1 if _WARNING.search(head) else 2


def has_error(text: str) -> bool:
    """Whether any line of a text could be an error: one look for the many that have none."""
    if not text.isascii():  # without regard to case, a long s is an s, and a dotless i an i
        return _ERROR.search(text) is not None
    plain = text.lower()
    return any([_is_error_of(stem, plain) for stem in _STEMS if stem in plain])  # noqa: C419


def _is_error_of(stem: str, text: str) -> bool:
    place = text.find(stem)
    while place >= 0:
        if _ERROR.match(text, place) or (place and _ERROR.match(text, place - 1)):
            return True
        place = text.find(stem, place + 1)
    return False


def starts_like_log(line: str) -> bool:
    """Whether a line begins with a time or a level."""
    return _LOG_START.match(line) is not None


_LOG_START = re.compile(
    r"\W{0,2}\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\W{0,2}\d\d:\d\d:\d\d"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d "
    r"|\W{0,2}(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\b"
)


def log_units(text: str) -> list[Unit]:
    """A unit a line. Errors rank before warnings, of each the first and the newest of every kind
    of message before its repeats; then the end, the beginning, what is said for the first time.
    The first of many lines that are alike carries their count."""
    lines = text.splitlines()
    bare = [_STAMP.sub("", line, count=1) if line[:1] != " " else line for line in lines]
    kinds = [_VARYING.sub("#", one[:READ]) for one in bare]
    levels = [severity(line) for line in lines]
    first: dict[str, int] = {}
    newest: dict[str, int] = {}
    for place, kind in enumerate(kinds):
        first.setdefault(kind, place)
        newest[kind] = place
    same, alike = Counter(bare), Counter(kinds)
    units: list[Unit] = []
    for place, line in enumerate(lines):
        is_first, is_newest = first[kinds[place]] == place, newest[kinds[place]] == place
        rank = _rank(place, len(lines), levels[place], is_first, is_newest)
        if len(line) > DRAWN and not _SAYS.search(line):
            rank = (10, place)
        number = alike[kinds[place]]
        if is_first and number > 2 and len(line.strip()) > REPEATED:
            if same[bare[place]] == number:
                line += f" (×{number})"
            elif len(_WORD.findall(kinds[place])) >= ALIKE:
                line += f" (×{number} alike)"
        units.append(Unit(line, rank))
    return units


def _rank(place: int, size: int, level: int, is_first: bool, is_newest: bool) -> tuple[int, ...]:
    """Where it ended; errors and warnings whose kind is new or last; both ends; what is new;
    repeats, those near the end first, with some near the beginning."""
    if place == size - 1:
        return (0, -1)
    if level < 2 and (is_first or is_newest):
        return (2 * level + (not is_first), place)
    if place >= size - 3 or place < FIRST_LINES:
        return (3, min(size - place, 2 * place))
    if level < 2:
        return (5 + level, -place)
    if is_first or is_newest:
        return (7 if is_first else 8, -place)
    return (9, min(size - place, FOR_ONE * place))


def is_long_output(text: str, lines: Sequence[str]) -> bool:
    """Whether a text of long lines is a program's output with an error in it: hardly any of them
    is a sentence, or holds the end of one.

    Args:
        lines: some of all of the text.
    """
    if not has_error(text):
        return False
    long = [line for line in lines if len(line) >= LONG]
    return sum(_SENTENCE.search(line) is not None for line in long) * 2 < len(long)


def log_share(lines: Sequence[str]) -> float:
    """The share of the lines that begin like a log's."""
    full = [line for line in lines if line.strip()]
    return sum(map(starts_like_log, full)) / max(1, len(full))
