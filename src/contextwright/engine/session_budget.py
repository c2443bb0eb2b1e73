"""What a session may cost in all, and who is told as it does."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

import msgspec

from contextwright.argument_types import expect_types
from contextwright.engine.door import expect_type
from contextwright.engine.event_hooks import EventHooks
from contextwright.engine.events import BudgetEvent
from contextwright.errors import ModelError, SessionBudgetError, SpecError
from contextwright.session.lineage import SPENT
from contextwright.session.session import Session
from contextwright.tokens.models import ModelInfo, known_model
from contextwright.tokens.usage import Usage, usage_of
from contextwright.typed_decoding import converted

ABORT = "abort"
_BILLED = "the provider's number of input tokens, cached ones included"
Threshold = Callable[[BudgetEvent], Any] | Literal["abort"]
"""Called with the event when it is passed; `"abort"`, or to return it, ends the session's turns."""


class SessionSpending(msgspec.Struct, frozen=True, kw_only=True):
    """What a session was billed.

    Args:
        microdollars: by the model's prices; None where they are not known.
        passed: thresholds that were passed.
        aborted: whether one of them ends it.
    """

    usage: Usage = Usage(input=0)
    microdollars: int | None = 0
    passed: tuple[float, ...] = ()
    aborted: bool = False

    @property
    def tokens(self) -> int:
        """Input and output together."""
        return self.usage.input + self.usage.output


class SessionBudget:
    """A limit on what a session is billed in all, over its calls and restarts.

    Args:
        max_tokens: input and output together, cached ones included.
        max_cost: dollars, by the model's prices.
        thresholds: what happens at a share of it, each once: a function of the `BudgetEvent`, or
            `"abort"`. At 1 it is `"abort"`, where nothing else is said.

    Raises:
        SpecError: no limit, or a share or an action that is none.
    """

    def __init__(
        self,
        *,
        max_tokens: int | None = None,
        max_cost: float | None = None,
        thresholds: Mapping[float, Threshold] | None = None,
    ) -> None:
        limits = [limit for limit in (max_tokens, max_cost) if limit is not None]
        if not limits or not all(_is_positive(limit) for limit in limits):
            raise SpecError(
                f"max_tokens is {max_tokens!r}, max_cost {max_cost!r}",
                where="SessionBudget(...)",
                fix="give tokens, dollars or both, more than 0",
            )
        self.max_tokens, self.max_cost = max_tokens, max_cost
        expect_types("SessionBudget(...)", SpecError, thresholds=(thresholds or {}, Mapping))
        actions: dict[float, Threshold] = {1.0: ABORT, **(thresholds or {})}
        for share, action in actions.items():
            if not _is_positive(share) or not (callable(action) or action == ABORT):
                raise SpecError(
                    f"a threshold of {share!r} with {action!r}"[:200],
                    where="SessionBudget(thresholds=...)",
                    fix='such as {0.8: warn, 0.95: "abort"}: a share, and a function of the event',
                )
            if share > 1 and actions[1.0] == ABORT:
                raise SpecError(
                    f"a threshold of {share!r} is behind the end of the session, which is at 1",
                    where="SessionBudget(thresholds=...)",
                    fix="0.8 is 80 %; where 1 is not to end it: {1.0: warn, 1.5: 'abort'}",
                )
        self.thresholds: dict[float, Threshold] = dict(sorted(actions.items()))

    def spent(self, session: Session) -> SessionSpending:
        """What a session was billed so far; it is kept in its metadata."""
        return _spending(session.metadata.get(SPENT))

    def share(self, spent: SessionSpending) -> float:
        """How much of the budget is used up; 1 is all of it."""
        shares = [spent.tokens / self.max_tokens] if self.max_tokens else []
        if self.max_cost and spent.microdollars is not None:
            shares.append(spent.microdollars / 1e6 / self.max_cost)
        return max(shares, default=0.0)

    def check_model(self, model: str) -> None:
        """Refuse a model whose cost can not be told.

        Raises:
            ModelError: a limit in dollars, and no prices.
        """
        if self.max_cost is not None and _prices(model) is None:
            raise ModelError(
                f"a limit of ${self.max_cost:g}, and the prices of {model!r} are not known",
                where="SessionBudget(max_cost=...)",
                fix="register_model(NAME, window=..., input_price=..., output_price=...), or "
                "max_tokens=",
            )

    def add(self, session: Session, usage: Usage, model: str, hooks: EventHooks) -> None:
        """Count a call, and tell who asked for it what was passed. What fails in a callback is
        named in the next pack."""
        passed, notes = list[tuple[float, float, SessionSpending]](), list[str]()

        def added(known: Any) -> Any:
            spent = self._with(_spending(known), usage, _prices(model))
            share = self.share(spent)
            for threshold in self.thresholds:
                if threshold <= share and threshold not in spent.passed:
                    spent = msgspec.structs.replace(spent, passed=(*spent.passed, threshold))
                    passed.append((threshold, share, spent))
            return msgspec.to_builtins(spent)

        session.revise_metadata(SPENT, added)  # calls of one session may be billed at once
        for threshold, share, spent in passed:
            event = _event(session, spent, threshold, share)
            action, replies = self.thresholds[threshold], hooks.tell("budget", event, notes)
            replies.append(action if action == ABORT else _called(action, event, notes))
            if ABORT in [reply for reply in replies if isinstance(reply, str)]:
                session.revise_metadata(SPENT, _aborted)
        hooks.note(session.log, notes)

    def _with(
        self, before: SessionSpending, usage: Usage, info: ModelInfo | None
    ) -> SessionSpending:
        known = None if info is None else before.microdollars
        cost = None if known is None or info is None else known + cost_of(usage, info)
        return msgspec.structs.replace(before, usage=before.usage + usage, microdollars=cost)

    def check(self, session: Session) -> None:
        """Refuse to go on with a session whose budget was ended.

        Raises:
            SessionBudgetError: it was.
        """
        spent = self.spent(session)
        if not spent.aborted or self.share(spent) < min(spent.passed, default=0):
            return
        cost = "" if spent.microdollars is None else f" and ${spent.microdollars / 1e6:.4f}"
        limits = [f"{self.max_tokens} tokens"] if self.max_tokens else []
        limits += [f"${self.max_cost:g}"] if self.max_cost else []
        raise SessionBudgetError(
            f"{spent.tokens} tokens{cost} were spent of {' and '.join(limits)}: "
            f"the threshold of {max(spent.passed):g} ends it",
            where=f"session {session.id!r}",
            fix="give the engine a larger SessionBudget, or begin another session",
        )


