"""The lines of a request that name what it leaves out of the conversation
(rules.md#left-out): a model that knows that something is missing, and by which name, reads it again
instead of guessing.

Each line stands where something is missing, so it keeps its bytes for as long as the same is.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from itertools import chain, compress
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from contextwright.blocks.block import Block, Blocks, Message
from contextwright.blocks.escape import section
from contextwright.blocks.fidelity import Fidelity
from contextwright.blocks.layering import Trust
from contextwright.blocks.line_ids import line_ids
from contextwright.compiler.assemble import Assembled
from contextwright.compiler.budget_state import BudgetState
from contextwright.compiler.lineage_ranges import ends_of, in_ranges
from contextwright.compiler.noted import Noted
from contextwright.compiler.overflow import (
    Spare,
    enforce_budget,
    is_limited,
    spare_of_limit,
    step_behind,
)
from contextwright.compiler.plan import Plan
from contextwright.compiler.step_places import GRAIN
from contextwright.compiler.stood_for import gaps_between, places_among, spans_of
from contextwright.compiler.token_sums import SOURCE as LOGGED
from contextwright.errors import BudgetError
from contextwright.render.target import Target
from contextwright.session.event import Text
from contextwright.spec.inputs import Inputs
from contextwright.spec.log_part import Span
from contextwright.spec.terminal import Terminal

if TYPE_CHECKING:
    from contextwright.compiler.limit_note import LimitHistory

SOURCE = "left_out"
NOTE = "holds"
"""Names a note where no exchange is missing: a summary tells what was done."""
NAMES, TELLS = "names what is missing here", "tells what holds of what is not sent"
STEP = "left out"
"""What the manifest calls it where it counts steps."""
MOST = 8
"""Lines of a request. Where more is missing here and there, two gaps have one line, or four, or
eight: so lines move when there are twice as many, and not with each."""
NAMED = 8
"""Gaps that one line names one by one; of more it names the first and the last exchange."""
SHARE = 20
"""A limit of so many times a line's tokens keeps room for one, of twice as many for two. In a
smaller one a line stands where there is room: it must not cost what it only names."""
_LONGEST = ("e100000-e999999 (100000 exchanges)", "100000 exchanges")
"""A line's text with ids and without, as long as it gets where one gap has it."""

_STANDING = attrgetter("standing")
_SOURCE, _RAW = attrgetter("source"), Fidelity.RAW


def tells_left_out(planned: Plan, target: Target) -> bool:
    """Whether a request names what it leaves out: not where its spec is silent, or says nothing of
    the conversation, and not where the provider itself keeps what is not sent."""
    if planned.is_silent or not target.takes_messages or not planned.stands_on_conversation:
        return False
    return target.sources is None or not target.sources.body.is_chained


def within_limit(
    room: BudgetState, assembled: Assembled, planned: Plan, target: Target
) -> tuple[Blocks, BudgetState]:
    """The blocks that fit, with a line wherever exchanges are missing; and the space, with what
    was left free for lines.

    Raises:
        BudgetError: as `enforce_budget`.
    """
    blocks, terminal = assembled.blocks, planned.terminal
    if not tells_left_out(planned, target):
        return enforce_budget(room, blocks, terminal), room
    missing = () if planned.view == "fold" else gaps(blocks, room.inputs)
    named = _room_with_lines(room, missing, blocks, planned)
    noted = _room_with_note(named, missing, blocks, planned)
    left, roomy = _left_in((noted, named, room), blocks, terminal)
    if roomy.note:  # it does not take the room of what the turn works with
        whole, inputs = _newest_whole(left, room.inputs), room.inputs
        if whole < inputs.snapshot.exchange_count - inputs.settled:
            others = _left_in((named, room), blocks, terminal)
            if _newest_whole(others[0], inputs) > whole:
                left, roomy = others
    gave_way = roomy.lines < noted.lines
    if gave_way:
        roomy = _with_free_room(roomy, left, noted.note)
    room = msgspec.structs.replace(room, tracer=roomy.tracer, gave_way=gave_way)
    if left is not blocks or planned.view == "fold":
        missing = gaps(left, room.inputs)
    full = noted if gave_way else roomy
    note = _note(roomy, full, blocks, left, planned, is_summarized=not missing)
    blocks = room.tracer.counted(STEP, left, _with_lines(left, missing, room, note))
    if roomy.lines != room.lines:
        room = msgspec.structs.replace(room, lines=roomy.lines, note=roomy.note)
    return blocks, room


