"""A spec taken apart: what brings blocks, what guards all of them, what limits them."""

from collections.abc import Iterator

import msgspec

from contextwright.atoms.budget.allocate import Allocate
from contextwright.atoms.budget.budget import Budget
from contextwright.atoms.budget.compaction import Compaction
from contextwright.atoms.budget.fit import Fit
from contextwright.atoms.protect.redact import Redact
from contextwright.atoms.protect.validate import Validate
from contextwright.atoms.select.step import ForStep
from contextwright.atoms.select.tools import StepTools
from contextwright.atoms.select.window import Window
from contextwright.errors import SpecError
from contextwright.spec.expr import Atom, Chain, Expr, Fallback, Pipe, Union
from contextwright.spec.kind import Kind

Terminal = Budget | Fit | Allocate | Compaction


class Plan(msgspec.Struct, frozen=True):
    """What a compile runs.

    Args:
        body: the expression that brings the blocks, without what follows.
        redactions: run on every block of the request, as it is brought and again at the end.
        validations: run once all blocks are there.
        terminal: the limit, if the spec sets one.
        windows: every `C.window`; the widest is what `before_window` is before.
        reads: state keys that the spec reads.
        writers: what is written around the turn.
        stands_on_conversation: whether a term of the spec selects from the conversation; a spec
            of state and notes alone says nothing of it.
        step: what makes a pack of the request, if the spec has it.
        tools: what limits the tools that are sent, if the spec has it.
    """

    body: Expr
    redactions: tuple[Redact, ...]
    validations: tuple[Validate, ...]
    terminal: Terminal | None
    windows: tuple[Window, ...]
    reads: tuple[str, ...]
    writers: tuple[Atom, ...]
    stands_on_conversation: bool = True
    step: ForStep | None = None
    tools: StepTools | None = None

    def clean(self, text: str) -> str:
        """A text without what the spec redacts from everything."""
        for redaction in self.redactions:
            text = redaction.cleaned(text)
        return text


def plan(spec: Expr) -> Plan:
    """Take a spec apart.

    Raises:
        SpecError: two limits; there is one request, so there is one limit.
    """
    steps = _outer_steps(spec)
    terminals = [step for step in steps if isinstance(step, Terminal)]
    if len(terminals) > 1:
        raise SpecError(
            f"two limits: {terminals[0]!r} and {terminals[1]!r}",
            where=repr(spec)[:200],
            fix=f"keep one: ... | {terminals[0]!r}",
        )
    atoms = list(walk(spec))
    return Plan(
        body=_body(spec),
        redactions=tuple(step for step in steps if isinstance(step, Redact)),
        validations=tuple(step for step in steps if isinstance(step, Validate)),
        terminal=terminals[0] if terminals else None,
        windows=tuple(atom for atom in atoms if isinstance(atom, Window)),
        reads=tuple(dict.fromkeys(key for atom in atoms for key in atom.reads())),
        writers=tuple(atom for atom in atoms if atom.kind is Kind.WRITER),
        stands_on_conversation=any(head.selects_conversation for head in _heads(spec)),
        step=next((atom for atom in atoms if isinstance(atom, ForStep)), None),
        tools=next((atom for atom in atoms if isinstance(atom, StepTools)), None),
    )


def walk(expr: Expr) -> Iterator[Atom]:
    """Every atom of an expression, left to right."""
    if isinstance(expr, Atom):
        yield expr
    elif isinstance(expr, Chain):
        yield from expr.steps
    elif isinstance(expr, Pipe):
        yield from walk(expr.head)
        yield from expr.steps
    elif isinstance(expr, Union):
        for term in expr.terms:
            yield from walk(term)
    elif isinstance(expr, Fallback):
        yield from walk(expr.first)
        yield from walk(expr.second)


def _heads(expr: Expr) -> Iterator[Atom]:
    """The atoms that blocks begin with: what stands left of every pipe. A bare transform stands
    on the whole conversation, as it does itself."""
    if isinstance(expr, Atom):
        yield expr
    elif isinstance(expr, Chain):
        yield from expr.steps[:1]
    elif isinstance(expr, Pipe):
        yield from _heads(expr.head)
    elif isinstance(expr, Union):
        for term in expr.terms:
            yield from _heads(term)
    elif isinstance(expr, Fallback):
        yield from _heads(expr.first)
        yield from _heads(expr.second)


def _outer_steps(spec: Expr) -> tuple[Atom, ...]:
    """The steps that apply to everything."""
    if isinstance(spec, (Pipe, Chain)):
        return spec.steps
    return (spec,) if isinstance(spec, Atom) and spec.kind in _OUTER else ()


def _body(spec: Expr) -> Expr:
    """The spec without its outermost assembly-scoped steps and terminals."""
    if isinstance(spec, Pipe):
        steps = tuple(step for step in spec.steps if step.kind not in _OUTER)
        return Pipe(spec.head, steps) if steps else spec.head
    if isinstance(spec, Chain):
        return Chain(tuple(step for step in spec.steps if step.kind not in _OUTER))
    if isinstance(spec, Atom) and spec.kind in _OUTER:
        return Chain(())
    return spec


_OUTER = {Kind.ASSEMBLY, Kind.TERMINAL}