class NoBudget(SessionBudget):
    """Of an engine that has none: nothing is counted, and no session ends."""

    def __init__(self) -> None:
        self.max_tokens = self.max_cost = None
        self.thresholds = {}

    def add(self, session: Session, usage: Usage, model: str, hooks: EventHooks) -> None:
        """Nothing."""

    def check(self, session: Session) -> None:
        """Nothing."""


def budget_of(budget: SessionBudget | None, model: str, where: str) -> SessionBudget:
    """The budget that was given, or none.

    Raises:
        SpecError: it is something else. ModelError: a limit in dollars, and no prices.
    """
    expect_type("budget", budget, SessionBudget, where, "SessionBudget(max_tokens=...)")
    if budget is None:
        return NoBudget()
    budget.check_model(model)
    return budget


def billed_usage(billed: object, billed_input: int | None) -> Usage | None:
    """What was billed; None where nothing was given.

    Raises:
        SpecError: it says no tokens.
    """
    expect_type("billed_input", billed_input, int, "Engine.record(...)", _BILLED)
    if billed is None and billed_input is None:
        return None
    usage = usage_of(billed_input if billed is None else billed)
    if usage is None:
        raise SpecError(
            f"expected what the provider billed, got {type(billed).__name__} that says no tokens",
            where="Engine.record(billed=...)",
            fix="give the provider's answer, or its usage: billed=response.usage",
        )
    return usage


def cost_of(usage: Usage, info: ModelInfo) -> int:
    """Micro-dollars of a call, rounded up: read from a cache, written to it, for long or not, or
    neither; at the prices of a request of its length. Of several requests that a provider made in
    one call that is the newest one's."""
    prices = info.prices(usage.context or usage.input)
    fresh = max(0, usage.input - usage.cached - usage.cache_write)
    long = min(usage.long_cache_write, usage.cache_write)
    cost = (
        fresh * prices.input
        + usage.cached * prices.cached
        + (usage.cache_write - long) * prices.write
        + long * prices.long_write
        + usage.output * prices.output
    )
    return -(-cost // 1_000_000)


def input_cost(usage: Usage, info: ModelInfo) -> int:
    """As `cost_of`, without the answer."""
    return cost_of(msgspec.structs.replace(usage, output=0), info)


def _spending(saved: Any) -> SessionSpending:
    try:
        return SessionSpending() if saved is None else converted(saved, SessionSpending)
    except (msgspec.ValidationError, ValueError):
        return SessionSpending()


def _aborted(saved: Any) -> Any:
    return msgspec.to_builtins(msgspec.structs.replace(_spending(saved), aborted=True))


def _prices(model: str) -> ModelInfo | None:
    info = known_model(model)
    return info if info is not None and (info.input_price or info.output_price) else None


def _event(session: Session, spent: SessionSpending, threshold: float, share: float) -> BudgetEvent:
    snapshot = session.snapshot()
    return BudgetEvent(
        session=session.id,
        position=snapshot.position,
        turn=max(0, snapshot.turn),
        threshold=threshold,
        share=share,
        tokens=spent.tokens,
        microdollars=spent.microdollars,
    )


def _called(action: Any, event: BudgetEvent, notes: list[str]) -> Any:
    try:
        return action(event)
    except Exception as error:  # noqa: BLE001 -- a callback of the user's may raise anything
        notes.append(
            f"the callback of threshold {event.threshold:g} failed ({type(error).__name__})"
        )
        return None


def _is_positive(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0
