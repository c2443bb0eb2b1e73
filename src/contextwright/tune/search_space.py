"""What a search may change of a spec: the options whose words name their values, and whether the
words are there at all."""

from collections.abc import Callable, Sequence
from functools import reduce
from operator import or_
from typing import Any, NamedTuple, get_args

import msgspec

from contextwright.spec.expr import Atom, Chain, Expr, Fallback, Pipe, Union, When
from contextwright.spec.kind import BLOCK_SCOPED, Kind
from contextwright.spec.ranges import ValueRange
from contextwright.spec.word import make


class Dimension(NamedTuple):
    """One thing that may change.

    Args:
        name: the place of the word in its spec, the word, and the option; without an option,
            whether the word is there.
        now: as the spec is written.
        choices: the values, or empty for numbers between `low` and `high`.
        log: whether twice as much is as far everywhere.
    """

    name: str
    now: Any
    choices: tuple[Any, ...] = ()
    low: int | float = 0
    high: int | float = 0
    log: bool = False


MAY_GO = BLOCK_SCOPED | {Kind.SOURCE}
"""Kinds of words that a search may leave out; guards and limits stay."""
Pick = Callable[[Dimension], Any]
"""A value of a dimension."""


def varied(spaces: Sequence[Expr], pick: Pick, budget: int) -> Expr:
    """The spec that comes of picking a value of every dimension; which there are depends on what
    was picked before.

    Args:
        spaces: the specs, one of which is picked first where there are several.
        budget: tokens at most, of which some options are a share.

    Raises:
        SpecError: options that a word does not take together.
    """
    at = 0
    if len(spaces) > 1:
        at = pick(Dimension("space", 0, tuple(range(len(spaces)))))
    return _Walk(pick, budget, f"{at}." if len(spaces) > 1 else "").varied(spaces[at])


def dimensions(space: Expr, budget: int) -> list[Dimension]:
    """What may change of a spec as it is written."""
    seen: list[Dimension] = []

    def as_written(one: Dimension) -> Any:
        seen.append(one)
        return one.now

    varied((space,), as_written, budget)
    return seen


class _Walk:
    """Goes through a spec once; words are numbered in their order."""

    def __init__(self, pick: Pick, budget: int, prefix: str) -> None:
        self._pick, self._budget, self._prefix, self._words = pick, budget, prefix, 0

    def varied(self, expr: Expr) -> Expr:
        """The spec with what was picked in its place."""
        match expr:
            case Atom():
                return self._word(expr)
            case Pipe():
                head = self.varied(expr.head)  # its words are numbered first
                return reduce(or_, self._steps(expr.steps), head)
            case Chain():
                # a chain of nothing is no spec
                steps = [self._word(expr.steps[0]), *self._steps(expr.steps[1:])]
                return reduce(or_, steps)
            case Union():
                first, *others = expr.terms
                terms = [self.varied(first)]
                terms += [one for term in others if (one := self._if_there(term)) is not None]
                return terms[0] if len(terms) == 1 else Union(tuple(terms))
            case Fallback():
                return self.varied(expr.first).or_else(self.varied(expr.second))
            case When():
                last = None if expr.otherwise is None else self.varied(expr.otherwise)
                return When(expr.condition, self.varied(expr.then), last)
            case _:
                return expr

    def _steps(self, steps: Sequence[Atom]) -> list[Expr]:
        return [one for step in steps if (one := self._if_there(step)) is not None]

    def _if_there(self, expr: Expr) -> Expr | None:
        """What is picked of a step or a term, None for leaving it out. What says how much is sent
        may be left out; what says which, and what guards, never."""
        word = expr.head if isinstance(expr, Pipe) else expr
        if isinstance(word, Atom) and word.ranges and word.kind in MAY_GO:
            name = f"{self._prefix}{self._words}.{word.word}"
            there = self._pick(Dimension(name, now=True, choices=(True, False)))
            if not there:
                self._words += 1 + (len(expr.steps) if isinstance(expr, Pipe) else 0)
                return None
        return self.varied(expr)

    def _word(self, word: Atom) -> Atom:
        name, self._words = f"{self._prefix}{self._words}.{word.word}", self._words + 1
        options = {field: getattr(word, field) for field in word.__struct_fields__}
        picked = {
            field.name: self._pick(_dimension(f"{name}.{field.name}", word, field, self._budget))
            for field in msgspec.structs.fields(type(word))
            if field.name in word.ranges and options[field.name] is not None
        }
        return make(type(word), **{**options, **picked}) if picked else word


def _dimension(name: str, word: Atom, field: msgspec.structs.FieldInfo, budget: int) -> Dimension:
    values, now = word.ranges[field.name], getattr(word, field.name)
    if not isinstance(values, ValueRange):
        choices = values or _every_value(field.type)
        return Dimension(name, now, choices if now in choices else (*choices, now))
    low, high = values.low, values.high
    if values.of_budget:
        low, high = max(1, budget * low // 100), max(1, budget * high // 100)
        # 0 is the model's window, and no search goes over its budget
        now = min(now or high, high)
    return Dimension(name, now, (), min(low, now), max(high, now), values.log)


def _every_value(declared: Any) -> tuple[Any, ...]:
    return (True, False) if declared is bool else get_args(declared)
