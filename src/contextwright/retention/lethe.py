"""`Lethe`: forgetting by policy, on demand, and for good."""

import time
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from contextwright.errors import StoreError
from contextwright.retention import erasure as erasing
from contextwright.retention.data_subject import Person, several
from contextwright.retention.erasure import Erased
from contextwright.retention.failpoint import reached
from contextwright.retention.journal import (
    Cycle,
    Entry,
    Journal,
    Pen,
    Request,
    Trashed,
    by_place,
)
from contextwright.retention.place import Record, Row, Score, Scorer, scoring
from contextwright.retention.places import by_name, given, names_of_memories, outliving
from contextwright.retention.policies import Retention, Target
from contextwright.retention.reports import Action, Forgetting, Purged, Restored
from contextwright.retention.row_plan import Hold, Plan, free, plan, protection
from contextwright.retention.validation import path_of, person_of, policies_of, target_of, time_of
from contextwright.stores.artifact_retention import forms
from contextwright.tokens.counter import counter_for

COUNTED_AS = "gpt-5"
"""The model whose tokens actions are counted in where no counter is given."""


class Lethe:
    """Forgets in several stores at once, all or nothing.

    What goes is written into the journal first, whole; then the stores let go of it. Opening it
    after a crash goes on with that. For threads and processes; one changes the stores at a time.

    Args:
        path: the journal's file, of its own; made where it is missing.
        stores: `SQLiteSessions`, `SQLiteMemory`, `SQLiteAnswers`, `RecentAnswers`,
            `SemanticCache`, `FileArtifacts`, `ObjectArtifacts`, `Index`, or any `Place`.
        policies: what is kept no longer.
        salience: scores texts from 0 to 1, for policies with `min_salience`.
        live: gives refs of artifacts that must resolve for reasons that no store here knows.
        count: tokens of a text, for the report.
        clock: milliseconds since 1970, where a call gives no time.

    Raises:
        StoreError: no such journal, a policy that can not be followed or is about a place that
            was not given, or an unfinished cycle over a store that was not given.
    """

    def __init__(
        self,
        path: str | Path,
        *stores: Any,
        policies: Iterable[Retention] = (),
        salience: Score | Scorer | None = None,
        live: Callable[[], Iterable[str]] | None = None,
        count: Callable[[str], int] | None = None,
        clock: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        self.policies, self._clock, self._live = policies_of(policies), clock, live
        self._score = scoring(salience)
        self._count = count or counter_for(COUNTED_AS).count
        self._places = by_name(stores, path_of(path))
        self._memories = names_of_memories(self._places)
        for each in self.policies:
            target_of(each.over, self._places, f"policy {each.name!r}")
        if self._score is None and any(each.min_salience is not None for each in self.policies):
            raise StoreError(
                "a policy asks for salience and nothing scores it",
                where="Lethe(..., salience=...)",
                fix="give a SalienceScorer, or any `score(text) -> float`",
            )
        self._journal = Journal(path)
        try:
            self.finish()
        except BaseException:
            self._journal.close()
            raise

    def close(self) -> None:
        """Close the journal; the stores stay open."""
        self._journal.close()

    def apply_retention_policy(
        self, *, now_ms: int | None = None, dry: bool = False, who: str = "", why: str = ""
    ) -> Forgetting:
        """Forget what the policies name and nothing protects, in all stores or in none.

        Args:
            now_ms: milliseconds since 1970; by default the clock's.
            dry: say what would go, forget nothing.
            who, why: for the audit.

        Raises:
            StoreError: no time; or a store can not be read or written. Once the cycle is in the
                journal, the next call goes on with it.
        """
        now = self._time(now_ms)
        if not self.policies:
            self.finish()
            return Forgetting(0, (), ())
        with self._alone() as pen:
            planned = self._plan(pen, now)
            actions = tuple(self._action(*each) for each in planned.goes)
            if dry or not planned.goes:
                return Forgetting(0, actions, planned.held)
            cycle = pen.begin(self._taken(planned), time_ms=now, who=who, why=why)
            reached("written")
        reached("committed")
        self._go_on(cycle)
        return Forgetting(cycle, actions, planned.held)

    def restore(self, cycle: int, *, who: str = "", why: str = "") -> Restored:
        """Put back what a cycle forgot, as it was. It goes again with the next cycle, unless a
        hold or a pin protects it by then.

        Raises:
            StoreError: there is nothing to be put back: no such cycle, or purged; or a store
                that it is about was not given.
        """
        with self._alone() as pen:
            found = pen.cycle(cycle)
            held = [(each.place, each.record.id) for each in pen.trash(cycle)]
            # what a restore left may have room by now, such as a name whose bytes are back
            again = found is not None and found.state == "restored" and bool(held)
            if found is None or not (found.state == "forgotten" or again):
                raise StoreError(
                    f"cycle {cycle} can not be restored: it is {found.state if found else 'none'}",
                    where=self._journal.path,
                    fix="cycles() lists those that are forgotten and not purged",
                )
            for name, _ in held:
                given(self._places, name, self._journal.path)
            pen.set_state(cycle, "restoring")
            self._say(pen, "restored", pen.trash(cycle), self._clock(), who, why)
            reached("written")
        reached("committed")
        self._go_on(cycle)
        with self._journal.reading() as pen:
            left = tuple((each.place, each.record.id) for each in pen.trash(cycle))
        return Restored(tuple(each for each in held if each not in left), left)

    def purge(self, before_ms: int, *, who: str = "", why: str = "") -> Purged:
        """Let go for good of what was forgotten before a time; the files are written anew.

        Args:
            before_ms: milliseconds since 1970.
        """
        before_ms = time_of(before_ms, "purge(before_ms)")
        cycles: list[int] = []
        things = size = kept = 0
        with self._alone() as pen:
            holds = pen.holds_on()
            for cycle in pen.cycles():
                trash = pen.trash(cycle.number) if cycle.time_ms < before_ms else []
                held = [any(hold.target.covers(e.place, e.row) for hold in holds) for e in trash]
                gone = [each for each, stays in zip(trash, held, strict=True) if not stays]
                pen.drop(cycle.number, [each.number for each in gone])
                self._say(pen, "purged", gone, self._clock(), who, why)
                kept += len(trash) - len(gone)
                things += len(gone)
                size += sum(len(each.record.body) for each in gone)
                if gone and len(gone) == len(trash):
                    pen.set_state(cycle.number, "purged")
                    cycles.append(cycle.number)
            scrub = Request(time_ms=before_ms, person=None, places=outliving(self._places))
            scrub = msgspec.structs.replace(scrub, number=pen.ask(scrub)) if things else None
            reached("written")
        if scrub is not None:
            erasing.erase(self._journal, self._places, scrub)
        return Purged(tuple(cycles), things, size, kept)

    def erase(
        self,
        person: Person,
        *,
        whole: bool = False,
        sessions: Iterable[str] = (),
        now_ms: int | None = None,
        who: str = "",
        why: str = "",
    ) -> Erased:
        """Remove a person's data from every store, this journal with them. There is no way back.

        Args:
            person: whose, and all that says who it is.
            whole: replace a text that names the person as a whole, not the name in it.
            sessions: ids of sessions that are the person's, beside those whose metadata say so.
            now_ms: milliseconds since 1970, for the audit.

        Raises:
            StoreError: nobody; a legal hold covers some of it, then nothing was erased; or a store
                can not be read or written, then the next call goes on with it.
        """
        person_of(person)
        now = self._time(now_ms)
        with self._alone() as pen:
            asked = Request(now, person, whole, several(sessions), who, why)
            asked = erasing.with_belongings(pen, self._places, asked)
            erasing.refuse_held(pen, self._places, erasing.theirs_of(asked))
            asked = msgspec.structs.replace(asked, number=pen.ask(asked))
            reached("written")
        reached("committed")
        return erasing.erase(self._journal, self._places, asked)

    def hold(self, target: Target, reason: str, *, now_ms: int | None = None, who: str = "") -> int:
        """Put a legal hold on some of what is kept: it is neither forgotten, purged nor erased.
        What was asked for before it is done before it.

        Returns:
            The hold's number.

        Raises:
            StoreError: no reason; a place that was not given, for a hold on it would hold
                nothing; or what was asked for before can not be done.
        """
        target_of(target, self._places, "hold(target, reason)")
        if not isinstance(reason, str) or not reason.strip():
            raise StoreError(
                "a hold without a reason", where=repr(target), fix="say who ordered it, and why"
            )
        now = self._time(now_ms)
        with self._alone() as pen:
            number = pen.hold(target, reason, now)
            pen.note("held", time_ms=now, who=who, why=f"hold {number}: {reason}")
        return number

    def release(
        self, number: int, *, now_ms: int | None = None, who: str = "", why: str = ""
    ) -> None:
        """End a legal hold.

        Raises:
            StoreError: there is no such hold.
        """
        now = self._time(now_ms)
        with self._journal.writing() as pen:
            if not pen.release(number, now):
                raise StoreError(
                    f"no hold {number} is on", where=self._journal.path, fix="holds() lists them"
                )
            said = f"hold {number}: {why}" if why else f"hold {number}"
            pen.note("released", time_ms=now, who=who, why=said)

    def holds(self) -> list[Hold]:
        """The legal holds that are on."""
        with self._journal.reading() as pen:
            return pen.holds_on()

    def audit(self) -> list[Entry]:
        """All that was done, in order: what, when, by whom, why, to which ids; no contents."""
        with self._journal.reading() as pen:
            return pen.audit()

    def cycles(self) -> list[Cycle]:
        """The cycles, in order."""
        with self._journal.reading() as pen:
            return pen.cycles()

    def refs(self) -> set[str]:
        """The artifacts that what was forgotten and may come back refers to: `collect` must hold
        them."""
        with self._journal.reading() as pen:
            return {
                path
                for cycle in pen.cycles()
                for each in pen.trash(cycle.number)
                for path in each.row.refs
            }

    def protects(self, memory: Any, *, place: str = "") -> str:
        """Why a memory may not be touched by forgetting: pinned, tier 1, a legal hold. Empty where
        it may.

        Args:
            place: where it is; by default any place of memories.
        """
        row = Row(
            id=str(getattr(memory, "id", "")),
            kind=str(getattr(memory, "kind", "")),
            scope=str(getattr(memory, "scope", "")),
            tier=getattr(memory, "tier", 0),
            pinned=bool(getattr(memory, "pinned", False)),
        )
        places, holds = [place] if place else self._memories, self.holds()
        said = (protection(each, row, holds, 0) for each in places)
        return next(filter(None, said), "")

    def deactivated(self, ids: Iterable[str], *, place: str = "", why: str = "") -> None:
        """Write into the audit that memories were put to sleep."""
        place = place or self._memories[0]
        records = [Record(id, b"") for id in ids]
        with self._journal.writing() as pen:
            pen.note("deactivated", place, records, time_ms=self._clock(), who="", why=why)

    def finish(self) -> int:
        """Go on with what a crash left undone; how much there was. What changes anything begins
        with it."""
        with self._journal.reading() as pen:
            cycles, asked = pen.unfinished(), pen.asked()
        for cycle in cycles:
            self._go_on(cycle, late=True)
        for each in asked:
            erasing.erase(self._journal, self._places, each)
        return len(cycles) + len(asked)

    def _time(self, now_ms: int | None) -> int:
        return self._clock() if now_ms is None else time_of(now_ms, "now_ms")

    @contextmanager
    def _alone(self) -> Generator[Pen]:
        """The lock on forgetting, with nothing under way: between `finish` and the lock another
        process may have begun something."""
        while True:
            self.finish()
            with self._journal.writing() as pen:
                if not (pen.unfinished() or pen.asked()):
                    yield pen
                    return

    def _plan(self, pen: Pen, now_ms: int) -> Plan:
        rows, holds, roots = self._seen(pen)
        return plan(rows, self.policies, holds, roots, score=self._score, now_ms=now_ms)

    def _seen(self, pen: Pen) -> tuple[dict[str, list[Row]], list[Hold], list[str]]:
        """What every place has, the holds that are on, and what must resolve."""
        rows = {name: place.rows() for name, place in self._places.items()}
        live = self._live() if self._live is not None else ()
        roots = [form for ref in live for form in forms(ref)]
        return rows, pen.holds_on(), roots

    def _still_free(self, pen: Pen, cycle: Cycle, trash: list[Trashed]) -> list[Trashed]:
        """What a cycle took, less what was pinned or referred to since a process died. That is
        in its place, and needs no way back."""
        named = {(each.place, each.row.id): each.why for each in trash}
        rows, holds, roots = self._seen(pen)
        held = free(rows, named, holds, roots, now_ms=cycle.time_ms).held
        stays = {(each.place, each.id) for each in held}
        pen.drop(cycle.number, [e.number for e in trash if (e.place, e.row.id) in stays])
        return [each for each in trash if (each.place, each.row.id) not in stays]

    def _taken(self, planned: Plan) -> list[tuple[str, Row, Record, str]]:
        """What goes, whole; what went by itself in between is left out."""
        taken: list[tuple[str, Row, Record, str]] = []
        for name, place in self._places.items():
            goes = {row.id: (row, why) for where, row, why in planned.goes if where == name}
            for record in place.take(goes) if goes else ():
                row, why = goes[record.id]
                taken.append((name, row, record, why))
        return taken

    def _go_on(self, cycle: int, *, late: bool = False) -> None:
        """Do what the journal says is to be done with a cycle; late, where a process died."""
        with self._journal.writing() as pen:
            found = pen.cycle(cycle)
            trash = pen.trash(cycle)
            if found is not None and found.state == "forgetting":
                trash = self._still_free(pen, found, trash) if late else trash
                for name, records in by_place(trash).items():
                    given(self._places, name, self._journal.path).remove(records)
                    reached(f"removed {name}")
                pen.set_state(cycle, "forgotten")
                self._say(pen, "forgotten", trash, found.time_ms, found.who, found.why)
            elif found is not None and found.state == "restoring":
                back: set[tuple[str, str]] = set()
                for name, records in by_place(trash).items():
                    place = given(self._places, name, self._journal.path)
                    back |= {(name, id) for id in place.put_back(records)}
                    reached(f"put back {name}")
                pen.set_state(cycle, "restored")
                pen.drop(cycle, [e.number for e in trash if (e.place, e.record.id) in back])
            reached("marked")
        reached("done")

    def _say(
        self, pen: Pen, what: str, trash: Sequence[Trashed], time_ms: int, who: str, why: str
    ) -> None:
        """A line of the audit for each place and reason."""
        groups: dict[tuple[str, str], list[Record]] = {}
        for each in trash:
            groups.setdefault((each.place, each.why), []).append(each.record)
        for (place, reason), records in groups.items():
            said = f"{why}: {reason}" if why else reason
            pen.note(what, place, records, time_ms=time_ms, who=who, why=said)

    def _action(self, place: str, row: Row, why: str) -> Action:
        tokens = self._count(row.text) if row.text else 0
        return Action(place, row.id, row.kind, why, tokens, row.size)
