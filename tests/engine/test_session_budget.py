"""What a session may cost in all: counted from bills, told at thresholds, ended where it is asked."""

import asyncio
import threading

import pytest
from tests.at_once import at_once

from contextwright import C, Engine, Session, SessionBudget, SQLiteSessions, register_model
from contextwright.errors import BudgetError, ModelError, SessionBudgetError, SpecError
from contextwright.tokens.usage import Usage

ANTHROPIC = {
    "input_tokens": 100,
    "cache_read_input_tokens": 600,
    "cache_creation_input_tokens": 300,
    "output_tokens": 50,
}


def turn(engine, session, billed):
    session.user("hi")
    engine.compile(session)
    session.assistant("hello")
    engine.record(session, billed=billed)


def test_thresholds_are_told_once_each_and_the_last_ends_the_session():
    events = []
    budget = SessionBudget(max_tokens=10_000, thresholds={0.5: events.append, 0.8: events.append})
    engine, session = Engine(C.default(), "claude-sonnet-4-5", budget=budget), Session("s")
    heard = []
    engine.on("budget", heard.append)
    for _ in range(9):
        turn(engine, session, ANTHROPIC)
    assert [(event.threshold, event.tokens) for event in events] == [(0.5, 5250), (0.8, 8400)]
    assert heard == events
    with pytest.raises(
        SessionBudgetError, match=r"10500 tokens and \$\d.* were spent of 10000 tokens"
    ):
        turn(engine, session, ANTHROPIC)
    assert budget.spent(session).usage.cached == 6000
    assert heard[-1].threshold == 1.0
    assert isinstance(pytest.raises(SessionBudgetError, engine.compile, session).value, BudgetError)
    assert len(session) == 20  # the answer that was paid for is there


def test_a_callback_may_ask_to_end_it():
    budget = SessionBudget(max_tokens=10_000, thresholds={0.1: lambda event: "abort"})
    engine, session = Engine(C.default(), "gpt-5", budget=budget), Session()
    with pytest.raises(SessionBudgetError, match="threshold of 0.1"):
        turn(engine, session, {"prompt_tokens": 1500, "completion_tokens": 1})


def test_money_is_counted_by_the_models_prices_for_what_was_cached_and_what_was_not():
    budget = SessionBudget(max_cost=100)
    engine, session = Engine(C.default(), "claude-sonnet-4-5", budget=budget), Session()
    usage = {
        "input_tokens": 1_000_000,
        "cache_read_input_tokens": 1_000_000,
        "cache_creation_input_tokens": 0,
        "output_tokens": 100_000,
    }
    turn(engine, session, usage)
    spent = budget.spent(session)
    uncached = Session()
    turn(engine, uncached, {**usage, "input_tokens": 2_000_000, "cache_read_input_tokens": 0})
    assert 0 < spent.microdollars < budget.spent(uncached).microdollars


def test_what_was_spent_is_stored_with_the_session(tmp_path):
    store = SQLiteSessions(tmp_path / "s.db")
    engine = Engine(C.default(), "gpt-5", sessions=store, budget=SessionBudget(max_tokens=2000))
    session = Session("s")
    turn(engine, session, 1500)
    again = store.load("s")
    assert engine.budget.spent(again).tokens == 1500
    again.rewind(0)
    assert engine.budget.spent(again).tokens == 1500  # money does not come back
    assert engine.budget.spent(again.fork(id="f")).tokens == 0
    with pytest.raises(SessionBudgetError):
        turn(engine, again, 600)
    assert store.load("s").metadata["contextwright.spent"]["aborted"]


def test_a_larger_budget_lets_it_go_on():
    session = Session()
    engine = Engine(C.default(), "gpt-5", budget=SessionBudget(max_tokens=1000))
    with pytest.raises(SessionBudgetError):
        turn(engine, session, 1500)
    larger = Engine(C.default(), "gpt-5", budget=SessionBudget(max_tokens=9000))
    turn(larger, session, 100)


def test_a_callback_that_fails_ends_no_turn():
    def breaking(event):
        raise ValueError

    budget = SessionBudget(max_tokens=1000, thresholds={0.5: breaking})
    engine, session = Engine(C.default(), "gpt-5", budget=budget), Session()
    turn(engine, session, 600)
    session.user("on")
    assert any(
        "callback of threshold 0.5 failed (ValueError)" in note
        for note in engine.compile(session).manifest.notes
    )


