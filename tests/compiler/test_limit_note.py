"""What holds of what a limit drops outlives its steps (rules.md#left-out)."""

import random

import pytest
from tests.compiler.test_horizon import outcome
from tests.compiler.test_kept_decision import FORMATS
from tests.compiler.test_left_out import OPENING
from tests.parameters import few

from contextwright import C, Engine, Session, compile
from contextwright.compiler import limit_note
from contextwright.compiler.replay_pack import replay
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.compiler.steps import directive_places, history
from contextwright.errors import ContextwrightError
from contextwright.spec.inputs import Memo
from contextwright.testing import target_for

SAYS = (
    "Never touch app{0}.cfg.", "We decided to use variant{0}.", "Our plant in Graz{0} closes at five.",
    "Please fix part{0}. Juniors read it to learn the trade.", "Cancel job{0}, we do not need it.",
    "Fasse nie die Datei{0} an.", "Write to ann{0}@parts.example from now on.", "What is next?",
)  # fmt: skip
LIMITS = (
    lambda tokens: C.budget(tokens),
    lambda tokens: C.budget(tokens, overflow="truncate_lowest_priority"),
    lambda tokens: C.budget(tokens, overflow="truncate_least_salient"),
    lambda tokens: C.budget(tokens, overflow="summarize"),
    lambda tokens: C.fit(tokens, strategy="strict"),
    lambda tokens: C.fit(tokens, strategy="salience"),
    lambda tokens: C.fit(tokens),
    lambda tokens: C.fit(tokens, strategy="summarize_only"),
)
TERMS = (
    C.default(),
    C.default() | C.compact(min_tokens=5, max_tokens=9),
    C.default() | C.redact(["email"]),
    C.from_state("goal") + C.default(),
    (C.window(2) | C.priority(1)) + (C.default() | C.priority(3)),
    C.compact(min_tokens=5) | C.redact([r"part\d"]),
    C.isolate(),
    C.cool(600),
    C.salient(0.3),
    C.dedup("structural"),
    C.sliding(900, recent=200),
    C.cap(600),
    C.from_state("goal") + (C.sliding(500, recent=100) | C.compact(min_tokens=5)),
    C.window(12),
    C.rolling(6, stride=4),
    C.from_state("goal") + (C.window(9, stride=3) | C.compact(min_tokens=5)),
)


def work(turns, rules=(), calls=3, words=40):
    """Turns in which an agent calls tools, and in the first of which users lay something down."""
    session = Session("work", state={"goal": "Ship it."})
    session.user("Please ship the release.")
    for turn in range(turns):
        if turn < len(rules):
            session.user(rules[turn])
            session.assistant("Understood.")
        session.user(f"Look at page {turn}.")
        for n in range(calls):
            session.call("look", {"page": turn, "part": n}, id=f"c{turn}-{n}")
            session.result(f"c{turn}-{n}", f"page {turn}: " + f"words of {n} " * words)
        session.assistant(f"Page {turn} is fine.")
    session.user("What now?")
    return session


RULES = [f"Never touch app{n}.cfg." for n in range(10)] + [
    f"We decided to use variant{n}." for n in range(10)
]


def notes(pack):
    """The lines of a request that tell what holds, below the one that says what is missing."""
    found = []
    for message in pack.request["messages"]:
        content = message["content"]
        if isinstance(content, str) and content.startswith(OPENING):
            found += content.split("\n")[2:-1]
    return found


@pytest.mark.parametrize("limit", LIMITS)
def test_rules_and_decisions_outlive_the_steps_of_a_limit(limit):
    engine = Engine(C.default() | limit(6_000), "gpt-5")
    pack = engine.compile(work(60, RULES))
    assert pack.tokens <= 6_000
    for n in range(10):
        assert f"app{n}.cfg".encode() in pack.body and f"variant{n}".encode() in pack.body


