"""WRITE, BUDGET, PROTECT: notes and captures, tiers and limits, guards."""

import json

import pytest

from contextwright import C, Engine, Session, compile, record
from contextwright.errors import BudgetError, MissingExtra, PatternError, SpecError
from contextwright.testing import assert_drop_order, session_of, target_for


def text(session, spec):
    return compile(session, spec, target=target_for("text")).text


def chat(session, spec):
    return compile(session, spec, target=target_for("openai-chat"))


@pytest.mark.parametrize(
    ("notes", "format", "shown"),
    [
        ("plain words", "text", "plain words"),
        (["one", "two"], "text", "- one\n- two"),
        (
            [{"text": "buy", "done": True}, {"text": "sell"}, "[x] rest"],
            "checklist",
            "[x] buy\n[ ] sell\n[x] rest",
        ),
        (
            {"open_questions": "why?", "facts": [1]},
            "structured",
            "Open questions: why?\nFacts: [1]",
        ),
        ([{"time": "10:00", "text": "began"}, "went on"], "log", "- 10:00 began\n- went on"),
    ],
)
def test_notes_are_shown_in_their_format(notes, format, shown):
    session = session_of("u: hi")
    session.note("progress", notes)
    assert f'source="notes:progress">\n{shown}\n<' in text(
        session, C.notes("progress", format=format)
    )


def test_notes_fall_back_to_distilled_facts_and_are_blocks_an_item():
    session = session_of("u: hi", state={"_facts_case": ["a", "b"]})
    kept = chat(session, C.notes("case")).manifest.kept
    assert [b.id for b in kept if b.layer == "memory"] == ["notes:case/0", "notes:case/1"]


def test_capture_adds_nothing_and_writes_the_users_words():
    session = session_of("u: hi | a: hello | u: book a flight")
    spec = C.capture("user_message") + C.window(1)
    assert chat(session, spec).manifest.kept[-1].source == "window:last_1"
    record(session, spec)
    assert session.state["user_message"] == "book a flight"
    record(session, C.capture("answer", what="output"))
    assert session.state["answer"] == "hello"


def test_an_engine_captures_saves_and_learns():
    from contextwright.stores import SQLiteSessions

    store = SQLiteSessions(":memory:")
    engine = Engine(
        C.capture("asked") + C.window(3) + C.from_state("asked"), "gpt-5", sessions=store
    )
    session = session_of("u: hi there")
    for n in range(25):
        pack = engine.compile(session)
        session.assistant(f"answer {n}")
        engine.record(session, billed_input=pack.tokens * 2)
        session.user(f"question {n}")
    assert session.state["asked"] == "question 23"
    assert engine.target.counter.hundredths >= 190
    assert pack.manifest.prefix is not None
    assert len(store.load(session.id)) == len(session) - 1


def test_tiers_leave_in_their_order():
    session = session_of("u: now", state={"a": "word " * 50, "b": "word " * 50, "c": "word " * 50})
    spec = (
        C.from_state("a") | C.priority(2)
        + C.from_state("b") | C.priority(3)
        + C.from_state("c") | C.priority(1)
    )  # fmt: skip
    packed = chat(session, spec | C.budget(190, overflow="truncate_lowest_priority"))
    assert [b.id for b in packed.manifest.kept if b.layer == "task"] == ["state:a", "state:c"]
    packed = chat(session, spec | C.budget(120, overflow="truncate_lowest_priority"))
    assert [b.id for b in packed.manifest.kept if b.layer == "task"] == ["state:c"]
    with pytest.raises(BudgetError, match="state:c"):
        chat(session, spec | C.budget(50, overflow="truncate_lowest_priority"))


def test_a_tier_is_global_whatever_union_it_was_set_in():
    session = session_of("u: now", state={"a": "word " * 50, "b": "word " * 50})
    spec = (C.from_state("a") | C.priority(3)) + ((C.from_state("b") | C.priority(2)) + C.none())
    packed = chat(session, spec | C.budget(120, overflow="truncate_lowest_priority"))
    assert [b.id for b in packed.manifest.kept if b.layer == "task"] == ["state:b"]


