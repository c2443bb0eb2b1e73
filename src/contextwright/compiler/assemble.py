"""All the blocks that a request could hold, before anything must go."""

from collections import Counter
from collections.abc import Callable
from itertools import chain, compress, count
from operator import attrgetter, itemgetter, lt, ne

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.layering import ARCHIVE, CacheClass, Layer
from contextwright.blocks.protection import summary_exchanges
from contextwright.blocks.read_back_tools import is_read_back
from contextwright.compiler.mapped_log import mapped_at
from contextwright.compiler.other_agents import is_of_another
from contextwright.compiler.plan import Plan
from contextwright.compiler.trace import Tracer, run
from contextwright.errors import SessionError, SpecError
from contextwright.formats.tool_schemas import as_it_came, is_hosted
from contextwright.render.target import Target
from contextwright.session.event import Tool
from contextwright.spec.inputs import Inputs
from contextwright.spec.traits import View
from contextwright.spec.word_roles import Guard
from contextwright.tasks.tool_lines import scoped
from contextwright.text.speakers import is_another

PINNED, RUNNING_TURN = "pinned", "running_turn"
TASK_FRAMING, LIVE_EDGE, OPEN_FAILURE = "task_framing", "live_edge", "open_failure"
BY_THE_ENGINE = frozenset({PINNED, RUNNING_TURN, TASK_FRAMING, LIVE_EDGE, OPEN_FAILURE})
"""Sources of what is in every request; where a term brought it too, it is that term's."""
_ORDER, _MESSAGES, _ROLE = attrgetter("order"), attrgetter("messages"), attrgetter("role")
_FIRST = itemgetter(0)
FEW = 512
"""Blocks up to which a look at all is faster than to look up what is known of each."""
_GOES_ON: frozenset[View] = frozenset({"fold", "step"})
"""How specs look of which a term brings the whole conversation, of which the limit knows what lies
before where a compile begins."""


class Assembled(msgspec.Struct, frozen=True):
    """Args:
    system: the system instruction's blocks, which are always sent.
    blocks: the rest, the conversation in the order of the log, then the texts in the order
        of the spec. For the `text` format: all in the order of the spec.
    tools: what may be called: those in the step's scope, in the caller's order.
    available: what might be called without a scope, and by any provider.
    called: the names of the tools that the session called, where none may be.
    unsent_tools: those in scope that run at another provider.
    notes: what a reader of the manifest should know.
    payload: whether texts stand as sections in the newest user message.
    """

    system: Blocks
    blocks: Blocks
    tools: tuple[Tool, ...]
    available: tuple[Tool, ...]
    notes: tuple[str, ...]
    payload: bool = False
    called: tuple[str, ...] = ()
    unsent_tools: tuple[Tool, ...] = ()


def assemble(planned: Plan, inputs: Inputs, tracer: Tracer, target: Target) -> Assembled:
    """Run the spec; add what every request has; leave out the archive; guard; check.

    Raises:
        SpecError: nothing is left to send. SessionError: two tools of one name.
    """
    guard = _guard(planned.redactions, inputs, tracer)
    guard_added = _guard(planned.every_redaction, inputs, tracer)
    brought = run(planned.body, inputs, tracer, guard)
    system: Blocks = ()
    if target.takes_messages:
        whole_turn = not planned.stands_on_conversation
        held = must_stay(inputs, whole_turn=whole_turn)
        if not planned.every_redaction:
            # what a term brought goes before it (`once`); a redaction tells what it found in both
            known = {block.order for block in brought if block.messages}
            held = tuple(block for block in held if block.order not in known)
        held = _untold(held, brought, inputs.protection.handover)
        brought += guard_added(held)
        system = guard(instruction(inputs))
    blocks = guard_again(planned, inputs, tracer, _told_apart(once(brought, inputs)))
    tracer.reconcile((*blocks, *_brought_unseen(planned, inputs, tracer)))
    active = _without_archive(blocks, inputs)
    blocks = tracer.record("archive", blocks, active, "tier 4 is the archive")
    if target.sources is None or not target.sources.body.is_chained:
        answered = _without_orphans(blocks, inputs)
        blocks = tracer.record("orphans", blocks, answered, "no call for it")
    blocks = _without_repeats(blocks, inputs, tracer)
    for check in planned.validations:
        blocks = check.apply(blocks, inputs.after(0))
    if target.takes_messages:
        blocks = in_log_order(blocks, inputs)
        is_request = target.sources is not None and target.sources.body.is_request
        if not any(block.in_conversation for block in blocks):
            _expect_messages(inputs, active, is_request=is_request)
    _check_names(inputs.available_tools)
    scope = planned.tools.scope(inputs.snapshot) if planned.tools is not None else None
    tools = clean_tools(planned, inputs, in_scope(inputs.tools, scope))
    names = {tool.name for tool in inputs.tools}
    unsent = [one for one in in_scope(inputs.available_tools, scope) if one.name not in names]
    notes = (*planned.notes, *_missing(planned, inputs), *_unknown(scope, inputs.available_tools))
    called = () if tools or not target.takes_messages else called_tools(planned, inputs, blocks)
    return Assembled(
        system=system,
        blocks=blocks,
        tools=tools,
        available=inputs.available_tools,
        notes=notes,
        payload=bool(planned.step_key),
        called=called,
        unsent_tools=clean_tools(planned, inputs, tuple(unsent)),
    )


