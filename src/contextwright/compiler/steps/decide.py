"""When a step is due, and what it decides. Pure: the same exchanges and budget, the same step.

Whether to shorten early is a question of rent or buy. Tokens that stay are paid for in every
request (rent, at the price of a cached token); shortening them makes the cache write anew all that
stands behind, and the model think anew what was bound to its prefix (buy). It is bought once the
rent that was paid, from the request on that showed each first, passes the price: for one set of
results that is never more than twice what the best foresight would pay, and one request's rent
(Karlin et al. 1988, ski rental), plus what is paid until it is looked at. The prices are the
model's.
"""

from collections.abc import Callable, Collection, Sequence
from operator import is_not
from typing import NamedTuple

import msgspec

from contextwright.blocks.block import Block
from contextwright.compiler.steps.file_states import ToldFile
from contextwright.compiler.steps.forms import in_place, limited
from contextwright.compiler.steps.history import History
from contextwright.compiler.steps.note_builder import NoteScope
from contextwright.compiler.steps.note_pages import Pages, page_of, pages_line, pages_until
from contextwright.compiler.steps.note_rules import RULES_NOTE, note_for_rules
from contextwright.compiler.steps.note_todos import ToldTodos
from contextwright.compiler.steps.repeats import Superseded
from contextwright.session.event import Thinking
from contextwright.spec.inputs import Inputs
from contextwright.spec.saved_fold import NotePlan
from contextwright.spec.terminal import FoldHistory
from contextwright.tokens.model_rules import StepPrices

EARLY = 10
"""Percent of the exchanges that are looked at which shortening early must save. What saves less
hardly pays for its risk: all that there was in a recorded coding session, 9 percent, cost .8
percent more than it saved. With 20, long service sessions save 23 percent instead of 26."""
FREED = 25
"""Percent of what a step frees when it must that one at the beginning of a turn frees at least."""
TAIL = 15
"""Percent of what a step goes down to for the newest exchanges, which stay in their places."""
CACHED = 1_024
"""Tokens of a limit from which on a provider's cache may keep a prefix (OpenAI's least; some models
of others want more). Below, a step more costs nothing, so each frees little."""
UNCACHED_LOW, UNCACHED_TAIL = 85, 60
"""What `low` is at least, and `TAIL`, below that. With 47 and 15 a small model found the next call
of short recorded sessions, at half of their tokens, at -1.12 nats a token, with these at -.89."""
LEAST = 70
"""Percent of it that a note may have, whatever stays in its place."""
ENOUGH = 700
"""Tokens of a note that are enough where what stays in its place takes the rest, and little holds
on that it stands for."""
RULES_SHARE = 60
"""Percent of the space that a note may have where so much holds on."""
NOTE = 160
"""Tokens that a note may need at least."""
RESULT = 48
"""Tokens that each result of the newest exchange keeps at least where it is cut here."""


class Decisions(msgspec.Struct, frozen=True):
    """What holds until the next step. Places count the exchanges of the conversation.

    Args:
        upto: exchanges before this one are told in a note, but for those that are held.
        held: places before `upto` that stay as they are.
        forms: place and form of what the note tells. index: identifiers of what it does not, each
            with the exchange that says it first. todos: lists of what is to be done.
        files: what files hold by now.
        pages: places with which the parts begin in which all of it can be read.
        shrunk, untold: places behind it whose results are rows, or are left to later ones.
        limits: place and tokens of results that had no room.
        steps: how many steps there were.
        checked: exchanges there were when shortening early was looked at last.
        plan: what the note of the exchanges before `upto` may take; None where there is none.
        note: that note, with `forms`, `index`, `todos` and `files`, once it is sent.
    """

    upto: int = 0
    held: tuple[int, ...] = ()
    forms: tuple[tuple[int, str], ...] = ()
    index: tuple[tuple[str, int], ...] = ()
    todos: tuple[ToldTodos, ...] = ()
    files: tuple[ToldFile, ...] = ()
    pages: Pages = ()
    shrunk: frozenset[int] = frozenset()
    untold: frozenset[int] = frozenset()
    limits: tuple[tuple[int, int], ...] = ()
    steps: int = 0
    checked: int = 0
    plan: NotePlan | None = None
    note: Block | None = None


