"""Where the steps of a limit were taken: the places of the log at which what was sent had grown
past it, one after the other, as the requests were made (rules.md#steps-down).

They follow from what exchanges cost unshortened and from what must stay, so from the log alone: a
replay finds the same. A request before the next step decides as the one at the step did.
"""

import msgspec

from contextwright.blocks.protection import Protection, protection_of
from contextwright.compiler.token_sums import SOURCE, tokens_between
from contextwright.session.snapshot import Snapshot
from contextwright.spec.inputs import Inputs

PART = 15
"""Percent of what exchanges may have that is history's at a step, beside what must stay."""
GRAIN = 20
"""What is no exchange takes its room in whole twentieths of a limit, so that a state that changes
by a few tokens from turn to turn moves no step."""


class LimitStep(msgspec.Struct, frozen=True):
    """A step of a limit.

    Args:
        place: the first exchange behind it.
        tokens: what the whole request may have, without what came since.
    """

    place: int
    tokens: int


class StepPlaces:
    """The steps of one log, as far as they were taken; they grow at their end."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self.steps: list[LimitStep] = []
        self.at = 0
        self.joins = 0

    @property
    def held_bytes(self) -> int:
        """About what they take in memory."""
        return 64 * len(self.steps)

    def newest(self, limit: int, low: int, base: int, inputs: Inputs) -> LimitStep | None:
        """The step that the request of this moment stands behind; None before the first.

        Args:
            limit: tokens of the whole request.
            low: percent of what exchanges may have that a step goes down to.
            base: tokens of it that are no exchange.
        """
        snapshot = inputs.snapshot
        joins = len(snapshot.log.late_joins())
        if joins != self.joins:  # an exchange of before has other tokens now
            self._begin()
            self.joins = joins
        stop = snapshot.exchange_count
        self._follow(stop, limit, low, base, inputs)
        before = next((step for step in reversed(self.steps) if step.place < stop), None)
        last = before or LimitStep(snapshot.preamble, base)
        newest = inputs.blocks(snapshot.exchanges(stop - 1, stop), SOURCE)
        taken = tokens_between(last.place, stop - 1, inputs) + sum(map(inputs.cost, newest))
        if last.tokens + taken > limit:
            return _step_at(snapshot, limit, low, base, inputs)
        return before

    def _follow(self, stop: int, limit: int, low: int, base: int, inputs: Inputs) -> None:
        """Take the steps of the requests that were made before exchange `stop` began."""
        snapshot = inputs.snapshot
        first = snapshot.preamble
        self.at = max(self.at, first + 1)
        if self.at >= stop:
            return
        last = self.steps[-1] if self.steps else LimitStep(first, base)
        for place, exchange in enumerate(snapshot.exchanges(self.at, stop), self.at):
            if exchange.first.role != "assistant":
                continue
            if last.tokens + tokens_between(last.place, place, inputs) > limit:
                then = snapshot_before(place, snapshot)
                last = _step_at(then, limit, low, base, inputs)
                self.steps.append(last)
        self.at = stop


def snapshot_before(place: int, snapshot: Snapshot) -> Snapshot:
    """The session when this exchange had not begun."""
    if place >= snapshot.exchange_count:
        return snapshot
    position = snapshot.exchanges(place, place + 1)[0].positions[0]
    return msgspec.structs.replace(snapshot, position=position)


def protection_then(then: Snapshot, inputs: Inputs) -> Protection:
    """What had to stay at that moment, and of it what must stay now: a result that came late may
    have failed since."""
    now = inputs.protection
    request = now.edge < inputs.snapshot.exchange_count
    held = protection_of(then, request=request)
    failures = held.failures | {at for at in now.failures if at < then.exchange_count}
    return msgspec.structs.replace(held, edge=min(held.edge, now.edge), failures=failures)


def _step_at(then: Snapshot, limit: int, low: int, base: int, inputs: Inputs) -> LimitStep:
    """The step of a request that was made then."""
    held = protection_then(then, inputs).held_exchanges(then.exchange_count)
    exchanges = (then.exchanges(at, at + 1)[0] for at in sorted({*held}) if at >= then.preamble)
    pinned = then.exchanges_with("pinned", "yes", then.preamble, then.exchange_count)
    stays = {exchange.index: exchange for exchange in (*exchanges, *pinned)}
    tokens = sum(map(inputs.cost, inputs.blocks([*stays.values()], SOURCE)))
    room = max(0, limit - base)
    taken = max(room * low // 100, tokens + room * PART // 100)
    return LimitStep(then.exchange_count, min(limit, base + taken))


def step_of(
    limit: int, low: int, fixed: int, inputs: Inputs, key: object
) -> tuple[LimitStep, int] | None:
    """The step that a request stands behind, and the tokens that are kept free beside `fixed`.

    Args:
        low: percent of what exchanges may have that a step goes down to.
        fixed: tokens of what is no exchange. key: what the steps are of.
    """
    grain = max(1, limit // GRAIN)
    base = -(-fixed // grain) * grain
    log = inputs.snapshot.log
    if inputs.snapshot.position < len(log) and log.late_joins():
        # a look back at exchanges that had other tokens then
        step = StepPlaces().newest(limit, low, base, inputs)
        return None if step is None else (step, base - fixed)
    places = ("limit steps", key, limit, low, base, inputs.cost_id)
    with inputs.memo.growing(places, StepPlaces) as steps:
        step = steps.newest(limit, low, base, inputs)
    return None if step is None else (step, base - fixed)
