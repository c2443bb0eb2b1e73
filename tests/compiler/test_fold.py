"""A fold goes on where it stopped: the same decisions as from scratch, for the work of what is new."""

import json
import random
from collections import Counter

import pytest
from benchmarks.generated import grow
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.compiler import fold_from_scratch
from tests.parameters import few

from contextwright import C, Session
from contextwright.blocks.block import Block, Message
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.compiler.steps import (
    decide,
    fold,
    forms,
    history,
    note_block,
    note_builder,
    origins,
    repeats,
    word_weights,
)
from contextwright.compiler.steps.last_uses import LastUses
from contextwright.compiler.steps.shown_text import ShownText
from contextwright.compiler.steps.size_row import CHUNK, SizeRow
from contextwright.errors import ContextwrightError
from contextwright.memo import owned_tables
from contextwright.session.event import Text, ToolCall, ToolResult
from contextwright.spec.inputs import Memo
from contextwright.testing import sessions, target_for

DEFAULT = C.default()


@pytest.fixture
def compared(monkeypatch):
    """Every decision is compared with the one from scratch, most notes planned before."""
    for module in (note_block, fold_from_scratch):
        monkeypatch.setattr(module, "FEW", 12)
    incremental = fold.Fold.decisions

    def both(self, newer, economy, inputs, known=0):
        made = incremental(self, newer, economy, inputs, known)
        assert made == fold_from_scratch.decisions_of(tuple(self.blocks), economy, inputs)
        return made

    monkeypatch.setattr(fold.Fold, "decisions", both)


def growing(session, terminal, memo, positions):
    """The packs of a session at some positions, with one memo."""
    for position in positions:
        snapshot = session.snapshot_at(position, len(session.changes))
        try:
            yield SpecCompiler(DEFAULT | terminal, memo=memo).compile(
                snapshot, target_for("openai-chat")
            )
        except ContextwrightError:
            yield None


def work(exchanges, seed, *, lists=False):
    """An agent that looks the same things up again and again, in every kind of text; with lists of
    what is to be done, or none."""
    dice, session = random.Random(seed), Session(f"s{seed}")
    names = [f"ID-{n}" for n in range(6)] + [f"/src/a{n}.py" for n in range(4)]
    session.add("system", "Work.")
    for n in range(exchanges):
        kinds = ("user", "rule", "say", "json", "text", "text", "fail", "late")
        more = ("todo", "todo", "job", "job", "foreign", "foreign", "choice", "status", "status")
        kind = dice.choice((*kinds, *more) if lists else kinds)
        if kind == "user":
            beside = dice.choice(("", "", f"The box of rack {n % 5} is the old one. "))
            session.user(beside + f"Look at {dice.choice(names)}. " * dice.randint(1, 12))
        elif kind == "rule":
            words = f"Never touch {dice.choice(names[:3])}."
            session.user(words) if n % 2 else session.assistant("We decided so: " + words)
        elif kind == "say":
            session.assistant(f"It was {dice.choice(names)}, of 2024-05-{n % 30:02}. " * 5)
        elif kind == "foreign":
            say_in_german(session, dice, n)
        elif kind == "todo":
            change_list(session, dice, n)
        elif kind == "choice":
            choose(session, dice, n)
        elif kind == "status":
            call_for_job(session, dice, n)
        elif kind == "job":
            job = f"JOB-{dice.randint(0, 3)}"
            if dice.random() < 0.5:
                session.user(dice.choice((f"Work on {job}.", f"I need {job} soon, and {n} more.")))
            else:
                session.assistant(dice.choice((f"{job} is done.", f"I'll see if {job} is done.")))
        else:
            name, id = dice.choice(names), f"c{n}"
            session.call(dice.choice(("find", "read")), {"what": name, "n": n % 3}, id=id)
            if kind == "late":
                session.assistant("Meanwhile I wait.")
            rows = [{"id": dice.choice(names), "cost": n * k} for k in range(dice.randint(1, 30))]
            text = "\n".join(f"line {k} of {name}" for k in range(dice.randint(1, 60)))
            result = {"rows": rows} if kind == "json" else text
            session.result(id, result, error=kind == "fail")
    session.user("And now?")
    return session


def say_in_german(session, dice, n):
    """A rule, a fact or a request, answered or not, or what became of one."""
    job = f"JOB-{dice.randint(0, 3)}"
    says = (
        f"Bitte rühr {job} nie an.",
        f"Die Halle von {job} schließt um {n} Uhr.",
        f"Mach bitte {job} fertig, und zwar bis Zeile {n}.",
        f"Vergiss {job}, das ist vom Tisch.",
        f"Wie weit ist {job} denn?",
    )
    session.user(dice.choice(says))
    for answer in dice.choice(((), ("Verstanden.",), (f"{job} ist erledigt.",))):
        session.assistant(answer)


