"""What a format has a place for is written there, and nothing is made up where it has none."""

import json

import pytest

from contextwright import Session, losses_of, read_session, write_session
from contextwright.formats import FORMATS
from contextwright.session import Event, File, Image, Text, Thinking, Tool, ToolCall, ToolResult

PNG = Image(data="aGk=")
LINK = Image(url="https://example.org/a.png")
PAPER = File(data="aGk=", media_type="application/pdf", name="paper.pdf")
PAPER_LINK = File(url="https://example.org/a", media_type="application/pdf")
FILM = File(url="https://example.org/a", media_type="video/mp4")
BY_ID = Image(file_id="file-1")
SIGNED = Thinking(text="hm", signature="c2ln", provider="anthropic")
SEALED = Thinking(redacted="c2ln", provider="anthropic")
OPENAI = Thinking(text="hm", redacted="c2ln", provider="openai")
GOOGLE = Thinking(text="hm", signature="c2ln", provider="google")


def session_with(*, user=(), assistant=(), result=(), tools=()):
    session = Session("s", tools=tools, metadata={"tau-bench": {"task_id": 1}})
    session.add("system", "be brief")
    session.user("go", *user)
    session.assistant(*assistant, Text(text="look"), ToolCall(id="c1", name="f"))
    session.add("tool", ToolResult(call_id="c1", name="f", content=(Text(text="seen"), *result)))
    return session


def lost(session, format):
    return [loss.name for loss in losses_of(session, format) if loss.kind == "content"]


PLACES = [
    ("openai-responses", {"result": (PNG, LINK, PAPER)}),
    ("openai-responses", {"user": (BY_ID, PAPER_LINK)}),
    ("codex", {"result": (PNG, PAPER)}),
    ("anthropic", {"user": (PAPER,), "result": (PAPER,)}),
    ("claude-code", {"user": (PAPER,)}),
    ("pydantic-ai", {"result": (PNG, LINK), "user": (PAPER_LINK, FILM)}),
    ("pydantic-ai", {"assistant": (SIGNED,)}),
    ("agent-framework", {"result": (PNG, LINK)}),
    ("openhands", {"user": (PNG,), "result": (PNG,)}),
    ("openhands", {"assistant": (SIGNED, SEALED)}),
    ("openhands", {"tools": (Tool(name="f", description="d", parameters={"type": "object"}),)}),
    ("langchain", {"assistant": (SIGNED, SEALED)}),
    *((name, {"assistant": (thought,)})
      for name in ("vercel-ai", "vercel-ai-model") for thought in (SIGNED, SEALED, OPENAI, GOOGLE)),
]  # fmt: skip


@pytest.mark.parametrize(("format", "parts"), PLACES)
def test_what_has_a_place_is_written_there(format, parts):
    assert lost(session_with(**parts), format) == []


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("part", [BY_ID, File(file_id="file-1")], ids=["image", "file"])
def test_what_a_provider_holds_is_not_written_as_an_empty_file(format, part):
    for place in ("user", "result"):
        data = write_session(session_with(**{place: (part,)}), format).decode()
        assert ';base64,"' not in data and '"url": ""' not in data and '"uri": ""' not in data
        assert '"fileUri": ""' not in data and '"data": ""' not in data


@pytest.mark.parametrize(
    "format", ["anthropic", "claude-code", "bedrock", "langchain", "openhands"]
)
def test_a_thought_with_a_text_keeps_it_where_its_seal_means_nothing(format):
    session = session_with(assistant=(OPENAI,))
    again = read_session(write_session(session, format), format=format)
    thoughts = [part for event in again.log for part in event.parts if isinstance(part, Thinking)]
    assert [(one.text, one.redacted) for one in thoughts] == [("hm", "")]
    assert "thinking.redacted" in lost(session, format)


def test_pydantic_ai_keeps_two_messages_of_the_user_apart():
    session = Session("s")
    session.user("one")
    session.user("two")
    again = read_session(write_session(session, "pydantic-ai"), format="pydantic-ai")
    assert [event.text for event in again.log] == ["one", "two"]


def test_atif_has_parts_for_pictures_and_sound_only():
    text = File(url="https://example.org/a.txt", media_type="text/plain")
    sound = File(url="https://example.org/a.wav", media_type="audio/wav")
    assert lost(session_with(user=(LINK, sound)), "atif") == []
    assert lost(session_with(user=(text,)), "atif") == ["file"]


def test_swe_agent_takes_a_message_that_names_its_speaker_only():
    rows = [{"speaker": "ada", "content": "hi"}, {"role": "assistant", "content": "ho"}]
    session = read_session(rows, format="openai-chat")
    written = json.loads(write_session(session, "swe-agent"))
    assert [one["content"] for one in written["history"]] == ["hi", "ho"]


def test_pydantic_ai_loads_results_with_pictures():
    messages = pytest.importorskip("pydantic_ai.messages")
    session = session_with(result=(PNG,), user=(FILM,), assistant=(SIGNED,))
    data = json.loads(write_session(session, "pydantic-ai"))
    for one in data:  # what the SDK wants beside
        for part in one["parts"]:
            if part["part_kind"] in ("tool-return", "user-prompt", "system-prompt"):
                part["timestamp"] = "2026-01-01T00:00:00Z"
    loaded = messages.ModelMessagesTypeAdapter.validate_python(data)
    answer = loaded[-1].parts[0]
    assert answer.content[0] == "seen" and answer.content[1].data == b"hi"
    assert loaded[0].parts[1].content[1].media_type == "video/mp4"
    assert loaded[1].parts[0].provider_name == "anthropic"


def test_agent_framework_loads_results_with_pictures():
    framework = pytest.importorskip("agent_framework")
    data = json.loads(write_session(session_with(result=(PNG,)), "agent-framework"))
    result = framework.Message.from_dict(data[-1]).contents[0]
    assert result.result == "seen" and [item.type for item in result.items] == ["text", "data"]


def test_langchain_loads_thoughts_as_their_provider_has_them():
    messages = pytest.importorskip("langchain_core.messages")
    data = json.loads(write_session(session_with(assistant=(SIGNED, SEALED)), "langchain"))
    answer = messages.messages_from_dict(data)[2]
    assert [block["type"] for block in answer.content[:2]] == ["thinking", "redacted_thinking"]


def test_an_event_without_parts_is_written_in_every_format():
    session = Session("s", metadata={"tau-bench": {"task_id": 1}})
    session.user("go")
    for number, role in enumerate(("tool", "assistant", "user")):
        session.append(Event(id=f"x{number}", role=role))
    session.assistant("done")
    for format in FORMATS:
        assert b"done" in write_session(session, format)