def test_the_archive_is_not_sent_and_can_be_had():
    session = session_of("u: now", state={"old": "history"})
    packed = chat(session, C.from_state("old") | C.priority(4))
    assert [(c.id, c.step, c.ref) for c in packed.manifest.changes] == [
        ("state:old", "archive", "state://old")
    ]
    assert "history" in text(session, C.expand("state://old"))


def test_the_oldest_leave_first_and_users_words_after_their_turns_trace():
    session = session_of("u: a | a: one | u: b | a: two | u: c | a: three | u: d")
    assert_drop_order(
        session, C.default(), ["e1", "e3", "e2", "e5", "e4"], target=target_for("openai-chat")
    )


def test_overflow_error_lets_nothing_go():
    session = session_of("u: a | a: " + "words " * 300 + " | u: b")
    with pytest.raises(BudgetError, match="lets nothing go"):
        chat(session, C.default() | C.budget(100, overflow="error"))


def test_summarize_that_was_not_prepared_compacts_and_says_so():
    session = session_of("u: a | c: f(x) | r: " + "words " * 500 + " | a: ok | u: b")
    engine = Engine(C.default() | C.budget(500, overflow="summarize"), "gpt-4o")
    packed = engine.assemble(session)
    assert packed.manifest.notes == ("summary was not prepared: done without a model",)
    assert [c.action for c in packed.manifest.changes] == ["compacted"]
    assert {c.action for c in engine.compile(session).manifest.changes} == {"summarized"}
    assert {c.action for c in engine.assemble(session).manifest.changes} == {"summarized"}


@pytest.mark.parametrize(
    ("strategy", "actions"),
    [
        ("cascade", {"compacted"}),
        ("compact_then_summarize", {"compacted"}),
        ("summarize_only", {"summarized"}),
        ("strict", {"compacted"}),  # what was dropped comes back as far as it fits
    ],
)
def test_fit_shortens_by_its_strategy(strategy, actions):
    session = session_of("u: a | c: f(x) | r: " + "words " * 500 + " | a: ok | u: b")
    packed = chat(session, C.default() | C.fit(300, strategy=strategy))
    assert {c.action for c in packed.manifest.changes} == actions
    assert packed.tokens <= 300


def test_fit_stops_at_the_first_stage_that_is_enough():
    session = session_of(
        "u: a | c: f(x) | r: " + "words " * 500 + " | a: ok | u: b", state={"x": "y " * 50}
    )
    spec = C.default() + (C.from_state("x") | C.priority(3))
    first = chat(session, spec | C.fit(600))
    assert all(c.action == "compacted" for c in first.manifest.changes)
    packed = chat(session, spec | C.fit(260))
    assert [c.step for c in packed.manifest.changes if c.id == "state:x"] == [
        "fit: cascade: lowest tier"
    ]


def test_a_request_fits_its_window_without_any_limit_in_the_spec():
    session = session_of("u: a | a: " + "words " * 3000 + " | u: b")
    packed = compile(session, C.default(), target=target_for("openai-chat", 1000, 200))
    assert packed.tokens <= 800
    assert packed.budget.remaining() == 1000 - packed.tokens - 200
    small = compile(
        session_of("u: hi"), model="gpt-5", window=1000, reserved_output=100, reserved_system=300
    )
    assert small.manifest.budget == 600
    assert small.budget.remaining() == 600 - small.tokens
    assert not small.budget.over_soft_threshold()
    full = compile(
        session, C.default() | C.truncate(500), model="gpt-5", window=900, reserved_output=300
    )
    assert full.budget.over_soft_threshold()


STALE = (
    "u: a | a: one | c: f(x) | r: "
    + "old result " * 200
    + " | u: b | a: two | u: c | a: three | u: d"
)


@pytest.mark.parametrize(
    ("action", "check"),
    [
        ("exclude", lambda b: "one" not in b and "two" in b),
        ("warn", lambda b: "[STALE — 3 turns old]\\none" in b),
        ("compact", lambda b: "event://e2#0" in b and "one" in b),
        ("summarize", lambda b: "ref=" in b and "event://e1#..e3" in b),
    ],
)
def test_stale_blocks_are_treated_as_said(action, check):
    assert check(
        chat(session_of(STALE), C.default() | C.fresh(2, stale_action=action)).body.decode()
    )


