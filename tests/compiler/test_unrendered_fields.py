"""Fields that another provider has no word for: one line each, bounded, told once a message."""

from itertools import count

from contextwright import C, Session, compile, read_session
from contextwright.compiler import unrendered_fields


def _traced(count, extra):
    return {"model": "gpt-5", "messages": [{"role": "user", "content": f"n {n}", **extra(n)}
                                           for n in range(count)]}  # fmt: skip


def _fields(body, spec=C.default(), model="claude-sonnet-4-5"):  # noqa: B008 - a spec is frozen
    pack = compile(read_session(body), spec, model=model)
    return [one.reason for one in pack.manifest.unrendered if one.part == "field"]


def test_a_field_has_one_line_whatever_the_number_of_messages():
    assert _fields(_traced(3, lambda n: {"x_trace": n})) == [
        "'messages[].x_trace' has no equivalent in anthropic (3 messages)"
    ]
    assert not _fields(_traced(3, lambda n: {"x_trace": None, "cache_control": {"type": "x"}}))


def test_fields_are_the_callers_keys_and_are_bounded_and_redacted():
    named = _fields(_traced(12, lambda n: {f"x_{n}": 1}))
    assert len(named) == 9 and named[-1] == "4 fields more have no equivalent in anthropic"
    assert len(_fields(_traced(1, lambda n: {"x" * 500: 1}))[0]) < 200
    [redacted] = _fields(_traced(1, lambda n: {"x_ann@example.com": 1}), C.redact("pii"))
    assert "ann" not in redacted


def test_the_fields_of_a_message_are_told_once(monkeypatch):
    session, calls = read_session(_traced(80, lambda n: {"x_trace": n})), count()
    told = unrendered_fields.lost_fields
    monkeypatch.setattr(unrendered_fields, "lost_fields", lambda *a: (next(calls), told(*a))[1])
    for _ in range(3):
        session.user("more")
        assert compile(session, C.default(), model="claude-sonnet-4-5").manifest
    assert next(calls) == 80


def test_what_an_application_keeps_under_a_formats_name_is_no_field():
    session = Session("s")
    session.user("hi", extra={"openai-chat": {"mine": 1}, "gemini": {"records": []}})
    pack = compile(session, C.default(), model="claude-sonnet-4-5")
    assert not pack.manifest.unrendered


def test_a_message_with_several_results_is_one():
    results = [{"type": "tool_result", "tool_use_id": id, "content": "ok", "x_b": 1} for id in "ab"]
    calls = [{"type": "tool_use", "id": id, "name": "f", "input": {"x_c": 1}} for id in "ab"]
    body = {"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": [
        {"role": "user", "content": "go on"},
        {"role": "assistant", "content": calls, "x_trace": 1},
        {"role": "user", "content": [*results, {"type": "text", "text": "and?", "x_b": 2}]}]}  # fmt: skip
    assert _fields(body, model="gpt-5") == [
        "'messages[].x_trace' has no equivalent in openai-chat (1 message)",
        "'messages[].content[].x_b' has no equivalent in openai-chat (1 message)",
    ]


def test_a_field_beside_the_parts_of_an_instruction_is_named():
    body = {
        "systemInstruction": {"parts": [{"text": "Be brief."}], "x_b": 2},
        "contents": [{"role": "user", "parts": [{"text": "hi"}]}],
    }
    pack = compile(body, C.default(), model="claude-sonnet-4-5")
    assert [one.reason for one in pack.manifest.unrendered] == [
        "'systemInstruction.x_b' has no equivalent in anthropic (1 message)"
    ]
