"""Phased injection (phased-injection.md#phases): each piece of context by an injector of its own,
with its phase, its place in it and the most it may take; an orchestrator unites them into a spec.

    spec = InjectionOrchestrator(
        (system_role("You are a careful agent."), user_memory(), plan(), todo())
    ).spec

A custom injector is a line: `Injector("prices", C.from_state("prices"), phase="user",
max_tokens=200)`.
"""

from collections import Counter
from functools import reduce
from operator import add
from typing import Literal

import msgspec

from contextwright.errors import SpecError
from contextwright.recipes.profiles import Recipe
from contextwright.session.checked_call import CheckedCall
from contextwright.spec.expr import Expr, is_bare
from contextwright.words import C

PhaseName = Literal["system", "user", "runtime"]
ORDER: tuple[PhaseName, ...] = ("system", "user", "runtime")
"""Phases in the order of a request: STABLE, SESSION, DYNAMIC."""


class Injector(msgspec.Struct, metaclass=CheckedCall, frozen=True):
    """A piece of context.

    Args:
        name: tells it from others.
        source: what it brings: any spec of texts.
        phase: `system`, `user` or `runtime`: how long its bytes stay the same.
        max_tokens: the most it may take, overheads included.
        priority: its place in its phase, small numbers first.
        tier: whether it may go where room is short: 1 never, 3 first.
        when: a condition on the state, as `C.when` takes it; without one it is always there.

    Raises:
        SpecError: no such phase, or no such condition.
    """

    name: str
    source: Expr
    phase: PhaseName = "user"
    max_tokens: int = 500
    priority: int = 100
    tier: int = 2
    when: str = ""

    def __post_init__(self) -> None:
        if self.phase not in ORDER:
            raise SpecError(
                f"expected a phase, got {self.phase!r}",
                where=f"Injector({self.name!r}, phase=...)",
                fix=f"one of {', '.join(ORDER)}",
            )
        if not isinstance(self.source, Expr):
            raise SpecError(
                f"expected a spec as source, got {type(self.source).__name__}",
                where=f"Injector({self.name!r}, source=...)",
                fix="C.template(TEXT) for a text, C.from_state(KEY) for what the state holds",
            )

    @property
    def spec(self) -> Expr:
        """The source in its phase, capped, where its condition holds."""
        whole = self.source | C.priority(self.tier) | C.phase(self.phase) | C.cap(self.max_tokens)
        return C.when(self.when, whole) if self.when else whole


class InjectionOrchestrator(Recipe, frozen=True):
    """All injectors, phase by phase, in front of and behind the conversation.

    Args:
        injectors: in any order; two of one name are refused.
        history: the conversation; by default all of it, decayed by zones.
        limit: a terminal, if there is one.
        total: tokens that all injectors may take together; 0 where only their own caps count.

    Raises:
        SpecError: two of one name, or caps whose sum is above `total`.
    """

    injectors: tuple[Injector, ...]
    history: Expr = C.decay()
    limit: Expr | None = None
    total: int = 0

    def __post_init__(self) -> None:
        for name, count in Counter(injector.name for injector in self.injectors).items():
            if count > 1:
                raise SpecError(
                    f"expected names that differ, got two injectors {name!r}",
                    where="InjectionOrchestrator(injectors=...)",
                    fix="give each a name of its own",
                )
        caps = {injector.name: injector.max_tokens for injector in self.injectors}
        if 0 < self.total < sum(caps.values()):
            named = ", ".join(f"{name} {tokens:,}" for name, tokens in caps.items())
            raise SpecError(
                f"the injectors may take {sum(caps.values()):,} tokens and total is "
                f"{self.total:,}: {named}",
                where="InjectionOrchestrator(total=...)",
                fix="lower a max_tokens, leave an injector out, or raise total",
            )

    @property
    def spec(self) -> Expr:
        """The injectors and the conversation as one spec."""
        ordered = sorted(self.injectors, key=lambda each: (ORDER.index(each.phase), each.priority))
        history = C.default() | self.history if is_bare(self.history) else self.history
        terms = [
            *(each.spec for each in ordered if each.phase != "runtime"),
            history,
            *(each.spec for each in ordered if each.phase == "runtime"),
        ]
        whole = reduce(add, terms)
        return whole | self.limit if self.limit is not None else whole


def system_role(text: str, *, max_tokens: int = 2000) -> Injector:
    """The agent's persona and rules; a template over the state."""
    return Injector("system_role", C.template(text), "system", max_tokens, 10, 1)


def tool_definitions(*names: str) -> Injector:
    """Only these tools, or those that the state or the step names, in a fixed order. They stand
    in the request's own list, in front of everything."""
    return Injector("tools", C.tools(*names), "system", 3000, 20, 1)


def skills(*keys: str, max_tokens: int = 1000) -> Injector:
    """The instructions of the active skills, a state key each."""
    return Injector("skills", C.from_state(*keys, format="plain"), "system", max_tokens, 30)


def user_memory(top_k: int = 3, *, key: str = "knowledge", max_tokens: int = 500) -> Injector:
    """The most relevant memories of a state key; the manifest says where there is none. They are
    read from the state at every turn: a memory that changed is there in the next request, not when
    a timer runs out."""
    return Injector("user_memory", C.memory(top_k, key=key), "user", max_tokens, 10)


def knowledge(top_k: int = 3, *, key: str = "evidence", max_tokens: int = 800) -> Injector:
    """The best pieces of evidence of a state key, with their addresses; the manifest says where
    there are none."""
    return Injector("knowledge", C.evidence(top_k=top_k, key=key), "user", max_tokens, 20)


def playbook(key: str = "playbook", *, max_tokens: int = 300) -> Injector:
    """Strategy guidance for the kind of task at hand."""
    return Injector("playbook", C.from_state(key, format="plain"), "user", max_tokens, 30, 3)


def plan(key: str = "plan_status", *, max_tokens: int = 300) -> Injector:
    """The plan's goal and progress, as the application keeps it."""
    return Injector("plan", C.from_state(key), "runtime", max_tokens, 10)


def error_retention(n: int = 5, *, max_tokens: int = 400) -> Injector:
    """What went wrong before, and what worked instead."""
    return Injector("error_retention", C.failures(n), "runtime", max_tokens, 20)


def todo(key: str = "todo", *, max_tokens: int = 200) -> Injector:
    """Goal, progress and next step at the very end."""
    return Injector("todo", C.recite(key), "runtime", max_tokens, 90, 1)
