"""What a compaction decided, saved beside a session: a session that is loaded, a worker without a
memory and a replay take no step again."""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

import msgspec

from contextwright.typed_decoding import converted

SAVED_FOLDS = "contextwright.folds"
"""Key of a session's metadata."""
MOST = 8
"""Folds that a session keeps: the newest two for each spec and target that it was compiled for.
Results that come late change what the newest is of."""


class SavedPrefix(msgspec.Struct, frozen=True, array_like=True):
    """How much of a log a saved fold knows: the first exchanges of the conversation, each as the
    log has it, but for the task, which may stand shortened.

    Args:
        place: how many there are.
        stop: the exchange of the log behind the last.
        position: events that the log had by then; joins: late results among these.
        tokens: what they would take in a request, unshortened.
    """

    place: int
    stop: int
    position: int
    joins: int
    tokens: int


class NotePlan(msgspec.Struct, frozen=True, array_like=True):
    """What a step leaves for its note. When the next one is due follows from it, whatever the note
    says; so of the notes of a long session only one that is sent is made.

    Args:
        stop: the request at which the step was taken had the exchanges before this one.
        step: the number of the step.
        room: tokens of what the note tells, at most.
        tokens: what it counts as: what it takes at most, or what it takes where that was told.
    """

    stop: int
    step: int
    room: int
    tokens: int


class SavedFold(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What holds for a request, in numbers that only its session gives a meaning: no word of the
    session is in it. It saves time: what does not prove to be of the conversation at hand is
    worked out anew.

    Args:
        key: names the spec's limit, the target and what else decisions depend on.
        place: the request had the exchanges before this one.
        content: names what these say, and the log behind them.
        scope: names the limit and the target alone; prefix: the exchanges that need no look.
        upto, held, pages, shrunk, untold, limits, steps, checked: as in the decisions.
        forms: place and form of what the note tells, as numbers.
        index: of each identifier that it names, the exchange that says it first, and its number
            among those of the exchange.
        todos: of each list of what is to be done, the exchanges that made it, the number of the
            update in the last of them, and the tokens that it may have.
        files: of each file that it tells, the exchange and the number of the call that touched
            it last, and the tokens that it may have.
        plan: of the note; None where there is none.
        origin: the newest place at which steps began anew; origin_before: the one in front of it.
        passed: tokens of the exchanges since the newest, as they came; turns: how many turns
            began since.
        digest: sha256 of all other fields.
    """

    key: str
    place: int
    content: str
    scope: str = ""
    prefix: SavedPrefix | None = None
    upto: int = 0
    held: tuple[int, ...] = ()
    forms: tuple[tuple[int, int], ...] = ()
    index: tuple[tuple[int, int], ...] = ()
    todos: tuple[tuple[tuple[int, ...], int, int], ...] = ()
    files: tuple[tuple[int, int, int], ...] = ()
    pages: tuple[int, ...] = ()
    shrunk: tuple[int, ...] = ()
    untold: tuple[int, ...] = ()
    limits: tuple[tuple[int, int], ...] = ()
    steps: int = 0
    checked: int = 0
    plan: NotePlan | None = None
    origin: int = 0
    origin_before: int = 0
    passed: int = 0
    turns: int = 0
    digest: str = ""

    def digested(self) -> "SavedFold":
        """The same with its digest."""
        plain = msgspec.structs.replace(self, digest="")
        digest = sha256(msgspec.json.encode(plain)).hexdigest()
        return msgspec.structs.replace(self, digest=digest)


def newest_prefix(folds: Iterable[SavedFold]) -> SavedPrefix | None:
    """What the last of some folds counted of its log, of those that did."""
    prefixes = [fold.prefix for fold in folds if fold.prefix is not None]
    return prefixes[-1] if prefixes else None


def saved_folds(metadata: Mapping[str, Any]) -> tuple[SavedFold, ...]:
    """The folds in a session's metadata; none where they can not be read."""
    saved = metadata.get(SAVED_FOLDS)
    if not saved:
        return ()
    try:
        return converted(saved, tuple[SavedFold, ...])
    except (msgspec.ValidationError, ValueError):
        return ()


def save_folds(metadata: dict[str, Any], folds: tuple[SavedFold, ...]) -> None:
    """Put the folds of a request into a session's metadata, in the place of older ones."""
    if not folds:
        return
    before = list(saved_folds(metadata))
    for fold in folds:
        same = [one for one in before if one.key == fold.key and one.place < fold.place]
        before = [one for one in before if one.key != fold.key]
        before += [*same[-1:], fold]
    metadata[SAVED_FOLDS] = msgspec.json.decode(msgspec.json.encode(before[-MOST:]))
