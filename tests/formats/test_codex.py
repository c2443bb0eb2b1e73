"""Codex rollouts: items are shown, what only mirrors them is not, the same lines come out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formats.rounds import assert_comes_back, beside, document, messages, values

from contextwright.errors import MalformedRecord
from contextwright.formats import codex

TIME = "2026-01-02T03:04:05.678Z"


def row(type, /, **payload):
    return {"timestamp": TIME, "type": type, "payload": payload}


def item(type, /, **payload):
    return row("response_item", type=type, **payload)


def says(role, text):
    kind = "output_text" if role == "assistant" else "input_text"
    return item("message", role=role, content=[{"type": kind, "text": text}])


META = row("session_meta", id="11111111", cwd="/w", cli_version="0.77.0")
CALL = item("function_call", name="exec", arguments='{"cmd": "ls"}', call_id="c1")
OUTPUT = item("function_call_output", call_id="c1", output="a.txt")


def test_reasoning_and_calls_of_one_answer_form_one_event_whatever_lies_between():
    lines = [
        META,
        says("user", "list"),
        item("reasoning", summary=[{"type": "summary_text", "text": "hm"}], encrypted_content="E"),
        row("event_msg", type="token_count", info=None),
        CALL,
        item("function_call", name="exec", arguments="{}", call_id="c2"),
        OUTPUT,
        item("function_call_output", call_id="c2", output="b.txt"),
        says("assistant", "done"),
    ]
    session = assert_comes_back(codex, lines, lines=True)
    assert session.id == "11111111"
    assert [event.role for event in session.log] == [
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
    ]
    assert session.snapshot().exchanges()[1].mark == "complete"


def test_what_mirrors_an_item_is_not_shown_twice():
    lines = [
        META,
        row("event_msg", type="user_message", message="list", images=[]),
        says("user", "list"),
        row("event_msg", type="agent_message", message="done"),
        says("assistant", "done"),
    ]
    session = assert_comes_back(codex, lines, lines=True)
    assert messages(session) == [("user", ["list"]), ("assistant", ["done"])]


def test_what_no_item_says_is_shown():
    lines = [META, row("event_msg", type="user_message", message="spawn"), CALL]
    assert messages(assert_comes_back(codex, lines, lines=True))[0] == ("user", ["spawn"])


def test_calls_of_codex_own_kinds_are_calls_and_come_back():
    blocks = [{"type": "output_text", "text": "Done!"}]
    lines = [
        META,
        item(
            "custom_tool_call",
            name="apply_patch",
            input="*** Begin\n+x",
            call_id="p",
            status="done",
        ),
        item("custom_tool_call_output", call_id="p", output=blocks),
        item("local_shell_call", call_id="s", id=None, action={"type": "exec", "command": ["ls"]}),
        item("function_call_output", call_id="s", output={"content": "x", "success": False}),
    ]
    session = assert_comes_back(codex, lines, lines=True)
    calls = [(call.name, call.arguments) for event in session.log for call in event.calls]
    assert calls == [
        ("apply_patch", '{"input": "*** Begin\\n+x"}'),
        ("local_shell", '{"type": "exec", "command": ["ls"]}'),
    ]
    assert [e.mark for e in session.snapshot().exchanges()] == ["complete", "failed"]


def test_a_compaction_is_a_summary_of_all_before():
    lines = [META, says("user", "a"), row("compacted", message="so far", replacement_history=[{}])]
    summary = assert_comes_back(codex, lines, lines=True).log[1]
    assert summary.text == "so far" and summary.metadata == {
        "kind": "summary",
        "scope": "historical",
        "covers": {"first": "line-2", "last": "line-2", "events": 1},
    }


def test_turns_that_were_rolled_back_are_kept_and_not_shown():
    lines = [
        META,
        says("user", "<environment_context>x</environment_context>"),
        says("user", "one"),
        says("assistant", "1"),
        says("user", "two"),
        says("assistant", "2"),
        row("event_msg", type="thread_rolled_back", num_turns=1),
        says("user", "three"),
    ]
    session = assert_comes_back(codex, lines, lines=True)
    assert [event.text for event in session.log][1:] == ["one", "1", "three"]


def test_a_turn_that_begins_with_a_tag_is_rolled_back_as_any():
    lines = [
        META,
        says("user", "one"),
        says("assistant", "1"),
        says("user", "<Button> is too wide"),
        says("user", "<turn_aborted>\nThe user interrupted.\n</turn_aborted>"),
        row("event_msg", type="thread_rolled_back", num_turns=1),
        says("user", "three"),
    ]
    session = assert_comes_back(codex, lines, lines=True)
    assert [event.text for event in session.log] == ["one", "1", "three"]


def test_lines_of_the_first_versions_are_read():
    lines = [
        {"id": "old", "timestamp": TIME, "instructions": None},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
    ]
    assert codex.sniff(document(lines, lines=True))
    assert messages(assert_comes_back(codex, lines, lines=True)) == [("user", ["hi"])]


@pytest.mark.parametrize(
    ("broken", "place"),
    [
        ([1], "file line 2"),
        ({"payload": {}}, "file line 2, field type"),
        (row("response_item") | {"payload": 3}, "file line 2, field payload"),
        (item("function_call", call_id="c", name=4), "file line 2, field name"),
        (item("message", role="user", content=7), "file line 2, field content"),
    ],
)
def test_a_broken_line_is_named_with_its_field(broken, place):
    with pytest.raises(MalformedRecord) as caught:
        codex.read(document([META, broken], lines=True))
    assert caught.value.where == place and caught.value.fix


ITEMS = [
    CALL,
    OUTPUT,
    says("user", "hi"),
    says("assistant", "ho"),
    says("developer", "rules"),
    item("reasoning", summary=[], content=None, encrypted_content=None),
    item("web_search_call", status="completed", action={}),
    item(
        "message",
        role="user",
        content=[{"type": "input_image", "image_url": "data:image/png;base64,AA"}],
    ),
    item("message", role="user", content=[]),
    row("compacted", message=""),
    row("event_msg", type="agent_message", message="unsaid"),
    row("event_msg", type="thread_rolled_back", num_turns=1),
    item("custom_tool_call_output", call_id="c1", output=[]),
]


@given(st.lists(st.tuples(st.sampled_from(ITEMS), beside, beside), max_size=8), values)
def test_any_file_comes_back(drawn, unknown):
    lines = [META, {"type": "future", "payload": unknown}]
    lines += [
        {**line, **more, "payload": {**line["payload"], **inner}} for line, more, inner in drawn
    ]
    assert_comes_back(codex, lines, lines=True)
