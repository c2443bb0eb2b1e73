"""A spec taken apart: what brings blocks, what guards all of them, what limits them."""

from collections.abc import Iterator, Mapping
from functools import reduce
from typing import Any, NamedTuple

import msgspec

from contextwright.atoms.select.none import Nothing
from contextwright.compiler.horizon import (
    age_limit,
    brings_calls,
    folds,
    indexed_by,
    is_whole,
    lessens,
    mapping_of,
    slides,
    standing_of,
    stands,
    view_of,
)
from contextwright.compiler.noted import Noted, noted_by
from contextwright.errors import SpecError
from contextwright.memo.by_identity import NEWEST
from contextwright.redaction.detector import NO_PORTS, RedactionPorts
from contextwright.session.event import Tool
from contextwright.session.state import NOTES_PREFIX, State
from contextwright.spec.expr import Atom, Chain, Expr, Fallback, Pipe, Union, When, union
from contextwright.spec.inputs import Memo
from contextwright.spec.kind import Kind
from contextwright.spec.terminal import Terminal
from contextwright.spec.traits import View
from contextwright.spec.word_roles import (
    ConversationWindow,
    DividedLog,
    Guard,
    Indexed,
    LogSelector,
    Standing,
    ToolScope,
    Writer,
)


class Plan(msgspec.Struct, frozen=True):
    """The parts of a spec, as a compile runs them.

    Args:
        body: the expression that brings the blocks, without what follows.
        redactions: guards, run on every block of the request, as it is brought and again at the
            end.
        every_redaction: those, and those of single terms: what the engine adds by itself passes
            all of them, for a term that was redacted must not come back beside it.
        validations: run once all blocks are there.
        terminal: the limit, if the spec sets one.
        windows: words that keep the newest; the widest is what `before_window` is before.
        reads: state keys that the spec reads.
        authors: whose words it brings or leaves out, by name.
        required: those that must hold something for the spec to bring what it names: not the
            notes, which begin empty, nor what is normal to be without.
        cites: refs that the spec names itself.
        writers: what is written around the turn.
        stands_on_conversation: whether a term of the spec selects from the conversation; a spec
            of state and notes alone says nothing of it.
        step_key: state key of the step that makes a pack of the request; empty without one.
        tools: what limits the tools that are sent, if the spec has it; tools_cap: tokens that
            their term may take, 0 where nothing says.
        view: how far back a compile looks to decide about one exchange.
        mapping: the words of which `Inputs.mapping` tells, in the order in which they are run.
        noted: what a note of what holds is told of; None where there is none.
        lessens: whether what `Inputs.lessens` says is so.
        brings_calls: whether requests have calls whenever a turn has any, whichever a word takes
            out once the turn is over.
        age_limit: what leaves nothing of the conversation that is older than it says.
        indexed: the word that brings all that the limit is given, found by the log's indexes.
        is_sole: whether no two terms of the spec may bring the same.
        is_whole: whether it brings the whole conversation, as the log has it, and no more.
        may_go_on: whether a decision may stand while nothing moves (`compiler.kept_decision`).
        standing: words of such a decision that say by what they stand.
        folds: whether the limit's steps hold on by themselves.
        slides: whether windows of the newest are all that it brings of the conversation.
        step_names: of the words that bring the blocks, in the order in which they are run.
        is_silent: whether the request does not name what it leaves out.
        notes: conditions that do not hold, with what is left out for it.
        ports: what the application gives redactions.
    """

    body: Expr
    redactions: tuple[Guard, ...]
    every_redaction: tuple[Guard, ...]
    validations: tuple[Atom, ...]
    terminal: Terminal | None
    windows: tuple[ConversationWindow, ...]
    reads: tuple[str, ...]
    authors: tuple[str, ...]
    required: tuple[str, ...]
    writers: tuple[Writer, ...]
    stands_on_conversation: bool = True
    step_key: str = ""
    cites: tuple[str, ...] = ()
    tools: ToolScope | None = None
    tools_cap: int = 0
    view: View = "all"
    mapping: tuple[Atom, ...] = ()
    noted: Noted | None = None
    lessens: bool = False
    brings_calls: bool = False
    age_limit: Atom | None = None
    indexed: Indexed | None = None
    is_sole: bool = False
    is_whole: bool = False
    may_go_on: bool = False
    standing: tuple[Standing, ...] = ()
    folds: bool = False
    slides: bool = False
    step_names: tuple[str, ...] = ()
    is_silent: bool = False
    notes: tuple[str, ...] = ()
    ports: RedactionPorts = NO_PORTS

    def clean(self, text: str) -> str:
        """A text without what the spec redacts from everything."""
        for redaction in self.redactions:
            text = redaction.cleaned(text, self.ports)
        return text

    def clean_id(self, id: str) -> str:
        """An id or a name, or always the same other one if the spec redacts a part of it."""
        for redaction in self.redactions:
            id = redaction.cleaned_id(id, self.ports)
        return id

    def clean_added_name(self, name: str) -> str:
        """A name that the engine adds, without what any term of the spec redacts."""
        for redaction in self.every_redaction:
            name = redaction.cleaned_id(name, self.ports)
        return name

    def clean_tool(self, tool: Tool) -> Tool:
        """A tool without what the spec redacts from everything."""
        for redaction in self.redactions:
            tool = redaction.cleaned_tool(tool, self.ports)
        return tool


