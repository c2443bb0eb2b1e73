"""The steps of a conversation by their definition: every request from its first exchange, every
step over all exchanges. What `compiler.steps` does with what is new gives the same."""

from collections import Counter
from itertools import pairwise

from msgspec.structs import replace

from contextwright.blocks.protection import protection_of
from contextwright.blocks.todo_states import calls_todo_tool
from contextwright.compiler.steps import history, note_builder, origins
from contextwright.compiler.steps.decide import (
    EARLY,
    ENOUGH,
    LEAST,
    NOTE,
    NOTHING,
    Decisions,
    _fresh,
    due_at,
    exchange_at,
    gain,
)
from contextwright.compiler.steps.directive_places import (
    SPEAKERS,
    directives_at,
    foreign_at,
    passed_over_at,
    remarks_at,
)
from contextwright.compiler.steps.exchange_features import (
    about,
    calls_of,
    identifiers,
    ids_in,
    words_of,
)
from contextwright.compiler.steps.file_states import ToldFile, file_states, told_file
from contextwright.compiler.steps.fold import OFTEN
from contextwright.compiler.steps.forms import WORDS, entry, in_place
from contextwright.compiler.steps.newer_calls import ACTION, subjects_of
from contextwright.compiler.steps.note import (
    BARE,
    FILE_SHARE,
    FILES,
    FILES_FROM,
    FIRST,
    INDEX,
    LEAST_FILE,
    REQUESTS,
    SPOKEN,
    _forms,
    _is_json,
)
from contextwright.compiler.steps.note_block import FEW, SAFETY, note_block
from contextwright.compiler.steps.note_builder import LASTING, LONGEST_REQUEST, UNTOLD
from contextwright.compiler.steps.note_pages import page_of, pages_line, pages_until
from contextwright.compiler.steps.note_requests import OUTCOMES
from contextwright.compiler.steps.note_rules import (
    LAST,
    LONG_RULE,
    MISSES,
    REMARKS_FROM,
    RULES_SPARED,
    SENTENCE,
    WORDINGS,
    directives_room,
)
from contextwright.compiler.steps.note_todos import (
    LEAST_SHARE,
    LEAST_TODOS,
    MANY,
    TODOS,
    ToldTodos,
    is_only_todo,
    states_at,
    told_todos,
)
from contextwright.compiler.steps.repeats import HELD, LARGE, _output_units, _tokens
from contextwright.compiler.steps.word_weights import weighed
from contextwright.spec.saved_fold import NotePlan
from contextwright.text.acknowledgement import begins_so
from contextwright.text.directives import directives
from contextwright.text.end_sentences import (
    ends_something,
    is_asked_in,
    is_news_of,
    label_of,
    names_in,
    proper_names,
    says_end,
    tells_of,
)
from contextwright.text.foreign_wordings import sounds_lasting
from contextwright.text.languages import is_foreign
from contextwright.text.search_terms import content_words


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


