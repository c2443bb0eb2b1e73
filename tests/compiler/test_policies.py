"""The policies of message-compiler.md as words, and the room that a compaction leaves."""

import msgspec

from contextwright import C, ContextBudget, Event, Session, compile
from contextwright.atoms.compress.clock_last import clocks_in
from contextwright.check import check
from contextwright.session import Text, ToolCall, conversation_view, reasoning_view
from contextwright.testing import session_of, target_for


def test_output_is_routed_into_the_log_with_tags():
    session = session_of("u: hi")
    session.append(
        Event(id="x", role="assistant", parts=(Text(text="yes"),), tags=("mine", "step"))
    )
    session.user("go on")
    session.assistant("not tagged")
    session.user("and now?")
    sent = compile(session, C.select(tag="step"), model="gpt-5").request["messages"]
    texts = [message["content"] for message in sent]
    assert "yes" in texts and "not tagged" not in texts


def test_both_views_of_the_one_log():
    session = session_of("u: hi")
    session.call("look", "{}", id="c")
    session.result("c", "found")
    session.assistant("yes")
    assert len(reasoning_view(session.snapshot())) == 3
    assert len(conversation_view(session.snapshot())) == 2


def test_what_was_said_beside_calls_stays_in_both_conversation_views():
    session = session_of("u: hi")
    session.assistant("It is 42. Let me save it.", ToolCall(id="c", name="save", arguments="{}"))
    session.result("c", "saved")
    session.call("check", "{}", id="d")
    session.result("d", "fine")
    session.assistant("Done.")
    session.user("more")
    exchanges = conversation_view(session.snapshot())
    assert [e.first.text for e in exchanges] == ["hi", "It is 42. Let me save it.", "Done.", "more"]
    assert not any(e.calls or e.results for e in exchanges)
    sent = compile(session, C.view("conversation") | C.silent(), model="gpt-5").request["messages"]
    assert [m["content"] for m in sent] == [e.first.text for e in exchanges]


def test_the_budget_is_explicit_and_decides():
    target = target_for("openai-chat", window=10_000, reserved_output=2_000)
    budget = compile(session_of("u: hi"), C.default(), target=target).budget
    assert isinstance(budget, ContextBudget)
    assert budget.remaining() == 8_000 - budget.used and budget.soft_threshold == 6_400
    assert not budget.over_soft_threshold()
    full = msgspec.structs.replace(budget, used=6_400)
    assert full.over_soft_threshold() and full.remaining() == 1_600
    over = msgspec.structs.replace(budget, used=9_000)
    assert over.remaining() == 0


def test_a_step_is_due_at_the_soft_threshold_or_before_the_headroom_is_used():
    assert _due_at(C.compaction(), 1000) == 800
    assert _due_at(C.compaction(headroom=400), 1000) == 600
    assert _due_at(C.compaction(1000), 1000) == 1000


def _due_at(terminal, limit):
    return terminal.stages[0].due_at(limit)


def test_a_clock_is_moved_behind_what_a_cache_may_hold():
    session = session_of("u: hi")
    session.update({"user:profile": "Name: Ada\nCurrent time: 2026-11-21 09:30:05\nHome: Kiel"})
    spec = (C.from_state("user:profile") | C.clock_last()) + C.window(n=1)
    system, last = (m["content"] for m in compile(session, spec, model="gpt-5").request["messages"])
    assert "09:30" not in system and "Ada" in system and "Kiel" in system
    assert "Current time: 2026-11-21 09:30:05" in str(last)


def test_what_is_no_clock_stays():
    assert clocks_in("The office opens at 9:30 and closes at 17:00") == []
    assert clocks_in("Meeting on 2026-11-21") == []
    assert clocks_in("now it is 09:30") and clocks_in("2026-11-21T09:30:05Z")


def test_the_checker_finds_a_clock_in_a_cached_block():
    session = Session("s")
    session.add("system", "You help. The time is 2026-11-21 09:30:05.")
    session.user("hi")
    found = check(C.window(n=2), sessions=session).findings
    assert [one.code for one in found] == ["clock-in-cache", "no-effect"]
    assert "2026-11-21" in found[0].where
    session = Session("s")
    session.add("system", "You help.")
    session.user("It is 2026-11-21 09:30:05 now.")
    found = check(C.window(n=2), sessions=session).findings
    assert [one.code for one in found] == ["no-effect"]


LONG = (
    '{"rows": ['
    + ", ".join(f'{{"id": "P{n}", "text": "{"word " * 9}"}}' for n in range(300))
    + "]}"
)


def test_results_are_compressed_by_what_is_left_of_a_budget():
    session = Session("s")
    for n in range(4):
        session.user(f"q{n}")
        session.call("search", f'{{"query": "{n}"}}', id=f"c{n}")
        session.result(f"c{n}", LONG)
        session.assistant("found")
    session.user("now?")

    def sizes(spec):
        sent = compile(session, spec, model="gpt-5").request["messages"]
        return [len(m["content"]) for m in sent if m["role"] == "tool"]

    wide = sizes(C.compress_results(400_000, steps=False))
    tight = sizes(C.compress_results(20_000, steps=False))
    assert all(one > other for one, other in zip(wide, tight, strict=True))
    assert max(wide) < len(LONG)
    session.call("search", "{}", id="new")
    session.result("new", LONG)
    assert sizes(C.compress_results(20_000))[-1] == len(LONG), "the newest is whole"


def test_pruning_needs_a_gain_and_spares_who_truncates():
    session = Session("s")
    session.user("go")
    for name, arguments in (
        ("bash", "{}"),
        ("expand", '{"ref": "event://e1#0"}'),
        ("search", "{}"),
    ):
        session.call(name, arguments, id=name)
        session.result(name, "line of text\n" * 200)
    session.assistant("ok")
    session.user("more")

    def short(**options):
        sent = compile(session, C.compact("tool_results", **options), model="gpt-5").request[
            "messages"
        ]
        return [len(m["content"]) < 2000 for m in sent if m["role"] == "tool"]

    assert short() == [True, True, True]  # what was read back, in its own turn only
    assert short(exempt=["bash"]) == [False, True, True]
    assert short(min_gain=100_000) == [False, False, False]