def plan(
    spec: Expr, state: Mapping[str, Any] | None = None, ports: RedactionPorts = NO_PORTS
) -> Plan:
    """Take a spec apart.

    Args:
        state: decides the spec's conditions; without one both branches are in the plan.
        ports: what the application gives redactions.

    Raises:
        SpecError: two limits; there is one request, so there is one limit. Or a word of the kind
            TERMINAL that does not say what it limits.
    """
    notes: list[str] = []
    if state is None:
        return _taken_apart(spec, ports)
    return _of_state(_taken_apart(_decided(spec, state, notes), ports), state, notes)


_PLAN = "plan"


class _KnownPlan(NamedTuple):
    """A plan, and what it is of: neither changes, so it holds as long as these are the same."""

    spec: Expr
    state: State
    ports: RedactionPorts
    plan: Plan


def known_plan(spec: Expr, state: State, ports: RedactionPorts, memo: Memo) -> Plan:
    """As `plan`, of a session: every outcome of the spec's conditions is taken apart once, and
    what holds is asked again only of another state."""
    newest: _KnownPlan | None = memo.newest(_PLAN)
    if (
        newest is not None
        and newest.spec is spec
        and newest.state is state
        and newest.ports is ports
    ):
        return newest.plan
    notes: list[str] = []
    table, key = memo.table(_PLAN), (_decided(spec, state, notes), ports)
    apart = table.remembered(key, lambda key: _taken_apart(*key))
    known = table[NEWEST] = _KnownPlan(spec, state, ports, _of_state(apart, state, notes))
    return known.plan


def _of_state(apart: Plan, state: Mapping[str, Any], notes: list[str]) -> Plan:
    """The plan with what was decided; without a step to frame where the state has none: behind
    an `or_else` that is not used, nothing asks for it."""
    step_key = apart.step_key if state.get(apart.step_key) is not None else ""
    if notes or step_key != apart.step_key:
        return msgspec.structs.replace(apart, notes=tuple(notes), step_key=step_key)
    return apart


def _taken_apart(spec: Expr, ports: RedactionPorts) -> Plan:
    steps = _outer_steps(spec)
    assembly = [step for step in steps if step.kind is Kind.ASSEMBLY]
    atoms = list(walk(spec))
    selectors = [atom for atom in atoms if isinstance(atom, LogSelector)]
    traits = [atom.traits for atom in atoms]
    body, terminal = _body(spec), _terminal(steps, spec)
    validations = tuple(step for step in assembly if not isinstance(step, Guard))
    step_key = next((one.step_key for one in traits if one.step_key), "")
    redactions = tuple(step for step in assembly if isinstance(step, Guard))
    every_redaction = tuple(atom for atom in atoms if isinstance(atom, Guard))
    is_less = folds(terminal) and lessens(body)
    view = _view(view_of(body, terminal), body, validations)
    if is_less and every_redaction:
        view = "all"  # nobody takes out of what is not looked at what a note tells of it
    noted = noted_by(body, terminal, view, brings_part=any(map(_brings_newest, atoms)))
    return Plan(
        body=body,
        redactions=redactions,
        every_redaction=every_redaction,
        validations=validations,
        terminal=terminal,
        windows=tuple(atom for atom in atoms if isinstance(atom, ConversationWindow)),
        cites=tuple(ref for atom in atoms for ref in atom.cites()),
        reads=tuple(dict.fromkeys(key for atom in atoms for key in atom.reads())),
        authors=tuple(dict.fromkeys(name for one in selectors for name in one.authors())),
        required=_required(atoms),
        writers=tuple(atom for atom in atoms if isinstance(atom, Writer)),
        stands_on_conversation=any(head.selects_conversation for head in _heads(spec)),
        step_key=step_key,
        tools=next((atom for atom in atoms if isinstance(atom, ToolScope)), None),
        ports=ports,
        tools_cap=min(_tool_caps(spec), default=0),
        view=view,
        mapping=() if is_less or view not in {"fold", "step"} else _mapping(body, redactions),
        noted=noted and noted.behind(redactions) if every_redaction == redactions else None,
        lessens=is_less and view == "fold",
        brings_calls=brings_calls(body),
        age_limit=age_limit(body),
        indexed=indexed_by(body),
        is_sole=len([*_heads(body)]) < 2,
        is_whole=is_whole(body),
        may_go_on=stands(body, terminal, view, guarded=bool(every_redaction))
        and every_redaction == redactions
        and not (validations or step_key),
        standing=standing_of(body),
        folds=folds(terminal),
        slides=slides(body),
        step_names=tuple(map(repr, walk(body))),
        is_silent=any(one.silent for one in traits),
    )