def outdated_places(blocks, known):
    """Exchanges from `known` on of which later ones say anew all that they say."""
    subjects = [subjects_of(block) for block in blocks]

    def says_anew(at, subject):
        newer = [one for one in range(at + 1, len(blocks)) if subject in subjects[one]]
        if blocks[at].failed:
            return bool(newer)
        return subject[0] != ACTION and any(not blocks[one].failed for one in newer)

    return {
        at
        for at in range(known, len(blocks))
        if subjects[at] and all(says_anew(at, subject) for subject in subjects[at])
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
    repeated = repeated_places(then, known, inputs)
    page = page_of(economy.space)
    outdated = outdated_places(then, known)
    content = note(then, noted, upto, plan.room, page, (repeated, outdated), known, inputs)
    made = replace(
        decisions, **dict(zip(("forms", "index", "todos", "files"), content, strict=True))
    )
    return replace(made, note=note_block(blocks, made, plan.step, economy, inputs))


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
    noted = [at for at in range(upto) if at not in held]
    stood_for = sum(inputs.cost(blocks[at]) for at in noted)
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


class Note:
    def __init__(self, blocks, noted, room, page, inputs):
        self.blocks, self.left, self.inputs, self.forms = blocks, room, inputs, {}
        self.noted = set(noted)
        self.page = page
        self.in_files = set()
        self.silent = set()

    def entry(self, at, form):
        return entry(self.blocks[at], form, self.inputs, self.page)

    def more(self, at, form):
        before = self.forms.get(at)
        return self.entry(at, form).tokens - (self.entry(at, before).tokens if before else 0)

    def put(self, at, form):
        more, end = self.more(at, form), None
        if form not in LASTING and self.forms.get(at) in UNTOLD:
            end = self.untold_end(at)
            more += self.more(end, "line") if end is not None else 0
        if more > self.left:
            return False
        self.left -= more
        self.forms[at] = form
        if end is not None:
            self.forms[end] = "line"
        return True

    def untold_end(self, at):
        end = self.end_of(at)
        return end if end in self.noted and self.forms.get(end) in UNTOLD else None

    def end_of(self, at, request=""):
        if self.blocks[at].role != "user":
            return None
        request = request or words_of(self.blocks[at])[:LONGEST_REQUEST]
        later = {
            place: words_of(block)
            for place, block in enumerate(self.blocks)
            if place > at and block.role in SPEAKERS
        }
        says = tells_of if (foreign := is_foreign(request)) else says_end
        ends = [n for n, text in later.items() if says(request, text, self.blocks[n].role)]
        names = {*names_in(request), *proper_names(request), *filter(None, [label_of(request)])}
        named = [n for n in ends if any(name in later[n].casefold() for name in names)]
        end = named[-1] if named else ends[0] if ends else None
        if foreign and ends:
            end = ends[-1]
        return end

    def put_with_news(self, at, form, room):
        news = self.news_of(at, form, self.entry(at, form).text.partition(": ")[2])
        is_untold = news in self.noted and self.forms.get(news) in UNTOLD
        more = [(at, form), *([(news, "line")] if is_untold else ())]
        tokens = sum(self.more(*pair) for pair in more)
        if tokens > min(room, self.left):
            return 0
        for pair in more:
            self.put(*pair)
        return tokens

    def news_of(self, at, form, words):
        blocks = self.blocks
        if blocks[at].role != "user":
            return None
        if form == "remark":
            end = self.end_of(at, words) if names_in(words) else None
            return end if end and names_in(words) & names_in(words_of(blocks[end])) else None
        worded = directives(words_of(blocks[at]))
        later = [
            place
            for place in range(at + 1 if worded else at + 2, len(blocks))
            if blocks[place].role in (("user",) if worded else SPEAKERS)
            and (
                is_news_of(words, words_of(blocks[place]))
                if worded
                else tells_of(words, words_of(blocks[place]), blocks[place].role)
            )
        ]
        return max(later, default=None)

    def ends_a_task(self, at):
        words = self.entry(at, "rule").text.partition(": ")[2]
        if self.blocks[at].role != "user" or not ends_something(words, "user"):
            return False
        users = (block for block in self.blocks[:at] if block.role == "user")
        return any(is_asked_in(words, words_of(block)) for block in users)


def names_of(block):
    return {*about(block), *(word for one in block.results for word in ids_in(one.text))}


def ranks(blocks, known):
    """Minus where each was used last, of how many the rarest name for it may be, its place."""
    newest, uses = {}, [0] * len(blocks)
    counts = Counter(name for block in blocks[known:] for name in names_of(block))
    for at in range(len(blocks) - 1, -1, -1):
        for key in about(blocks[at]) if at >= known else ():
            newest.setdefault(key, at)
        names = newest.keys() & names_of(blocks[at]) if at >= known else ()
        used = max([at, *(newest[name] for name in names)])
        rarest = (counts[name] for name in names if newest[name] == used)
        uses[at] = -used, min(rarest, default=0), at
    return uses


def note(blocks, noted, upto, room, page, later, known, inputs):
    (repeated, outdated), silent = later, {at for at in noted if not words_of(blocks[at]).strip()}
    if room <= 0 or not noted:
        return (), (), (), ()
    made, used = Note(blocks, noted, room, page, inputs), ranks(blocks, known)
    order = sorted(noted, key=used.__getitem__)
    near = {at for at in noted if -used[at][0] >= upto - note_builder.REACH and at >= known}
    near -= outdated & silent
    repeated = repeated | outdated
    users = [at for at in range(upto) if blocks[at].role == "user"][-history.REMARKS_REACH :]
    worded = [*reversed(lasting(blocks, noted, directives_at))][:WORDINGS]
    passed = [at for at in lasting(blocks, noted, passed_over_at) if at >= min(users)]
    usual = directives_room(room)
    more = directives_room(room, RULES_SPARED) - usual
    places = dict.fromkeys((*worded, *[*reversed(passed)][:WORDINGS]))
    left = tell_directives(made, places, usual, more)
    if room >= REMARKS_FROM:
        places = [at for at in lasting(blocks, noted, remarks_at) if at >= min(users)]
        foreign = [at for at in lasting(blocks, noted, foreign_at) if at >= min(users)]
        worded = {at for at in foreign if sounds_lasting(words_in(made, at))}
        left = tell_foreign(made, noted, [at for at in reversed(foreign) if at in worded], left)
        left = tell_remarks(made, reversed(places), left)
        tell_foreign(made, noted, [at for at in reversed(foreign) if at not in worded], left)
    todos, listed = tell_todos(made, noted, upto, room)
    tell_task_end(made, noted, known, inputs)
    tell_requests(made, noted, room * REQUESTS // 100)
    order = [at for at in order if at not in made.silent or at in made.forms]
    files, texts = tell_files(made, upto)
    in_files = made.in_files
    index_tokens = made.left * INDEX // 100
    made.left -= index_tokens
    first = next((at for at in noted if blocks[at].role == "user"), None)
    if first is not None:
        short = made.entry(first, "whole").tokens * 100 <= FIRST * room
        made.put(first, "whole" if short else "line")
    least = made.left * (100 - BARE) // 100
    for at in order:
        is_new = at in near and at not in made.forms and made.left >= note_builder.LEAST
        if (is_new or made.forms.get(at) == "remark") and made.left > least:
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
    shown += listed + texts
    shown += rest_of_request(blocks, noted, inputs)
    free = index_tokens + made.left
    index = index_of(blocks, upto, "\n".join(shown), free, known, inputs)
    made.left = free - sum(inputs.count(f" {word}") for word, _ in index)
    rest = [at for at in order if at in near or at in made.forms]
    fill(made, [at for at in rest if at not in repeated | in_files])
    return tuple(sorted(made.forms.items())), index, todos, files


def lasting(blocks, noted, wording_at):
    wordings = [wording_at(blocks, at, len(blocks)) for at in range(len(blocks))]
    return [at for at in noted if wordings[at] and wordings[at] not in wordings[at + 1 :]]


def rest_of_request(blocks, noted, inputs):
    """What the request says outside of a note."""
    preamble = inputs.snapshot.exchanges(0, inputs.snapshot.preamble)
    instruction = [block.plain_text for block in inputs.blocks(preamble, "system")]
    others = [block for at, block in enumerate(blocks) if at not in noted]
    texts = [text for one in others for text in (one.plain_text, *arguments(one))]
    return [*instruction, *texts]


def arguments(block):
    return [call.arguments for call in calls_of(block)]


def tell_files(made, upto):
    states = file_states(made.blocks, upto)
    room, files, texts = max(0, made.left - FILES_FROM) * FILES // 100, [], []
    for state in states if any(state.edited for state in states) else ():
        most = room * FILE_SHARE // 100
        if most < LEAST_FILE:
            break
        text = told_file(state, most, made.inputs.count)
        if text:
            files.append(ToldFile(state.at, state.call, most))
            texts.append(text)
            room -= made.inputs.count(text) + 1
            made.left -= made.inputs.count(text) + 1
            made.in_files |= state.sources
    return tuple(files), texts


def tell_todos(made, noted, upto, room):
    blocks, inputs = made.blocks, made.inputs
    every = [at for at, block in enumerate(blocks) if calls_todo_tool(block)]
    places = [at for at in every if at < upto]
    made.silent = {at for at in places if at in noted and is_only_todo(blocks[at])}
    newer = states_at(blocks, [at for at in every if at >= upto], inputs.agent)
    shown = {state.key for state in newer if state.whole}
    room = max(room * TODOS // 100, min(LEAST_TODOS, room * LEAST_SHARE // 100))
    todos, texts = [], []
    states = [
        state
        for state in states_at(blocks, places, inputs.agent)
        if state.key not in shown and not (state.whole and state.places[-1] not in noted)
    ]
    for state in states[:MANY]:
        told = ToldTodos(state.places, state.number, min(room, made.left) - 1)
        (text,) = told_todos((told,), blocks, made.page, inputs)
        if text:
            todos.append(told)
            texts.append(text)
            room -= inputs.count(text) + 1
            made.left -= inputs.count(text) + 1
    return tuple(todos), texts


def tell_directives(made, places, room, more):
    last, misses = [], 0
    room += more
    for at in places:
        if at in made.forms:
            continue
        if room < SENTENCE or misses == MISSES:
            break
        if not directives(words_of(made.blocks[at])) and made.end_of(at) is not None:
            continue  # what was only heard, and is over
        if made.entry(at, "rule").tokens > LONG_RULE or made.ends_a_task(at):
            last.append(at)
        elif taken := made.put_with_news(at, "rule", room):
            room -= taken
        else:
            misses += 1
    room = max(0, room - more)
    for at in last[:LAST]:
        room -= made.put_with_news(at, "rule", room)
    return room


def tell_remarks(made, places, room):
    misses = 0
    for at in list(places)[:WORDINGS]:
        if room < SENTENCE or misses == MISSES:
            break
        if made.more(at, "remark") <= 0:
            continue
        tokens = made.put_with_news(at, "remark", room)
        room, misses = room - tokens, misses + (not tokens)
    return room


def words_in(made, at):
    return made.entry(at, "remark").text.partition(": ")[2]


def tell_foreign(made, noted, places, room):
    """What a user said in another language than English, each with what came of it."""
    users, misses = [at for at, block in enumerate(made.blocks) if block.role == "user"], 0
    for at in places[:WORDINGS]:
        if room < SENTENCE or misses == MISSES:
            break
        if made.more(at, "remark") <= 0:
            continue
        following = min((one for one in users if one > at), default=len(made.blocks))
        ends, answer = set(), made.blocks[at + 1] if at + 2 == following in users else None
        is_heard = answer is not None and not answer.has_calls and begins_so(answer.plain_text)
        if not (is_heard and sounds_lasting(words_in(made, at))):
            if at < following - 1 and following - 1 in noted:
                ends.add(outcome(made, noted, at, following - 1))
        if (late := made.untold_end(at)) is not None:
            ends.add(late)
        ends = {one for one in ends if made.forms.get(one) in UNTOLD}
        tokens = made.more(at, "remark") + sum(made.more(one, "line") for one in ends)
        if tokens > room:
            misses += 1
            continue
        for one in ends:
            made.put(one, "line")
        made.put(at, "remark")
        room -= tokens
    return room


def tell_task_end(made, noted, known, inputs):
    """What came of the task, which is held, where it took work."""
    users = [at for at, block in enumerate(made.blocks) if block.role == "user"]
    if len(users) < 2 or (users[0] < known and inputs.goes_by_log):
        return
    task, end = users[0], users[1] - 1
    if end in noted and task not in noted and end > task + 1:
        end = outcome(made, noted, task, end)
        if end is not None:
            made.put(end, "line")


def tell_requests(made, noted, room):
    users = [at for at, block in enumerate(made.blocks) if block.role == "user"]
    for at, following in reversed(list(pairwise([*users, len(made.blocks)]))):
        if at not in noted:
            continue
        places = {at}
        if at < following - 1 and following - 1 in noted:
            places.add(outcome(made, noted, at, following - 1))
        if (late := made.untold_end(at)) is not None:
            places.add(late)
        places = {one for one in places if made.forms.get(one) in UNTOLD}
        room -= sum(made.more(one, "line") for one in places)
        if room < 0:
            return
        for one in sorted(places, reverse=True):
            made.put(one, "line")


def outcome(made, noted, request, last):
    """What names most of what was asked for among what the assistant said at both ends of a turn."""

    def names(at):
        text, asked = (made.entry(one, "line").text.partition(": ")[2] for one in (at, request))
        things = {*identifiers(asked)} & {*identifiers(text)}
        return len(things), len({*content_words(asked)} & {*content_words(text)})

    turn = list(range(request + 1, last + 1))
    answers = [
        at
        for at in {*turn[:OUTCOMES], *turn[-OUTCOMES:]}
        if at in noted and made.blocks[at].role == "assistant"
    ]
    best = max(names(at) for at in (*answers, last))
    return last if names(last) == best else max(at for at in answers if names(at) == best)


def fill(made, order):
    if any(made.blocks[at].results for at in made.forms):
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
