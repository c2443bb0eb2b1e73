"""Sessions of the pi coding agent: the newest branch is shown, all the rest comes back."""

import json

import pytest
from tests.formats.rounds import assert_comes_back, document, rows

from contextwright.errors import MalformedRecord
from contextwright.formats import detect, pi
from contextwright.testing import FormatSuite

HEADER = {"type": "session", "version": 3, "id": "s1", "timestamp": "", "cwd": "/home"}


def entry(id, parent, **fields):
    return {"type": "message", "id": id, "parentId": parent, "timestamp": "", **fields}


def words(role, text, **fields):
    return {"role": role, "content": [{"type": "text", "text": text}], **fields}


class TestPi(FormatSuite):
    """The suite of every format."""

    format = pi


def test_a_real_session_comes_back():
    lines = [json.loads(line) for line in rows("raw")[0]["text"].splitlines()]
    assert detect(document(lines, lines=True)) == "pi"
    session = assert_comes_back(pi, lines, lines=True)
    assert session.id == "d703a1a9-1b7b-4fb1-b512-c9738b1fe617"
    assert sum(len(event.results) for event in session.log) == 373
    assert session.log[0].text == "/mode"


def test_only_the_branch_of_the_newest_entry_is_shown():
    lines = [
        HEADER,
        entry("a", None, message=words("user", "one")),
        entry("b", "a", message=words("assistant", "left")),
        entry("c", "a", message=words("assistant", "right")),
        entry("d", "c", message=words("user", "on")),
    ]
    session = assert_comes_back(pi, lines, lines=True)
    assert [event.text for event in session.log] == ["one", "right", "on"]
    session.assistant("done")
    assert pi.write(session)[-1]["parentId"] == "d"


def test_a_compaction_is_a_summary_and_what_it_stands_for_stays():
    lines = [
        HEADER,
        entry("a", None, message=words("user", "one")),
        entry("b", "a", type="compaction", summary="all of it", firstKeptEntryId="a"),
        entry("c", "b", type="custom_message", content="by the way", display=True),
        entry("d", "c", message={"role": "bashExecution", "command": "ls", "output": "a.txt"}),
        entry("e", "d", type="label", targetId="a", label="here"),
    ]
    session = assert_comes_back(pi, lines, lines=True)
    assert [event.text for event in session.log] == [
        "one",
        "all of it",
        "by the way",
        "Ran `ls`\n```\na.txt\n```",
    ]
    assert session.log[1].metadata["kind"] == "summary"


def test_thinking_pictures_and_failures_are_read():
    call = {"type": "toolCall", "id": "c1", "name": "read", "arguments": {"path": "a"}}
    thought = {"type": "thinking", "thinking": "hm", "thinkingSignature": "sig"}
    picture = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    result = {"role": "toolResult", "toolCallId": "c1", "toolName": "read", "isError": True}
    lines = [
        HEADER,
        entry("a", None, message={"role": "user", "content": "plain"}),
        entry("b", "a", message={"role": "assistant", "content": [thought, call]}),
        entry("c", "b", message={**result, "content": [picture]}),
    ]
    session = assert_comes_back(pi, lines, lines=True)
    assert [type(p).__name__ for p in session.log[1].parts] == ["Thinking", "ToolCall"]
    assert session.log[2].results[0].status == "error"


def test_a_role_of_nobody_is_named():
    with pytest.raises(MalformedRecord) as caught:
        pi.read(document([HEADER, entry("a", None, message=words("robot", "x"))], lines=True))
    assert "line 2, field message" in (caught.value.where or "")
