"""The steps of a conversation by their definition: every request from its first exchange, every
step over all exchanges. What `compiler.steps` does with what is new gives the same."""

from msgspec.structs import replace
from tests.compiler.history_from_scratch import HistoryFromScratch, ranks

from contextwright.blocks.protection import protection_of
from contextwright.compiler.steps import note_builder, origins
from contextwright.compiler.steps.decide import (
    EARLY,
    ENOUGH,
    LEAST,
    NOTE,
    NOTHING,
    RULES_SHARE,
    Decisions,
    _fresh,
    due_at,
    exchange_at,
    gain,
)
from contextwright.compiler.steps.exchange_features import about, calls_of, words_of
from contextwright.compiler.steps.fold import OFTEN
from contextwright.compiler.steps.forms import WORDS, in_place
from contextwright.compiler.steps.note import (
    BARE,
    FILES,
    FILES_FROM,
    INDEX,
    REQUESTS,
    SPOKEN,
    _forms,
    _is_json,
    _tell_files,
    _tell_task,
)
from contextwright.compiler.steps.note_block import FEW, SAFETY, note_block
from contextwright.compiler.steps.note_builder import UNTOLD, NoteBuilder, NoteScope
from contextwright.compiler.steps.note_pages import page_of, pages_line, pages_until
from contextwright.compiler.steps.note_requests import tell_requests
from contextwright.compiler.steps.note_rules import RULES_NOTE, note_for_rules, tell_what_holds
from contextwright.compiler.steps.note_todos import tell_todos
from contextwright.compiler.steps.repeats import HELD, LARGE, _output_units, _tokens
from contextwright.compiler.steps.word_weights import weighed
from contextwright.spec.saved_fold import NotePlan


def decisions_of(blocks, economy, inputs):
    """What holds for the request with these exchanges."""
    decisions, origin, known, newest = NOTHING, 0, 0, 0
    came, most = origins.logged_cost(inputs), origins.stretch(economy.space, inputs)
    for place in range(1, len(blocks) + 1):
        if place == len(blocks) or blocks[place].role == "assistant":
            before, begins = newest, sum(map(came, blocks[newest:place])) > most
            if begins:
                newest = place
                begins = sum(map(inputs.cost, blocks[before:place])) > economy.space
            if begins:
                known, origin = before, place
                pages = (0, known) if known else ()
                decisions = Decisions(upto=known, pages=pages, steps=place - 1)
            scope = known, economy, inputs
            due = -1 if begins else due_of(blocks[origin:place], economy, inputs)
            decisions = next_decisions(blocks[:place], decisions, *scope, due)
    return told(blocks, decisions, known, economy, inputs)


