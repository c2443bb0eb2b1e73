"""Which exchanges say what was, since the same was called again: a job that is polled runs until a
later answer says that it is done, a page or a file holds what was seen last."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Any

from contextwright.blocks.block import Block
from contextwright.compiler.steps.exchange_features import Called, calls_of
from contextwright.compiler.steps.file_edits import file_edits
from contextwright.memo.ownership import cached_text
from contextwright.session.call_kind import kind_of, tells_states
from contextwright.text.json_rows import leaves

Subject = tuple[str, str]
"""What a call tells of: a file, or the call with its arguments."""
PLACE = 150
"""Bytes of an exchange and what it tells of, about."""


class NewerCalls:
    """By what exchanges tell of, where the same was called again. Grows with a conversation.

    A call that reads is answered anew by the same call, a file by whoever wrote or read all of it,
    what a call sets by one that sets the same; a failure by the same call, whatever it does. What
    an answer that failed was to say, an older one may say still; and what was done twice happened
    twice.

    Args:
        first: the first exchange that is known.
    """

    def __init__(self, first: int = 0) -> None:
        self._first = first
        self._subjects: list[tuple[Subject, ...]] = []
        self._answered: dict[Subject, list[int]] = {}
        self._failed: dict[Subject, list[int]] = {}

    @property
    def held_bytes(self) -> int:
        """About what it holds."""
        return PLACE * len(self._subjects)

    def append(self, block: Block) -> None:
        """Add the next exchange."""
        at = self._first + len(self._subjects)
        subjects = subjects_of(block)
        self._subjects.append(subjects)
        by_subject = self._failed if block.failed else self._answered
        for subject in subjects:
            by_subject.setdefault(subject, []).append(at)

    def truncate(self, start: int) -> None:
        """Forget the exchanges from `start` on."""
        left = max(0, start - self._first)
        for subject in {one for subjects in self._subjects[left:] for one in subjects}:
            for by_subject in (self._answered, self._failed):
                places = by_subject.get(subject, [])
                del places[bisect_left(places, start) :]
                if not places:
                    by_subject.pop(subject, None)
        del self._subjects[left:]

    def newest_settings(self, upto: int) -> list[int]:
        """Exchanges before `upto` that set anew what earlier ones had set, and that no later one
        does; the newest first."""
        every = (p for subject, p in self._answered.items() if subject[0] == STATE and len(p) > 1)
        return sorted({places[-1] for places in every if places[-1] < upto}, reverse=True)

    def is_outdated(self, block: Block, at: int, stop: int) -> bool:
        """Whether one of the exchanges before `stop` says anew all that this one says."""
        subjects = self._subjects[at - self._first] if at >= self._first else ()
        return bool(subjects) and all(
            self._is_answered(subject, block.failed, at, stop) for subject in subjects
        )

    def _is_answered(self, subject: Subject, failed: bool, at: int, stop: int) -> bool:
        newer = _has_between(self._answered.get(subject, []), at, stop)
        if failed:
            return newer or _has_between(self._failed.get(subject, []), at, stop)
        return newer and subject[0] != ACTION


ACTION, READING, FILE, STATE = "action", "reading", "file", "state"
"""Kinds of subjects: what a call does, or reads, a file, and what a call sets."""
_SETS = re.compile(
    r"(?:^|_)(?:set|update|write|put|save|assign|adjust|configure)(?:_|$)", re.IGNORECASE
)
"""Tools that leave things as they say, however often they are called."""
_PLACES = re.compile(
    r"(?:^|[_.])(?:\w*id|key|index|row|col|column|line|page|date|day|week|month|year|part"
    r"|batch|position|pos|number|no|nr|seat|slot|x|y)$",
    re.IGNORECASE,
)
"""Arguments whose number says which one is set, not what to."""
_is_value = re.compile(r"[a-z]{1,20}(?:,? [a-z]{1,20}){0,4}").fullmatch
"""Text that says what something is set to: `high`, `in review`; whatever else names a thing."""


def _has_between(places: list[int], at: int, stop: int) -> bool:
    place = bisect_right(places, at)
    return place < len(places) and places[place] < stop


@cached_text
def subjects_of(block: Block) -> tuple[Subject, ...]:
    """What the calls of an exchange tell of; nothing where one of them edits a file, of which later
    calls tell no more than what came of it."""
    if not block.has_calls:
        return ()
    files = {edit.call: edit for edit in file_edits(block)}
    if any(edit.kind == "edit" for edit in files.values()):
        return ()
    return tuple(
        dict.fromkeys(_subjects(block, {n: f.path for n, f in files.items() if not f.partial}))
    )


def _subjects(block: Block, files: dict[int, str]) -> Iterator[Subject]:
    for number, call in enumerate(calls_of(block)):
        if number in files:
            yield FILE, files[number]
        elif settings := settings_of(call):
            yield from ((STATE, one) for one in settings)
        else:
            yield (READING if _reads(call) else ACTION), f"{call.name} {call.arguments}"


def settings_of(call: Called) -> list[str]:
    """What a call sets of a thing that its first argument names, each without what to; none for
    any other call."""
    values = call.argument_values
    if len(values) < 2 or not _SETS.search(call.name):
        return []
    first, *others = leaves(values)
    if not isinstance(first[1], str):
        return []
    names = [first, *(pair for pair in others if not _is_set_to(*pair))]
    return [f"{call.name} {names} {key}" for key, value in others if _is_set_to(key, value)]


def _is_set_to(key: str, value: Any) -> bool:
    if isinstance(value, str):
        return _is_value(value) is not None
    return not isinstance(value, int | float) or _PLACES.search(key) is None


def _reads(call: Called) -> bool:
    verb = call.argument_values.get("command")
    verb = verb if isinstance(verb, str) and " " not in verb else ""
    return kind_of(call.name, call.arguments).reads or tells_states(call.name, verb)