def choose(session, dice, n):
    """A question, and a short answer to it, with what lays something down beside it or none."""
    job = f"JOB-{dice.randint(0, 3)}"
    session.assistant(dice.choice((f"Who takes {job}, Ann or Bo?", f"Shall {job} be weekly?")))
    session.user(dice.choice(("Bo.", "So weekly then.", "No", f"Make it {n}.", "Ann, never Bo.")))
    if dice.random() < 0.3:
        session.assistant(f"Caution: {job} must not run before line {n} is closed.")


def call_for_job(session, dice, n):
    """What a tool says of a job, or sets of it."""
    job = f"JOB-{dice.randint(0, 3)}"
    if dice.random() < 0.3:
        session.call(
            "set_priority", {"job": job, "priority": dice.choice(("high", "low"))}, id=f"s{n}"
        )
        session.result(f"s{n}", "OK")
    else:
        session.call("get_job", {"key": job}, id=f"s{n}")
        session.result(f"s{n}", f"{job}: {dice.choice(('open', 'in progress', 'done', 'blocked'))}")


def change_list(session, dice, n):
    """A list of things to do as a whole, or one thing of another, with words beside it or none."""
    status = ("pending", "in_progress", "completed")
    if dice.random() < 0.2:
        session.assistant("Now for the next part.")
    if dice.random() < 0.5:
        items = [{"content": f"Check ID-{k}", "status": dice.choice(status)} for k in range(4)]
        session.call("TodoWrite", {"todos": items}, id=f"t{n}")
    else:
        one = {"taskId": str(n % 5), "subject": f"Move rack {n % 5}", "status": dice.choice(status)}
        session.call("TaskUpdate", one, id=f"t{n}")
    session.result(f"t{n}", "Updated.", error=dice.random() < 0.2)


@pytest.fixture
def begun(monkeypatch):
    """Steps begin anew often, and look not far back; how often they did."""
    monkeypatch.setattr(origins, "SPACES", 2)
    monkeypatch.setattr(note_builder, "REACH", 12)
    monkeypatch.setattr(history, "REMARKS_REACH", 4)
    return calls_of(monkeypatch, fold.Fold, "_begun")


def called(n, result, **arguments):
    """An exchange of one call."""
    call = ToolCall(id=f"c{n}", name="read", arguments=json.dumps(arguments))
    answer = ToolResult(call_id=call.id, content=(Text(text=result),))
    messages = Message("assistant", (call,)), Message("tool", (answer,))
    return Block(id=f"e{n}", source="log", messages=messages, order=n)


def test_of_exchanges_that_one_call_uses_those_of_its_rarest_name_lead():
    """What a name of many exchanges means is less likely any one of them."""
    uses = LastUses()
    for n in range(3):
        uses.append(called(n, '{"from": "ATL-A"}', id=f"P-{n}"))
    uses.append(called(3, "done", id="P-2", airport="ATL-A"))
    assert sorted(range(4), key=uses.rank) == [2, 3, 0, 1]


@pytest.mark.parametrize("lists", [False, True])
@pytest.mark.parametrize("seed", few(range(4), 1))
def test_steps_that_go_on_are_those_from_scratch(compared, seed, lists):
    session, dice, memo = work(50, seed, lists=lists), random.Random(seed), Memo()
    terminal = C.compaction(dice.choice((700, 1500, 4000)), eager=bool(seed % 3))
    positions = sorted(dice.sample(range(2, len(session) + 1), 10))
    back = [dice.choice(positions) for _ in range(3)]
    assert any(list(growing(session, terminal, memo, [*positions, *back, len(session)])))


@pytest.mark.parametrize("lists", [False, True])
@pytest.mark.parametrize("seed", few(range(4), 1))
def test_steps_that_begin_anew_are_those_from_scratch(compared, begun, seed, lists):
    session, dice, memo = work(50, seed, lists=lists), random.Random(seed), Memo()
    positions = sorted(dice.sample(range(2, len(session) + 1), 10))
    back = [dice.choice(positions) for _ in range(3)]
    terminal = C.compaction(dice.choice((700, 1000)), eager=bool(seed % 3))
    assert any(list(growing(session, terminal, memo, [*positions, *back, len(session)])))
    assert begun


