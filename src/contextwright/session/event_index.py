"""Where the events of a log are, by what they are."""

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable
from functools import partial
from hashlib import sha256
from typing import get_args

from contextwright.session.event import AnyPart, Event, Opaque, Text, ToolCall, ToolResult
from contextwright.session.harness_text import Speakers, hands_over, rules_in

ATTRIBUTES = ("role", "author", "type", "tool", "tag", "pinned", "kind", "rules")
"""What events are found by."""
REPEATED = "repeated call"
"""The kind of an event with a call whose id an earlier one has: recorders write such."""
ORPHAN = "orphan"
"""The kind of a tool's event that answers no call of the log."""
SPOKEN, HARNESS = "spoken", "harness"
"""Kinds of events of a user's role: those in which the user says something, and those that are all
a harness's (`harness_text`)."""
HANDOVER = "handover"
"""The kind of a user's event with a harness's summary of what was before it."""
RULES = "rules"
"""Of the events with rules of a project the files that they are of, where their wording is new."""
_TAGS = {kind: str(kind.__struct_config__.tag) for kind in get_args(AnyPart)}
_NAMED = (ToolCall, ToolResult)
_PLAIN: tuple[list[str], ...] = ([], [SPOKEN])
_new_positions: "partial[array[int]]" = partial(array, "I")
_NOWHERE = _new_positions()


def is_compaction(part: Opaque) -> bool:
    """Whether a provider's item stands for all that was before it; one that holds nothing, of a
    compaction that failed, does not."""
    held = ("encrypted_content", "content", "summary")
    return part.kind == "compaction" and any(part.value.get(key) for key in held)


class EventIndex:
    """Positions by attribute and value, which grow at their end."""

    def __init__(self) -> None:
        self._by = {name: defaultdict(_new_positions) for name in ATTRIBUTES}
        self._rules: dict[str, bytes] = {}  # file -> digest of its newest wording

    def note(self, event: Event, position: int, speakers: Speakers) -> bool:
        """Take the event at this position, which is behind all before; whether it stands out, being
        an operator's, a harness's, or a summary.

        Args:
            speakers: in a user's event.
        """
        role, by = event.role, self._by
        by["role"][role].append(position)
        by["author"][event.author or role].append(position)
        entries: list[tuple[str, str]] = []
        kinds: list[str] = []
        for part in event.parts:
            kind = type(part)
            entries.append(("type", _TAGS[kind]))
            if kind is Text:
                continue
            if isinstance(part, _NAMED) and part.name:
                entries.append(("tool", part.name))
            elif isinstance(part, Opaque) and is_compaction(part):
                kinds.append("compaction")
        for tag in event.tags:
            entries.append(("tag", tag))
        if event.is_pinned:
            entries.append(("pinned", "yes"))
        if event.metadata and event.metadata.get("kind") == "summary":
            kinds.append("summary")
        if role == "user":
            kinds.append(SPOKEN if speakers.user else HARNESS)
            if speakers.harness:
                kinds += [HANDOVER] if hands_over(event.parts) else []
                entries += [(RULES, file) for file in self._new_rules(event)]
        has_rules = bool(entries) and entries[-1][0] == RULES
        stands_out = role == "system" or has_rules or kinds not in _PLAIN
        entries += [("kind", kind) for kind in kinds] if kinds else []
        self._add(entries, position)
        return stands_out

    def _new_rules(self, event: Event) -> list[str]:
        """The files of whose rules an event has another wording than the one before it."""
        wordings = {
            file: sha256(text.encode("utf-8", "surrogatepass")).digest()
            for file, text in rules_in(event.parts).items()
        }
        new = [file for file, wording in wordings.items() if self._rules.get(file) != wording]
        self._rules |= wordings
        return new

    def note_repeated(self, position: int) -> None:
        """Take the event at this position as one with a call whose id an earlier call has."""
        self._add([("kind", REPEATED)], position)

    def note_orphan(self, position: int) -> None:
        """Take the event at this position, of a tool, as one that answers no call."""
        self._add([("kind", ORPHAN)], position)

    def _add(self, entries: Iterable[tuple[str, str]], position: int) -> None:
        by = self._by
        for attribute, value in entries:
            positions = by[attribute][value]
            if not positions or positions[-1] != position:
                positions.append(position)

    def positions(self, attribute: str, value: str) -> "array[int]":
        """The positions of the events with this value, ascending."""
        return self._by.get(attribute, {}).get(value, _NOWHERE)

    def values(self, attribute: str) -> tuple[str, ...]:
        """The values that an attribute takes, in order of first appearance."""
        return tuple(self._by.get(attribute, ()))


def holds(positions: "array[int]", position: int) -> bool:
    """Whether a position is among these, which ascend."""
    place = bisect_left(positions, position)
    return place < len(positions) and positions[place] == position
