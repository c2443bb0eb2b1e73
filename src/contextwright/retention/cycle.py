"""One forgetting over window, stores and memory, when the context is under pressure
(cooling-and-forgetting.md#forgetting-cycle)."""

import inspect
from typing import Any, Protocol

import msgspec

from contextwright.errors import SpecError, is_number
from contextwright.retention.erasable_store import TextScorer

THRESHOLD = 0.8
"""Pressure above which forgetting begins, as in the document."""
LOW_SALIENCE = 0.3
"""Salience below which a memory is put to sleep, as in the document."""


class PrunableWindow(Protocol):
    """A window that can be pruned under pressure, as a `SlidingWindow` can."""

    salience_scorer: TextScorer | None

    @property
    def pressure(self) -> float:
        """Share of the window that is full; 1 is all of it."""
        ...

    def prune(self) -> list[Any]:
        """Evict what matters least; what went."""
        ...


class ForgettingResult(msgspec.Struct, frozen=True):
    """The actions of a coordinated cycle.

    Args:
        initial_pressure, final_pressure: of the window, before and after.
        actions: (name, value) in the order in which they were done: `window_prune` how many,
            `lethe_cycle` the cycle's number (0: nothing went), `lethe_forget` (store, id) each,
            `memory_deactivate` a memory's id each.
    """

    initial_pressure: float
    final_pressure: float
    actions: tuple[tuple[str, Any], ...]


async def coordinated_forgetting_cycle(
    sliding_window: PrunableWindow,
    lethe: Any,
    m_gent: Any = None,
    threshold: float = THRESHOLD,
    *,
    low: float = LOW_SALIENCE,
    now_ms: int | None = None,
) -> ForgettingResult:
    """Forget where the pressure is above the threshold: prune the window, forget by policy, put
    memories of little salience to sleep. Nothing at or below it.

    Nothing here waits, so it needs no thread; it is async for windows and stores that do.

    Args:
        lethe: a `Lethe`, or what has its `apply_retention_policy`.
        m_gent: the memory: a `SQLiteMemory`, or what has `list_active()` and `deactivate(id)`;
            they may be async. None leaves memories alone.
        threshold: share of the window, 0 to 1.
        low: salience, 0 to 1, below which a memory sleeps; pinned, critical and held ones do not.
        now_ms: milliseconds since 1970, for the policies; by default the clock of `lethe`.

    Raises:
        SpecError: no window, or a threshold that is no share.
    """
    initial = _pressure_of(sliding_window, threshold)
    actions: list[tuple[str, Any]] = []
    if initial > threshold:
        pruned: Any = await _settled(sliding_window.prune())
        actions.append(("window_prune", len(pruned)))
        options = {} if now_ms is None else {"now_ms": now_ms}
        forgetting: Any = await _settled(lethe.apply_retention_policy(**options))
        actions.append(("lethe_cycle", getattr(forgetting, "cycle", True)))
        for action in getattr(forgetting, "actions", ()):
            actions.append(("lethe_forget", (action.store, action.id)))
        # without a scorer nothing is known to matter little (anti-pattern 2)
        if m_gent is not None and sliding_window.salience_scorer is not None:
            asleep = await _put_to_sleep(sliding_window.salience_scorer, lethe, m_gent, low)
            actions += [("memory_deactivate", id) for id in asleep]
    return ForgettingResult(initial, sliding_window.pressure, tuple(actions))


def _pressure_of(window: Any, threshold: float) -> float:
    if not hasattr(window, "pressure") or not is_number(threshold) or not 0 <= threshold <= 1:
        raise SpecError(
            f"expected a window and a share, got {type(window).__name__} and {threshold!r}",
            where="coordinated_forgetting_cycle(...)",
            fix="give a SlidingWindow, and a share of it from 0 to 1, such as threshold=0.8",
        )
    return window.pressure


async def _put_to_sleep(scorer: TextScorer, lethe: Any, memory: Any, low: float) -> list[str]:
    listed: Any = await _settled(memory.list_active())
    protects: Any = getattr(lethe, "protects", None)
    audit: Any = getattr(lethe, "deactivated", None)
    asleep = [
        each.id
        for each in listed
        if scorer.score(str(getattr(each, "text", each))) < low
        and not (protects is not None and await _settled(protects(each)))
    ]
    for id in asleep:
        await _settled(memory.deactivate(id))
    if asleep and audit is not None:
        await _settled(audit(asleep, why=f"salience below {low:g}"))
    return asleep


async def _settled(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value
