"""When a step is due, and what it decides. Pure: the same exchanges and budget, the same step.

Whether to shorten early is a question of rent or buy. Tokens that stay are paid for in every
request (rent, at the price of a cached token); shortening them makes the cache read anew all that
stands behind (buy). It is bought once the rent that was paid, from the request on that showed each
first, passes the price: for one set of results that is never more than twice what the best
foresight would pay, and one request's rent (Karlin et al. 1988, ski rental), plus what is paid
until it is looked at.
"""

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.compiler.steps.forms import FORMS, NoteEntry, entry, in_place, limited
from contextwright.compiler.steps.usage import Superseded, index_of, last_used
from contextwright.spec.inputs import Inputs
from contextwright.text.json_rows import loaded

TAIL = 15
"""Percent of what a step goes down to for the newest exchanges, which stay in their places."""
LEAST = 70
"""Percent of it that a note may have, whatever stays in its place."""
ENOUGH = 700
"""Tokens of a note that are enough where what stays in its place takes the rest."""
INDEX = 50
"""Percent of a note for the identifiers of what it does not tell."""
BARE = 60
"""Percent of a note for each exchange in its fewest words, before any is told in more."""
FIRST = 15
"""Percent of a note up to which the task's first words stand in it whole."""
NOTE = 160
"""Tokens that a note may need at least."""
RESULT = 48
"""Tokens that each result of the newest exchange keeps at least where it is cut here."""
SPOKEN = 300
"""Tokens of a note up to which the assistant's words get what identifiers and results did not
need. With 500, recorded tool sessions cost 3 percent more for no call more that can be answered."""
READ = 10
"""Percent of a token's price at which a cache reads it (OpenAI, Anthropic)."""


class Decisions(msgspec.Struct, frozen=True):
    """What holds until the next step. Places count the exchanges of the conversation.

    Args:
        upto: exchanges before this one are told in a note, but for those that are held.
        held: places before `upto` that stay as they are.
        forms: place and form of what the note tells. index: identifiers of what it does not.
        shrunk, untold: places behind it whose results are rows, or are left to later ones.
        limits: place and tokens of results that had no room.
        steps: how many steps there were.
        checked: exchanges there were when shortening early was looked at last.
        note: what stands for the exchanges before `upto`, made of those at this step.
    """

    upto: int = 0
    held: tuple[int, ...] = ()
    forms: tuple[tuple[int, str], ...] = ()
    index: tuple[str, ...] = ()
    shrunk: frozenset[int] = frozenset()
    untold: frozenset[int] = frozenset()
    limits: tuple[tuple[int, int], ...] = ()
    steps: int = 0
    checked: int = 0
    note: Block | None = None


NOTHING = Decisions()


class Economy(msgspec.Struct, frozen=True):
    """What a step has to go by.

    Args:
        space: tokens that exchanges and note may have together.
        low: percent of it that a step goes down to.
        eager: whether results are shortened before that, where it pays.
    """

    space: int
    low: int
    eager: bool


def exchange_at(blocks: Blocks, at: int, decisions: Decisions, inputs: Inputs) -> Block:
    """An exchange as it stands in its place."""
    block = blocks[at]
    for place, limit in decisions.limits:
        if place == at:
            return limited(block, limit, inputs)
    if at in decisions.held:
        return block
    if at in decisions.untold:
        return in_place(block, "untold", inputs)
    return in_place(block, "shrunk", inputs) if at in decisions.shrunk else block


def plan_shrink(
    blocks: Blocks, decisions: Decisions, economy: Economy, repeats: Superseded, inputs: Inputs
) -> Decisions | None:
    """Results from some exchange on in short, where that pays; None where it does not."""
    repeated = repeats.within(blocks, decisions.upto, inputs)
    best, decided = 0, None
    requests, rent, behind = 1, 0, inputs.cost(blocks[-1])
    shrunk, untold = set(decisions.shrunk), set(decisions.untold)
    for at in range(len(blocks) - 2, decisions.upto - 1, -1):
        requests += blocks[at + 1].role == "assistant"
        before = inputs.cost(exchange_at(blocks, at, decisions, inputs))
        form = "untold" if at in repeated else "shrunk"
        after = min(before, inputs.cost(in_place(blocks[at], form, inputs)))
        if at in decisions.held or blocks[at].failed:
            after = before
        behind += after
        if after == before:
            continue
        rent += (before - after) * requests
        (untold if form == "untold" else shrunk).add(at)
        if (won := gain(rent, behind)) > best:
            best = won
            decided = msgspec.structs.replace(
                decisions,
                shrunk=frozenset(shrunk),
                untold=frozenset(untold),
                steps=decisions.steps + 1,
            )
    return decided


def gain(rent: int, behind: int) -> int:
    """How far the rent that was paid passes the price, in hundredths of a token's price.

    Args:
        rent: tokens that stayed, once for each request that showed them.
        behind: tokens that the cache would read anew.
    """
    return READ * rent - (100 - READ) * behind