NOTHING = Decisions()


class Economy(msgspec.Struct, frozen=True):
    """What a step has to go by.

    Args:
        space: tokens that exchanges and note may have together.
        low: percent of it that a step goes down to.
        eager: whether results are shortened before that, where it pays.
        prices: of staying, and of moving what a cache has.
        tail: percent of what is left then that the newest exchanges may have, in their places.
    """

    space: int
    low: int
    eager: bool
    prices: StepPrices = StepPrices()
    tail: int = TAIL


def economy_of(space: int, limit: int, stage: FoldHistory, prices: StepPrices) -> Economy:
    """What the steps of a stage have to go by.

    Args:
        space: tokens that exchanges and note may have. limit: of the whole request.
    """
    if limit >= CACHED:
        return Economy(space, stage.low, stage.eager, prices)
    return Economy(space, max(stage.low, UNCACHED_LOW), stage.eager, prices, UNCACHED_TAIL)


def exchange_at(blocks: Sequence[Block], at: int, decisions: Decisions, inputs: Inputs) -> Block:
    """An exchange as it stands in its place. Behind a note JSON comes without its blanks from its
    first sending on, when no cache has it yet: so what a step frees lasts longer."""
    block = blocks[at]
    for place, limit in decisions.limits:
        if place == at:
            return limited(block, limit, inputs)
    if at in decisions.held:
        return block
    if at in decisions.untold:
        return in_place(block, "untold", inputs)
    if at in decisions.shrunk:
        return in_place(block, "shrunk", inputs)
    return in_place(block, "minified", inputs) if 0 < decisions.upto <= at else block


class Saving(NamedTuple):
    """What an exchange in a form saves.

    Args:
        at: its place. form: `shrunk` or `untold`. tokens: what it saves in each request.
        answers: messages of the assistant from the first exchange that is looked at up to it.
        ahead: tokens of the exchanges from that first one on that stand in front of it.
    """

    at: int
    form: str
    tokens: int
    answers: int
    ahead: int


class Costs:
    """Tokens of exchanges in their places, as they are and in short, while the same is decided.
    They grow at their end: what would be saved is asked for at nearly every request."""

    def __init__(self) -> None:
        self._decided: tuple[object, ...] = ()
        self._costs: dict[tuple[int, str], tuple[int, int]] = {}
        self._begin(0, 0)

    def _begin(self, start: int, held: int) -> None:
        self._start, self._held, self._at = start, held, start
        self._answers = self._tokens = 0
        self._savings: list[Saving] = []

    def savings(
        self, blocks: Sequence[Block], stop: int, decisions: Decisions, repeats: Superseded,
        inputs: Inputs,
    ) -> tuple[list[Saving], int, int]:  # fmt: skip
        """What the exchanges of a request that its note does not tell would save in short, the
        oldest first; how many of them the assistant's are, and their tokens in short. All but the
        newest, which ends before `stop`."""
        known, held = self._decided, repeats.held_before(stop)
        self._follow(decisions)
        if (
            self._decided is not known
            or (decisions.upto, held) != (self._start, self._held)
            or stop <= self._at
        ):
            self._begin(decisions.upto, held)
        for at, block in enumerate(blocks[self._at : stop - 1], self._at):
            form = "untold" if repeats.is_repeated(at, stop) else "shrunk"
            before, after = self._of(blocks, at, form, decisions, inputs)
            self._answers += block.role == "assistant"
            if after != before:
                saving = Saving(at, form, before - after, self._answers, self._tokens)
                self._savings.append(saving)
            self._tokens += after
        self._at = max(self._at, stop - 1)
        return self._savings, self._answers, self._tokens

    def _follow(self, decisions: Decisions) -> None:
        decided = decisions.shrunk, decisions.untold, decisions.limits, decisions.held
        if any(map(is_not, decided, self._decided)) or not self._decided:
            self._decided = decided
            self._costs.clear()

    def _of(
        self, blocks: Sequence[Block], at: int, form: str, decisions: Decisions, inputs: Inputs
    ) -> tuple[int, int]:
        """Tokens of an exchange as it stands, and in a form, which are never more."""
        costs = self._costs.get((at, form))
        if costs is None:
            before = after = inputs.cost(exchange_at(blocks, at, decisions, inputs))
            if not (at in decisions.held or blocks[at].failed):
                after = min(before, inputs.cost(in_place(blocks[at], form, inputs)))
            costs = self._costs[at, form] = before, after
        return costs


