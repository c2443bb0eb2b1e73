"""Claude Code's session files: lines in, messages shown, the same lines out."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formats.rounds import assert_comes_back, beside, document, messages, raw, values

from contextwright import C, compile
from contextwright.errors import MalformedRecord
from contextwright.formats import claude_code, read_session, write_session
from contextwright.session import Session, Text

COMMON = {"isSidechain": False, "userType": "external", "cwd": "/w", "sessionId": "s1"}


def line(type, uuid, parent, content, **more):
    message = {"role": type, "content": content}
    if type == "assistant":
        message |= {"id": more.pop("mid", f"msg_{uuid}"), "type": "message", "model": "claude"}
    stamp = {"timestamp": "2026-01-02T03:04:05.678Z"}
    return {"parentUuid": parent, **COMMON, "type": type, "uuid": uuid, "message": message} | (
        stamp | more
    )


def call(id, name="Bash"):
    return {"type": "tool_use", "id": id, "name": name, "input": {"command": "ls"}}


def result(id, text="ok", **more):
    return {"type": "tool_result", "tool_use_id": id, "content": text, **more}


def test_the_exported_session_of_a_real_file_comes_back():
    session = assert_comes_back(claude_code, raw(1))
    assert len(session) == 33
    assert session.log[28].metadata["kind"] == "summary"
    assert session.log[28].metadata["covers"] == {
        "first": "line-1",
        "last": "line-28",
        "events": 28,
    }


@pytest.mark.parametrize("around", [{}, {"title": "x"}])
@pytest.mark.parametrize("name", ["session.json", "session.jsonl"])
def test_an_exported_session_is_written_as_the_object_that_it_was(tmp_path, around, name):
    answer = line("assistant", "a1", "u1", [{"type": "text", "text": "ok"}])
    whole = {**around, "loglines": [line("user", "u1", None, "hi"), answer]}
    data = write_session(read_session(whole), "claude-code", tmp_path / name)
    assert msgspec.json.decode(data) == whole
    again = read_session(tmp_path / name)
    assert messages(again) == [("user", ["hi"]), ("assistant", ["ok"])]


@pytest.mark.parametrize("format", [None, "claude-code"])
def test_a_log_of_one_line_is_a_log(format):
    one = msgspec.json.encode(line("user", "u1", None, "hi")) + b"\n"
    session = read_session(one, format=format)
    assert messages(session) == [("user", ["hi"])]
    assert msgspec.json.decode(write_session(session, "claude-code")) == msgspec.json.decode(one)


@pytest.mark.parametrize("role", ["system", "user", "assistant"])
def test_a_session_of_one_event_comes_back_from_its_line(role):
    session = Session("one")
    session.add(role, Text(text="hello"))
    data = write_session(session, "claude-code")
    assert messages(read_session(data)) == [(role, ["hello"])]


def test_streamed_lines_of_one_message_form_one_event_even_around_results():
    lines = [
        line("user", "u1", None, "go"),
        line("assistant", "a1", "u1", [{"type": "text", "text": "two calls"}], mid="m"),
        line("assistant", "a2", "a1", [call("c1")], mid="m"),
        line("user", "r1", "a2", [result("c1")], toolUseResult={"stdout": "ok"}),
        line("assistant", "a3", "a2", [call("c2")], mid="m"),
        line("user", "r2", "a3", [result("c2", "no", is_error=True)]),
    ]
    session = assert_comes_back(claude_code, lines, lines=True)
    assert [event.role for event in session.log] == ["user", "assistant", "tool", "tool"]
    exchange = session.snapshot().exchanges()[1]
    assert exchange.ids == ("a1", "r1", "r2") and exchange.mark == "failed"
    assert [event.results[0].name for event in session.log if event.results] == ["Bash", "Bash"]


def test_results_of_one_line_are_an_event_each_and_words_beside_them_are_the_users():
    blocks = [result("c1"), result("c2"), {"type": "text", "text": "[Request interrupted by user]"}]
    lines = [
        line("assistant", "a1", None, [call("c1"), call("c2")]),
        line("user", "r1", "a1", blocks),
    ]
    session = assert_comes_back(claude_code, lines, lines=True)
    assert [(e.id, e.role) for e in session.log][1:] == [
        ("r1", "tool"), ("r1#2", "tool"), ("r1#3", "user"),
    ]  # fmt: skip


def test_lines_that_are_no_messages_are_kept_in_place_and_not_shown():
    aside = [
        {"type": "summary", "summary": "title", "leafUuid": "u1"},
        {"type": "file-history-snapshot", "messageId": "u1", "snapshot": {}},
        {"type": "queue-operation", "operation": "enqueue", "content": "later"},
        {"type": "system", "subtype": "compact_boundary", "uuid": "b", "content": "Compacted"},
        line(
            "assistant", "e", "u1", [{"type": "text", "text": "API Error"}], isApiErrorMessage=True
        ),
    ]
    lines = [aside[0], line("user", "u1", None, "hi"), *aside[1:], line("user", "u2", "e", "on")]
    session = assert_comes_back(claude_code, lines, lines=True)
    assert messages(session) == [("user", ["hi"]), ("user", ["on"])]
    assert [entry["record"] for entry in session.metadata["claude-code"]["hidden"]] == aside


def test_a_prompt_queued_while_the_model_worked_is_the_users():
    queued = {"type": "queued_command", "prompt": "focus on the parser", "commandMode": "prompt"}
    lines = [
        line("user", "u1", None, "hi"),
        {"parentUuid": "u1", **COMMON, "type": "attachment", "uuid": "q", "attachment": queued},
    ]
    session = assert_comes_back(claude_code, lines, lines=True)
    assert messages(session)[1] == ("user", ["focus on the parser"])


def test_a_branch_that_the_user_went_back_from_is_kept_and_not_shown():
    lines = [
        line("user", "u1", None, "start"),
        line("assistant", "a1", "u1", [{"type": "text", "text": "ready"}]),
        line("user", "b1", "a1", "first attempt"),
        line("assistant", "b1a", "b1", [{"type": "text", "text": "first answer"}]),
        line("user", "b2", "a1", "second attempt"),
    ]
    session = assert_comes_back(claude_code, lines, lines=True)
    assert [event.id for event in session.log] == ["u1", "a1", "b2"]


def test_a_prompt_that_begins_with_a_tag_is_the_users():
    lines = [
        line("user", "u1", None, "start"),
        line("user", "b1", "u1", "<Button> is too wide"),
        line("user", "b2", "u1", "<Button> is too high"),
    ]
    session = assert_comes_back(claude_code, lines, lines=True)
    assert [event.id for event in session.log] == ["u1", "b2"]


def test_notices_of_one_parent_are_no_branches():
    notice = "<task-notification>\n<task-id>{}</task-id>\n</task-notification>"
    lines = [
        line("user", "u1", None, "start"),
        line("user", "n1", "u1", notice.format(1)),
        line("user", "n2", "u1", notice.format(2)),
    ]
    session = assert_comes_back(claude_code, lines, lines=True)
    assert [event.id for event in session.log] == ["u1", "n1", "n2"]
    assert session.snapshot().turn == 0


@pytest.mark.parametrize(
    "spec", [C.default(), C.from_compaction(), C.fit(3000), C.compaction(3000)]
)
def test_the_summary_of_a_compaction_is_sent_whole_and_once(spec):
    summary = (
        "This session is being continued from a previous conversation that ran out of context."
    )
    summary += " The summary below covers it.\n\n" + "The sums were looked at. " * 120
    lines = [line("user", "u1", None, "Mend the sums.")]
    for n in range(9):
        parent = lines[-1]["uuid"]
        lines += [
            line("assistant", f"a{n}", parent, [call(f"c{n}")], mid=f"m{n}"),
            line("user", f"r{n}", f"a{n}", [result(f"c{n}", f"row {n}. " * 400)]),
        ]
        if n == 4:
            lines.append(line("user", "s1", None, summary, isCompactSummary=True))
    session = read_session(b"\n".join(map(msgspec.json.encode, lines)))
    request = compile(session, spec, model="claude-opus-4-5").request
    assert str(request).count("The sums were looked at. ") == 120


def test_a_line_written_twice_is_shown_once():
    twice = line("user", "u1", None, "hi")
    session = assert_comes_back(
        claude_code, [twice, twice, line("user", "u2", "u1", "x")], lines=True
    )
    assert [event.id for event in session.log] == ["u1", "u2"]


def test_two_lines_of_one_uuid_that_differ_are_both_shown():
    lines = [line("user", "u1", None, "hi"), line("user", "u1", None, "ho")]
    assert [e.id for e in assert_comes_back(claude_code, lines, lines=True).log] == ["u1", "u1#2"]


def test_a_sub_agents_lines_carry_its_id():
    lines = [
        line("user", "u1", None, "hi"),
        line("user", "s1", None, "look", isSidechain=True, agentId="e1c84ba5"),
        line("assistant", "s2", "s1", [call("c1")], isSidechain=True),
    ]
    session = assert_comes_back(claude_code, lines, lines=True)
    assert [event.author for event in session.log] == ["", "e1c84ba5", "sidechain"]
    assert session.log[1].metadata == {"branch": "e1c84ba5"}


def test_what_is_changed_before_the_export_is_what_is_exported():
    lines = [line("user", "u1", None, "my key is sk-123", extra_key=1)]
    session = claude_code.read(document(lines, lines=True))
    event = msgspec.structs.replace(session.log[0], parts=(Text(text="my key is [gone]"),))
    session.log = type(session.log)([event])
    assert "sk-123" not in str(claude_code.write(session))


@pytest.mark.parametrize(
    ("broken", "place"),
    [
        (42, "file line 2, field type"),
        ({"message": {}}, "file line 2, field type"),
        (line("user", "u", None, 7), "file line 2, event u, field message.content"),
        ({"type": "user", "uuid": "u", "message": "error"}, "file line 2, event u, field message"),
        (line("user", "u", None, ["x"]), "file line 2, event u, field message.content[0]"),
    ],
)
def test_a_broken_line_is_named_with_its_event_and_field(broken, place):
    with pytest.raises(MalformedRecord) as caught:
        claude_code.read(document([line("user", "u1", None, "hi"), broken], lines=True))
    assert caught.value.where == place and caught.value.fix


BLOCKS = [
    {"type": "text", "text": "t", "citations": None},
    {"type": "thinking", "thinking": "hm", "signature": "sig"},
    {"type": "redacted_thinking", "data": "xx"},
    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}},
    {"type": "server_tool_use", "id": "s", "name": "web", "input": {}},
    call("c1"),
    result("c1", [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]),
    result("c1", "", is_error=None),
]


@st.composite
def files(draw):
    lines = []
    for number in range(draw(st.integers(1, 7))):
        kind = draw(st.sampled_from(["user", "assistant", "other"]))
        uuid = draw(st.sampled_from([f"id{number}", f"id{number}", "id0"]))
        parent = draw(st.sampled_from([None, "id0", f"id{number - 1}"]))
        if kind == "other":
            lines.append({"type": "progress", "data": draw(values), **draw(beside)})
            continue
        content = draw(st.lists(st.sampled_from(BLOCKS), max_size=4) | st.text(max_size=4))
        more = draw(beside)
        if kind == "assistant":
            more["mid"] = draw(st.sampled_from(["m1", "m2"]))
        lines.append(line(kind, uuid, parent, content, **more))
    return lines


@given(files())
def test_any_file_comes_back(lines):
    assert_comes_back(claude_code, lines, lines=True)