def _left_in(
    rooms: Sequence[BudgetState], blocks: Blocks, terminal: Terminal | None
) -> tuple[Blocks, BudgetState]:
    """The blocks that fit into the first of these rooms that has one for what must stay: no line is
    worth a request. And that room."""
    *others, last = dict.fromkeys(rooms)
    for room in others:
        tried = msgspec.structs.replace(room, tracer=room.tracer.branch())
        try:
            return enforce_budget(tried, blocks, terminal), tried
        except BudgetError:
            continue
    return enforce_budget(last, blocks, terminal), last


def _newest_whole(left: Blocks, inputs: Inputs) -> int:
    """How many of the exchanges that have not settled are left as they came."""
    return sum(block.order >= inputs.settled and block.fidelity is _RAW for block in left)


def spare_tokens(room: BudgetState, assembled: Assembled, sent: Blocks, planned: Plan) -> Spare:
    """What exchanges to come may have, as they came and as they are sent, before the limit decides
    anything else of these blocks."""
    if planned.folds:
        return Spare(-room.over(sent))  # whether a step is due is the fold's to say
    if room.gave_way:
        return Spare(-1)  # what had no room may have some as soon as anything settles
    roomy = msgspec.structs.replace(room, fixed=room.fixed + room.lines)
    spare = spare_of_limit(roomy, assembled.blocks, planned.terminal)
    # in a small limit a line stands for which none was left free
    tokens = min(spare.tokens, -roomy.over(without_lines(sent)), -room.over(sent))
    if room.note:  # its room may be another from the next step on that there is without it
        roomy = msgspec.structs.replace(roomy, fixed=roomy.fixed - room.note)
        without = spare_of_limit(roomy, assembled.blocks, planned.terminal)
        tokens = min(tokens, without.tokens)
        spare = msgspec.structs.replace(spare, answers=spare.answers or without.answers)
    return msgspec.structs.replace(spare, tokens=tokens)


def without_lines(blocks: Blocks) -> Blocks:
    """The blocks that a limit left, to which lines were added."""
    return tuple(compress(blocks, map(SOURCE.__ne__, map(_SOURCE, blocks))))


def _room_with_lines(
    room: BudgetState, missing: tuple[Span, ...], blocks: Blocks, planned: Plan
) -> BudgetState:
    """The space with room for the lines that a limit will need, wherever a compile began to look:
    those of what words left out, and one for what the limit does.

    Args:
        missing: of the conversation among these blocks.
    """
    inputs, terminal = room.inputs, planned.terminal
    if planned.view == "fold":
        return room  # its note names what it leaves out
    spares = _spares_exchanges(terminal)
    if inputs.behind_step:  # what lies before is not missing, but was not looked at
        missing = tuple([gap for gap in missing if gap[0] >= inputs.start])
    if not missing and (spares or not is_limited(room, blocks, terminal)):
        return room
    line = _line_tokens(inputs)
    lines, most = not spares, _most_lines(room, line)
    if planned.view == "all":
        lines += len(missing)
    elif planned.view == "log":
        lines += sum(start >= inputs.start for start, _ in missing)
        if lines < most:
            inputs.unsure(STEP)  # there may be more before
    needed = min(lines, most) * line
    if not needed:
        return room
    return msgspec.structs.replace(room, fixed=room.fixed + needed, lines=needed)


def _room_with_note(
    room: BudgetState, missing: Sequence[Span], blocks: Blocks, planned: Plan
) -> BudgetState:
    """The space with room to tell what holds of what a step of the limit drops, and of what a
    window in tokens let go, too."""
    noted, snapshot = planned.noted, room.inputs.snapshot
    if not room.lines or noted is None or snapshot.has_summaries:
        return room
    tokens = room.inputs.count(_window_note(room, missing, noted)) if noted.window else 0
    standing = step_behind(_with_room(room, tokens), blocks, planned.terminal)
    if standing is not None:
        brought = _brought_before(standing[0].place, blocks, noted)
        with _history(room.limit, room, noted) as history:
            needed = history.room(*standing, _noted_inputs(room, noted), brought)
        tokens = max(tokens, needed)
    return _with_room(room, tokens)