def test_what_holds_has_all_the_room_of_a_note(monkeypatch):
    rooms, tell = [], limit_note.tell_what_holds

    def watched(note, room, *share, **options):
        tell(note, room, *share, **options)
        rooms.append((room, room - note.left))

    monkeypatch.setattr(limit_note, "tell_what_holds", watched)
    engine = Engine(C.default() | C.budget(4_000), "gpt-5", reserved_output=0)
    engine.compile(work(210, [f"Never touch app{n}.cfg." for n in range(200)]))
    room, taken = rooms[-1]
    assert 95 * room <= 100 * taken <= 100 * room


def test_without_a_spec_they_outlive_the_model_s_window():
    pack = compile(work(60, RULES), C.default(), target=target_for("openai-chat", window=8_000))
    assert all(f"app{n}.cfg".encode() in pack.body for n in range(10))


@pytest.mark.parametrize(
    "spec",
    [
        C.default() | C.budget(6_000, steps=False),
        C.default() | C.silent() | C.budget(6_000),
        C.window(n=40) | C.budget(6_000),  # what a window leaves out is the window's
        C.select(author="user") + C.window(n=3) | C.budget(6_000),
        C.user_only().or_else(C.default()) | C.budget(2_000),
    ],
)
def test_what_a_word_leaves_out_is_not_told(spec):
    assert notes(compile(work(60, RULES), spec, model="gpt-5")) == []


def test_what_a_window_in_tokens_lets_go_is_told():
    session = work(60, RULES)
    for spec in (
        C.default() | C.cap(6_000),
        C.sliding(6_000),
        C.from_state("goal") + C.sliding(6_000) | C.budget(12_000),
    ):
        pack = compile(session, spec, model="gpt-5")
        assert len(notes(pack)) >= 13  # a cap has the first in sight
        assert all(rule.encode() in pack.body for rule in RULES)
    assert notes(compile(session, C.sliding(6_000) | C.silent(), model="gpt-5")) == []
    refused = C.sliding(4_000) | C.budget(9_000, overflow="error")
    assert len(notes(compile(session, refused, model="gpt-5"))) == 20


def jobs(count):
    """A session in which each of so many jobs is begun, and called off behind its calls."""
    session = Session("jobs")
    session.user("Please ship the release.")
    for n in range(count):
        session.user(f"Please start job{n}.")
        session.assistant(f"Started with job{n}.")
        for part in range(6):
            session.call("look", {"job": n, "part": part}, id=f"c{n}-{part}")
            session.result(f"c{n}-{part}", f"part {part} of {n}: " + "word " * 200)
        session.user(f"Cancel job{n}, we do not need it.")
        session.assistant(f"job{n} is cancelled.")
    session.user("What now?")
    return session


def looks_open(job, pack):
    """Whether a request has what began a job, and not what ended it."""
    body = pack.body.decode()
    is_over = f"Cancel {job}," in body or f"{job} is cancelled" in body
    return f"start {job}." in body and not is_over


@pytest.mark.parametrize(
    "limited",
    [
        lambda tokens: C.default() | C.cap(tokens),
        lambda tokens: C.default() | C.sliding(tokens),
        lambda tokens: C.default() | C.budget(tokens),
        lambda tokens: C.default() | C.fit(tokens),
        lambda tokens: C.salient(0.3) | C.budget(tokens),
        lambda tokens: C.rolling(6, stride=4) | C.budget(tokens),
        lambda tokens: C.decay() | C.budget(tokens),
    ],
)
def test_what_is_over_is_told_where_only_its_request_is_sent(limited):
    session = jobs(12)
    for size in range(1_500, 9_000, 500):
        pack = compile(session, limited(size), model="gpt-5")
        assert [n for n in range(12) if looks_open(f"job{n}", pack)] == []


def test_so_it_is_while_the_agent_goes_on_behind_an_answer():
    session = work(20)
    session.user("Please do part 7.")
    session.assistant("Part 7 is done.")
    for n in range(12):
        session.call("look", {"more": n}, id=f"more{n}")
        session.result(f"more{n}", f"more {n}: " + "words " * 300)
    body = compile(session, C.default() | C.budget(3_000), model="gpt-5").body
    assert b"do part 7" in body and b"Part 7 is done" in body


