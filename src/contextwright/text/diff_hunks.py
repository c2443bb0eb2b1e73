"""Diffs: which files and hunks, then what changed in each, then what stands around it."""

import re

from contextwright.text.line_selection import Unit

_FILE = re.compile(
    r"diff --git |Index: |--- \S|\+\+\+ \S|rename |new file|deleted file|Binary files"
)
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")
HEADERS, HUNKS, CHANGES, CONTEXT = range(4)


def is_diff(text: str) -> bool:
    """Whether a text has a hunk's header below a file's, or git's header."""
    return bool(
        re.search(r"(?m)^diff --git a/", text)
        or (re.search(r"(?m)^\+\+\+ \S", text) and re.search(r"(?m)^@@ -\d+", text))
    )


def diff_units(text: str) -> list[Unit]:
    """A unit a line: files rank before hunks, these before changes; the first change of every
    hunk before the second of any. A hunk needs its file, a change its hunk."""
    units: list[Unit] = []
    file = hunk = -1
    nth = left = 0
    in_git = False
    for place, line in enumerate(text.splitlines()):
        if left <= 0 and _FILE.match(line):
            starts = line.startswith(("diff ", "Index: ")) or hunk >= 0
            names_file = starts or (line.startswith("+++") and not in_git)
            in_git = in_git or starts
            kind = HEADERS if names_file else CONTEXT
            units.append(Unit(line, (kind, 0, place), -1 if starts else file))
            if starts or file < 0 or line.startswith("+++"):
                file = place
            hunk = -1
        elif match := _HUNK.match(line):
            units.append(Unit(line, (HUNKS, place), file))
            hunk, nth, left = place, 0, _length(match[0])
        else:
            nth += 1
            left -= 2 if line[:1] in {" ", ""} else line[:1] in "+-"
            kind = CHANGES if line[:1] in {"+", "-"} else CONTEXT
            units.append(Unit(line, (kind, nth, place), hunk if hunk >= 0 else file))
    return units


def _length(header: str) -> int:
    """Lines of a hunk, old and new together, so that `--- x` in it is no file's header."""
    pairs = re.findall(r"[-+]\d+(?:,(\d+))?", header)
    return sum(int(size) if size else 1 for size in pairs)
