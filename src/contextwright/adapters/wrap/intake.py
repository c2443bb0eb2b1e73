"""The arguments of a call, cooled: what every kind of wrapped agent shares."""

from collections.abc import Callable, Sequence
from typing import Any

from contextwright.adapters.wrap.bare_text import Portion, joined, portion
from contextwright.adapters.wrap.conversation import Cooler, cooling_talk
from contextwright.adapters.wrap.cooling_report import Change, Cooling
from contextwright.adapters.wrap.keep_type import Keeper
from contextwright.adapters.wrap.talk import OVERHEAD
from contextwright.adapters.wrap.text_slots import LEAST, Found, Names, asked_in, found_in
from contextwright.adapters.wrap.tree import Path, label, put, retyped
from contextwright.adapters.wrap.water_fill import level
from contextwright.atoms.compress.cool import How
from contextwright.atoms.shorten import Short
from contextwright.engine.run_tasks import TaskGenerator, TaskRunner, adrive, run_tasks
from contextwright.engine.shorten_text import Wanted, shortening
from contextwright.errors import SpecError
from contextwright.stores.store import ArtifactStore
from contextwright.tokens.counter import Counter

OnCool = Callable[[Cooling], object]
Given = dict[str, Any]


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
        given: Any = threshold
        if not isinstance(given, int) or given < 1:
            raise SpecError(
                f"threshold is {given!r}", where="Cooled(...)", fix="give at least 1 token"
            )
        self.threshold = threshold
        self.names = names or Names()
        self.artifacts = artifacts
        self.on_cool = on_cool
        self.last: Cooling | None = None
        self._models = models
        self._counter = counter

    def now(self, given: Given) -> Given:
        """The arguments by name, cooled; waits for the radiator in this thread."""
        return self._report(*run_tasks(self._cooling(given), self._models, ""))

    async def later(self, given: Given) -> Given:
        """`now`, letting the event loop run while the radiator answers."""
        return self._report(*await adrive(self._cooling(given), self._models, ""))

    def _report(self, given: Given, report: Cooling) -> Given:
        self.last = report
        if self.on_cool is not None and (report.cooled or report.why):
            self.on_cool(report)
        return given

    def _cooling(self, given: Given) -> TaskGenerator[tuple[Given, Cooling]]:
        count, threshold = self._counter.count, self.threshold
        found = found_in(given, self.names, count)
        before = sum(one.tokens for one in found)
        if before <= threshold:
            return given, Cooling(tokens_before=before, tokens_after=before, threshold=threshold)
        keeper = Keeper(self.artifacts, count)
        rooms = _rooms(found, threshold)
        texts = [(one, room) for one, room in rooms if one.kind == "text" and one.tokens > room]
        new, changes = yield from self._texts(texts, keeper, asked_in(found, self.names))
        for one, room in rooms:
            if one.kind in {"talk", "message"} and one.tokens > room:
                new[one.path] = yield from self._talk(one, room, keeper, changes)
        made = put(given, new)
        after = sum(one.tokens for one in found_in(made, self.names, count))
        report = Cooling(
            tokens_before=before,
            tokens_after=after,
            threshold=threshold,
            changes=tuple(changes),
            why=_why(after, sum(one.held for one in found), threshold),
        )
        return made, report

    def _texts(
        self, texts: Sequence[tuple[Found, int]], keeper: Keeper, asked: str
    ) -> TaskGenerator[tuple[dict[Path, Any], list[Change]]]:
        """Texts in so many tokens each, all asked about together."""
        count = self._counter.count
        laid: list[tuple[Found, Portion]] = []
        for one, room in texts:
            tail = keeper.tail(one.value, "", one.tokens)
            laid.append((one, portion(one.value, room, count, tail, bare=one.bare)))
        wanted = [
            Wanted(text, each.most, query=asked or each.asked)
            for _, each in laid
            for text in each.open()
        ]
        shorts = iter((yield from shortening(wanted, count)))
        new: dict[Path, Any] = {}
        changes: list[Change] = []
        for one, each in laid:
            own = [next(shorts) for _ in each.open()]
            text = joined(each, [short.text for short in own], count)
            new[one.path] = retyped(one.value, text)
            by = ", ".join(dict.fromkeys(short.by for short in own if short.by)) or "cut"
            why = "; ".join(dict.fromkeys(short.why for short in own if short.why))
            changes.append(keeper.change(label(one.path), one.value, text, by, why))
        return new, changes

    def _talk(
        self, one: Found, room: int, keeper: Keeper, changes: list[Change]
    ) -> TaskGenerator[Any]:
        """A conversation, or a single message, in so many tokens."""
        single = one.kind == "message"
        messages: Sequence[Any] = [one.value] if single else one.value
        by: dict[str, Short] = {}
        how = How(tail=keeper.tail, told=by.__setitem__)
        outcome = yield from cooling_talk(messages, Cooler(room, self._counter, how))
        where = label(one.path)
        for place, piece, text in outcome.changed:
            short = by.get(piece.text) or Short(text, "cut")
            at = where if single else f"{where}[{place}]"
            changes.append(keeper.change(at, piece.text, text, short.by, short.why))
        for place, text in outcome.gone:
            tokens = self._counter.count(text) + OVERHEAD
            changes.append(keeper.dropped(f"{where}[{place}]", text, tokens))
        if single:
            return outcome.messages[0] if outcome.messages else one.value
        return tuple(outcome.messages) if isinstance(one.value, tuple) else outcome.messages


def _rooms(found: Sequence[Found], threshold: int) -> list[tuple[Found, int]]:
    """Tokens that each may have: what stays has its own, and of the rest the largest give first.

    Where what stays is over the threshold by itself, the rest has a quarter of it.
    """
    left = threshold - sum(one.held for one in found)
    left = left if left > 0 else max(1, threshold // 4)
    sizes = [one.tokens - one.held for one in found if one.kind != "kept"]
    most = level(sizes, left)
    if len(sizes) > 1:
        most = max(most, LEAST)
    return [(one, one.held + min(one.tokens - one.held, most)) for one in found]


def _why(after: int, held: int, threshold: int) -> str:
    if after <= threshold:
        return ""
    if held >= threshold:
        return f"the user's words, the system's and labels have {held} tokens by themselves"
    return (
        f"what must stay (the newest exchange, failures, labels; the user's words have {held}) "
        f"does not fit into {threshold} tokens; then the rest has a quarter of that beside it"
    )
