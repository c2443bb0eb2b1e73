"""A step waits until what was saved covers it: at no call has a conversation cost more than sending
everything, but for a hundredth that its next calls bring back
(docs/adr/0085-a-step-waits-until-it-is-paid-for.md)."""

import asyncio

import msgspec
import pytest

from contextwright import C, Context, Engine, Session, SQLiteSessions, compile, replay
from contextwright.engine.put_off import PUT_OFF, may_wait, waits_by_default
from contextwright.errors import BudgetError
from contextwright.session.event import Tool
from contextwright.tokens.calibrate import Calibrator

MODELS = ("gpt-5", "claude-sonnet-4-5", "gemini-2.5-pro")
SPECS = {
    "compaction": C.compaction(4_000),
    "budget": C.budget(4_000),
    "fit": C.fit(4_000, strategy="salience"),
    "window": C.window(steps=6),
    "strides": C.window(steps=8, stride=8),
    "compact": C.window(n=10) | C.compact() | C.budget(4_000),
    "cool": C.cool(threshold=4_000),
    "cap": C.default() | C.cap(4_000),
    "results": C.compress_results(),
    "sliding": C.sliding(4_000),
    "decay": C.decay(),
    "allocate": C.default() | C.allocate(max_tokens=8_000),
}


def agent(calls=30, long=()):
    """A session before each of its requests; results of some calls are long."""
    session = Session("s", tools=[Tool(name="look")])
    session.add("system", "Be careful. " * 100)
    session.user("Find out why the pump fails.")
    yield session
    for n in range(calls):
        session.call("look", f'{{"n": {n}}}', id=f"c{n}")
        words = 2_000 if n in long else 150
        session.result(f"c{n}", f"Result {n}: " + f"valve {n % 7} " * words)
        if n % 9 == 8:
            session.assistant(f"It is valve {n}.")
            session.user(f"And what of pump {n}? Look again.")
        yield session


def bills(engine, **of):
    """What was saved after each call, the last pack, and the dearest call: what all had cost then,
    of what everything had."""
    saved, pack, dearest = [], None, 0
    for session in agent(**of):
        pack = engine.compile(session)
        told = engine.ledger(session)
        saved.append(told.saved)
        dearest = max(dearest, told.cost / told.whole_cost)
    return saved, pack, dearest


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", SPECS)
def test_at_no_call_has_a_conversation_cost_a_hundredth_more_than_everything(name, model):
    for long in ((), (5, 12, 20)):
        assert bills(Engine(SPECS[name], model, never_dearer=True), long=long)[2] <= 1.01, long


def test_a_step_is_lent_to_a_long_conversation_that_has_it_back_at_once():
    """No result is long, so none pays for a step; after hundreds of calls it is back in few."""
    long, short = (
        Engine(C.compaction(16_000), "gpt-5", window=1_000_000, never_dearer=True) for _ in range(2)
    )
    saved, _, dearest = bills(long, calls=110)
    assert 1 < dearest <= 1.01 and saved[-1] > 0
    first = next(n for n, one in enumerate(saved) if one < 0)
    assert first > 32 and saved[first + 4] > 0  # back within a thirty-second of its calls
    assert set(bills(short, calls=first - 2)[0]) == {0}


@pytest.mark.parametrize("model", MODELS)
def test_a_limit_that_is_held_at_once_is_dearer_at_first(model):
    at_once, _, _ = bills(Engine(C.compaction(4_000), model))
    waiting, _, _ = bills(Engine(C.compaction(4_000), model, never_dearer=True))
    assert min(at_once) < 4 * min(waiting)
    assert waiting[-1] > at_once[-1] * 0.85


@pytest.mark.parametrize("model", MODELS)
def test_what_is_long_pays_for_a_step_when_it_comes(model):
    """A request that leaves some of it out writes less than everything would."""
    at_once, _, _ = bills(Engine(C.compaction(4_000), model), long=(5, 12, 20))
    waiting, _, _ = bills(Engine(C.compaction(4_000), model, never_dearer=True), long=(5, 12, 20))
    assert waiting[-1] >= at_once[-1] > 0


