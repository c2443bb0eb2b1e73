"""What every reader of an export of traces must do: give the agent's session back, whole, with its
calls and what they were billed, and name what it can not read.

class TestMyTool(TraceSuite):
    def export(self, calls):
        return [{"input": one.messages, "output": one.answer, ...} for one in calls]
"""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.errors import ContextwrightError
from contextwright.formats import format_named
from contextwright.render.target import target
from contextwright.session.event import Text, ToolCall, ToolResult
from contextwright.session.session import Session
from contextwright.testing.builders import assert_valid, session_of
from contextwright.testing.format_suite import ODD, SCRIPTS, value_places, with_value
from contextwright.testing.violation import RuleViolation, keeps
from contextwright.tokens.usage import Usage
from contextwright.traces import Traces, call_marks, read_traces
from contextwright.words import C

MODELS = ("gpt-5", "claude-sonnet-4-5", "gemini-2.5-pro")
"""A session that was read is sent to each of these providers."""


class TracedCall(msgspec.Struct, frozen=True):
    """One call of a model, for a tool's export to be written of.

    Args:
        number: its place, from 0; it began so many seconds after the first.
        conversation: the id of its conversation.
        messages, answer: what was sent and came back, as messages of OpenAI Chat.
        tools: of OpenAI Chat.
        usage: what was billed.
    """

    number: int
    conversation: str
    messages: list[Any]
    answer: dict[str, Any]
    tools: list[Any]
    usage: Usage


