"""`ctx convert` says what the other format has no place for."""

import json

import pytest
from click.testing import CliRunner

from contextwright import Session, read_session, write_session
from contextwright.cli.convert_command import loss_lines
from contextwright.cli.main import ctx
from contextwright.errors import LossyFormat
from contextwright.formats.losses import Loss
from contextwright.session import Text, Thinking, ToolCall


@pytest.fixture
def path(tmp_path):
    session = Session("s")
    session.user("go", id="u", time_ms=5)
    for number in range(5):
        call = ToolCall(id=f"c{number}", name="f")
        session.assistant(Thinking(text="hm"), Text(text="look"), call, id=f"a{number}")
        session.result(f"c{number}", "no", error=number == 3, id=f"r{number}")
    write_session(session, path=tmp_path / "s.jsonl")
    return tmp_path / "s.jsonl"


def run(*arguments):
    return CliRunner().invoke(ctx, ["convert", *map(str, arguments)])


def test_what_is_lost_is_said_beside_the_session(path):
    done = run(path, "--to", "openai-chat")
    assert done.exit_code == 0
    assert len(json.loads(done.stdout)) == 11
    assert done.stderr.splitlines() == [
        "lost: thinking of a0, a1, a2 and 2 more: openai-chat has no place for it",
        "lost: tool_result.status of r3: openai-chat has no place for status 'error'",
        "not kept by openai-chat, beside what a model is shown: id (12), time_ms",
    ]


def test_what_loses_nothing_says_nothing(path):
    done = run(path, "--to", "contextwright")
    assert done.exit_code == 0 and done.stderr == ""


def test_strict_writes_nothing_where_something_would_be_lost(path, tmp_path):
    out = tmp_path / "chat.json"
    done = run(path, "--to", "openai-chat", "--strict", "--out", out)
    assert isinstance(done.exception, LossyFormat) and done.exception.exit_code == 16
    assert done.stdout == "" and not out.exists()
    assert run(path, "--to", "langchain", "--strict", "--out", out).exit_code == 0
    assert len(read_session(out).log) == 11


def test_the_losses_are_data_too(path, tmp_path):
    out = tmp_path / "chat.json"
    done = run(path, "--to", "openai-chat", "--json", "--out", out)
    report = json.loads(done.stdout)
    assert report["format"] == "openai-chat" and report["bytes"] == len(out.read_bytes())
    content = [loss for loss in report["losses"] if loss["kind"] == "content"]
    assert len(content) == 6 and content[0] == {
        "event": "a0",
        "part": "thinking",
        "field": "",
        "reason": "openai-chat has no place for it",
        "kind": "content",
    }
    printed = run(path, "--to", "openai-chat", "--json")
    assert printed.stdout.encode() == out.read_bytes()
    assert json.loads(printed.stderr) == report


def test_reasons_that_differ_are_counted():
    losses = [Loss("", "session", "tools", f"x has no place for 'f{n}'") for n in range(3)]
    assert list(loss_lines(losses, "x")) == ["lost: tools: x has no place for 'f0', and 2 more"]