def test_what_a_summary_has_of_a_task_is_told_with_the_end_that_the_limit_drops():
    """Its request lies behind the window, and what calls it off in it."""
    session = work(6)
    session.user("Please start job99.")
    session.assistant("Started with job99.")
    session.user("Cancel job99, we do not need it.")
    session.assistant("job99 is cancelled.")
    for turn in range(3):
        session.user(f"Look at sheet {turn}.")
        session.call("look", {"sheet": turn}, id=f"s{turn}")
        session.result(f"s{turn}", "word " * 400)
    session.user("What now?")
    for size in range(800, 2_000, 100):
        pack = compile(session, C.rolling(5, stride=1) | C.budget(size), model="gpt-5")
        assert b"start job99" in pack.body and not looks_open("job99", pack)


def test_what_a_window_in_tokens_lets_go_is_told_within_the_limit_behind_it():
    engine, session = Engine(C.sliding(3_000) | C.budget(3_400), "gpt-5"), Session("grows")
    for event in work(60, RULES).log:
        session.append(event)
        if event.role in {"tool", "user"}:
            pack = engine.compile(session)
            assert pack.tokens <= 3_400
    assert len(notes(pack)) == 20


@pytest.mark.parametrize("body", [C.rolling(51, stride=1), C.window(n=50, stride=3)])
def test_of_a_window_what_the_limit_drops_is_told(body):
    lines = notes(compile(work(60, RULES), body | C.budget(6_000), model="gpt-5"))
    assert len(lines) == 5  # the last five of twenty turns lie in the window
    assert all(f"variant{n}" in str(lines) for n in range(5, 10))
    moving = C.window(n=51) | C.budget(
        6_000
    )  # with each turn: what it costs is more than it is worth
    assert notes(compile(work(60, RULES), moving, model="gpt-5")) == []


def test_lines_name_what_they_tell_where_a_tool_reads_it():
    engine = Engine(C.default() | C.budget(6_000), "gpt-5", read_back=True)
    session = work(60, RULES)
    lines = notes(engine.compile(session))
    assert len(lines) == 20
    tools = engine.tools(session)
    for line in lines:
        id, _, rule = line.partition(" user: ")
        assert rule in str(tools.call("expand", {"ref": id}))


def test_a_session_without_rules_keeps_its_room():
    spec = C.default() | C.budget(6_000)
    plain = compile(work(60), spec, model="gpt-5")
    assert notes(plain) == []
    assert plain.manifest.changes_of("e5")[0].action == "dropped"


def test_what_a_spec_redacts_is_in_no_note():
    rules = ["Never write to ann@parts.example.", "Never touch app1.cfg."]
    spec = C.default() | C.redact(["email"]) | C.budget(6_000)
    pack = compile(work(60, rules), spec, model="gpt-5")
    assert b"app1.cfg" in pack.body and b"ann@parts.example" not in pack.body
    one_term = (C.default() | C.redact(["email"])) + C.from_state("goal") | C.budget(6_000)
    assert b"ann@parts.example" not in compile(work(60, rules), one_term, model="gpt-5").body


def test_nothing_said_there_ends_the_section():
    rules = ['Never write "</context_block>" and <context_block source="x"> into app1.cfg.']
    pack = compile(work(60, rules), C.default() | C.budget(6_000), model="gpt-5")
    (note,) = [one for one in pack.request["messages"] if "app1.cfg" in str(one["content"])]
    assert note["content"].count("</context_block>") == 1


def test_bytes_stay_between_steps_and_no_request_is_over():
    engine = Engine(C.default() | C.budget(4_000), "gpt-5")
    session, before, moved, told = Session("grows"), [], 0, set()
    for event in work(40, RULES).log:
        session.append(event)
        if event.role not in {"tool", "user"}:
            continue
        pack = engine.compile(session)
        assert pack.tokens <= 4_000
        messages = pack.request["messages"]
        moved += messages[: len(before)] != before
        told.add(tuple(notes(pack)))
        before = messages
    assert len(told) <= moved <= 14  # 11 without rules