def weigh_newest(
    blocks: Sequence[Block],
    stop: int,
    decisions: Decisions,
    repeats: Superseded,
    costs: Costs,
    inputs: Inputs,
) -> None:
    """Find out now what `plan_shrink` will ask for of the newest exchanges before `stop`."""
    repeats.grow(blocks, decisions.upto, stop, inputs)
    costs.savings(blocks, stop, decisions, repeats, inputs)


def plan_shrink(
    blocks: Sequence[Block],
    stop: int,
    decisions: Decisions,
    repeats: Superseded,
    costs: Costs,
    prices: StepPrices,
    inputs: Inputs,
) -> Decisions | None:
    """Results from some exchange on in short, where that pays for a request with the exchanges
    before `stop`; None where it does not. The first edit takes out all reasoning that is bound to
    its prefix, and pays for it."""
    repeats.grow(blocks, decisions.upto, stop, inputs)
    best, best_at = 0, -1
    if prices.reasoning and not decisions.steps:
        best = prices.reasoning * sum(_reasoning(block, inputs) for block in blocks[:stop])
    last = blocks[stop - 1]
    savings, answers, tokens = costs.savings(blocks, stop, decisions, repeats, inputs)
    answers += last.role == "assistant"
    tokens, rent, saved = tokens + inputs.cost(last), 0, 0
    least = (tokens + sum(saving.tokens for saving in savings)) * EARLY // 100
    for saving in reversed(savings):
        rent += saving.tokens * (1 + answers - saving.answers)
        saved += saving.tokens
        won = gain(rent, tokens - saving.ahead, prices)
        if won > best and saved >= least:
            best, best_at = won, saving.at
    if best_at < 0:
        return None
    decided = [saving for saving in savings if saving.at >= best_at]
    return msgspec.structs.replace(
        decisions,
        shrunk=decisions.shrunk.union(one.at for one in decided if one.form == "shrunk"),
        untold=decisions.untold.union(one.at for one in decided if one.form == "untold"),
        steps=decisions.steps + 1,
    )


def _reasoning(block: Block, inputs: Inputs) -> int:
    """Tokens that a model thought, about: of what it does not show, by its sealed form."""
    return sum(
        inputs.count(part.text) if part.text else len(part.signature or part.redacted) // 4
        for message in block.messages
        for part in message.parts
        if isinstance(part, Thinking)
    )


def gain(rent: int, behind: int, prices: StepPrices) -> int:
    """How far the rent that was paid passes the price, in hundredths of a token's price.

    Args:
        rent: tokens that stayed, once for each request that showed them.
        behind: tokens that the cache would write anew.
    """
    return prices.read * rent - (prices.write - prices.read) * behind


