"""What became of every exchange of a session at one call, moves from the manifest alone."""

from collections.abc import Iterator

import msgspec

from contextwright.compiler.change import Change
from contextwright.compiler.lineage_ranges import written_out
from contextwright.compiler.manifest import KeptBlock, Manifest
from contextwright.compiler.note_members import (
    MEMBER_WORDS,
    NOTHING,
    VALUES,
    note_content,
    note_members,
)
from contextwright.session.snapshot import Snapshot

FATES = ("", "raw", "compacted", "truncated", "folded", "summarized", "dropped")
"""From the whole to nothing; the first where an exchange had not happened yet."""
RAW, COMPACTED, TRUNCATED, FOLDED, SUMMARIZED, DROPPED = range(1, 7)
_OF_FIDELITY = {
    "raw": RAW,
    "compacted": COMPACTED,
    "truncated": TRUNCATED,
    "placeholder": TRUNCATED,
    "summarized": SUMMARIZED,
}


class Fate(msgspec.Struct, frozen=True):
    """What became of an exchange.

    Args:
        fate: its place in `FATES`.
        step: the word or stage that did it, as code. reason: why. what: what is left, in words.
        tokens: that it takes; 0 in a note or where it is not sent.
    """

    fate: int
    step: str = ""
    reason: str = ""
    what: str = ""
    tokens: int = 0


_ABSENT = Fate(DROPPED, what="not in the request")


def sent_fates(manifest: Manifest, snapshot: Snapshot) -> dict[int, Fate]:
    """The exchanges that are in the request, by their place in the log."""
    steps = _last_changes(manifest, snapshot)
    blocks = (block for block in manifest.kept if block.order >= 0)
    return {block.order: _sent(block, steps.get(block.order)) for block in blocks}


def fate_outside(manifest: Manifest) -> tuple[object, ...]:
    """All that `outside_fates` follows from: it stays for many calls, as a step's note does."""
    moves = tuple(
        (change.id, change.last, change.step, change.reason)
        for change in manifest.changes
        if change.action in {"dropped", "summarized"}
    )
    summaries = tuple(block.lineage for block in manifest.kept if block.order < 0)
    return manifest.left_out, moves, summaries, note_content(manifest)


def outside_fates(manifest: Manifest, snapshot: Snapshot) -> dict[int, Fate]:
    """What became of exchanges that are not in the request by themselves, by their place."""
    fates: dict[int, Fate] = {}
    for gap in manifest.left_out:
        fate = Fate(DROPPED, reason="no term of the spec selects it", what="not selected")
        fates.update(dict.fromkeys(_between(gap.first, gap.last, snapshot), fate))
    for change in manifest.changes:
        if change.action == "dropped":
            fate = Fate(DROPPED, change.step, change.reason, "dropped")
            fates.update(dict.fromkeys(_of_change(change, snapshot), fate))
    fates.update(_in_notes(manifest, snapshot))
    return fates


class FateSeries:
    """What changed from call to call."""

    def __init__(self) -> None:
        self._outside: dict[int, Fate] = {}
        self._key: tuple[object, ...] | None = None
        self._sent: dict[int, Fate] = {}
        self._count = 0

    def changed(self, manifest: Manifest, snapshot: Snapshot) -> Iterator[tuple[int, Fate]]:
        """The exchanges whose fate may be another than at the call before, and their fate."""
        first, count = snapshot.preamble, snapshot.exchange_count
        key, sent = fate_outside(manifest), sent_fates(manifest, snapshot)
        orders = {*sent, *self._sent, *range(self._count, count)}
        if key != self._key:
            self._key, self._outside = key, outside_fates(manifest, snapshot)
            orders = set(range(first, count))
        for order in sorted(orders):
            if first <= order < count:
                yield order, sent.get(order) or self._outside.get(order, _ABSENT)
        self._sent, self._count = sent, count


def _sent(block: KeptBlock, change: Change | None) -> Fate:
    fate = _OF_FIDELITY.get(block.fidelity, RAW)
    if change is None or change.action == "dropped":
        return Fate(fate, what="whole" if fate == RAW else block.fidelity, tokens=block.tokens)
    what = change.action if fate == RAW else block.fidelity
    return Fate(fate, change.step, change.reason, what, block.tokens)


def _in_notes(manifest: Manifest, snapshot: Snapshot) -> Iterator[tuple[int, Fate]]:
    """The exchanges that notes and summaries stand for."""
    changes = {change.id: change for change in manifest.changes if change.action == "summarized"}
    members = note_members(manifest, snapshot)
    for block in manifest.kept:
        if block.order >= 0 or block.id not in changes:
            continue
        change = changes[block.id]
        if members and block.id.startswith("earlier/"):
            continue
        for order in _of_ids(block.lineage, snapshot):
            yield order, Fate(SUMMARIZED, change.step, change.reason, "in a summary")
    note = next((change for id, change in changes.items() if id.startswith("earlier/")), None)
    step, reason = (note.step, note.reason) if note is not None else ("", "")
    for order, form in members.items():
        fate = {VALUES: SUMMARIZED, NOTHING: DROPPED}.get(form, FOLDED)
        yield order, Fate(fate, step, reason, MEMBER_WORDS[form])


def _last_changes(manifest: Manifest, snapshot: Snapshot) -> dict[int, Change]:
    """The last change of each exchange that is sent."""
    log, changes = snapshot.log, dict[int, Change]()
    for change in manifest.changes:
        position = log.position_of(change.id)
        if position is not None and not change.last:
            changes[log.exchange_index(position)] = change
    return changes


def _of_change(change: Change, snapshot: Snapshot) -> Iterator[int]:
    return _between(change.id, change.last or change.id, snapshot)


def _of_ids(ids: tuple[str, ...], snapshot: Snapshot) -> Iterator[int]:
    log = snapshot.log
    for id in written_out(ids, log):
        position = log.position_of(id)
        if position is not None:
            yield log.exchange_index(position)


def _between(first: str, last: str, snapshot: Snapshot) -> Iterator[int]:
    log = snapshot.log
    start, stop = log.position_of(first), log.position_of(last)
    if start is not None and stop is not None:
        yield from range(log.exchange_index(start), log.exchange_index(stop) + 1)