def _expect_messages(inputs: Inputs, active: Blocks, *, is_request: bool) -> None:
    """Refuse what has nothing to send. A request without a message is its provider's to refuse.

    Args:
        active: the blocks, with results that no call of the log asked for.

    Raises:
        SpecError: there is no message, or none that could be sent.
    """
    where = f"session {inputs.snapshot.session_id!r}"
    if any(block.role == "tool" and block.in_conversation for block in active):
        raise SpecError(
            "there is nothing to send but results whose calls are not among the messages",
            where=where,
            fix="give the assistant's message with the calls, and what the user said, before them",
        )
    if not is_request:
        raise SpecError(
            "there is nothing to send: the session has no message yet",
            where=where,
            fix="append the user's message first",
        )


def _untold(held: Blocks, brought: Blocks, handover: int) -> Blocks:
    """What is held, without a harness's summary that stands in front of the conversation."""
    if handover < 0:
        return held
    texts = {id for block in brought if block.is_summary and block.pinned for id in block.lineage}
    return tuple(block for block in held if block.order != handover or block.id not in texts)


def _brought_unseen(planned: Plan, inputs: Inputs, tracer: Tracer) -> Blocks:
    """What the term that brings the whole conversation makes of exchanges that this compile was not
    given, where another term left them out, or shortened them."""
    first = inputs.snapshot.preamble
    if planned.view not in _GOES_ON or inputs.start <= first:
        return ()
    unseen = {order for order in tracer.orders.values() if first <= order < inputs.start}
    return tuple(chain.from_iterable(mapped_at(order, inputs) for order in sorted(unseen)))


def in_scope(tools: tuple[Tool, ...], scope: frozenset[str] | None) -> tuple[Tool, ...]:
    """The tools that a step may call. Those that read refs are in every scope."""
    sent = scoped(tools, scope)
    return sent if scope is None else tuple(t for t in tools if t in sent or is_read_back(t))


def _unknown(scope: frozenset[str] | None, tools: tuple[Tool, ...]) -> list[str]:
    known = {tool.name for tool in tools}
    return [f"the session has no tool {name!r}" for name in sorted((scope or known) - known)]


def _check_names(tools: tuple[Tool, ...]) -> None:
    # a provider may run two tools of one kind, such as searches in two stores
    names = [tool.name for tool in tools if not is_hosted(as_it_came(tool)[1])]
    twice = (
        [name for name in names if names.count(name) > 1] if len(set(names)) < len(names) else []
    )
    if twice:
        raise SessionError(
            f"two tools are called {twice[0]!r}",
            where="tools of the session or the target",
            fix="give every tool a name of its own",
        )


def instruction(inputs: Inputs) -> Blocks:
    """The system messages that the session begins with."""
    exchanges = inputs.snapshot.exchanges(0, inputs.snapshot.preamble)
    return tuple(
        msgspec.structs.replace(
            block, layer=Layer.SYSTEM, cache=CacheClass.STABLE, tier=1, source="system"
        )
        for block in inputs.blocks(exchanges, "system")
    )


def must_stay(inputs: Inputs, *, whole_turn: bool) -> Blocks:
    """What is in every request, whatever the spec selects (rules.md#what-stays,
    rules.md#live-edge).

    Args:
        whole_turn: whether the spec says nothing of the conversation, such as
            `C.from_state("intent")`: then it has the running turn, and not the task before it.
    """
    snapshot, protection = inputs.snapshot, inputs.protection
    count = snapshot.exchange_count
    pinned = snapshot.exchanges_with("pinned", "yes", snapshot.preamble, count)
    out = inputs.blocks(pinned, PINNED)
    if whole_turn:
        start = max(snapshot.preamble, snapshot.turn_start(snapshot.turn))
        turn = inputs.blocks(snapshot.exchanges(start), RUNNING_TURN)
        # of what other agents said in it, the newest is what this one was handed
        before = {block for block in turn if is_of_another(block, inputs.agent)}
        before -= {max(before, key=lambda block: block.order)} if before else before
        return out + tuple(block for block in turn if block not in before)
    for index in sorted(protection.exchanges):
        source = TASK_FRAMING if index == protection.task else LIVE_EDGE
        source = OPEN_FAILURE if index in protection.failures else source
        source = PINNED if index == protection.compaction else source
        out += inputs.blocks(snapshot.exchanges(index, index + 1), source)
    newest = inputs.blocks(snapshot.exchanges(protection.edge), LIVE_EDGE)
    summaries = summary_exchanges(snapshot)
    return out + tuple(block for block in newest if block.order not in summaries)