def test_while_a_step_waits_everything_is_sent_and_the_manifest_says_what_it_would_cost():
    engine, whole = (
        Engine(C.budget(4_000), "gpt-5", never_dearer=True),
        Engine(C.default(), "gpt-5"),
    )
    waited = 0
    for session in agent(14):
        pack, all_of_it = engine.compile(session), whole.compile(session)
        manifest = pack.manifest
        if manifest.decided_at:
            waited += 1
            assert pack.request == all_of_it.request and pack.tokens > 4_000
            assert manifest.notes[0].startswith("C.budget(max_tokens=4000) is put off: a step to ")
            assert "$0.0000 was saved so far" in manifest.notes[0]
            assert "never_dearer" in manifest.notes[0]
            assert not manifest.changes and manifest.budget > 100_000
    told = engine.ledger(session)
    assert waited == told.put_off > 0 and not told.suspended
    assert any(name == "put off" for name, _ in told.rows())


@pytest.mark.parametrize("name", SPECS)
def test_a_request_that_goes_on_begins_with_the_one_before_and_is_replayed(name):
    engine, before = Engine(SPECS[name], "gpt-5", never_dearer=True), None
    for session in agent(24, long=(5, 12)):
        pack = engine.compile(session)
        if pack.manifest.decided_at:
            messages, earlier = pack.request["messages"], before.request["messages"]
            assert messages[: len(earlier)] == earlier
            assert replay(pack, session).body == pack.body
            assert replay(pack.manifest, session).manifest.decided_at == pack.manifest.decided_at
        before = pack


def test_each_limit_is_held_where_nobody_asks_for_less():
    engine = Engine(C.budget(4_000), "gpt-5")
    assert all(engine.compile(session).tokens <= 4_000 for session in agent())
    context = Context(C.budget(4_000), model="gpt-5")
    messages = [{"role": "user", "content": "Look."}]
    for n in range(30):
        messages.append({"role": "assistant", "content": f"Valve {n}. " * 60})
        messages.append({"role": "user", "content": f"And {n}?"})
        assert context.call(messages).pack.tokens <= 4_000
    assert compile(messages, C.budget(4_000), model="gpt-5").tokens <= 4_000


def test_what_does_not_fit_the_window_is_not_put_off():
    engine = Engine(C.budget(3_000), "gpt-5", window=6_000, reserved_output=500, never_dearer=True)
    largest, notes = 0, []
    for session in agent():
        pack = engine.compile(session)
        largest = max(largest, pack.tokens)
        notes += pack.manifest.notes
    assert 3_000 < largest <= 5_500
    assert any("without it there is no room in the window" in note for note in notes)


def test_a_step_that_waits_is_told_to_no_hook_and_one_that_is_taken_is():
    steps, asked = [], []
    hooks = {"step": steps.append, "pre_compact": asked.append}
    engine = Engine(C.compaction(4_000), "gpt-5", events=hooks, never_dearer=True)
    for session in agent(30, long=(5, 12, 20)):
        if engine.compile(session).manifest.decided_at:
            assert all(one.position < len(session) for one in steps)
    assert steps and len(asked) == len(steps)


def test_a_step_waits_after_a_restart_as_well(tmp_path):
    store = SQLiteSessions(tmp_path / "s.db")
    engine = Engine(C.budget(4_000), "gpt-5", sessions=store, never_dearer=True)
    for session in agent(14):
        pack = engine.compile(session)
    assert pack.manifest.decided_at and PUT_OFF in session.metadata
    engine.record(session)
    again, other = store.load("s"), Engine(C.budget(4_000), "gpt-5", never_dearer=True)
    assert other.compile(again).request == pack.request
    assert other.assemble(again.snapshot()).request == pack.request
    another = Engine(C.budget(3_000), "gpt-5", never_dearer=True)  # of another spec none waits
    assert another.compile(store.load("s")).tokens <= 3_000