def test_the_bill_is_taken_in_an_event_loop_and_calibrates_as_before():
    budget = SessionBudget(max_tokens=10**9)
    engine, session = Engine(C.default(), "claude-sonnet-4-5", budget=budget), Session()

    async def work():
        for _ in range(25):
            session.user("What does the supplier say of the offer?" * 20)
            pack = await engine.acompile(session)
            session.assistant("Nothing.")
            await engine.arecord(
                session,
                billed={"usage": {"input_tokens": int(pack.tokens * 1.2), "output_tokens": 3}},
            )

    asyncio.run(work())
    assert engine.calibrator.factor("anthropic", "claude-sonnet-4-5") > 110
    assert budget.spent(session).usage.output == 75


def test_what_is_no_bill_is_refused():
    engine, session = Engine(C.default(), "gpt-5"), Session()
    session.user("hi")
    engine.compile(session)
    for billed in ({"choices": []}, "12", object()):
        with pytest.raises(SpecError, match="says no tokens"):
            engine.record(session, billed=billed)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"max_tokens": 0},
        {"max_cost": True},
        {"max_tokens": 5, "thresholds": {0: print}},
        {"max_tokens": 5, "thresholds": {0.5: "warn"}},
    ],
)
def test_a_budget_that_limits_nothing_is_refused(options):
    with pytest.raises(SpecError):
        SessionBudget(**options)


def test_money_can_not_be_limited_where_prices_are_not_known():
    with pytest.raises(ModelError, match="prices of 'my-llama' are not known"):
        Engine(
            C.default(),
            "my-llama",
            window=8000,
            format="openai-chat",
            budget=SessionBudget(max_cost=1),
        )


def test_long_requests_and_what_is_kept_for_an_hour_cost_what_the_model_asks_for_them():
    register_model("tiered-1", window=900_000, provider="anthropic", input_price=1, cached_price=0.1,
                   cache_write_price=1.25, long_write_price=2, output_price=5,
                   tiers={200_000: {"input_price": 2, "cached_price": 0.2, "output_price": 10}})  # fmt: skip
    budget = SessionBudget(max_cost=100)
    engine = Engine(C.default(), "tiered-1", budget=budget)

    def spent(read, written, long):
        session = Session()
        turn(engine, session, {
            "input_tokens": 0, "cache_read_input_tokens": read, "output_tokens": 0,
            "cache_creation_input_tokens": written + long,
            "cache_creation": {"ephemeral_5m_input_tokens": written,
                               "ephemeral_1h_input_tokens": long}})  # fmt: skip
        return budget.spent(session).microdollars

    assert spent(100_000, 0, 0) == 10_000 and spent(300_000, 0, 0) == 60_000
    assert spent(0, 40_000, 0) == 50_000 and spent(0, 0, 40_000) == 80_000
    assert spent(0, 20_000, 20_000) == 65_000


OTHERS = ["gpt-4o-2024-08-06", "claude-opus-4-6"]


@pytest.mark.parametrize("answering", [*OTHERS, "gpt-5-2025-08-07", "x"])
def test_the_bill_of_another_model_calibrates_nobody(answering):
    """A gateway or a framework falls back on it: its tokens are none of the one that was asked."""
    budget = SessionBudget(max_tokens=10**9)
    engine, session = Engine(C.default(), "gpt-5", budget=budget), Session()
    for _ in range(25):
        session.user("What does the supplier say of the offer?" * 20)
        pack = engine.compile(session)
        session.assistant("Nothing.")
        usage = {"prompt_tokens": int(pack.tokens * 1.2), "completion_tokens": 3}
        engine.record(session, billed={"model": answering, "usage": usage})
    factor = engine.calibrator.factor("openai-chat", "gpt-5")
    assert (factor > 110) == (answering not in OTHERS)
    assert budget.spent(session).usage.output == 75


def test_calls_of_one_session_that_are_billed_at_once_are_all_counted():
    """And a threshold that they pass is told once."""
    told = []
    budget = SessionBudget(max_tokens=1_000_000, thresholds={0.5: told.append})
    engine = Engine(C.window(3), "gpt-5", budget=budget)
    session = Session()
    session.user("hi")
    engine.compile(session)

    def bill(_):
        for _ in range(40):
            engine.bill(session, Usage(input=2_000, output=100))

    at_once(bill, range(8))
    assert budget.spent(session).tokens == 8 * 40 * 2_100
    assert [event.threshold for event in told] == [0.5]


def test_a_bill_that_comes_while_a_threshold_is_told_is_counted():
    budget = SessionBudget(max_tokens=10_000, thresholds={0.5: lambda event: other.start()})
    engine, session = Engine(C.window(3), "gpt-5", budget=budget), Session()

    class Billing(threading.Thread):
        def start(self):
            super().start()
            self.join()

    other = Billing(target=lambda: engine.bill(session, Usage(input=1_000)))
    engine.bill(session, Usage(input=6_000))
    assert budget.spent(session).tokens == 7_000