def _guard(
    redactions: tuple[Guard, ...], inputs: Inputs, tracer: Tracer
) -> Callable[[Blocks], Blocks]:
    """Redaction of blocks as they are brought: nothing later sees what it removes."""

    def guard(blocks: Blocks) -> Blocks:
        for redaction in redactions:
            blocks = _redacted(redaction, blocks, inputs, tracer)
        return blocks

    return guard


def clean_tools(planned: Plan, inputs: Inputs, tools: tuple[Tool, ...]) -> tuple[Tool, ...]:
    """Tools, their names and schemas too, without what the spec redacts from everything."""
    if not planned.redactions:
        return tools
    key = ("clean tools", planned.redactions, inputs.ports)
    table = inputs.memo.table(key)
    for tool in tools:
        if tool not in table:
            table[tool] = planned.clean_tool(tool)
    return tuple(table[tool] for tool in tools)


def called_tools(planned: Plan, inputs: Inputs, blocks: Blocks) -> tuple[str, ...]:
    """The names of the tools that the agent called, in the order of the first calls, and of the
    whole session: which calls are sent changes with every step of a compaction, and a request's
    tools stand in front of all that a cache holds. None where the spec brings no call."""
    agent = inputs.agent
    if not (
        planned.brings_calls
        or any(not is_of_another(block, agent) for block in blocks if block.has_calls)
        or _called_before(planned, inputs)
    ):
        return ()
    called = inputs.snapshot.log.called_tools(inputs.snapshot.position)
    own = [name for author, name in called if not (agent and is_another(author, agent))]
    names = dict.fromkeys(own)
    # the engine adds them by itself: each passes every redaction, a single term's as well
    return tuple(dict.fromkeys(map(inputs.clean_name, names)))


def _called_before(planned: Plan, inputs: Inputs) -> bool:
    """Whether the agent called a tool in the exchanges that this compile did not look at. A step
    that looks at turns takes calls out, so of its spec nobody knows (`compiler.horizon`)."""
    if planned.view in {"turn", "all"} or inputs.start <= inputs.snapshot.preamble:
        return False
    called = has_called(inputs, inputs.start)
    if called and planned.view == "log":
        inputs.unsure("tools")  # what was called may be left out
    return called


def has_called(inputs: Inputs, stop: int) -> bool:
    """Whether the agent called a tool before the exchange `stop`."""
    snapshot = inputs.snapshot
    position = snapshot.exchanges(stop, stop + 1)[0].positions[0]
    called = snapshot.log.called_tools(position)
    return any(not is_another(author, inputs.agent) for author, _ in called)


def _redacted(redaction: Guard, blocks: Blocks, inputs: Inputs, tracer: Tracer) -> Blocks:
    return tracer.record(repr(redaction), blocks, redaction.apply(blocks, inputs), redacts=True)


def guard_again(planned: Plan, inputs: Inputs, tracer: Tracer, blocks: Blocks) -> Blocks:
    """Once more on what the spec's steps, or its limit, made: what reads JSON writes its escapes
    out, and joins what stood apart. It changes nothing that was clean."""
    for redaction in planned.redactions:
        blocks = _redacted(redaction, blocks, inputs, tracer)
    return blocks


def once(blocks: Blocks, inputs: Inputs) -> Blocks:
    """Each exchange and each text once, however many terms brought it: in the lowest tier, as
    whole as it came; what a term brought before what is there anyway."""
    if len(blocks) < 2 or _are_in_order(blocks):
        return blocks
    names = inputs.memo.column("identity", blocks, _identity)
    last = dict(zip(names, count(), strict=False))
    if len(last) == len(blocks):
        return blocks
    # blocks that one term brought are many, those that two did are few
    doubled = list(compress(count(), map(ne, map(last.__getitem__, names), count())))
    best: dict[tuple[object, str], int] = {}
    places = [*doubled, *dict.fromkeys(last[names[place]] for place in doubled)]
    for place in sorted(places):
        known = best.setdefault(names[place], place)
        if _better(blocks[place], blocks[known]):
            best[names[place]] = place
    out = list(blocks)
    for place in sorted(set(places).difference(best.values()), reverse=True):
        del out[place]
    return tuple(out)


