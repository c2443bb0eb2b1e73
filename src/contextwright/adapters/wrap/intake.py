"""The arguments of a call, cooled: what every kind of wrapped agent shares."""

from collections.abc import Callable, Sequence
from typing import Any

from contextwright.adapters.wrap.bare_text import joined, portion
from contextwright.adapters.wrap.cool_conversation import cooling
from contextwright.adapters.wrap.cooling_report import Cooling, CoolingLog
from contextwright.adapters.wrap.live_renderer import words
from contextwright.adapters.wrap.text_slots import LEAST, Names, Slot, question_in, slots_in
from contextwright.adapters.wrap.tree import label, retyped
from contextwright.adapters.wrap.water_fill import water_fill
from contextwright.adapters.wrap.write_back import dropped_messages, written_back
from contextwright.engine.run_tasks import TaskGenerator, TaskRunner, adrive, run_tasks
from contextwright.engine.shorten_text import Wanted, shortening
from contextwright.errors import SpecError
from contextwright.formats.dump import Path
from contextwright.formats.record_copies import is_list, put
from contextwright.memo.owned_tables import Tables
from contextwright.memo.ownership import remembering
from contextwright.stores.store import ArtifactStore
from contextwright.text.cut import cut
from contextwright.tokens.counter import Counter

OnCool = Callable[[Cooling], object]
ArgumentValues = dict[str, Any]


class Intake:
    """Cools what goes into an agent, and keeps the newest report.

    Args:
        threshold: tokens up to which nothing is touched, and under which the rest is brought.
        models: who shortens.
        counter: counts tokens.
        names: which arguments are whose.
        artifacts: where the whole of what was shortened is kept.
        on_cool: hears of every call whose input was cooled, or is over the threshold still.
    """

    def __init__(
        self,
        threshold: int,
        models: TaskRunner,
        counter: Counter,
        *,
        names: Names | None = None,
        artifacts: ArtifactStore | None = None,
        on_cool: OnCool | None = None,
    ) -> None:
        tokens: Any = threshold
        if not isinstance(tokens, int) or tokens < 1:
            raise SpecError(
                f"expected a threshold of 1 token or more, got {tokens!r}",
                where="Cooled(...)",
                fix="such as threshold=4096",
            )
        self.threshold = threshold
        self.names = names or Names()
        self.artifacts = artifacts
        self.on_cool = on_cool
        self.last: Cooling | None = None
        self._models = models
        self._counter = counter

    def now(self, values: ArgumentValues) -> ArgumentValues:
        """The arguments by name, cooled; waits for the radiator in this thread."""
        with remembering(Tables()):
            return self._report(*run_tasks(self._cooling(values), self._models, ""))

    async def later(self, values: ArgumentValues) -> ArgumentValues:
        """`now`, letting the event loop run."""
        asking, owner = self._cooling(values), Tables()
        return self._report(*await adrive(asking, self._models, "", owner=owner, long=True))

    def _report(self, values: ArgumentValues, report: Cooling) -> ArgumentValues:
        self.last = report
        if self.on_cool is not None and (report.cooled or report.why):
            self.on_cool(report)
        return values

    def _cooling(self, values: ArgumentValues) -> TaskGenerator[tuple[ArgumentValues, Cooling]]:
        threshold = self.threshold
        slots = slots_in(values, self.names, self._counter)
        before = sum(slot.tokens for slot in slots)
        if before <= threshold:
            return values, Cooling(tokens_before=before, tokens_after=before, threshold=threshold)
        changes = CoolingLog(self.artifacts, self._counter.count)
        rooms = _rooms(slots, threshold)
        texts = [(one, room) for one, room in rooms if one.kind == "text" and one.tokens > room]
        new = yield from self._texts(texts, changes, question_in(slots, self.names))
        after = before
        for slot, _ in texts:
            after += self._counter.count(new[slot.path]) - slot.tokens
        for slot, room in rooms:
            if slot.kind == "talk" and slot.tokens > room:
                made = yield from self._talk(slot, room, changes)
                new[slot.path], tokens = made
                after += tokens - slot.tokens
        report = Cooling(
            tokens_before=before,
            tokens_after=after,
            threshold=threshold,
            changes=tuple(changes.entries),
            why=_why(after, sum(slot.held for slot in slots), threshold),
        )
        return put(values, new), report

    def _texts(
        self, texts: Sequence[tuple[Slot, int]], changes: CoolingLog, question: str
    ) -> TaskGenerator[dict[Path, Any]]:
        """Texts in so many tokens each, all asked about together."""
        count = self._counter.count
        portions = [
            portion(slot.value, room, count, changes.mark(slot.value), bare=slot.bare)
            for slot, room in texts
        ]
        wanted = [
            Wanted(text, each.most, query=question or each.question)
            for each in portions
            for text in each.open()
        ]
        shorts = iter((yield from shortening(wanted, count)))
        new: dict[Path, Any] = {}
        for (slot, _), each in zip(texts, portions, strict=True):
            own = [next(shorts) for _ in each.open()]
            text = joined(each, [short.text for short in own], count)
            if not text.strip():  # nobody can answer nothing
                text = cut(slot.value, LEAST, "head", count)
            new[slot.path] = retyped(slot.value, text)
            by = ", ".join(dict.fromkeys(short.by for short in own if short.by)) or "cut"
            why = "; ".join(dict.fromkeys(short.why for short in own if short.why))
            changes.shortened(label(slot.path), slot.value, text, by, why)
        return new

    def _talk(self, slot: Slot, room: int, changes: CoolingLog) -> TaskGenerator[tuple[Any, int]]:
        """A conversation, or a single message, in so many tokens."""
        assert slot.talk is not None
        talk, where, single = slot.talk, label(slot.path), not is_list(slot.value)
        made = yield from cooling(talk, (slot.tokens, slot.held), room, self._counter, changes)
        for key, short in made.parts.items():
            source = talk.parsed.sources[key[0]][key[1]]
            if source is not None:
                place = where if single else f"{where}[{source.message}]"
                changes.shortened(place, short.old, short.new, short.by, short.why)
        texts = {event.id: [*filter(None, map(words, event.parts))] for event in talk.events}
        for place, ids in dropped_messages(talk, made.dropped).items():
            text = "\n".join(line for id in ids for line in texts[id])
            changes.dropped(f"{where}[{place}]", text)
        messages = written_back(talk, made)
        if single:
            return (messages[0] if messages else slot.value), made.tokens
        return tuple(messages) if isinstance(slot.value, tuple) else messages, made.tokens


def _rooms(slots: Sequence[Slot], threshold: int) -> list[tuple[Slot, int]]:
    """Tokens that each may have: what stays has its own, and of the rest the largest give first.

    Where what stays is over the threshold by itself, the rest has a quarter of it.
    """
    left = threshold - sum(slot.held for slot in slots)
    left = left if left > 0 else max(1, threshold // 4)
    sizes = [slot.tokens - slot.held for slot in slots if slot.kind != "kept"]
    most = water_fill(sizes, left)
    if len(sizes) > 1:
        most = max(most, LEAST)
    return [(slot, slot.held + min(slot.tokens - slot.held, most)) for slot in slots]


def _why(after: int, held: int, threshold: int) -> str:
    if after <= threshold:
        return ""
    if held >= threshold:
        return f"the user's words, the system's and labels have {held} tokens by themselves"
    return (
        f"what must stay (the newest exchange, failures, labels; the user's words have {held}) "
        f"does not fit into {threshold} tokens; then the rest has a quarter of that beside it"
    )