def test_freshness_behind_a_selection_is_counted_in_turns_of_the_session():
    session = session_of("u: a | a: old | u: b | a: mid | u: c | a: new | u: d")
    messages = chat(session, C.select(role="assistant") | C.fresh(2)).request["messages"]
    assert [m["content"] for m in messages if m["role"] == "assistant"] == ["mid", "new"]


def test_redaction_reaches_every_part_and_the_running_turn():
    session = session_of(
        "s: mail admin@corp.com | u: I am bob@home.org | c: send(eve@x.net) | r: sent to eve@x.net | u: bob@home.org?"
    )
    session.update({"profile": {"ssn": "123-45-6789", "mail": "z@z.org"}})
    packed = chat(
        session, C.window(1) + C.from_state("profile") | C.redact(["email"], fields=["ssn"])
    )
    body = packed.body.decode()
    for secret in ("admin@corp.com", "bob@home.org", "eve@x.net", "123-45-6789", "z@z.org"):
        assert secret not in body
    assert body.count("[REDACTED]") >= 4
    assert {c.action for c in packed.manifest.changes} == {"redacted"}
    assert not any(s in packed.manifest.to_json().decode() for s in ("bob@home.org", "123-45-6789"))


def test_redaction_comes_before_anything_is_cut():
    session = session_of(
        "u: go | a: " + "x " * 40 + "call bob@example.com now " + "y " * 60 + " | u: ok"
    )
    for limit in range(30, 90):
        body = chat(
            session, C.default() | C.truncate(limit, strategy="head") | C.redact("email")
        ).body.decode()
        assert "bob@" not in body
        assert "example" not in body


def test_redaction_inside_a_term_is_the_terms_own_and_that_of_what_no_term_brought():
    """What the engine adds by itself must not bring back beside a term what the term redacts."""
    session = session_of("u: a@b.org | a: ok | u: c@d.org")
    first = C.select(role="user", position="first") | C.redact("email")
    body = chat(session, first + C.from_state("x")).body.decode()
    assert "a@b.org" not in body
    assert "c@d.org" not in body
    body = chat(session, first + C.window(n=1)).body.decode()
    assert "a@b.org" not in body
    assert "c@d.org" in body


def test_patterns_of_users_run_on_re2_only():
    session = session_of("u: order ACME-1234")
    assert "ACME-1234" not in chat(session, C.none() | C.redact([r"ACME-\d{4}"])).body.decode()
    with pytest.raises(PatternError):
        C.redact([r"(?=look)ahead"])


def test_without_re2_a_users_pattern_names_the_extra(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "re2", None)
    with pytest.raises((MissingExtra, PatternError), match="") as caught:
        C.redact([r"unseen-\d{7}"])
    assert "contextwright[redact]" in str(caught.value)


def test_validation_warns_in_the_context_or_fails():
    session = session_of("u: a | a: one | u: b | a: two | u: c")
    checks = C.validate(["completeness", "freshness"], keys=["budget"], max_age=1)
    body = chat(session, C.default() | checks).body.decode()
    assert "<warning>state key 'budget' is missing or empty</warning>" in body
    assert "more than 1 turns old" in body
    with pytest.raises(SpecError, match="budget"):
        chat(session, C.default() | C.validate("completeness", keys=["budget"], on_failure="raise"))


def test_two_checks_of_one_spec():
    session = session_of("u: The price is $40. | a: ok | u: The price is $50. | a: ok | u: well?")
    spec = C.window(n=10) + C.from_state("requirements")
    body = chat(session, spec | C.validate(["contradictions", "completeness"])).body.decode()
    assert "Contradiction detected" in body
    assert "state key 'requirements' is missing or empty" in body


def test_what_fits_is_the_same_bytes_with_and_without_a_limit():
    session = session_of("s: be brief | u: a | c: f(x) | r: found | a: one | u: b")
    spec = C.window(n=5) + C.from_state("profile")
    assert chat(session, spec | C.budget(4000)).body == chat(session, spec).body
    assert chat(session, spec | C.fit(4000)).body == chat(session, spec).body