class TraceSuite:
    """Subclass it with `export`, and `name` where the files of the tool end otherwise."""

    name = "export.json"
    usage = True
    """Whether the tool keeps what was read from a cache."""

    def export(self, calls: list[TracedCall]) -> Any:
        """The tool's JSON of these calls; for a name in `.jsonl` a list with an item a line."""
        raise NotImplementedError

    @pytest.mark.parametrize("script", SCRIPTS)
    @keeps("every-message-is-read")
    def test_every_message_is_read(self, script: str, tmp_path: Path) -> None:
        """One session, that says and does what the agent said and did."""
        whole = session_of(SCRIPTS[script])
        (session,) = self._read(traced_calls(whole), tmp_path)
        if _words_of(session) != _words_of(whole):
            what = f"expected {_words_of(whole)}, got {_words_of(session)}"[:400]
            raise self._violation("every-message-is-read", script, what)

    @pytest.mark.parametrize("script", SCRIPTS)
    @keeps("a-call-is-where-it-was")
    def test_a_call_is_where_it_was(self, script: str, tmp_path: Path) -> None:
        """A mark for each, in front of its answer; an agent that sent everything lost nothing."""
        calls = traced_calls(session_of(SCRIPTS[script]))
        (session,) = self._read(calls, tmp_path)
        marks = call_marks(session)
        assert [mark.at for mark in marks] == [len(call.messages) for call in calls]
        assert not any(mark.lost or mark.sent for mark in marks)
        for mark in marks:
            assert session.log[mark.at].role == "assistant"

    @pytest.mark.parametrize("script", SCRIPTS)
    @keeps("order-does-not-matter")
    def test_order_does_not_matter(self, script: str, tmp_path: Path) -> None:
        """Tools list the newest first, or in any order: time tells."""
        calls = traced_calls(session_of(SCRIPTS[script]))
        (session,) = self._read(calls, tmp_path)
        for mixed in (calls[::-1], [*calls[1:], *calls[:1]], [*calls[::2], *calls[1::2]]):
            (again,) = self._read(mixed, tmp_path)
            assert _words_of(again) == _words_of(session)
            assert [m.at for m in call_marks(again)] == [m.at for m in call_marks(session)]

    @keeps("conversations-stay-apart")
    def test_conversations_stay_apart(self, tmp_path: Path) -> None:
        """Two of them in one export are two sessions, also where they begin alike."""
        first, second = (session_of(SCRIPTS[name]) for name in ("tools", "parallel"))
        calls = [*traced_calls(first, "one"), *traced_calls(second, "two")]
        sessions = self._read(calls, tmp_path)
        assert sorted(map(_words_of, sessions)) == sorted(map(_words_of, (first, second)))

    @keeps("usage-is-read")
    def test_usage_is_read(self, tmp_path: Path) -> None:
        """What each call was billed, cached tokens as a part of its input."""
        calls = traced_calls(session_of(SCRIPTS["tools"]))
        (session,) = self._read(calls, tmp_path)
        for call, mark in zip(calls, call_marks(session), strict=True):
            assert mark.usage is not None and mark.usage.input == call.usage.input
            assert not self.usage or mark.usage.cached == call.usage.cached

    @pytest.mark.parametrize("script", SCRIPTS)
    @pytest.mark.parametrize("model", MODELS)
    @keeps("a-session-that-was-read-is-sent")
    def test_a_session_that_was_read_is_sent(self, model: str, script: str, tmp_path: Path) -> None:
        """To any provider, by its rules."""
        (session,) = self._read(traced_calls(session_of(SCRIPTS[script])), tmp_path)
        receiver = target(model)
        assert_valid(SpecCompiler(C.default()).compile(session.snapshot(), receiver), receiver)

    @keeps("broken-input-is-named")
    def test_broken_input_is_named(self, tmp_path: Path) -> None:
        """Any value broken: read as far as it goes, or refused with place and fix."""
        whole = self.export(traced_calls(session_of("u: find x | c: search(x) | r: one | a: yes")))
        for number, place in enumerate(value_places(whole)):
            broken = with_value(whole, place, ODD[number % len(ODD)])
            try:
                for session in self._traces(broken, tmp_path):
                    call_marks(session)
            except ContextwrightError as error:
                if not (error.where and error.fix):
                    what = f"no place or no fix: {error.what}"
                    raise self._violation("broken-input-is-named", str(place), what) from error

    def _read(self, calls: list[TracedCall], folder: Path) -> Traces:
        traces = self._traces(self.export(calls), folder)
        if traces.unread:
            raise self._violation("every-call-is-read", traces.unread[0].where, str(traces.unread))
        return traces

    def _traces(self, value: Any, folder: Path) -> Traces:
        path = folder / self.name
        lines = value if self.name.endswith("l") and isinstance(value, list) else [value]
        path.write_text("\n".join(json.dumps(line) for line in lines))
        return read_traces(path)

    def _violation(self, rule: str, place: str, what: str) -> RuleViolation:
        return RuleViolation(rule, type(self).__name__, place, what)


def traced_calls(session: Session, conversation: str = "case-7") -> list[TracedCall]:
    """The calls of a session whose agent sent everything so far each time."""
    messages = format_named("openai-chat").write(session)
    messages = messages["messages"] if isinstance(messages, dict) else messages
    names = {call.name for event in session.log for call in event.calls}
    tools = [
        {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}
        for name in sorted(names)
    ]
    usage = Usage(input=900, cached=512, output=20)
    return [
        TracedCall(number, conversation, messages[:at], messages[at], tools, usage)
        for number, at in enumerate(
            at for at, message in enumerate(messages) if message["role"] == "assistant"
        )
    ]


def _words_of(session: Session) -> list[Any]:
    """What was said and done up to the newest answer, without what only one tool keeps."""
    rows = [(event.role, [_plain(part) for part in event.parts]) for event in session.log]
    last = max((at for at, (role, _) in enumerate(rows) if role == "assistant"), default=-1)
    return rows[: last + 1]


def _plain(part: Any) -> Any:
    if isinstance(part, Text):
        return part.text
    if isinstance(part, ToolCall):
        return (part.name, "".join(part.arguments.split()))
    if isinstance(part, ToolResult):
        return part.text
    return type(part).__name__
