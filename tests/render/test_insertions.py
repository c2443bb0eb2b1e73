"""The list of what the engine put in is complete: texts sent = texts of blocks + the list."""

import re

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from tests.render.strategies import layouts

from contextwright import C, Session, compile
from contextwright.blocks import Fidelity
from contextwright.blocks.escape import escape
from contextwright.compiler.manifest import manifest_from_json
from contextwright.render.alternate import AlternatingRenderer
from contextwright.render.message_layout import Layout
from contextwright.render.providers import BUILT_IN, provider_named
from contextwright.render.wire import clean
from contextwright.session.event import Text, Thinking, ToolCall, ToolResult
from contextwright.testing import FORMATS, session_of, sessions, target_for

formats = pytest.mark.parametrize("format", BUILT_IN)
NOT_TEXT = {
    "model", "role", "type", "id", "name", "tools", "arguments", "input", "args", "data", "url",
    "image_url", "file", "file_data", "file_uri", "file_url", "file_id", "filename", "mime_type",
    "media_type", "tool_call_id", "call_id", "tool_use_id", "signature", "thought_signature",
    "encrypted_content", "detail", "cache_control", "include", "toolConfig", "modelId",
    "toolUseId", "status",
}  # fmt: skip
"""Keys under which a request holds no text that a model reads as prose."""


def texts_of(value, key=""):
    """Every text of a request, with its reasoning; calls' arguments and tools are not prose."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from texts_of(item)
    elif isinstance(value, dict):
        for name, item in value.items():
            if name not in NOT_TEXT or (name == "input" and isinstance(item, list)):
                yield from texts_of(item, name)


def unexplained(request, pieces):
    """What is left of a request's texts, but for blanks, without the pieces."""
    return re.sub(r"[\s\x1f]", "", remainder(request, pieces))


def remainder(request, pieces):
    """What is left of a request's texts once each piece has been taken out once."""
    rest = list(texts_of(request))
    for piece in sorted(filter(None, pieces), key=len, reverse=True):
        place = next((n for n, text in enumerate(rest) if text == piece), None)
        if place is None:
            place = next((n for n, text in enumerate(rest) if piece in text), None)
        assert place is not None, f"not in the request: {piece!r}"
        rest[place] = rest[place].replace(piece, "\x1f", 1)
    return "\x1f".join(rest)


def inserted_texts(inserted):
    return [text for each in inserted for text in (each.text, each.closing)
            if each.kind not in {"tool_stub", "signature"}]  # fmt: skip


def block_texts(layout, format):
    """The texts of the blocks as this format sends them: cleaned, in a transcript escaped."""
    for block in layout.conversation:
        for message in block.messages:
            shown = escape if format == "text" or wraps(message, format) else str
            for part in message.parts:
                if isinstance(part, Text):
                    yield from [clean(shown(part.text))] if part.text.strip() else []
                elif isinstance(part, ToolResult):
                    yield from result_texts(part, shown, format)
                elif isinstance(part, ToolCall) and format == "text":
                    yield clean(escape(part.arguments))
                elif isinstance(part, Thinking) and is_sent(part, message, block, format):
                    yield clean(part.text)


def wraps(message, format):
    renderer = provider_named(format).renderer
    return message.role == "system" and isinstance(renderer, AlternatingRenderer)


def result_texts(result, shown, format):
    if "interrupted" in result.text or "no result yet" in result.text:
        return
    for piece in result.content:
        if isinstance(piece, Text) and piece.text.strip():
            yield clean(shown(piece.text))


def is_sent(part, message, block, format):
    parts = provider_named(format).renderer.parts
    if format == "anthropic" and part.redacted:
        return False
    if format == "openai-responses":
        said = any(isinstance(p, Text) and p.text.strip() for p in message.parts)
        if not (said or any(isinstance(p, ToolCall) for p in message.parts)):
            return False
    return not parts.refusal(part, message, format)


def told_apart(layout):
    """The layout with every text that is not blank made different from all others."""
    number = iter(range(10_000))

    def mark(text):
        return f"{text}\u00a7{next(number)}\u00a7" if text.strip() else ""

    def part(one):
        if isinstance(one, (Text, Thinking)):
            return msgspec.structs.replace(one, text=mark(one.text))
        if isinstance(one, ToolResult):
            return msgspec.structs.replace(one, content=tuple(map(part, one.content)))
        if isinstance(one, ToolCall):
            return msgspec.structs.replace(one, arguments=mark(one.arguments))
        return one

    return msgspec.structs.replace(
        layout,
        system=(),
        tail=(),
        conversation=tuple(
            msgspec.structs.replace(
                block,
                fidelity=Fidelity.RAW,
                messages=tuple(
                    msgspec.structs.replace(message, parts=tuple(map(part, message.parts)))
                    for message in block.messages
                ),
            )
            for block in layout.conversation
        ),
    )