def test_low_information_density_is_warned_of():
    line = "this is one rather long line that stands here many times over"
    session = session_of(f"u: a | a: {line}\n{line}\n{line}\n{line} | u: b")
    assert (
        "repetitions" in chat(session, C.default() | C.validate("token_efficiency")).body.decode()
    )
    assert (
        "repetitions"
        not in chat(
            session_of("u: a | u: b"), C.default() | C.validate("token_efficiency")
        ).body.decode()
    )


def test_the_manifest_is_canonical_json_like_rfc_8785():
    import rfc8785

    session = session_of("u: a | c: f(x) | r: " + "words " * 300 + " | u: größe 🚲")
    manifest = chat(session, C.window(3) | C.compact() | C.budget(400)).manifest
    assert rfc8785.dumps(json.loads(manifest.to_json())) == manifest.to_json()


def test_nothing_to_send_is_said():
    with pytest.raises(SpecError, match="nothing to send"):
        chat(Session(), C.default())


def test_what_is_no_spec_and_no_model_is_said():
    with pytest.raises(SpecError, match="expected a spec"):
        compile(session_of("u: hi"), 7, model="gpt-5")
    from contextwright.errors import ModelError

    with pytest.raises(ModelError, match="neither"):
        compile(session_of("u: hi"))


def test_calibration_settles_at_the_true_ratio():
    engine = Engine(C.window(2), "claude-sonnet-4-5")
    session = session_of("u: hi there, how are you today?")
    for n in range(120):
        pack = engine.compile(session)
        estimated = compile(session, C.window(2), model="claude-sonnet-4-5").tokens
        session.assistant(f"answer {n}")
        engine.record(session, billed_input=estimated * 3 // 2)
        session.user(f"question {n} about this and that")
    assert 1.4 < engine.target.counter.hundredths / 135 < 1.7
    assert pack.manifest.counter != "o200k_base*135"


def test_an_engine_expands_refs_redacted():
    engine = Engine(C.window(1) | C.compact() | C.redact("email"), "gpt-5")
    session = session_of("u: mail bob@home.org | a: ok | u: next")
    assert engine.expand(session, "event://e0") == "mail [REDACTED]"


def test_the_same_text_in_two_tiers_counts_in_the_lower():
    session = session_of("u: now", state={"a": "word " * 50})
    spec = (C.from_state("a") | C.priority(3)) + (C.from_state("a") | C.priority(1))
    kept = [b for b in chat(session, spec).manifest.kept if b.id == "state:a"]
    assert [b.tier for b in kept] == [1]


def test_two_templates_that_begin_alike_are_two():
    start = "the same forty characters at the beginning of "
    body = chat(
        session_of("u: hi"), C.template(start + "one") + C.template(start + "two")
    ).body.decode()
    assert start + "one" in body
    assert start + "two" in body


def test_what_was_dropped_comes_back_where_shortening_made_room():
    """The running turn gives way last; what it gives then serves what went before it."""
    session = session_of(
        "u: old question | a: old answer | u: go", state={"note": "remember the milk"}
    )
    for n in range(6):
        session.call("read", f'{{"n": {n}}}', id=f"c{n}")
        session.result(f"c{n}", f"result {n} " * 300)
    spec = C.from_state("note") + C.window(n=2) | C.budget(max_tokens=4060)
    packed = chat(session, spec)
    body = packed.body.decode()
    assert packed.tokens <= 4060
    assert "remember the milk" in body
    assert "old answer" in body
    assert {c.action for c in packed.manifest.changes} <= {"compacted", "changed"}


def test_what_stays_in_the_conversation_is_not_told_as_sent_elsewhere():
    session = session_of("u: a | a: one | u: b | a: two | u: c")
    spec = C.default() + (C.window(2) | C.layer("evidence"))
    manifest = chat(session, spec).manifest
    assert {one.layer for one in manifest.kept} == {"conversation"}
    assert manifest.changes == ()
    moved = chat(session, C.window(1) + (C.window(2) | C.layer("evidence"))).manifest
    assert [(one.id, one.reason) for one in moved.changes] == [
        ("e2", "sent as evidence"), ("e3", "sent as evidence")
    ]  # fmt: skip