@pytest.mark.slow
@given(sessions(max_turns=10), st.sampled_from((300, 600, 1200)), st.booleans(), st.data())
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
def test_sessions_of_every_shape_begin_anew_where_they_would_from_scratch(
    compared, begun, session, tokens, eager, data
):
    every = st.lists(st.integers(1, len(session)), min_size=1, max_size=8)
    positions = [*sorted(data.draw(every)), *data.draw(every), len(session)]
    list(growing(session, C.compaction(tokens, eager=eager), Memo(), positions))


@given(sessions(max_turns=10), st.sampled_from((300, 600, 1200)), st.booleans(), st.data())
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_sessions_of_every_shape_take_the_same_steps(compared, session, tokens, eager, data):
    every = st.lists(st.integers(1, len(session)), min_size=1, max_size=8)
    positions = [*sorted(data.draw(every)), *data.draw(every), len(session)]
    list(growing(session, C.compaction(tokens, eager=eager), Memo(), positions))


def test_where_the_user_speaks_twice_a_memo_takes_the_steps_that_there_would_be_without():
    """A request ended between the two that is none any more: what it counted is not gone on from."""
    session, memo, target = Session("twice"), Memo(), target_for("openai-chat")
    session.user("Go.")
    for _ in range(7):
        session.assistant("It is so. " * 30)
    session.user("And this?")
    session.assistant("It is so. " * 30)
    packs = []
    for words in ("And more?", "And that?"):
        session.user(words)
        for one in (memo, Memo()):
            spec = DEFAULT | C.compaction(1500, eager=False)
            packs.append(SpecCompiler(spec, memo=one).compile(session.snapshot(), target))
    assert packs[0] == packs[1] and packs[2] == packs[3]


def test_a_failure_that_is_settled_is_held_no_longer_with_a_memo_or_without():
    session, memo, spec = work(40, 3), Memo(), DEFAULT | C.compaction(1500)
    for settle in (False, True):
        if settle:
            session.resolve()
        session.user("Go on.")
        packs = [
            SpecCompiler(spec, memo=one).compile(session.snapshot(), target_for("openai-chat"))
            for one in (memo, Memo())
        ]
        assert packs[0].body == packs[1].body


def calls_of(monkeypatch, owner, name):
    """A list that grows with every call."""
    calls, original = [], getattr(owner, name)
    monkeypatch.setattr(
        owner, name, lambda *args, **more: calls.append(name) or original(*args, **more)
    )
    return calls


def test_a_first_compile_looks_at_each_exchange_once_and_at_what_a_note_holds(monkeypatch):
    looks = {
        "entries": calls_of(monkeypatch, note_builder, "entry"),
        "candidates": calls_of(monkeypatch, LastUses, "following"),
        "weighed": calls_of(monkeypatch, word_weights, "weighed"),
        "uses": calls_of(monkeypatch, LastUses, "append"),
        "held": calls_of(monkeypatch, repeats.Superseded, "_add"),
        "steps": calls_of(monkeypatch, fold, "plan_fold"),
        "shortened": calls_of(monkeypatch, decide.Costs, "_of"),
    }
    counted = []
    for exchanges in (80, 160, 320):
        for calls in looks.values():
            calls.clear()
        session = work(exchanges, 1)
        list(growing(session, C.compaction(3000), Memo(), [len(session)]))
        counted.append({name: len(calls) for name, calls in looks.items()})
        assert counted[-1]["steps"] > exchanges // 60
        assert counted[-1]["uses"] <= len(session) and counted[-1]["held"] <= len(session)
        assert counted[-1]["weighed"] <= len(session)
        assert counted[-1]["shortened"] <= 6 * len(session)
    for name in looks:
        once, twice, four = (count[name] for count in counted)
        assert twice < 2.8 * once and four < 2.8 * twice, (name, counted)


def test_a_first_compile_makes_the_note_that_is_sent(monkeypatch):
    monkeypatch.setattr(note_block, "FEW", 12)
    steps = calls_of(monkeypatch, fold, "plan_fold")
    notes = calls_of(monkeypatch, note_block, "note_of")
    session = work(320, 1)
    (pack,) = growing(session, C.compaction(3000), Memo(), [len(session)])
    assert pack.manifest.folds[0].plan.tokens and len(steps) > 4 and len(notes) == 1