@formats
@settings(suppress_health_check=[HealthCheck.too_slow])
@given(layout=layouts())
def test_texts_of_a_request_are_those_of_its_blocks_and_those_in_the_list(format, layout):
    layout, target = told_apart(layout), target_for(format)
    made = provider_named(format).renderer.render(layout, target)
    pieces = [*block_texts(layout, format), *inserted_texts(made.inserted)]
    assert unexplained(made.request, pieces) == ""


@formats
@given(layout=layouts())
def test_rendering_with_the_list_and_without_gives_the_same_request(format, layout):
    renderer, target = provider_named(format).renderer, target_for(format)
    assert renderer.render(layout, target).request == renderer.request(layout, target)


@pytest.mark.parametrize("format", FORMATS)
@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(session=sessions())
def test_the_list_of_a_manifest_explains_a_compiled_request(format, session):
    pack = compile(session, C.default(), target=target_for(format))
    rest = remainder(pack.request, inserted_texts(pack.manifest.inserted))
    own = {clean(text) for event in session.log[:] for text in session_texts(event)}
    for text in sorted({*own, *map(escape, own)}, key=len, reverse=True):
        rest = rest.replace(text, "") if text.strip() else rest
    assert re.sub(r"[\s\x1f]", "", rest) == ""
    assert manifest_from_json(pack.manifest.to_json()) == pack.manifest


def session_texts(event):
    for part in event.parts:
        if isinstance(part, (Text, ToolResult)):
            yield part.text


def kinds(session, spec, format):
    inserted = compile(session, spec, target=target_for(format)).manifest.inserted
    return {(each.kind, each.where): each for each in inserted}


def interrupted():
    session = Session("s")
    session.user("go")
    session.call("read", "{}", id="a")
    session.user("stop")
    session.user("   ")
    return session


@formats
def test_an_interrupted_call_and_an_empty_message_are_listed(format):
    spec = C.window(9) if format == "text" else C.default()
    listed = kinds(interrupted(), spec, format)
    assert listed["interrupted_result", "e1"].text == "[no result: the call was interrupted]"
    if format != "text":
        assert listed["placeholder", "e3"].text == "(empty)"


@pytest.mark.parametrize("format", ["anthropic", "gemini"])
def test_neighbours_that_became_one_message_are_listed_with_their_events(format):
    session = session_of("u: one | u: two | a: ok | u: three")
    assert kinds(session, C.default(), format)["merged", "e0"].ids == ("e0", "e1")
    assert not kinds(session, C.default(), "openai-chat")


@pytest.mark.parametrize("format", ["anthropic", "gemini"])
def test_turns_that_the_provider_wants_are_listed(format):
    session = session_of("u: hi | a: hello")
    listed = compile(session, C.default(), target=target_for(format)).manifest.inserted
    assert [each.where for each in listed if each.kind == "turn_note"] == ["end"]


@pytest.mark.parametrize("format", FORMATS)
def test_sections_are_listed_with_their_markers_and_blocks(format):
    session = session_of("s: be brief | u: hi", state={"intent": "billing"})
    listed = kinds(session, C.default() + C.from_state("intent"), format)
    marker = listed["section", "tail"]
    assert marker.text.startswith('<context_block source="state:intent" sign="')
    assert marker.closing == "</context_block>"
    assert marker.ids == ("state:intent",)


def test_the_frames_of_a_context_pack_are_listed():
    state = {
        "plan": {
            "task_id": "1", "step_id": "2", "goal": "Compare.", "do": ["List."],
            "acceptance": ["named"], "tools": [],
        }
    }  # fmt: skip
    session = session_of("u: do it", state=state)
    pack = compile(session, C.step(), target=target_for("openai-chat"))
    headers = [each.text for each in pack.manifest.inserted if each.kind == "payload"]
    assert headers[0] == "CONTEXT PACK"
    assert headers[-1] == "USER REQUEST (VERBATIM):"
    for header in headers:
        assert header in str(pack.request)


def test_an_empty_layout_lists_the_turn_that_it_needs():
    made = provider_named("anthropic").renderer.render(Layout(), target_for("anthropic"))
    assert [each.kind for each in made.inserted] == ["turn_note"]
