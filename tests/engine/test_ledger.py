"""The ledger of a conversation, and a spec that gives way where it turns out dear."""

import pytest

from contextwright import C, Context, Engine, Session, SQLiteSessions, compile, default_spec, target
from contextwright.engine.conversation_sums import ConversationSums
from contextwright.engine.default_spec import decides_at_steps, instead_of
from contextwright.engine.ledger import Ledger
from contextwright.engine.session_budget import input_cost
from contextwright.session.event import Thinking, Tool, ToolCall
from contextwright.tokens.models import model_info
from contextwright.tokens.usage import Usage


def loop(calls, words=150):
    """An agent's session before each of its requests."""
    session = Session("s", tools=[Tool(name="look")])
    session.add("system", "Be careful. " * 300)
    session.user("Find out why the pump fails.")
    yield session
    for n in range(calls):
        session.call("look", f'{{"n": {n}}}', id=f"c{n}")
        session.result(f"c{n}", f"Result {n}: " + "valve " * words)
        yield session


def run(engine, calls, words=150):
    pack = None
    for session in loop(calls, words):
        pack = engine.compile(session)
    return engine.ledger(session), pack


@pytest.mark.parametrize("model", ["gpt-5", "gpt-5.6", "claude-sonnet-4-5", "gemini-2.5-pro"])
def test_sending_everything_costs_the_same_on_both_sides(model):
    told, pack = run(Engine(C.default(), model), 20)
    assert told.calls == 21 and told.tokens == pytest.approx(told.whole_tokens, rel=0.01)
    assert told.cost == pytest.approx(told.whole_cost, rel=0.03)
    assert told.cached > told.tokens * 0.6
    info = model_info(model)
    assert info.cached_price * told.tokens // 10**6 < told.cost < info.input_price * told.tokens


def test_the_default_costs_what_everything_costs_while_it_fits():
    told, _ = run(Engine(model="gpt-5"), 20)
    everything, _ = run(Engine(C.default(), "gpt-5"), 20)
    assert told == everything


def test_a_spec_that_turns_out_dearer_gives_way_and_the_manifest_says_so():
    spec = C.window(steps=4)
    dear, _ = run(Engine(spec, "gpt-5", suspend=False), 30)
    assert dear.cost > dear.whole_cost * 1.1 and not dear.suspended
    engine = Engine(spec, "gpt-5")
    told, pack = run(engine, 30)
    assert "C.window(steps=4)" in told.suspended and "suspend=False" in told.suspended
    assert told.suspended in pack.manifest.notes
    assert len(pack.request["messages"]) == 62
    assert told.cost < dear.cost
    assert ("suspended", told.suspended) in told.rows()


def test_a_limit_that_was_named_holds_after_a_spec_gave_way():
    described = target("gpt-5")
    assert instead_of(C.window(3) | C.budget(5000), described) == (
        C.default() | C.compaction(5000, soft=100, eager=False)
    )
    assert instead_of(C.window(3) | C.compact(), described) == default_spec(described)
    kept = instead_of(C.window(3) | C.redact(["email"]), described)
    assert "C.redact" in repr(kept)


@pytest.mark.parametrize(
    "spec",
    [C.select(role="user"), C.window(3) + C.from_state("goal"), C.from_state("goal"),
     C.window(3) | C.priority(2), C.compaction(5000), C.relevant()],
    ids=repr,
)  # fmt: skip
def test_a_spec_that_says_what_is_seen_never_gives_way(spec):
    assert instead_of(spec, target("gpt-5")) is None


@pytest.mark.parametrize("model", ["gpt-5", "claude-sonnet-4-5"])
def test_a_step_that_pays_for_itself_later_is_no_reason_to_give_way(model):
    """Two long results, far apart, are shortened in a step each: dear at that call, cheaper at all
    that follow. What moves at call after call gives way."""

    def agent(long):
        session = Session("s")
        session.user("Look.")
        for n in range(24):
            session.call("look", f'{{"n": {n}}}', id=f"c{n}")
            rows = (f"row {n} {k} of a long table of values\n" for k in range(long.get(n, 6)))
            session.result(f"c{n}", "".join(rows))
            yield session

    def told(long):
        engine = Engine(C.compress_results(), model)
        costs = [0]
        for session in agent(long):
            engine.compile(session)
            ledger = engine.ledger(session)
            costs.append(ledger.cost - ledger.whole_cost)
        return ledger, costs

    ledger, costs = told({2: 300, 8: 300})
    assert max(costs) * 10 > ledger.whole_cost / 2 and not ledger.suspended
    assert costs[-1] < costs[-8] < costs[-14]
    ledger, _ = told({2: 300, 3: 300})
    assert ledger.suspended