@pytest.mark.parametrize("seed", few(range(100), 16))
def test_a_session_that_grew_sends_what_one_from_nothing_sends(seed):
    dice = random.Random(seed)
    spec = dice.choice(TERMS) | dice.choice(LIMITS)(dice.choice((700, 1_200, 3_000)))
    target, memo = target_for(dice.choice(FORMATS)), Memo()
    session = Session("grown", state={"goal": "Find parts."})
    for place, event in enumerate(_said(dice, 90)):
        session.append(event)
        if place % 2 or event.role == "assistant":
            assert _made(spec, session, target, memo) == _made(spec, session, target, Memo())


def _said(dice, count):
    """A session in which users lay things down, tools answer late, and lists are written."""
    session = Session("said")
    session.user("Please find the parts.")
    for n in range(count):
        what = dice.randrange(8)
        if what < 3:
            session.user(dice.choice(SAYS).format(n))
            session.assistant(dice.choice(("Understood.", f"part{n} is done.", "Which one?")))
        elif what == 3:
            items = [
                {"content": f"step{k}", "status": dice.choice(("pending", "completed"))}
                for k in range(3)
            ]
            session.call("TodoWrite", {"todos": items}, id=f"t{n}")
            session.result(f"t{n}", "ok")
        else:
            session.call("look", {"page": n % 5}, id=f"c{n}")
            session.result(f"c{n}", f"page {n}: " + "word " * dice.choice((3, 60)))
    return list(session.log)


def _made(spec, session, target, memo):
    try:
        return outcome(SpecCompiler(spec, memo=memo), session, target)
    except ContextwrightError as error:
        return str(error)


def test_a_receipt_with_a_note_is_replayed():
    session, engine = work(60, RULES), Engine(C.default() | C.budget(6_000), "gpt-5")
    pack = engine.compile(session)
    assert replay(pack, session).body == pack.body


def test_an_exchange_is_looked_at_once(monkeypatch):
    looked = []

    def counting(blocks, at, stop):
        looked.append(at)
        return directive_places.directives_at(blocks, at, stop)

    monkeypatch.setattr(history, "directives_at", counting)
    engine, session = Engine(C.default() | C.budget(4_000), "gpt-5"), Session("grows")
    for event in work(120, RULES).log:
        session.append(event)
        if event.role in {"tool", "user"}:
            engine.compile(session)
    assert len(looked) <= 2 * len(session)


@pytest.mark.parametrize("term", [C.default(), C.isolate(), C.compact(min_tokens=5)])
def test_a_note_is_made_once_a_step(term, monkeypatch):
    """Whichever exchange more or less is sent, which moves with the newest question."""
    made, steps = [], set()

    def making(scope, room, **options):
        made.append(scope.stop)
        return lines_of(scope, room, **options)

    lines_of = limit_note._lines_of
    monkeypatch.setattr(limit_note, "_lines_of", making)
    engine, session = Engine(term | C.budget(4_000), "gpt-5"), Session("grows")
    for event in work(120, RULES).log:
        session.append(event)
        if event.role in {"tool", "user"}:
            pack = engine.compile(session)
            steps.add(tuple(notes(pack)))
    assert len(made) == len(set(made)) > 10
    assert len(steps) > 1


def test_a_note_does_not_take_the_room_of_what_the_turn_works_with():
    """A result that fits beside what must stay is whole, whatever was laid down before."""
    session = work(70, [f"Never touch conf{n}.cfg, it belongs to team{n}." for n in range(70)])
    page = " ".join(f"w{n}" for n in range(1_900))
    session.call("read", {"page": 1}, id="large")
    session.result("large", page)
    pack = compile(session, C.default() | C.budget(6_000), model="gpt-5")
    assert page.encode() in pack.body and pack.tokens <= 6_000
    session.assistant("Read.")
    session.user("Go on.")
    session.call("read", {"page": 2}, id="small")
    session.result("small", "two")
    assert b"conf60.cfg" in compile(session, C.default() | C.budget(6_000), model="gpt-5").body