def plan_fold(
    blocks: Blocks,
    held: frozenset[int],
    decisions: Decisions,
    economy: Economy,
    repeats: Superseded,
    inputs: Inputs,
) -> Decisions:
    """All older exchanges in one note, written anew; what is newer in short, but for the newest,
    which no request has shown yet. Only where that has no room it is cut."""
    last = len(blocks) - 1
    limits = tuple((at, tokens) for at, tokens in decisions.limits if at < last)
    held_tokens = sum(inputs.cost(blocks[at]) for at in held if at < last)
    fresh, cut = _fresh(blocks[last], economy.space - held_tokens, inputs)
    repeated = repeats.within(blocks, 0, inputs)
    sizes = [
        inputs.cost(blocks[at])
        if at in held
        else inputs.cost(in_place(blocks[at], "untold" if at in repeated else "shrunk", inputs))
        for at in range(last)
    ]
    low = economy.space * economy.low // 100
    upto = _tail_start([*sizes, fresh], low * TAIL // 100)
    newer = sum(sizes[upto:]) + fresh + sum(sizes[at] for at in held if at < upto)
    least = min(low * LEAST // 100, ENOUGH)
    room = min(max(low, newer + least), economy.space) - newer - NOTE // 4
    noted = [at for at in range(upto) if at not in held]
    forms, index = _note(blocks, noted, upto, room, repeated, inputs)
    return Decisions(
        upto=upto,
        held=tuple(sorted(held)),
        forms=forms,
        index=index,
        shrunk=frozenset(at for at in range(upto, last) if at not in repeated and at not in held),
        untold=frozenset(at for at in range(upto, last) if at in repeated and at not in held),
        limits=(*((at, n) for at, n in limits if at >= upto), *(((last, cut),) if cut else ())),
        steps=decisions.steps + 1,
    )


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


def _tail_start(sizes: list[int], room: int) -> int:
    """The first of the newest exchanges that fit; the last one always."""
    at = len(sizes) - 1
    taken = sizes[at]
    while at > 0 and taken + sizes[at - 1] <= room:
        at -= 1
        taken += sizes[at]
    return at


class _NoteBuilder:
    """A note in the making: forms for exchanges while there is room."""

    def __init__(self, blocks: Blocks, room: int, inputs: Inputs) -> None:
        self.blocks, self.inputs = blocks, inputs
        self.left = room
        self.forms: dict[int, str] = {}

    def entry_at(self, at: int) -> NoteEntry | None:
        form = self.forms.get(at)
        return entry(self.blocks[at], form, self.inputs) if form is not None else None

    def put(self, at: int, form: str) -> bool:
        """Tell it so, if there is room."""
        known = self.entry_at(at)
        more = entry(self.blocks[at], form, self.inputs).tokens - (known.tokens if known else 0)
        if more > self.left:
            return False
        self.left -= more
        self.forms[at] = form
        return True


def _note(
    blocks: Blocks, noted: list[int], upto: int, room: int, repeated: set[int], inputs: Inputs
) -> tuple[tuple[tuple[int, str], ...], tuple[str, ...]]:
    """Forms of what the note tells, and identifiers of the rest."""
    if room <= 0 or not noted:
        return (), ()
    index_tokens = room * INDEX // 100
    note, used = _NoteBuilder(blocks, room - index_tokens, inputs), last_used(blocks)
    order = sorted(noted, key=lambda at: (-used[at], at))
    first = next((at for at in noted if blocks[at].role == "user"), None)
    if first is not None:
        short = entry(blocks[first], "whole", inputs).tokens * 100 <= FIRST * room
        note.put(first, "whole" if short else "line")
    least = note.left * (100 - BARE) // 100
    for at in order:
        if at not in note.forms and note.left > least:
            note.put(at, "bare" if blocks[at].results else "line")
    for at in order:
        if note.forms.get(at) == "whole":
            continue
        for form in ("line",) if at in repeated else _forms(blocks[at]):
            if note.forms.get(at) == form or note.put(at, form):
                break
    for at in order:
        if note.forms.get(at) == "short" and at not in repeated and not _is_json(blocks[at]):
            note.put(at, "whole")
    shown = [entry(blocks[at], form, inputs).text for at, form in sorted(note.forms.items())]
    newer = [block.plain_text for block in blocks[upto:]]
    free = index_tokens + note.left
    index = index_of(blocks, upto, "\n".join((*shown, *newer)), free, inputs)
    note.left = free - sum(inputs.count(f" {word}") for word in index)
    _fill(note, [at for at in order if at not in repeated])
    return tuple(sorted(note.forms.items())), index


def _fill(note: _NoteBuilder, order: list[int]) -> None:
    """A talk is told in more than its first sentences. Where tools work, only up to a note that
    says something: room that nothing needs puts off the next step."""
    entries = [note.entry_at(at) for at in note.forms]
    if any(note.blocks[at].results for at in note.forms):
        note.left = min(note.left, SPOKEN - sum(one.tokens for one in entries if one))
    for form in FORMS[3:]:
        for at in order:
            if note.left > 0 and note.forms.get(at) != "whole":
                note.put(at, form)


def _forms(block: Block) -> tuple[str, ...]:
    """What is tried, the most words first."""
    if not block.results:
        return ("whole", "line") if block.role == "user" else ("line",)
    return tuple(reversed(FORMS[:3]))


def _is_json(block: Block) -> bool:
    return all(loaded(result.text) is not None for result in block.results)