def test_what_decides_at_steps_gives_way_once_it_has_lost_what_that_nearly_costs():
    """The calls behind two steps, one behind the other, may pay for both."""

    def is_dearer(spec, lost):
        ledger = Ledger()
        ledger._open = ConversationSums(
            calls=9, cost=1_200, whole_cost=1_000, losses=2, lost=lost, anew=300
        )
        return ledger.is_dearer(spec)

    assert not is_dearer(C.cool(), 200) and is_dearer(C.cool(), 201)
    assert is_dearer(C.window(steps=8), 100)


def test_giving_way_costs_everything_behind_what_a_cache_still_has():
    engine = Engine(C.window(steps=4), "claude-sonnet-4-5", suspend=False)
    for session in loop(12):
        pack = engine.compile(session)
    info, sums = model_info("claude-sonnet-4-5"), engine._ledgers.of(session.log)._sums
    read, whole = pack.manifest.prefix.read, sums.newest_whole
    prices = info.prices(whole)
    assert sums.losses > 1 and 0 < read < whole
    assert sums.anew == (whole - read) * (prices.write - prices.cached)
    assert sums.lost > 0


@pytest.mark.parametrize(
    ("spec", "at_steps"),
    [(C.cool(), True), (C.compact() | C.dedup(), True), (C.rolling(5), True),
     (C.window(steps=8, stride=4), True), (C.window(steps=8), False),
     (C.window(3) | C.compact(), False), (C.salient(min_score=0.3), False)],
    ids=repr,
)  # fmt: skip
def test_what_moves_with_each_exchange_is_told_from_what_decides_at_steps(spec, at_steps):
    assert decides_at_steps(spec) == at_steps


@pytest.mark.parametrize(
    "spec",
    [C.budget(5000), C.fit(5000), C.fit(5000, strategy="salience"),
     C.budget(5000, overflow="truncate_least_salient"), C.default() | C.budget(5000)],
    ids=repr,
)  # fmt: skip
def test_a_limit_alone_is_kept_as_it_is(spec):
    """Another limit in its place would write the prefix anew, and hold no more."""
    assert instead_of(spec, target("claude-sonnet-4-5")) is None


def test_a_limit_that_is_filled_anew_at_each_request_gives_way():
    described = target("claude-sonnet-4-5")
    assert instead_of(C.budget(5000, steps=False), described) is not None
    assert instead_of(C.default() | C.compact() | C.budget(5000), described) is not None


def test_a_call_that_is_compiled_twice_is_one_call():
    engine = Engine(C.default(), "gpt-5")
    for session in loop(4):
        engine.prepare(session)
        engine.assemble(session)
    again, _ = run(Engine(C.default(), "gpt-5"), 4)
    assert engine.ledger(session) == again


def test_the_bill_stands_beside_what_was_counted():
    engine = Engine(C.default(), "gpt-5")
    for session in loop(3):
        pack = engine.compile(session)
        cached = pack.manifest.prefix.read if pack.manifest.prefix else 0
        details = {"cached_tokens": cached}
        bill = {"prompt_tokens": pack.tokens, "prompt_tokens_details": details}
        engine.record(session, billed={"usage": bill})
    told = engine.ledger(session)
    assert told.billed_calls == 4
    assert told.billed == told.expected == told.cost
    assert any(name == "billed" for name, _ in told.rows())


def test_a_cache_forgets_what_nobody_read_for_long():
    now = iter(range(0, 10**9, 1_000_000))
    late, _ = run(Engine(C.default(), "gpt-5", clock=lambda: next(now)), 6)
    soon, _ = run(Engine(C.default(), "gpt-5"), 6)
    assert late.cached == 0 < soon.cached and late.cost == late.whole_cost > soon.cost


def test_a_model_without_prices_is_never_judged():
    engine = Engine(C.window(steps=4), "of-ours", window=100_000)
    told, _ = run(engine, 20)
    assert (told.cost, told.whole_cost, told.suspended) == (0, 0, "")
    assert told.tokens < told.whole_tokens


def test_counting_everything_costs_what_is_new(monkeypatch):
    engine, counted = Engine(C.window(steps=2), "gpt-5", suspend=False), []
    for session in loop(30):
        engine.compile(session)
    counter = engine.target.counter
    monkeypatch.setattr(type(counter), "count", lambda self, text: counted.append(text) or 9)
    session.call("look", "{}", id="last")
    session.result("last", "done")
    engine.compile(session)
    assert sum("Result 3:" in text for text in counted) == 0


def test_compile_by_itself_keeps_no_ledger():
    session = Session("s")
    session.user("hi")
    assert compile(session, model="gpt-5").manifest.prefix is None