def _told_apart(blocks: Blocks) -> Blocks:
    """The blocks, no two texts of one source with one id, as where two terms show the same notes,
    each in a form of its own: all behind this tells blocks apart by these."""
    if all(map(_MESSAGES, blocks)):
        return blocks
    texts = [(at, block) for at, block in enumerate(blocks) if not block.messages]
    names = [(block.id, block.source) for _, block in texts]
    if len(set(names)) == len(names):
        return blocks
    out, times = list(blocks), Counter[tuple[str, str]]()
    for (at, block), name in zip(texts, names, strict=True):
        times[name] += 1
        if times[name] > 1:
            out[at] = msgspec.structs.replace(block, id=f"{block.id}~{times[name]}")
    return tuple(out)


def in_log_order(blocks: Blocks, inputs: Inputs) -> Blocks:
    """The conversation in the order of the log, then the texts as they come."""
    if len(blocks) < 2 or _are_in_order(blocks):
        return blocks
    places = inputs.memo.column("place", blocks, _place)
    return blocks if list(places) == sorted(places) else tuple(sorted(blocks, key=_place))


def _are_in_order(blocks: Blocks) -> bool:
    """Whether they are exchanges one behind the other, each once; looked at where they are few."""
    if not _are_few_exchanges(blocks):
        return False
    orders = list(map(_ORDER, blocks))
    return orders[0] >= 0 and all(map(lt, orders, orders[1:]))


def _are_few_exchanges(blocks: Blocks) -> bool:
    """Whether no texts are among them, and they are so few that a look at all takes no time."""
    return len(blocks) < FEW and all(map(_MESSAGES, blocks))


def _identity(block: Block) -> tuple[object, str]:
    """An exchange is one whatever became of it; texts are the same if they say the same."""
    return (block.order, "") if block.messages and block.order >= 0 else (block.id, block.text)


def _better(block: Block, known: Block) -> bool:
    if block.source in BY_THE_ENGINE:
        return False
    return (block.rank, -block.fidelity) < (known.rank, -known.fidelity)


def _without_archive(blocks: Blocks, inputs: Inputs) -> Blocks:
    """Without tier 4, but for what must stay in any case."""
    if ARCHIVE not in map(attrgetter("tier"), blocks):
        return blocks
    stays = inputs.protection.keep_reason
    return tuple(block for block in blocks if block.tier != ARCHIVE or stays(block))


def _without_orphans(blocks: Blocks, inputs: Inputs) -> Blocks:
    """Without tool results whose call is not in the log: no provider takes them
    (rules.md#whole-exchanges)."""
    if _are_few_exchanges(blocks):
        roles = map(_ROLE, map(_FIRST, map(_MESSAGES, blocks)))
    else:
        roles = inputs.memo.column("role", blocks, _ROLE)
    if "tool" not in roles:
        return blocks
    return tuple(block for block in blocks if block.order < 0 or block.role != "tool")


def _without_repeats(blocks: Blocks, inputs: Inputs, tracer: Tracer) -> Blocks:
    """Without texts of exchanges that are in the conversation as well (`C.layer`), and without what
    was written of these: they are not sent as what it says."""
    if _are_few_exchanges(blocks):
        return blocks
    if True not in inputs.memo.column("quotes", blocks, _quotes):
        return blocks
    conversation = {block.order for block in blocks if block.messages}
    shown = {id for block in blocks if block.order in conversation for id in block.lineage}
    repeated = {b for b in blocks if _quotes(b) and shown.issuperset(b.lineage)}
    names = {(block.id, block.why) for block in repeated}
    tracer.changes = [c for c in tracer.changes if (c.id, c.reason) not in names]
    return tuple(block for block in blocks if block not in repeated)


def _quotes(block: Block) -> bool:
    """Whether it is a text of an exchange."""
    return block.turn >= 0 and not block.messages


def _place(block: Block) -> tuple[int, int]:
    return (0, block.order) if block.order >= 0 else (1, 0)


def _missing(planned: Plan, inputs: Inputs) -> tuple[str, ...]:
    """What the spec names and the session does not have: it may be a slip of the pen."""
    state, log, end = inputs.snapshot.state, inputs.snapshot.log, inputs.snapshot.position
    silent = [name for name in planned.authors if log.ends("author", name, end) is None]
    return (
        *(f"state has no {key!r}" for key in planned.reads if key not in state),
        *(f"no event is by an author {name!r}" for name in silent),
    )