def test_what_a_counter_learns_moves_no_prefix_before_that_is_paid_for():
    """Steps go by tokens: with another factor all of them lie elsewhere."""
    engine, shares, packs = Engine(C.compaction(4_000), "gemini-2.5-pro", never_dearer=True), [], []
    for n, session in enumerate(agent(30)):
        if n == 8:
            engine.calibrator = Calibrator({"gemini gemini-2.5-pro": [130] * 30})
        packs.append(engine.compile(session))
        told = engine.ledger(session)
        shares.append(told.cost / told.whole_cost)
    assert len({pack.manifest.counter for pack in packs}) == 2 and max(shares) <= 1.01
    assert packs[8].manifest.decided_at  # by the counter of then
    assert packs[8].manifest.counter == packs[0].manifest.counter
    assert replay(packs[8], session).body == packs[8].body


def test_an_assembled_or_awaited_request_waits_alike():
    one, two, three = (Engine(C.budget(4_000), "gpt-5", never_dearer=True) for _ in range(3))
    for session in agent(14):
        pack = one.compile(session)
        two.prepare(session)
        assert two.assemble(session).request == pack.request
        assert asyncio.run(three.acompile(session)).request == pack.request
    assert pack.manifest.decided_at


def test_redactions_hold_for_what_is_new():
    engine = Engine(C.budget(4_000) | C.redact(["email"]), "gpt-5", never_dearer=True)
    *_, session = agent(14)
    session.call("look", "{}", id="mail")
    session.result("mail", "write to ann@example.com")
    fresh = Session("t", tools=[Tool(name="look")])
    for event in session.log:
        if event.role == "assistant" and len(fresh):
            pack = engine.compile(fresh)
        fresh.append(event)
    pack = engine.compile(fresh)
    assert pack.manifest.decided_at and b"ann@example.com" not in pack.body


@pytest.mark.parametrize(
    "spec",
    [C.select(role="user"), C.window(3) + C.from_state("goal"), C.relevant(),
     C.window(3) | C.summarize(), C.budget(4_000, overflow="error")],
    ids=repr,
)  # fmt: skip
def test_what_says_what_is_seen_asks_a_model_or_refuses_does_not_wait(spec):
    assert not may_wait(spec)


@pytest.mark.parametrize(
    ("spec", "model", "why"),
    [(C.relevant(), "gpt-5", "it says what is seen"),
     (C.budget(4_000, overflow="error"), "gpt-5", "it refuses what is over its limit"),
     (C.budget(4_000), "of-ours", "no prices of 'of-ours' are known")],
    ids=repr,
)  # fmt: skip
def test_what_is_not_judged_is_named(spec, model, why):
    for never_dearer in (True, False):
        engine = Engine(spec, model, window=100_000, never_dearer=never_dearer)
        for session in agent(3):
            pack = engine.compile(session)
            named = [one for one in pack.manifest.notes if "is not judged" in one]
            assert len(named) == never_dearer
            assert all(why in one and repr(spec) in one for one in named)


def talk(turns=40):
    """A session before each of its questions, none of them longer than the others."""
    session = Session("t")
    session.add("system", "Be careful. " * 100)
    for n in range(turns):
        session.user(f"What of pump {n}? " + f"valve {n % 7} " * 60)
        yield session
        session.assistant(f"Pump {n} runs. " * 60)


@pytest.mark.parametrize(
    ("share", "model"),
    [(C.allocate(max_tokens=3_000), "claude-sonnet-4-5"),
     (C.allocate(preset="cost", max_tokens=2_500, steps=False), "gpt-5")],
)  # fmt: skip
def test_a_call_that_is_dearer_whatever_is_sent_says_so(share, model):
    """What it tells of turns that left changes with what the spec decides and what it decided."""
    engine = Engine(C.default() | share, model, never_dearer=True, suspend=False)
    dearer = named = 0
    for session in talk():
        pack = engine.compile(session)
        told = engine.ledger(session)
        is_named = any("does not hold at this call" in one for one in pack.manifest.notes)
        dearer, named = dearer + (told.cost > 1.01 * told.whole_cost), named + is_named
        assert is_named or told.cost <= 1.01 * told.whole_cost
    assert named >= dearer > 0


def test_an_error_of_a_limit_that_refuses_is_raised():
    engine = Engine(C.budget(4_000, overflow="error"), "gpt-5", never_dearer=True)
    with pytest.raises(BudgetError):
        for session in agent():
            engine.compile(session)