def test_that_a_spec_gave_way_is_saved_with_the_session(tmp_path):
    spec, store = C.window(steps=4), SQLiteSessions(tmp_path / "s.db")
    engine, session = Engine(spec, "gpt-5", sessions=store), None
    for session in loop(30):
        engine.compile(session)
    engine.record(session)
    again, other = store.load("s"), Engine(spec, "gpt-5")
    assert other.compile(again).request == engine.compile(session).request
    assert other.ledger(again).suspended == engine.ledger(session).suspended != ""
    assert other.assemble(again.snapshot()).request == other.compile(again).request
    window = Engine(C.window(steps=6), "gpt-5")
    window.compile(again)
    assert not window.ledger(again).suspended  # another spec has not been judged
    kept = Engine(spec, "gpt-5", suspend=False)
    assert len(kept.compile(store.load("s")).request["messages"]) < 20


def test_reasoning_that_the_provider_leaves_out_costs_the_same_on_both_sides():
    engine, session = Engine(C.default(), "claude-sonnet-4-5"), Session(tools=[Tool(name="look")])
    for turn in range(6):
        session.user(f"Turn {turn}: what of the pump? " * 30)
        for n in range(3):
            engine.compile(session)
            thought = Thinking(text="hm " * 300, signature=f"s{turn}{n}", provider="anthropic")
            call = ToolCall(id=f"c{turn}{n}", name="look", arguments="{}")
            session.assistant(thought, call)
            session.result(call.id, "valve " * 200)
        engine.compile(session)
        session.assistant("It is the valve.")
    told = engine.ledger(session)
    assert told.calls == 24 and not told.suspended
    assert told.whole_cost * 0.85 < told.cost < told.whole_cost * 1.05


def test_fields_that_nobody_here_knows_count_on_both_sides():
    context = Context(model="gpt-5")
    messages = [{"role": "user", "content": "read all files"}]
    for n in range(12):
        function = {"name": "read", "arguments": f'{{"n": {n}}}'}
        call = {"id": f"c{n}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append(
            {"role": "tool", "tool_call_id": f"c{n}", "name": "read" * 9, "content": "x"}
        )
        made = context.call(list(messages))
    told = made.engine.ledger(made.session)
    assert (told.calls, told.tokens, told.cost) == (12, told.whole_tokens, told.whole_cost)


READ = Usage(input=9_000, cached=1_000, context=9_000)
READ_COST = input_cost(READ, model_info("gpt-5"))


def reading(engine, calls, *read):
    """A session whose answers go on by these requests while what was left out can be read."""
    for session in loop(calls):
        pack = engine.compile(session)
        bills = read if pack.manifest.read_back else ()
        engine.bill(session, Usage(input=pack.tokens), *bills, pack=pack)
    return session, pack


def test_requests_by_which_an_answer_went_on_are_in_the_sums():
    """Sending everything would have taken none of them."""
    engine, alone = (
        Engine(C.compaction(6000), "gpt-5", read_back=True, suspend=False) for _ in "ab"
    )
    told = engine.ledger(reading(engine, 20, READ, READ)[0])
    without = alone.ledger(reading(alone, 20)[0])
    assert told.tokens - without.tokens == 2 * 21 * READ.input
    assert told.cost - without.cost == told.read_back_cost > 0
    assert told.whole_cost == without.whole_cost and told.calls == without.calls
    assert not told.suspended


def test_what_is_read_back_too_often_is_no_longer_offered():
    """No limit of the user's gives way: it is the reading that is dear."""
    engine = Engine(C.compaction(6000), "gpt-5", read_back=True)
    session, pack = reading(engine, 20, READ)
    told = engine.ledger(session)
    assert "no longer offered" in told.suspended and "C.compaction" not in told.suspended
    assert told.read_back_cost == READ_COST * 8
    assert not pack.manifest.read_back and "event://" not in pack.body.decode()
    assert {tool["function"]["name"] for tool in pack.request["tools"]} == {"look"}
    assert told.suspended in pack.manifest.notes and pack.tokens <= 6000
    again = Engine(C.compaction(6000), "gpt-5", read_back=True)  # after a restart
    assert not again.compile(session).manifest.read_back
    seldom, pack = reading(Engine(C.compaction(6000), "gpt-5", read_back=True), 20)
    assert pack.manifest.read_back


def test_a_bill_that_comes_behind_the_next_call_is_of_its_own_pack():
    engine = Engine(C.default(), "gpt-5")
    packs = []
    for session in loop(30, words=400):
        packs.append(engine.compile(session))
        if len(packs) > 1:  # the bill of the call before, once the next one is compiled
            engine.learn(session, packs[-2].tokens, packs[-2])
    assert set(engine.calibrator.to_data()["openai-chat gpt-5"]) == {100}