def _view(view: View, body: Expr, validations: tuple[Atom, ...]) -> View:
    """How far a compile looks back, where checks may want all that there is, or all that the log
    says, if that is what they are given."""
    looks = {one.traits.view for one in validations}
    near: set[View] = {"block", "log"} if is_whole(body) else {"block"}
    return view if looks <= near else "all"


def _mapping(body: Expr, redactions: tuple[Guard, ...]) -> tuple[Atom, ...]:
    """What is run on each exchange: redactions as it is brought, and on what the steps made."""
    return (*redactions, *mapping_of(body), *redactions)


def _brings_newest(atom: Atom) -> bool:
    """Whether a word brings the newest of the conversation as it is, from a place on that moves now
    and then, and the rest, if at all, in short."""
    is_summary = isinstance(atom, DividedLog) and not atom.chooses
    return is_summary or (isinstance(atom, ConversationWindow) and atom.strides)


def _required(atoms: list[Atom]) -> tuple[str, ...]:
    needing = (atom for atom in atoms if atom.traits.missing_key != "normal")
    keys = (key for atom in needing for key in atom.reads())
    return tuple(dict.fromkeys(key for key in keys if not key.startswith(NOTES_PREFIX)))


def _decided(spec: Expr, state: Mapping[str, Any], notes: list[str]) -> Expr:
    """The spec for a state: each condition as the branch that it chooses."""
    if isinstance(spec, When):
        branch = spec.chosen(state)
        if branch is not spec.then:
            notes.append(f"{spec.condition!r} does not hold: {spec.then!r} is left out")
        return Nothing() if branch is None else _decided(branch, state, notes)
    if isinstance(spec, Union):
        terms = [_decided(term, state, notes) for term in spec.terms]
        return reduce(union, terms) if terms != list(spec.terms) else spec
    if isinstance(spec, Pipe):
        head = _decided(spec.head, state, notes)
        if head is spec.head:
            return spec
        # as it is written without a condition: what redacts everything does so in front of a limit
        inner = head.steps if isinstance(head, Pipe) else ()
        return Pipe(head.head if isinstance(head, Pipe) else head, inner + spec.steps)
    if isinstance(spec, Fallback):
        first, second = (_decided(each, state, notes) for each in (spec.first, spec.second))
        if first is spec.first and second is spec.second:
            return spec
        return Fallback(first, second)
    return spec


def _tool_caps(spec: Expr) -> Iterator[int]:
    """What terms of tools may take, as `C.tools(...) | C.cap(3000)`."""
    if isinstance(spec, Union):
        for term in spec.terms:
            yield from _tool_caps(term)
    elif isinstance(spec, Pipe) and isinstance(spec.head, ToolScope):
        yield from (step.traits.cap for step in spec.steps if step.traits.cap)
    elif isinstance(spec, Pipe):
        yield from _tool_caps(spec.head)


def _terminal(steps: tuple[Atom, ...], spec: Expr) -> Terminal | None:
    limits = [step for step in steps if step.kind is Kind.TERMINAL]
    if len(limits) > 1:
        raise SpecError(
            f"two limits: {limits[0]!r} and {limits[1]!r}",
            where=repr(spec)[:200],
            fix=f"keep one: ... | {limits[0]!r}",
        )
    if not limits:
        return None
    terminal = limits[0]
    if not isinstance(terminal, Terminal):
        raise SpecError(
            f"expected a terminal with a limit and stages, got {terminal!r}",
            where=repr(spec)[:200],
            fix=f"derive {type(terminal).__name__} from contextwright.spec.Terminal",
        )
    return terminal


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
    elif isinstance(expr, When):
        for branch in expr.branches:
            yield from walk(branch)


def conditions(expr: Expr) -> Iterator[When]:
    """Every condition of an expression, outer ones first."""
    parts: tuple[Expr, ...] = ()
    if isinstance(expr, When):
        yield expr
        parts = expr.branches
    elif isinstance(expr, Pipe):
        parts = (expr.head,)
    elif isinstance(expr, Union):
        parts = expr.terms
    elif isinstance(expr, Fallback):
        parts = (expr.first, expr.second)
    for part in parts:
        yield from conditions(part)


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
    elif isinstance(expr, When):
        for branch in expr.branches:
            yield from _heads(branch)


def _outer_steps(spec: Expr) -> tuple[Atom, ...]:
    """The steps that apply to everything, where a condition says so if it holds or does not."""
    if isinstance(spec, When):
        branches = map(_outer_steps, spec.branches)
        return tuple(step for steps in branches for step in steps if step.kind is Kind.ASSEMBLY)
    if isinstance(spec, Pipe):
        return (*(_outer_steps(spec.head) if isinstance(spec.head, When) else ()), *spec.steps)
    if isinstance(spec, Chain):
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
