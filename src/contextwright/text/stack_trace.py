"""Stack traces: what was raised, and where in the user's own code."""

import re

from contextwright.text.line_selection import Unit

_PYTHON = re.compile(r'\s*File "([^"]+)", line \d+')
_FRAME = re.compile(
    r"\s+at (?:async )?\S.*[(:]\S*\d*|\s*+(?=\S+/)\S*?\.go:\d|\s+\d+: +0x|\s+from \S+:\d+"
)
_RAISED = re.compile(
    r"\S*(?:Error|Exception|Warning|Interrupt|Exit|Failure|Panic)\b\S{0,80}(?::|$)"
    r"|Caused by:|Traceback \(most|Exception in thread|panic: |thread '.*' panicked|Uncaught "
)
_LIBRARY = re.compile(
    r"site-packages|dist-packages|/lib/python\d|node_modules|node:|<frozen |<string>"
    r"|\bat (?:java|javax|jdk|sun|scala|kotlin|org\.springframework)[./]|/usr/lib|/rustc/|/go/src/"
)


def is_trace(lines: list[str]) -> bool:
    """Whether something raised and at least a sixth of the lines are frames."""
    frames = sum(1 for line in lines if _FRAME.match(line) or _PYTHON.match(line))
    raised = any(_RAISED.match(line) for line in lines)
    return raised and frames >= 2 and frames * 6 >= len(lines)


def trace_units(text: str) -> list[Unit]:
    """A unit a line: what was raised, then the innermost frames of the user's code, then other
    frames from the inside out, then the rest. A frame's source line needs its frame."""
    lines = text.splitlines()
    frames = [n for n, line in enumerate(lines) if _PYTHON.match(line) or _FRAME.match(line)]
    inside_last = any(_PYTHON.match(lines[n]) for n in frames)
    depth = {n: len(frames) - i if inside_last else i for i, n in enumerate(frames)}
    units: list[Unit] = []
    frame = -1
    for place, line in enumerate(lines):
        if place in depth:
            frame = place
            units.append(Unit(line, (2 if _LIBRARY.search(line) else 1, depth[place])))
        elif _RAISED.match(line):
            frame = -1
            units.append(Unit(line, (0, place)))
        elif frame >= 0 and line[:1].isspace():
            rank = units[frame].rank
            units.append(Unit(line, (*rank, 1), frame))
        else:
            frame = -1
            units.append(Unit(line, (3, place)))
    return units
