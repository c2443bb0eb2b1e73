"""Erasing a person: out of every place, then out of what forgetting itself remembers."""

from collections.abc import Mapping, Sequence

import msgspec

from contextwright.errors import StoreError
from contextwright.stores.lethe.crash import reached
from contextwright.stores.lethe.journal import Journal, Pen, Request, Trashed
from contextwright.stores.lethe.place import Place, Row, Touched
from contextwright.stores.lethe.plan import Hold
from contextwright.stores.lethe.theirs import Theirs

ALWAYS_BEYOND = (
    "backups, file system snapshots and disk blocks that a file left",
    "pictures, sound, compressed and encrypted content",
    "memory of this process that was not given as a place: token counts, live sessions",
)


class Erased(msgspec.Struct, frozen=True):
    """What an erasure did.

    Args:
        places: what was removed and rewritten, by place; `journal` is forgetting's own.
        unreached: what it can not reach, a sentence each.
    """

    places: dict[str, Touched]
    unreached: tuple[str, ...]


def refuse_held(pen: Pen, places: Mapping[str, Place], theirs: Theirs) -> None:
    """Do nothing where a legal hold covers anything that would be erased.

    Raises:
        StoreError: one does; it is named.
    """
    holds = [hold for hold in pen.holds() if hold.released_ms is None]
    if not holds:
        return
    for hold in holds:
        if theirs.names(hold.target.ids) or any(map(theirs.owns, hold.target.scopes)):
            raise _is_held(hold, "what the hold names")
    trash = [each for cycle in pen.cycles() for each in pen.trash(cycle.number)]
    rows = [(each.place, each.row) for each in trash if _in_trash(each, theirs)]
    for name, place in places.items():
        rows += [(name, row) for row in place.touched(theirs)]
    for name, row in rows:
        for hold in holds:
            if hold.target.covers(name, row):
                raise _is_held(hold, f"{name}: a {row.kind}")


def erase(journal: Journal, places: Mapping[str, Place], asked: Request) -> Erased:
    """Erase, or go on erasing after a crash: every part may be done again."""
    done: dict[str, Touched] = {}
    if asked.person is not None:
        with journal.writing() as pen:
            if asked.number in {each.number for each in pen.asked() if each.person is not None}:
                done = _erase(pen, places, asked)
        reached("erased")
    for place in places.values():
        place.scrub()
        reached(f"scrubbed {place.name}")
    journal.scrub()
    reached("scrubbed journal")
    with journal.writing() as pen:
        pen.done(asked)
    beyond = [place.beyond for place in places.values() if place.beyond]
    return Erased(done, tuple(dict.fromkeys((*beyond, *ALWAYS_BEYOND))))


def _erase(pen: Pen, places: Mapping[str, Place], asked: Request) -> dict[str, Touched]:
    assert asked.person is not None
    theirs = Theirs(asked.person, whole=asked.whole, sessions=asked.sessions)
    done: dict[str, Touched] = {}
    for name, place in places.items():
        done[name] = place.erase(theirs)
        reached(f"erased {name}")
    done["journal"] = Touched(removed=_erase_trash(pen, theirs))
    pen.rewrite(theirs.text)
    why = theirs.text(asked.why)
    who = theirs.text(asked.who)
    for name, touched in done.items():
        if touched.removed or touched.rewritten:
            said = f"{touched.removed} removed, {touched.rewritten} rewritten"
            pen.note(
                "erased",
                name,
                time_ms=asked.time_ms,
                who=who,
                why=f"{why}: {said}" if why else said,
            )
    pen.forget_person(asked)
    return done


def _erase_trash(pen: Pen, theirs: Theirs) -> int:
    """Drop what was forgotten and is the person's, and the digests of it."""
    count = 0
    digests: list[str] = []
    for cycle in pen.cycles():
        trash = pen.trash(cycle.number)
        gone = [each for each in trash if _in_trash(each, theirs)]
        gone += _bytes_of(gone, trash)
        pen.drop(cycle.number, [each.number for each in gone])
        digests += [each.record.digest for each in gone]
        count += len(gone)
    if digests:
        pen.clear_digests(digests)
    return count


def _in_trash(each: Trashed, theirs: Theirs) -> bool:
    row = each.row
    return (
        theirs.owns(row.scope)
        or row.part_of in theirs.sessions
        or any(map(theirs.names, (row.id, row.part_of)))
        or theirs.data(each.record.body)
    )


def _bytes_of(gone: Sequence[Trashed], trash: Sequence[Trashed]) -> list[Trashed]:
    """The bytes that only names stood for which go."""
    went = {each.number for each in gone}
    wanted = {ref for each in trash if each.number not in went for ref in _refs(each.row)}
    named = {ref for each in gone for ref in _refs(each.row)} - wanted
    return [
        each
        for each in trash
        if each.number not in went and each.row.follows and named & set(each.row.known_as)
    ]


def _refs(row: Row) -> tuple[str, ...]:
    return row.refs[:1] if row.kind == "artifact" else ()


def _is_held(hold: Hold, what: str) -> StoreError:
    return StoreError(
        f"legal hold {hold.number} ({hold.reason}) covers {what}: nothing was erased",
        where=f"hold {hold.number}, {hold.target!r}",
        fix=f"release({hold.number}) when the hold has ended, then erase again",
    )