def due_of(blocks, economy, inputs):
    """Tokens above which a step is due, of the exchanges since steps began anew."""
    *before, newest = blocks
    turns = sum(block.role == "user" for block in before)
    if newest.role != "user" or not turns:
        return economy.space
    return due_at(economy, sum(map(inputs.cost, before)) // turns)


def next_decisions(blocks, decisions, known, economy, inputs, due):
    if tokens(blocks, decisions, inputs) > due:
        made = replace(folded(blocks, decisions, known, economy, inputs), checked=len(blocks))
        bare, short = replace(made, plan=None), made.upto <= FEW
        noted = told(blocks, made, known, economy, inputs) if short else made
        block = noted.note or note_block(blocks, made, made.steps, economy, inputs)
        if not short and block is not None:
            takes = made.plan.room + inputs.cost(block)
        else:
            takes = inputs.cost(noted.note) + SAFETY if noted.note is not None else 0
        if not takes:
            return bare
        stood_for = sum(inputs.cost(blocks[at]) for at in range(made.upto) if at not in made.held)
        if short and stood_for <= inputs.cost(noted.note):
            return replace(bare, upto=0, pages=())
        noted = replace(noted, plan=replace(made.plan, tokens=takes))
        fits = tokens(blocks, noted, inputs) - (SAFETY if short else 0) <= economy.space
        return noted if fits or tokens(blocks, bare, inputs) > economy.space else bare
    if economy.eager and (len(blocks) - decisions.checked) * OFTEN > len(blocks) - decisions.upto:
        made = shrunk(blocks, decisions, known, economy.prices, inputs) or decisions
        return replace(made, checked=len(blocks))
    return decisions


def tokens(blocks, decisions, inputs):
    note = decisions.plan.tokens if decisions.plan is not None else 0
    old = sum(inputs.cost(blocks[at]) for at in decisions.held if at < decisions.upto)
    newer = (
        exchange_at(blocks, at, decisions, inputs) for at in range(decisions.upto, len(blocks))
    )
    return note + old + sum(map(inputs.cost, newer))


def held_places(blocks, inputs):
    last = inputs.snapshot.exchanges(blocks[-1].order, blocks[-1].order + 1)[0]
    protection = protection_of(replace(inputs.snapshot, position=last.positions[-1] + 1))
    newest = len(blocks) - 1
    return frozenset(
        at
        for at, block in enumerate(blocks)
        if (block.role == "system" or protection.keep_reason(block))
        and (at < newest or not block.results or block.pinned or block.tier == 1)
    )


def repeated_places(blocks, known, inputs):
    """Exchanges from `known` on whose results a later one about the same holds."""
    return {
        at
        for at, block in enumerate(blocks)
        if at >= known
        and block.results
        and about(block)
        and _tokens(block, inputs) >= LARGE
        and any(holds(later, block) for later in blocks[at + 1 :])
    }


def holds(later, earlier):
    wanted, held = _output_units(earlier), _output_units(later)
    same_topic = not set(about(later)).isdisjoint(about(earlier))
    enough = len(wanted & held) * 100 >= HELD * len(wanted)
    return bool(later.results) and same_topic and bool(wanted) and enough


def shrunk(blocks, decisions, known, prices, inputs):
    repeated = repeated_places(blocks, known, inputs)
    best, decided, saved = 0, None, 0
    at_hand = range(decisions.upto, len(blocks))
    whole = sum(inputs.cost(exchange_at(blocks, at, decisions, inputs)) for at in at_hand)
    least = whole * EARLY // 100
    requests, rent, behind = 1, 0, inputs.cost(blocks[-1])
    rows, untold = set(decisions.shrunk), set(decisions.untold)
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
        (untold if form == "untold" else rows).add(at)
        saved += before - after
        if saved >= least and gain(rent, behind, prices) > best:
            best = gain(rent, behind, prices)
            decided = replace(
                decisions,
                shrunk=frozenset(rows),
                untold=frozenset(untold),
                steps=decisions.steps + 1,
            )
    return decided


def told(blocks, decisions, known, economy, inputs):
    """The decisions with the note that is sent, of what was there at its step."""
    plan, upto = decisions.plan, decisions.upto
    if plan is None or decisions.note is not None:
        return decisions
    then, held = blocks[: plan.stop], set(decisions.held)
    noted = [at for at in range(upto) if at not in held]
    content = note(scope_of(then, upto, held, known, economy, inputs), noted, plan.room)
    made = replace(
        decisions, **dict(zip(("forms", "index", "todos", "files"), content, strict=True))
    )
    return replace(made, note=note_block(blocks, made, plan.step, economy, inputs))


def scope_of(blocks, upto, held, known, economy, inputs):
    """What a note stands for, where each question looks at all exchanges."""
    past = HistoryFromScratch(blocks, repeated_places(blocks, known, inputs), known)
    page = page_of(economy.space)
    return NoteScope(blocks, len(blocks), upto, frozenset(held), past, inputs, page)


def folded(blocks, decisions, known, economy, inputs):
    held, last = held_places(blocks, inputs), len(blocks) - 1
    limits = tuple((at, limit) for at, limit in decisions.limits if at < last)
    held_tokens = sum(inputs.cost(blocks[at]) for at in held if at < last)
    fresh, cut = _fresh(blocks[last], economy.space - held_tokens, inputs)
    repeated = repeated_places(blocks, known, inputs)
    sizes = [
        inputs.cost(blocks[at])
        if at in held
        else inputs.cost(in_place(blocks[at], "untold" if at in repeated else "shrunk", inputs))
        for at in range(last)
    ]
    low = economy.space * economy.low // 100
    upto, tail = last, fresh
    while upto > 0 and tail + sizes[upto - 1] <= low * economy.tail // 100:
        upto -= 1
        tail += sizes[upto]
    newer = tail + sum(sizes[at] for at in held if at < upto)
    least = min(low * LEAST // 100, ENOUGH)
    most = min(RULES_NOTE, economy.space * RULES_SHARE // 100)
    if low - newer < most:
        scope = scope_of(blocks, upto, held, known, economy, inputs)
        least = max(least, note_for_rules(scope, most))
    noted = [at for at in range(upto) if at not in held]
    stood_for = sum(inputs.cost(blocks[at]) for at in noted)
    newer = economy.space - least if newer > economy.space else newer
    room = min(min(max(low, newer + least), economy.space) - newer, stood_for) - NOTE // 4
    pages = ()
    if inputs.shows_refs:
        # where pages begin depends on the steps: an exchange that did not fit begins the next one
        pages = pages_until(blocks, upto, decisions.pages, decisions.upto, economy.space, inputs)
        room -= inputs.count(pages_line(blocks, upto, pages, economy.space, inputs))
    return Decisions(
        upto=upto,
        held=tuple(sorted(held)),
        pages=pages,
        shrunk=frozenset(at for at in range(upto, last) if at not in repeated and at not in held),
        untold=frozenset(at for at in range(upto, last) if at in repeated and at not in held),
        limits=(*((at, n) for at, n in limits if at >= upto), *(((last, cut),) if cut else ())),
        steps=decisions.steps + 1,
        plan=NotePlan(len(blocks), decisions.steps + 1, max(0, room), 0),
    )


def note(scope, noted, room):
    """What a note tells in so many tokens. What holds and what was asked for goes by what the
    history answers; all else is tried one after the other."""
    blocks, upto, inputs = scope.blocks, scope.upto, scope.inputs
    if room <= 0 or not noted:
        return (), (), (), ()
    made, known = NoteBuilder(scope, room), scope.history.known
    used = ranks(blocks, known)
    order = sorted(noted, key=used.__getitem__)
    near = {at for at in noted if -used[at][0] >= upto - note_builder.REACH and at >= known}
    outdated = {at for at in noted if scope.is_outdated(at)}
    near -= {at for at in outdated if not words_of(blocks[at]).strip()}
    repeated = {at for at in noted if scope.is_repeated(at)} | outdated
    tell_what_holds(made, room)
    todos = tell_todos(made, room)
    tell_requests(made, room * REQUESTS // 100)
    near -= made.silent
    files = _tell_files(made, max(0, made.left - FILES_FROM) * FILES // 100)
    in_files = made.in_files
    index_tokens = made.left * INDEX // 100
    made.left -= index_tokens
    _tell_task(made, room)
    least = made.left * (100 - BARE) // 100
    for at in order:
        is_new = at in near and at not in made.forms and made.left >= note_builder.LEAST
        if (is_new or made.forms.get(at) in UNTOLD[1:]) and made.left > least:
            untold = at in in_files or at in outdated
            made.put(at, "bare" if blocks[at].results and not untold else "line")
    before = set(made.forms)
    for at in order:
        is_new = at in near and made.left >= note_builder.LEAST
        if made.forms.get(at) == "whole" or not (is_new or at in made.forms):
            continue
        if at in made.forms and at not in before:  # what told the end of a request
            continue
        for form in ("line",) if at in repeated or at in in_files else _forms(blocks[at]):
            if made.forms.get(at) == form or made.put(at, form):
                break
    for at in order:
        if (
            made.forms.get(at) == "short"
            and at not in repeated | in_files
            and not _is_json(blocks[at])
        ):
            made.put(at, "whole")
    shown = [made.entry(at, form).text for at, form in sorted(made.forms.items())]
    shown += [text for _, text in (*todos, *files)]
    shown += rest_of_request(blocks, noted, inputs)
    free = index_tokens + made.left
    index = index_of(blocks, upto, "\n".join(shown), free, known, inputs)
    made.left = free - sum(inputs.count(f" {word}") for word, _ in index)
    rest = [at for at in order if at in near or at in made.forms]
    fill(made, [at for at in rest if at not in repeated | in_files])
    told = (tuple(one for one, _ in pairs) for pairs in (todos, files))
    return tuple(sorted(made.forms.items())), index, *told


def rest_of_request(blocks, noted, inputs):
    """What the request says outside of a note."""
    preamble = inputs.snapshot.exchanges(0, inputs.snapshot.preamble)
    instruction = [block.plain_text for block in inputs.blocks(preamble, "system")]
    others = [block for at, block in enumerate(blocks) if at not in noted]
    texts = [text for one in others for text in (one.plain_text, *arguments(one))]
    return [*instruction, *texts]


def arguments(block):
    return [call.arguments for call in calls_of(block)]


def fill(made, order):
    if any(made.block(at).results for at in made.forms):
        present = sum(made.entry(at, form).tokens for at, form in made.forms.items())
        made.left = min(made.left, SPOKEN - present)
    for form in WORDS:
        before = set(made.forms)
        for at in order:
            is_new = at in made.forms and at not in before
            has_room = made.left >= (1 if at in made.forms else note_builder.LEAST)
            if has_room and made.forms.get(at) != "whole" and not is_new:
                made.put(at, form)


def index_of(blocks, upto, shown, room, known, inputs):
    weights, first = {}, {}
    for at in range(known, upto):
        for word, share in weighed(blocks[at]):
            first.setdefault(word, at)
            weights[word] = weights.get(word, 0) + share * (upto + at)
    index = []
    for word, _ in sorted(weights.items(), key=lambda pair: (-pair[1], pair[0])):
        if word in shown:
            continue
        room -= inputs.count(" " + word)
        if room < 0:
            break
        index.append((word, first[word]))
    return tuple(index)