@pytest.mark.parametrize("eager", [True, False])
@pytest.mark.parametrize("every", [1, 3, 8])
def test_turns_behind_a_step_send_the_note_that_was_made_of_it(monkeypatch, every, eager):
    """Also where the newest exchange of each is not settled, and they go on from one before."""
    notes, sent = calls_of(monkeypatch, note_block, "note_of"), set()
    monkeypatch.setattr(note_block, "FEW", 12)
    session, dice = Session("turns"), random.Random(3)
    for turn in range(60):
        grow(session, turn, dice)
    terminal, positions = C.compaction(6000, eager=eager), range(161, len(session.log), every)
    for pack in growing(session, terminal, Memo(), positions):
        sent.add(pack.manifest.folds[0].plan)
    assert len(sent) > 3 and len(notes) == len(sent)


def test_what_a_note_takes_is_never_more_than_was_planned(begun, monkeypatch):
    monkeypatch.setattr(note_block, "FEW", 0)
    told, taken = fold.with_note, []

    def noting(blocks, decisions, economy, history, inputs):
        made = told(blocks, decisions, economy, history, inputs)
        if made is not decisions:
            taken.append((inputs.cost(made.note), decisions.plan.tokens))
        return made

    monkeypatch.setattr(fold, "with_note", noting)
    for seed, limit in ((1, 1000), (2, 3000), (3, 6000)):
        session = work(240, seed)
        list(growing(session, C.compaction(limit), Memo(), range(40, len(session), 20)))
    assert begun and len(taken) > 20 and all(takes <= planned for takes, planned in taken)


@pytest.mark.slow
def test_a_first_compile_takes_the_steps_since_the_newest_beginning(monkeypatch):
    steps, most = calls_of(monkeypatch, fold, "plan_fold"), []
    for exchanges in (100, 200, 400):
        steps.clear()
        session = work(exchanges, 1)
        list(growing(session, C.compaction(1100), Memo(), [len(session)]))
        most.append(len(steps))
    assert min(most) > 0 and max(most) <= 3 * origins.SPACES, most


def test_a_first_compile_offers_a_note_s_last_tokens_to_what_is_near(begun, monkeypatch):
    offered, counts = calls_of(monkeypatch, LastUses, "learn"), []
    for exchanges in (100, 200, 400):
        offered.clear()
        session = Session("files")
        session.user("Read them all.")
        for n in range(exchanges):
            session.call("read", {"path": f"/src/part{n}.py"}, id=f"c{n}")
            session.result(f"c{n}", f"part {n} does this " * (9 + n % 7))
        list(growing(session, C.compaction(1000), Memo(), [len(session)]))
        counts.append(len(offered))
    assert begun and counts[0] > 10 and counts[2] <= 1.5 * counts[0], counts


def test_a_note_with_much_room_looks_for_what_comes_next_once(monkeypatch):
    """However much of what it tells is told in more words in between."""
    looked, steps, counts = (
        calls_of(monkeypatch, LastUses, "following"),
        calls_of(monkeypatch, fold, "plan_fold"),
        [],
    )
    for exchanges in (60, 120, 240):
        session = Session("files")
        session.user("Read them all.")
        for n in range(exchanges):
            session.call("read", {"path": f"/src/part{n}.py"}, id=f"c{n}")
            session.result(f"c{n}", "\n".join(f"line {n} {at} of a file" for at in range(30)))
        looked.clear(), steps.clear()
        list(growing(session, C.compaction(150 * exchanges), Memo(), [len(session)]))
        counts.append(len(looked) / len(steps) / exchanges)
    assert max(counts) < 4 and counts[2] < 1.5 * counts[0], counts


def test_a_first_compile_reads_what_was_said_since_the_origin_before(begun, monkeypatch):
    read = calls_of(monkeypatch, LastUses, "append"), calls_of(monkeypatch, word_weights, "weighed")
    counts = []
    for exchanges in (100, 200, 400):
        for calls in read:
            calls.clear()
        session = work(exchanges, 1)
        list(growing(session, C.compaction(1000), Memo(), [len(session)]))
        counts.append(sum(map(len, read)))
    assert begun and max(counts) < 120, counts


def test_a_turn_between_steps_costs_what_is_new(monkeypatch):
    session, memo = work(150, 1), Memo()
    list(growing(session, C.compaction(6000), memo, [len(session)]))
    requests = calls_of(monkeypatch, fold.Fold, "_next")
    steps, entries = (
        calls_of(monkeypatch, fold, "plan_fold"),
        calls_of(monkeypatch, note_builder, "entry"),
    )
    for _ in range(6):
        session.assistant("Still looking.")
        session.user("And now?")
        list(growing(session, C.compaction(6000), memo, [len(session)]))
    # the request in front of the assistant's words was built the turn before
    assert len(requests) <= 6 and len(steps) <= 1 and (steps or not entries)


