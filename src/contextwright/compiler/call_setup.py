"""What of a compile goes by the spec, the receiver, the tools and the agent alone: worked out once
while none of them moves, as from turn to turn none does."""

from collections.abc import Callable
from typing import Any
from weakref import ref

import msgspec

from contextwright.compiler.assemble import in_scope
from contextwright.compiler.block_cost import Presentation, costs_of
from contextwright.compiler.compile_notes import limit_notes
from contextwright.compiler.of_body import is_of_no_body
from contextwright.compiler.plan import Plan
from contextwright.compiler.receiver import receiver_of, tools_of
from contextwright.compiler.request_room import limit_of
from contextwright.memo.by_identity import NEWEST
from contextwright.redaction.detector import RedactionPorts
from contextwright.render.target import Target
from contextwright.session.event import Tool
from contextwright.session.log import Log
from contextwright.session.snapshot import Snapshot
from contextwright.spec.expr import Expr
from contextwright.spec.inputs import Inputs, Memo
from contextwright.spec.terminal import Terminal

_SETUP = "call setup"


class DecisionKey(msgspec.Struct, frozen=True, cache_hash=True):
    """Where the newest decision of a spec is kept: by all of it that decides, and what counts."""

    body: Expr
    redactions: tuple[Any, ...]
    terminal: Terminal | None
    is_silent: bool
    ports: RedactionPorts
    limit: int
    cost_id: str


class CallSetup(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """What compiles of one spec for one receiver share.

    Args:
        target: the receiver, with what of it is the session's own.
        limit: tokens that a request may have. limit_notes: of the manifest.
        inputs: with what is the session's left open.
        decided: where the newest decision is kept.
    """

    planned: Plan
    target: Target
    limit: int
    limit_notes: tuple[str, ...]
    inputs: Inputs
    decided: DecisionKey


class _Known(msgspec.Struct, frozen=True, eq=False):
    """A setup, and what it is of: nothing of that changes."""

    planned: Plan
    target: Target
    tools: tuple[Tool, ...]
    agent: str
    log: ref[Log]
    root_id: str
    setup: CallSetup


def setup_of(
    planned: Plan, target: Target, snapshot: Snapshot, agent: str, memo: Memo
) -> CallSetup:
    """The setup of a call to a target, for its session."""
    known: _Known | None = memo.newest(_SETUP)
    if (
        known is not None
        and known.planned is planned
        and known.target is target
        and known.tools is snapshot.tools
        and known.agent == agent
        and known.log() is snapshot.log
        and known.root_id == snapshot.root_id
        and is_of_no_body(snapshot)
    ):
        return known.setup
    receiver = receiver_of(target, snapshot, planned, memo)
    setup = setup_for(receiver, planned, snapshot, agent, memo)
    # with a body it would hold its session's log; and its first event says what the receiver is
    lasts = receiver.sources is None and snapshot.position and is_of_no_body(snapshot)
    if lasts and planned.tools is None:  # else the state says which are sent
        log, root_id = ref(snapshot.log), snapshot.root_id
        made = _Known(planned, target, snapshot.tools, agent, log, root_id, setup)
        memo.table(_SETUP, brief=True)[NEWEST] = made
    return setup


def setup_for(
    receiver: Target, planned: Plan, snapshot: Snapshot, agent: str, memo: Memo
) -> CallSetup:
    """The setup of a call to a receiver as it is."""
    limit = limit_of(planned.terminal, receiver)
    inputs = _inputs_for(receiver, planned, snapshot, agent, memo)
    parts = planned.body, planned.redactions, planned.terminal, planned.is_silent, planned.ports
    return CallSetup(
        planned=planned,
        target=receiver,
        limit=limit,
        limit_notes=tuple(limit_notes(planned.terminal, receiver)),
        inputs=inputs,
        decided=DecisionKey(*parts, limit, inputs.cost_id),
    )


def _inputs_for(
    target: Target, planned: Plan, snapshot: Snapshot, agent: str, memo: Memo
) -> Inputs:
    """What goes by the spec, the receiver and the tools alone; the session's is left open."""
    named = tuple(snapshot.tools if target.tools is None else target.tools)
    tools = tools_of(target, named, memo)
    scope = planned.tools.scope(snapshot) if planned.tools is not None else None
    sent = in_scope(tools.sendable, scope) if target.takes_messages else ()
    refs = tools.shows_refs if sent is tools.sendable else target.shows_refs(sent)
    telling = Presentation(agent, framed=bool(planned.step_key), refs=refs)
    costs = costs_of(memo, target.provider.renderer, target, telling)
    nothing: Any = None
    return Inputs(
        snapshot=nothing,
        count=target.counter.counting(),
        count_in_passing=target.counter.counting_in_passing(),
        cost=costs.block,
        markers=costs.markers,
        event_cost=costs.events,
        counter_id=target.counter.id,
        sign=target.sign,
        read=nothing,
        now_ms=None,
        memo=nothing,
        agent=agent,
        protection=nothing,
        settled=0,
        tools=tools.sendable,
        available_tools=tools.available,
        framed=telling.framed,
        tells_sources=not target.takes_messages,
        shows_refs=telling.refs,
        required=planned.required,
        guards=planned.redactions,
        clean=planned.clean,
        clean_name=_name_cleaner(planned, memo),
        ports=planned.ports,
        mapping=planned.mapping,
        lessens=planned.lessens,
        is_sole=planned.is_sole,
        cost_id=costs.id,
        step_prices=target.step_prices,
    )


def _name_cleaner(planned: Plan, memo: Memo) -> Callable[[str], str]:
    """`planned.clean_added_name`, of each name once: a receipt has ids of all that is left."""
    if not planned.every_redaction:
        return str
    key = "clean names", planned.every_redaction, planned.ports
    return memo.computed(key, planned.clean_added_name)