def due_at(economy: Economy, turn: int) -> int:
    """Tokens above which a step is due where a turn begins.

    Args:
        turn: tokens that a turn took so far, in the mean. One that takes more than a step frees has
            a step in any case: at its beginning, where what was done is done, rather than in its
            middle, among results that it works with. So the step comes as soon as it frees enough.
    """
    frees = economy.space * (100 - economy.low) // 100
    return economy.space - (frees * (100 - FREED) // 100 if turn > frees else 0)


def plan_fold(
    blocks: Sequence[Block],
    stop: int,
    decisions: Decisions,
    economy: Economy,
    history: History,
    inputs: Inputs,
) -> Decisions:
    """All older exchanges of a request with those before `stop` in one note, written anew; what
    is newer in short, but for the newest, which no request has shown yet. Only where that has no
    room it is cut. What the note has room for is planned, not told."""
    history.grow(blocks, stop)
    history.repeats.grow(blocks, 0, stop, inputs)
    held, last = history.held(blocks, inputs), stop - 1
    limits = tuple((at, tokens) for at, tokens in decisions.limits if at < last)
    held_tokens = sum(inputs.cost(blocks[at]) for at in held if at < last)
    fresh, cut = _fresh(blocks[last], economy.space - held_tokens, inputs)

    def form(at: int) -> str:
        return "untold" if history.repeats.is_repeated(at, stop) else "shrunk"

    def size(at: int) -> int:
        block = blocks[at]
        return inputs.cost(block if at in held else in_place(block, form(at), inputs))

    low = economy.space * economy.low // 100
    upto, tail = _tail_start(last, fresh, low * economy.tail // 100, size)
    newer = tail + sum(inputs.cost(blocks[at]) for at in held if at < upto)
    least = min(low * LEAST // 100, ENOUGH)
    most = min(RULES_NOTE, economy.space * RULES_SHARE // 100)
    if low - newer < most:  # else what holds has its room anyhow
        scope = NoteScope(blocks, stop, upto, held, history, inputs, page_of(economy.space))
        least = max(least, note_for_rules(scope, most))
    if newer > economy.space:  # the newest is cut in any case: what holds stands beside the rest
        newer = economy.space - least
    room = min(max(low, newer + least), economy.space) - newer - NOTE // 4
    room = min(room, _stood_for(blocks, upto, held, room, inputs) - NOTE // 4)
    pages: Pages = ()
    if inputs.shows_refs:
        pages = pages_until(blocks, upto, decisions.pages, decisions.upto, economy.space, inputs)
        room -= inputs.count(pages_line(blocks, upto, pages, economy.space, inputs))
    short = [at for at in range(upto, last) if at not in held]
    return Decisions(
        upto=upto,
        held=tuple(sorted(held)),
        pages=pages,
        shrunk=frozenset(at for at in short if form(at) == "shrunk"),
        untold=frozenset(at for at in short if form(at) == "untold"),
        limits=(*((at, n) for at, n in limits if at >= upto), *(((last, cut),) if cut else ())),
        steps=decisions.steps + 1,
        plan=NotePlan(stop, decisions.steps + 1, max(0, room), 0),
    )


def _stood_for(
    blocks: Sequence[Block], upto: int, held: Collection[int], enough: int, inputs: Inputs
) -> int:
    """Tokens of what a note stands for, or `enough` and more: one that took more would be no
    shortening (rules.md#it-must-pay)."""
    tokens = 0
    for at in reversed(range(upto)):
        if tokens > enough + NOTE:
            break
        tokens += 0 if at in held else inputs.cost(blocks[at])
    return tokens


def _fresh(block: Block, space: int, inputs: Inputs) -> tuple[int, int]:
    """Tokens of the newest exchange, and what its results are cut to where it has no room."""
    whole = inputs.cost(block)
    if whole <= space or not block.results:
        return whole, 0
    texts = sum(inputs.count(result.text) for result in block.results)
    room = space - NOTE - max(0, whole - texts)
    if room < len(block.results) * RESULT:
        return whole, 0  # what is held leaves no room: the budget's last stages shorten that first
    limit = max(1, room // len(block.results) - 16)
    return inputs.cost(limited(block, limit, inputs)), limit


def _tail_start(last: int, fresh: int, room: int, size: Callable[[int], int]) -> tuple[int, int]:
    """The first of the newest exchanges that fit, the last one always; and their tokens."""
    at, taken = last, fresh
    while at > 0 and taken + (more := size(at - 1)) <= room:
        at -= 1
        taken += more
    return at, taken