def test_a_step_knows_the_entries_of_the_step_before(monkeypatch):
    """However many compiles lie between them: what two steps ask for is written once."""
    monkeypatch.setattr(owned_tables, "LASTING", 2)  # as if each turn were a hundred compiles
    written = Counter()
    write = forms._entry
    monkeypatch.setattr(
        forms, "_entry", lambda *given: written.update([(given[0].id, given[1])]) or write(*given)
    )
    session, memo = work(240, 3), Memo()
    positions = range(40, len(session.log), 3)
    packs = list(growing(session, C.compaction(3000), memo, positions))
    assert sum(pack is not None for pack in packs) > 50
    assert len(written) > 300 and sum(written.values()) < 2 * len(written)


def test_the_last_tokens_of_a_note_are_offered_to_nobody(monkeypatch):
    """Else each exchange is told in a line to find that none has room."""
    session = Session("s")
    for number in range(400):
        session.user(f"What became of parcel P-{number}, which I sent on day {number} of the year?")
        session.assistant(
            f"Parcel P-{number} has left depot {number % 7}, it comes in {number} days."
        )
    write = forms._entry

    def lines_made():
        made = []
        monkeypatch.setattr(forms, "_entry", lambda *given: made.append(given) or write(*given))
        SpecCompiler(C.compaction(2000)).compile(session.snapshot(), target_for("openai-chat"))
        return len(made)

    number = lines_made()
    monkeypatch.setattr(note_builder, "LEAST", 1)
    assert number * 3 < lines_made()


def test_a_memo_keeps_few_states_of_a_session_however_long(monkeypatch):
    folds, memo, session = [], Memo(), work(120, 2)
    made = fold.Fold.__init__
    monkeypatch.setattr(fold.Fold, "__init__", lambda self: (folds.append(self), made(self))[1])
    list(growing(session, C.compaction(2000), memo, range(180, len(session), 2)))
    assert len(folds) == 1 and len(folds[0].states) <= fold.STATES


SIZE = st.integers(0, 9)


@given(st.lists(SIZE, max_size=3 * CHUNK), st.data())
def test_the_next_small_size_is_that_of_a_search_through_all(sizes, data):
    row = SizeRow()
    for size in sizes:
        row.append(size)
    if sizes and data.draw(st.booleans()):
        place = data.draw(st.integers(0, len(sizes) - 1))
        row[place] = sizes[place] = data.draw(SIZE)
        length = data.draw(st.integers(0, len(sizes)))
        row.truncate(length)
        del sizes[length:]
    most, place = data.draw(SIZE), data.draw(st.integers(0, len(sizes)))
    small = [at for at, size in enumerate(sizes) if size <= most]
    assert row.following(place, most) == min([at for at in small if at >= place], default=-1)
    assert row.preceding(place, most) == max([at for at in small if at < place], default=-1)
    assert not place or row.least(place) == min(sizes[:place])


SIGNS = st.text(st.sampled_from("aB1_/.-@# ,\n"), max_size=12)


@given(st.lists(SIGNS, max_size=4), st.lists(SIGNS.filter(bool), min_size=1, max_size=5))
def test_a_word_is_found_wherever_texts_have_it(texts, words):
    shown = ShownText(texts)
    for word in (*words, *(text[2:7] for text in texts if text[2:7])):
        assert shown.says(word) == (word in "\n".join(texts))


WORDS = st.lists(st.tuples(st.integers(0, 150).map(lambda n: f"w{n}"), st.sampled_from((1, 2, 6))))


@given(st.lists(WORDS, min_size=1, max_size=12), st.data())
def test_words_stand_by_their_weight_wherever_the_note_ends(said, data):
    weights = word_weights.WordWeights()
    patch = pytest.MonkeyPatch()
    patch.setattr(word_weights, "weighed", lambda words: words)
    for upto in data.draw(st.lists(st.integers(0, len(said)), min_size=1, max_size=5)):
        weights.move(said, upto)
        sums = {}
        for at, words in enumerate(said[:upto]):
            for word, share in words:
                sums[word] = sums.get(word, 0) + share * (upto + at)
        assert list(weights.ranked()) == sorted(sums, key=lambda word: (-sums[word], word))
        assert all(
            weights.first(word) == next(at for at, words in enumerate(said) if word in dict(words))
            for word in sums
        )
    patch.undo()
