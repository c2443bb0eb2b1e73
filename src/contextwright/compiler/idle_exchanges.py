"""Exchanges of which words in front of another make nothing, as the limit drops them whatever that
is (rules.md#horizon).

`C.compact()` in front of `C.dedup()` shortened all that there ever was, to tell which of it says
the same. What it leaves of an exchange that it shortens names where the whole of that one is, so
nothing else says the same, unless it quotes this. So what nobody quotes, and what says the same as
no other exchange as it came, or is so long that it is shortened in any case, may stand as it came:
the limit drops it, and that is written of it.

A compile that left some of them idle is taken where the limit dropped them all, and would have for
those behind them alone; else it is made anew with nothing idle.
"""

import re
from collections.abc import Iterator
from functools import partial
from itertools import chain, compress
from urllib.parse import unquote

from msgspec import structs

from contextwright.atoms.repeated_blocks import RepeatedTexts
from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.read_back_tools import is_reading
from contextwright.compiler.horizon import is_sure, mapping_of
from contextwright.compiler.mapped_log import mapped_exceeds
from contextwright.compiler.plan import Plan
from contextwright.compiler.request_decision import Fitted
from contextwright.compiler.step_near import FEWEST
from contextwright.compiler.token_sums import SOURCE
from contextwright.session.event import ToolCall
from contextwright.spec.expr import Atom, Chain, Pipe
from contextwright.spec.inputs import Inputs
from contextwright.spec.terminal import CompactLongTurn, CompactRunning, Drop, Terminal
from contextwright.spec.word_roles import Abstract, Recogniser

ENOUGH = 2
"""Limits that what has settled behind them takes, so that the limit drops them whatever they take:
what came since its newest step takes one of these at most."""
FIRST = 3
"""Limits that are looked at: some of what they hold says the same."""
_SPOKEN = re.compile(r"(?:event|artifact|state)://")
_QUOTED = re.compile(r"event://([A-Za-z0-9_.~%-]+)")
_PLAIN = re.compile(r"[A-Za-z0-9_.~-]+")


def idle_exchanges(planned: Plan, limit: int, inputs: Inputs) -> frozenset[int]:
    """Those of a compile that looks at everything; none where its spec has no such words.

    Args:
        limit: tokens of the whole request.
    """
    words, snapshot = _words(planned), inputs.snapshot
    first, stop = snapshot.preamble, min(inputs.settled, snapshot.exchange_count - 1)
    may = words is not None and snapshot.begins_log and not snapshot.has_summaries
    if words is None or not may or inputs.tells_sources or stop - first < FEWEST:
        return frozenset()
    ground = structs.replace(inputs, mapping=words[:1])
    newest = mapped_exceeds(FIRST * limit, stop, ground)
    if newest is None:
        return frozenset()
    floor = snapshot.turn_start(min(snapshot.turn, snapshot.log.turn_of(newest)))
    if floor - first < FEWEST:
        return frozenset()
    blocks = inputs.until(stop, SOURCE)
    awake = {*inputs.held_within(first, floor), *_spoken_of(blocks, inputs)}
    awake.update(_alike(blocks, words, inputs))
    return frozenset(range(first, floor)) - awake


def are_gone(idle: frozenset[int], fitted: Fitted, limit: int) -> bool:
    """Whether the limit dropped all of them, and would have whatever they take."""
    tried, drop, blocks = fitted.inputs, fitted.room.tracer.limit_drop, fitted.assembled.blocks
    if drop is None or not idle.isdisjoint(block.order for block in fitted.blocks):
        return False
    floor = max(idle) + 1
    behind = [block for block in blocks if floor <= block.order < tried.settled]
    if sum(map(tried.cost, behind)) <= ENOUGH * limit:
        return False
    return is_sure(floor, blocks, fitted.blocks, drop, tried)


def _words(planned: Plan) -> tuple[Abstract, Recogniser] | None:
    """The words of a spec that are these two, on all that was said, with nothing redacted, and a
    limit that drops the oldest and does nothing else to it."""
    body, terminal = planned.body, planned.terminal
    head = body.head if isinstance(body, Pipe) else None
    is_all = isinstance(body, Chain) or (isinstance(head, Atom) and head.traits.whole)
    if not is_all or planned.view != "all" or planned.every_redaction or planned.validations:
        return None
    match mapping_of(body):
        case (Abstract() as front, Recogniser() as word) if front.traits.maps:
            return (front, word) if _drops_alone(terminal) else None
        case _:
            return None


def _drops_alone(terminal: Terminal | None) -> bool:
    if terminal is None or terminal.layers is not None or terminal.order != "age":
        return False
    for stage in terminal.stages:
        if not isinstance(stage, CompactLongTurn | CompactRunning):  # of the running turn alone
            return isinstance(stage, Drop)
    return False


def _alike(blocks: Blocks, words: tuple[Abstract, Recogniser], inputs: Inputs) -> Iterator[int]:
    """The exchanges that say what another one does, as they came, and may after the first word."""
    front, word = words
    key_of = word.key_of(inputs)
    if key_of is None:
        return iter(range(blocks[0].order, blocks[-1].order + 1))
    make = partial(RepeatedTexts, key_of)
    with inputs.memo.growing(("alike as they came", word), make) as texts:
        texts.follow(blocks)
        alike = [blocks[place] for place in chain.from_iterable(texts.groups())]
    long = inputs.memo.table(("long", front, inputs.counter_id))
    is_long = partial(front.is_long, inputs=inputs)
    return (block.order for block in alike if not long.remembered(block, is_long))


def _spoken_of(blocks: Blocks, inputs: Inputs) -> Iterator[int]:
    """The exchanges that speak of refs, and those of which one does."""
    log, quoted = inputs.snapshot.log, set[str]()
    spoken = inputs.memo.map("speaks of refs", blocks, _with_refs)
    for block, texts in compress(zip(blocks, spoken, strict=True), spoken):
        yield block.order
        quoted.update(chain.from_iterable(map(_QUOTED.findall, texts)))
    for id in map(unquote, quoted):
        if (position := log.position_of(id)) is not None:
            yield log.exchange_index(position)
    if quoted:  # of an id with other signs nobody knows where it ends
        yield from [b.order for b in blocks if not all(map(_PLAIN.fullmatch, b.lineage))]


def _with_refs(block: Block) -> tuple[str, ...]:
    """What a block says, where it speaks of refs, or read one back."""
    calls = [part for m in block.messages for part in m.parts if isinstance(part, ToolCall)]
    texts = (block.plain_text, *[call.arguments for call in calls])
    speaks = any(map(_SPOKEN.search, texts)) or any(map(is_reading, calls))
    return texts if speaks else ()
