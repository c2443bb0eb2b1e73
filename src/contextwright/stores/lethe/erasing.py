"""Erasing a person: out of every place, then out of what forgetting itself remembers."""

from collections.abc import Mapping

import msgspec

from contextwright.errors import StoreError
from contextwright.remembered import forget_remembered
from contextwright.stores.lethe.crash import reached
from contextwright.stores.lethe.journal import Journal, Pen, Request, Trashed
from contextwright.stores.lethe.memories import Memories
from contextwright.stores.lethe.place import Place, Row, Touched
from contextwright.stores.lethe.plan import Hold
from contextwright.stores.lethe.theirs import Theirs

ALWAYS_BEYOND = (
    "backups, file system snapshots and disk blocks that a file left",
    "pictures, sound, compressed and encrypted content",
    "what lies in the memory of this process: token counts, remembered words, live sessions",
    "stores that this Lethe was not given, task boards and exported files among them",
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
    rows = [(each.place, each.row) for gone in _gone(pen, theirs).values() for each in gone]
    for name, place in places.items():
        rows += [(name, row) for row in place.touched(theirs)]
    for name, row in rows:
        for hold in holds:
            if hold.target.covers(name, row):
                raise _is_held(hold, f"{name}: a {row.kind}")


def memories_of(places: Mapping[str, Place], theirs: Theirs) -> tuple[str, ...]:
    """The ids of a person's memories, by which their copies in states and indexes are known."""
    return tuple(
        row.id
        for place in places.values()
        if isinstance(place, Memories)
        for row in place.touched(theirs)
    )


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
    forget_remembered()
    reached("scrubbed journal")
    with journal.writing() as pen:
        pen.done(asked)
    beyond = [place.beyond for place in places.values() if place.beyond]
    return Erased(done, tuple(dict.fromkeys((*beyond, *ALWAYS_BEYOND))))


def _erase(pen: Pen, places: Mapping[str, Place], asked: Request) -> dict[str, Touched]:
    assert asked.person is not None
    theirs = Theirs(
        asked.person, whole=asked.whole, sessions=asked.sessions, memories=asked.memories
    )
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
    gone = _gone(pen, theirs)
    for cycle, each in gone.items():
        pen.drop(cycle, [one.number for one in each])
    digests = [one.record.digest for each in gone.values() for one in each]
    if digests:
        pen.clear_digests(digests)
    return len(digests)


def _gone(pen: Pen, theirs: Theirs) -> dict[int, list[Trashed]]:
    """What each cycle holds that is the person's: with bytes their names, with names the bytes
    that nothing else in the trash stands for."""
    trash = {cycle.number: pen.trash(cycle.number) for cycle in pen.cycles()}
    gone = {
        cycle: [each for each in held if _in_trash(each, theirs)] for cycle, held in trash.items()
    }
    blobs = {path for each in gone.values() for one in each for path in one.row.known_as}
    found: dict[int, list[Trashed]] = {}
    for cycle, held in trash.items():
        direct = {one.number for one in gone[cycle]}
        direct |= {one.number for one in held if blobs.intersection(_refs(one.row))}
        wanted = {ref for one in held if one.number not in direct for ref in _refs(one.row)}
        named = {ref for one in held if one.number in direct for ref in _refs(one.row)} - wanted
        found[cycle] = [
            one
            for one in held
            if one.number in direct or (one.row.follows and named.intersection(one.row.known_as))
        ]
    return found


def _in_trash(each: Trashed, theirs: Theirs) -> bool:
    row = each.row
    return (
        theirs.owns(row.scope)
        or row.part_of in theirs.sessions
        or any(map(theirs.names, (row.id, row.part_of)))
        or theirs.data(each.record.body)
    )


def _refs(row: Row) -> tuple[str, ...]:
    return row.refs[:1] if row.kind == "artifact" else ()


def _is_held(hold: Hold, what: str) -> StoreError:
    return StoreError(
        f"legal hold {hold.number} ({hold.reason}) covers {what}: nothing was erased",
        where=f"hold {hold.number}, {hold.target!r}",
        fix=f"release({hold.number}) when the hold has ended, then erase again",
    )