def _with_room(room: BudgetState, tokens: int) -> BudgetState:
    """The space with so many tokens for a note."""
    if not tokens:
        return room
    fixed, lines = room.fixed + tokens, room.lines + tokens
    return msgspec.structs.replace(room, fixed=fixed, lines=lines, note=tokens)


class _Note(NamedTuple):
    """What holds of exchanges that are not sent; `behind` is the first of those that follow."""

    text: str
    behind: int


def _with_free_room(room: BudgetState, left: Blocks, most: int) -> BudgetState:
    """The space with what is free in it for a note that gave way, in whole parts of the limit."""
    grain = max(1, room.limit // GRAIN)
    return _with_room(room, max(0, min(most, -room.over(left) // grain * grain)))


def _note(
    room: BudgetState,
    full: BudgetState,
    blocks: Blocks,
    left: Blocks,
    planned: Plan,
    *,
    is_summarized: bool,
) -> _Note | None:
    """What holds of what a limit dropped or summarized, or a word let go to win room; None where
    nothing does, or there is no room.

    Args:
        full: the space with all that a note needs, which may be more than there is.
        blocks: those that the limit was given. left: those that it left.
        is_summarized: whether a summary tells what was done, and what is to be done.
    """
    noted, inputs = planned.noted, room.inputs
    if noted is None or not room.note:
        return None
    took_step = room.tracer.limit_steps > 0
    step = step_behind(full, blocks, planned.terminal) if took_step else None
    spans = gaps_between(list(spans_of(places_among(left))), inputs.snapshot.preamble)
    if step is not None:
        spans = [gap for gap in spans if gap[1] <= step[0].place]
    elif noted.window and left is blocks:
        text = _window_note(room, spans, noted)
        return _Note(text, spans[-1][1]) if text else None
    if not spans:
        return None
    place = spans[-1][1] if step is None else step[0].place
    brought, inputs = _brought_before(place, blocks, noted), _noted_inputs(room, noted)
    with _history(room.limit, room, noted) as history:
        note = partial(history.note, spans, place, full.note, inputs, brought, step=step)
        text = note(lists=not is_summarized, most=room.note)
    return _Note(text, spans[-1][1]) if text else None


def _window_note(room: BudgetState, missing: Sequence[Span], noted: Noted) -> str:
    """What holds of what a word let go that leaves so many tokens; empty where nothing does."""
    if not missing or not noted.window:
        return ""
    inputs, place = _noted_inputs(room, noted), missing[-1][1]
    with _history(noted.window, room, noted) as history:
        return history.note(missing, place, history.most, inputs)


def _brought_before(place: int, blocks: Blocks, noted: Noted) -> Blocks | None:
    """What words brought of the exchanges before a place, where a note tells only of that."""
    if not noted.as_brought:
        return None
    return tuple([block for block in blocks if 0 <= block.order < place])


def _noted_inputs(room: BudgetState, noted: Noted) -> Inputs:
    """The inputs of one who asks what words make of what is told."""
    return msgspec.structs.replace(room.inputs, mapping=noted.words)


def _history(limit: int, room: BudgetState, noted: Noted) -> AbstractContextManager["LimitHistory"]:
    from contextwright.compiler.limit_note import LimitHistory

    inputs = room.inputs
    shown = inputs.cost_id, inputs.agent, inputs.shows_refs, inputs.ports
    begin = partial(LimitHistory, limit, leaves_gaps=noted.window > 0)
    return inputs.memo.growing(("limit note", limit, noted, *shown), begin)


def _spares_exchanges(terminal: Terminal | None) -> bool:
    """Whether a limit may be held without dropping any: by a note, or by what other layers give."""
    if terminal is None:
        return False
    return terminal.layers is not None or True in map(_STANDING, terminal.stages)


def _most_lines(room: BudgetState, line: int) -> int:
    """Lines, of so many tokens each, for which a limit keeps room."""
    return min(MOST, room.limit // (SHARE * line))


def _line_tokens(inputs: Inputs) -> int:
    """Tokens of a line that says as much as one may."""

    def counted(_: str) -> int:
        return inputs.cost(_line(_LONGEST[not inputs.shows_refs], "", inputs))

    return inputs.memo.table("line tokens").remembered(inputs.cost_id, counted)


def _with_lines(
    blocks: Blocks, missing: tuple[Span, ...], room: BudgetState, note: _Note | None
) -> Blocks:
    """The blocks with a line wherever exchanges are missing, as many as there is room for; the
    first tells a note as well, which stands by itself where none is missing."""
    inputs, free = room.inputs, -room.over(blocks)
    if not missing:
        if note is None:
            return blocks
        line = _line("", NOTE, inputs, note.text)
        return _placed(blocks, {note.behind: line}) if inputs.cost(line) <= free else blocks
    grain, most = 1, max(1, _most_lines(room, _line_tokens(inputs)))
    while len(missing) > grain * most:
        grain *= 2
    lines: dict[int, Block] = {}
    for at in range(0, len(missing), grain):
        group = missing[at : at + grain]
        text, id = _text_of(group, inputs), f"x{group[0][0]}"
        line = _line(text, id, inputs, note.text if note is not None and not at else "")
        if not at and note is not None and inputs.cost(line) > free:
            line = _line(text, id, inputs)
        free -= inputs.cost(line)
        if free < 0:
            break
        lines[group[-1][1]] = line
    return _placed(blocks, lines) if lines else blocks


def gaps(blocks: Blocks, inputs: Inputs) -> tuple[Span, ...]:
    """The exchanges of the conversation that neither stand among the blocks nor are told by one
    that stands for others."""
    snapshot = inputs.snapshot
    sent = places_among(blocks)
    if len(sent) >= snapshot.exchange_count - snapshot.preamble:
        return ()  # all of it is sent
    places = list(spans_of(sent))
    lowered = [block for block in blocks if block.order < 0 or block.fidelity is not _RAW]
    shorter = [block for block in dict.fromkeys(lowered) if block.lineage]
    if shorter:
        spans = inputs.memo.each("stood for", shorter, lambda block: (*_stood_for(block, inputs),))
        places += chain.from_iterable(spans)
    missing = gaps_between(places, snapshot.preamble)  # what stays reaches to the newest
    return tuple([gap for gap in missing if not _is_orphan(*gap, inputs)])


def _is_orphan(start: int, stop: int, inputs: Inputs) -> bool:
    """Whether nothing is missing but a result without its call, which no request can have."""
    return stop - start == 1 and inputs.snapshot.exchanges(start, stop)[0].first.role == "tool"


def _stood_for(block: Block, inputs: Inputs) -> Iterator[Span]:
    """The exchanges in a block's lineage."""
    log = inputs.snapshot.log
    for name in in_ranges(block.lineage, log, inputs.memo):
        first, last = (log.position_of(id) for id in ends_of(name) or (name, name))
        if first is not None and last is not None:
            yield log.exchange_index(first), log.exchange_index(last) + 1


def _text_of(group: Sequence[Span], inputs: Inputs) -> str:
    """What a line says of neighbouring gaps."""
    count = sum(stop - start for start, stop in group)
    exchanges = f"{count} exchange{'s' if count > 1 else ''}"
    if not inputs.shows_refs:
        return exchanges
    if len(group) > NAMED:
        names = f"{_range((group[0][0], group[-1][1]), inputs)} in part"
    else:
        names = " ".join([_range(gap, inputs) for gap in group])
    return f"{names} ({exchanges})"


def _range(gap: Span, inputs: Inputs) -> str:
    places = dict.fromkeys((gap[0], gap[1] - 1))
    ends = [inputs.blocks(inputs.snapshot.exchanges(at, at + 1), LOGGED)[0] for at in places]
    return line_ids(ends[0], ends[-1])


def _line(text: str, id: str, inputs: Inputs, note: str = "") -> Block:
    marked = section("\n".join(filter(None, (text, note))), source=SOURCE, sign=inputs.sign)
    return Block(
        id=f"{SOURCE}:{id}",
        source=SOURCE,
        messages=(Message("user", (Text(text=marked),)),),
        trust=Trust.FOREIGN if note else Trust.OPERATOR,
        why=" and ".join(filter(None, (text and NAMES, note and TELLS))),
    )


def _placed(blocks: Blocks, lines: dict[int, Block]) -> Blocks:
    """Each line in front of the first exchange behind its gap that is sent."""
    waiting = sorted(lines, reverse=True)
    out: list[Block] = []
    for place, block in enumerate(blocks):
        if not waiting:
            return (*out, *blocks[place:])
        while waiting and block.messages and block.order >= waiting[-1]:
            out.append(lines[waiting.pop()])
        out.append(block)
    return tuple(out)
