"""Erasing a person: out of every place, then out of what forgetting itself remembers."""

from collections.abc import Mapping

import msgspec

from contextwright.errors import StoreError
from contextwright.retention.failpoint import reached
from contextwright.retention.journal import Journal, Pen, Request, Trashed
from contextwright.retention.memories import Memories
from contextwright.retention.place import Place, Row, Touched
from contextwright.retention.places import given, outliving
from contextwright.retention.row_plan import Hold
from contextwright.retention.session_notes import Sessions
from contextwright.retention.subject_matcher import Theirs
from contextwright.tasks.plan_step import segment
from contextwright.text_cache import forget_remembered

ALWAYS_BEYOND = (
    "backups, file system snapshots and disk blocks that a file left",
    "pictures, sound, compressed and encrypted content",
    "artifacts that neither name the person nor lie in a folder of the person's sessions",
    "what lies in the memory of this process: token counts, remembered words, live sessions",
    "stores that this Lethe was not given, task boards and exported files among them",
)


class Erased(msgspec.Struct, frozen=True):
    """What an erasure did.

    Args:
        places: what was removed and rewritten, by place; `journal` is forgetting's own. Empty
            where another process was faster to do it: then the audit says it.
        unreached: what it can not reach, a sentence each.
    """

    places: dict[str, Touched]
    unreached: tuple[str, ...]


def refuse_held(pen: Pen, places: Mapping[str, Place], theirs: Theirs) -> None:
    """Do nothing where a legal hold covers anything that would be erased.

    Raises:
        StoreError: one does; it is named.
    """
    holds = pen.holds_on()
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


def with_belongings(pen: Pen, places: Mapping[str, Place], asked: Request) -> Request:
    """A request with what is the person's and need not say so: copies of memories, forgotten ones
    too, and what was made of the person's sessions."""
    theirs = theirs_of(asked)
    memories = {
        each.row.id
        for gone in _gone(pen, theirs).values()
        for each in gone
        if isinstance(places.get(each.place), Memories)
    }
    own: set[str] = set(asked.sessions)
    others: set[str] = set()
    for place in places.values():
        if isinstance(place, Memories):
            memories |= {row.id for row in place.touched(theirs)}
        elif isinstance(place, Sessions):
            found, rest = place.own(theirs)
            own.update(found)
            others.update(rest)
    # two ids may be one as a folder
    folders = {f"sessions/{segment(id)}/" for id in own}
    return msgspec.structs.replace(
        asked,
        memories=tuple(sorted(memories)),
        threads=tuple(sorted(own - others)),
        folders=tuple(sorted(folders - {f"sessions/{segment(id)}/" for id in others})),
        places=outliving(places),
    )


def theirs_of(asked: Request) -> Theirs:
    """What is looked for by a request that has a person."""
    assert asked.person is not None
    return Theirs(
        asked.person,
        whole=asked.whole,
        sessions=asked.sessions,
        memories=asked.memories,
        threads=asked.threads,
        folders=asked.folders,
    )


def erase(journal: Journal, places: Mapping[str, Place], asked: Request) -> Erased:
    """Erase, or go on erasing after a crash: every part may be done again.

    Raises:
        StoreError: a place that the request is about was not given; nothing was done.
    """
    for name in asked.places:
        given(places, name, journal.path)
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
    theirs = theirs_of(asked)
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
        or row.part_of in theirs.threads
        or (row.kind == "artifact" and theirs.is_file(row.id))
        or row.id in theirs.memories
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