def test_what_no_cache_takes_does_not_wait_until_everything_could_be_cached():
    """A window of a short conversation reads less at each call; from the first request on that a
    cache would have taken, everything is sent, at no loss."""
    engine, session, waited, saved = (
        Engine(C.window(n=3), "gpt-5", never_dearer=True),
        Session("s"),
        [],
        [],
    )
    for n in range(40):
        session.user(f"And what of pump {n}? " + "It stands behind the valve. " * 12)
        waited.append(bool(engine.compile(session).manifest.decided_at))
        saved.append(engine.ledger(session).saved)
        session.assistant(f"Pump {n} runs.")
    assert waited[6:] == sorted(waited[6:]) and not waited[6] and waited[-1]
    assert min(saved) >= 0 and max(saved) == saved[-1] > 0


def test_a_model_without_prices_puts_nothing_off():
    engine = Engine(C.budget(4_000), "of-ours", window=100_000, never_dearer=True)
    assert all(engine.compile(session).tokens <= 4_000 for session in agent())


def test_a_manifest_without_a_place_is_of_a_spec_that_decided_now():
    pack = compile([{"role": "user", "content": "hi"}], model="gpt-5")
    assert pack.manifest.decided_at == 0
    assert msgspec.json.decode(pack.manifest.to_json())["decided_at"] == 0


def short_talk(turns=24):
    """A session before each of its questions, that becomes a little longer than a cache takes."""
    session = Session("t")
    session.add("system", "Be careful.")
    for n in range(turns):
        session.user(f"What of pump {n}? " + "valve " * 30)
        yield session
        session.assistant(f"Pump {n} runs. " * 8)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("spec", [C.decay(), C.salient(min_score=0.3)], ids=repr)
def test_what_promises_no_size_is_not_read_anew_at_each_call(spec, model):
    """Shortened to less than a cache takes, it would cost its full price for ever."""
    at_once, engine = Engine(spec, model, suspend=False), Engine(spec, model)
    for session in short_talk():
        at_once.compile(session)
        engine.compile(session)
        told = engine.ledger(session)
        assert told.cost <= told.whole_cost * 1.01
    assert told.put_off and not told.suspended
    if model != "gemini-2.5-pro":
        assert at_once.ledger(session).cost > 1.05 * told.cost


@pytest.mark.parametrize("spec", [C.decay(), C.cool(threshold=4_000)], ids=repr)
def test_by_default_a_step_waits_for_what_its_next_calls_bring_back(spec):
    """A long session's steps are taken before what was saved covers them."""
    engine, covered = Engine(spec, "gpt-5"), Engine(spec, "gpt-5", never_dearer=True)
    for session in agent(60):
        pack = engine.compile(session)
        covered.compile(session)
        if pack.manifest.decided_at:
            assert replay(pack, session).body == pack.body
            assert "suspend: until its next calls bring it back" in pack.manifest.notes[0]
    assert engine.ledger(session).cost < covered.ledger(session).cost


def test_by_default_a_step_waits_after_a_restart_as_well(tmp_path):
    store = SQLiteSessions(tmp_path / "s.db")
    engine = Engine(C.decay(), "gpt-5", sessions=store)
    *_, session = short_talk()
    grown = Session("t")
    for event in session.log:
        if event.role == "assistant":
            pack = engine.compile(grown)
        grown.append(event)
    grown.user("And now?")
    pack = engine.compile(grown)
    assert pack.manifest.decided_at
    engine.record(grown)
    assert Engine(C.decay(), "gpt-5").compile(store.load("t")).request == pack.request


@pytest.mark.parametrize(
    ("spec", "waits"),
    [(C.decay(), True), (C.default() | C.cool(threshold=4_000), True),
     (C.compress_results(budget=4_000), True), (C.salient(min_score=0.3), True),
     (C.default(), False), (C.window(steps=8), False), (C.sliding(4_000), False),
     (C.budget(4_000), False), (C.decay() | C.budget(4_000), False),
     (C.compress_results(), False), (C.cool(threshold=4_000, steps=False), False),
     (C.relevant(), False), (C.isolate(), False), (C.rolling(5), False)],
    ids=repr,
)  # fmt: skip
def test_what_names_a_size_or_asks_does_not_wait_by_default(spec, waits):
    assert waits_by_default(spec) is waits
