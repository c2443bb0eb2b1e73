"""Search results: hits under their files, each path once."""

import re

from contextwright.text.line_selection import Unit

_HIT = re.compile(r"((?:[A-Za-z]:)?[^\s:][^:\n]{0,300}):(\d+)(?::\d+)?[:-](.*)")


def is_hits(lines: list[str]) -> bool:
    """Whether most lines are `path:line:text`."""
    full = [line for line in lines if line.strip()]
    hits = [match for line in full if (match := _HIT.match(line)) and _is_path(match[1])]
    return len(hits) >= 3 and len(hits) * 10 >= len(full) * 7


def _is_path(name: str) -> bool:
    return " " not in name and ("/" in name or "." in name or "\\" in name)


def hit_units(text: str) -> list[Unit]:
    """Files, each with its hits below it. Files rank first, then the first hit of each, then the
    second; what is no hit stands where it stood."""
    grouped: dict[str, list[str]] = {}
    for line in text.splitlines():
        match = _HIT.match(line)
        if match and _is_path(match[1]):
            grouped.setdefault(match[1], []).append(f"  {line[len(match[1]) + 1 :]}")
        elif line.strip() and line != "--":
            grouped.setdefault("", []).append(line)
    units: list[Unit] = []
    for path, hits in grouped.items():
        parent = len(units) if path else -1
        if path:
            units.append(Unit(path, (0, parent), noun="files", stands_for=1))
        for nth, hit in enumerate(hits):
            units.append(Unit(hit, (1, nth, len(units)), parent, noun="hits" if path else "lines"))
    return units
