"""What a format has no place for is named, all of it and nothing else."""

import json
from collections import Counter
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.formats.generated import DUMPS
from tests.formats.rounds import texts
from tests.render.bodies import BODIES

from contextwright import Session, losses_of, read_session, write_session
from contextwright.errors import LossyFormat
from contextwright.formats import FORMATS
from contextwright.session import (
    Event,
    File,
    Image,
    Opaque,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolResult,
)

FEW = settings(max_examples=25, deadline=None)
TASK = {"tau-bench": {"task_id": 1}}
numbers = count()
"""Each thing is said once: then it is clear of which event it is lost."""
URL = st.builds(lambda: f"https://example.org/{next(numbers)}")
DATA = st.builds(lambda: f"aGk{next(numbers)}")
ID = st.builds(lambda: f"file-{next(numbers)}")
WORDS = texts.map(lambda text: Text(text=f"{next(numbers)} {text}"))
IMAGES = st.builds(
    Image,
    media_type=st.sampled_from(("image/png", "image/jpeg")),
    detail=st.sampled_from(("", "low")),
    data=DATA,
) | st.builds(Image, url=URL) | st.builds(Image, file_id=ID)  # fmt: skip
TYPES = st.sampled_from(("application/pdf", "text/plain", "audio/wav", "video/mp4"))
NAMES = st.sampled_from(("", "paper.pdf"))
FILES = st.one_of(
    st.builds(File, media_type=TYPES, name=NAMES, data=DATA),
    st.builds(File, media_type=TYPES, name=NAMES, url=URL),
    st.builds(File, media_type=TYPES, file_id=ID),
)
SEALS = st.just("") | st.builds(lambda: f"seal{next(numbers)}")
THOUGHTS = st.builds(
    Thinking,
    text=texts.map(lambda text: f"{next(numbers)} {text}"),
    signature=SEALS,
    provider=st.sampled_from(("", "anthropic", "openai", "google")),
) | st.builds(
    Thinking,
    redacted=st.builds(lambda: f"seal{next(numbers)}"),
    provider=st.sampled_from(("anthropic", "openai")),
)
STRANGE = st.builds(
    # of Bedrock's parts the key is the kind
    lambda name: Opaque(format=name, kind="x", value={"type": "x", "n": next(numbers)}),
    st.sampled_from(("anthropic", "openai-chat", "none")),
) | st.builds(lambda: Opaque(format="bedrock", kind="x", value={"x": {"n": next(numbers)}}))
ARGUMENTS = st.sampled_from(('{"a": 1}', "{}", "", "[1]", '{"cut', '{"b": [1.0, null]}', '"x"'))
CONTENT = st.lists(WORDS | IMAGES | FILES | STRANGE, max_size=3).map(tuple)
STATUS = st.sampled_from(("ok", "ok", "error", "interrupted", "pending"))


@st.composite
def sessions(draw):
    """Sessions of every kind of part, in every order, with everything beside them."""
    session = Session(draw(st.sampled_from(("s", "session"))), metadata=TASK)
    if draw(st.booleans()):
        session.tools = (Tool(name="look", parameters={"type": "object"}),)
    for number in range(draw(st.integers(0, 6))):
        role = draw(st.sampled_from(("system", "user", "assistant", "exchange", "tool")))
        head = {
            "author": draw(st.sampled_from(("", "ada"))),
            "time_ms": draw(st.sampled_from((None, 1_700_000_000_000 + number))),
            "tags": draw(st.sampled_from(((), ("t",)))),
        }
        ids = [f"c{number}-{n}" for n in range(draw(st.integers(0, 3)))]
        if role in ("assistant", "exchange"):
            said = draw(st.lists(WORDS | THOUGHTS | IMAGES | STRANGE, max_size=3))
            called = [ToolCall(id=id, name="look", arguments=draw(ARGUMENTS)) for id in ids]
            parts = draw(st.permutations([*said, *(called if role == "exchange" else [])]))
            session.append(Event(id=f"x{number}", role="assistant", parts=tuple(parts), **head))
        if role in ("exchange", "tool"):
            given = [
                ToolResult(call_id=id, content=draw(CONTENT), status=draw(STATUS)) for id in ids
            ]
            if draw(st.booleans()):
                beside = draw(st.lists(WORDS | IMAGES, max_size=1))
                session.append(Event(id=f"r{number}", role="tool", parts=(*given, *beside), **head))
            else:
                for n, result in enumerate(given):
                    one = Event(id=f"r{number}-{n}", role="tool", parts=(result,), **head)
                    session.append(one)
        elif role != "assistant":
            parts = draw(st.lists(WORDS | IMAGES | FILES if role == "user" else WORDS, max_size=3))
            session.append(Event(id=f"x{number}", role=role, parts=tuple(parts), **head))
    return session


def says(event, names):
    """What an event says, a fact each: told in another way than the package does."""
    last = next(iter(event.results), None)
    for part in event.parts:
        if isinstance(part, ToolCall):
            names[part.id] = part.name
            yield event.role, "call", part.id, part.name, normal(part.arguments)
        elif isinstance(part, ToolResult):
            last = part
            name = part.name or names.get(part.call_id, "")
            yield event.role, "result", part.call_id, part.status, name
            yield from (inside(part.call_id, piece) for piece in lines(part.content))
        elif last is not None:
            yield from (inside(last.call_id, piece) for piece in lines([part]))
        else:
            yield from ((event.role, *piece) for piece in lines([part]))


def inside(call_id, piece):
    return "tool", "inside", call_id, *piece


def lines(parts):
    for part in parts:
        match part:
            case Text():
                yield from (("text", line) for line in part.text.split("\n") if part.text)
            case Thinking():
                yield from (("thought", line) for line in part.text.split("\n") if part.text)
                yield from (("seal", seal) for seal in (part.signature, part.redacted) if seal)
            case Image() | File():
                known = part.detail if isinstance(part, Image) else part.name
                held = (part.data, part.url, part.file_id)
                yield type(part).__name__, part.media_type, *held, known.replace("auto", "")
            case Opaque():
                yield "opaque", json.dumps(part.value, sort_keys=True)


def normal(arguments):
    try:
        return json.dumps(json.loads(arguments or "{}"))
    except ValueError:
        return arguments


def all_that_is_said(session):
    names = {}
    return Counter(fact for event in session.log for fact in says(event, names))


@pytest.mark.parametrize("format", FORMATS)
@FEW
@given(session=sessions())
def test_what_is_read_back_is_the_session_but_for_what_the_losses_name(format, session):
    losses = losses_of(session, format)
    again = read_session(write_session(session, format), format=format) if session.log else session
    named = {loss.event for loss in losses if loss.kind == "content"}
    left = all_that_is_said(session) - all_that_is_said(again)
    for event in session.log:
        names = {call.id: call.name for one in session.log for call in one.calls}
        lost = Counter(says(event, names)) & left
        assert not lost or event.id in named, (lost, losses)
    new = all_that_is_said(again) - all_that_is_said(session)
    assert not new or named, new
    if not named:
        assert [one for one, _ in roles(again)] == [one for one, _ in roles(session)]
    if {tool.name for tool in session.tools} != {tool.name for tool in again.tools}:
        assert any(loss.field == "tools" for loss in losses)


def roles(session):
    """Who speaks, one after the other, and says something."""
    speakers = [(event.role, event.id) for event in session.log if event.parts]
    leading = [one for one in speakers if one[0] == "system"]
    others = [one for one in speakers if one[0] != "system"]
    return [*leading[:1], *(o for n, o in enumerate(others) if not n or o[0] != others[n - 1][0])]


@FEW
@given(session=sessions())
def test_our_own_format_loses_nothing(session):
    session.update({"a": 1})
    assert losses_of(session, "contextwright") == ()


@pytest.mark.parametrize("format", sorted({*DUMPS, *BODIES}))
def test_a_format_loses_nothing_of_what_it_read(format):
    @FEW
    @given({**BODIES, **DUMPS}[format])
    def check(dump):
        session = read_session(dump, format=format)
        kept = {loss.name for loss in losses_of(session, format)}
        assert kept <= {"id"}  # the session's own may be its file's name

    check()


def conversation():
    session = Session("s")
    session.user("go", time_ms=5, id="u")
    thought = Thinking(text="hm", signature="c2ln", provider="anthropic")
    session.assistant(thought, Text(text="look"), ToolCall(id="c1", name="f"), id="a")
    failed = ToolResult(call_id="c1", content=(Text(text="no"), Image(data="aGk=")), status="error")
    session.add("tool", failed, id="r")
    return session


def test_each_loss_has_its_event_its_part_its_field_and_what_became_of_it():
    losses = [loss for loss in losses_of(conversation(), "openai-chat") if loss.kind == "content"]
    assert [(loss.event, loss.name, loss.reason) for loss in losses] == [
        ("a", "thinking", "openai-chat has no place for it"),
        ("r", "tool_result.status", "openai-chat has no place for status 'error'"),
        ("r", "tool_result.image.data", "openai-chat has no place for image.data"),
        ("r", "tool_result.image.media_type", "openai-chat has no place for image.media_type"),
    ]


def test_what_comes_back_as_another_thing_is_named_with_both():
    session = Session("s")
    session.user("go", id="u")
    session.call("f", '{"cut', id="c1")
    session.add("tool", ToolResult(call_id="c1", content=(Text(text="-"),), status="interrupted"))
    found = [loss.reason for loss in losses_of(session, "anthropic") if loss.kind == "content"]
    assert found == [
        """'{"cut' comes back as '{"input": "{\\\\"cut"}'""",
        "'interrupted' comes back as 'error'",
    ]


def test_a_system_text_that_moves_is_named():
    session = Session("s")
    session.user("go")
    session.assistant("yes")
    session.add("system", "be brief", id="late")
    session.user("and now?")
    found = [loss for loss in losses_of(session, "anthropic") if loss.kind == "content"]
    assert [(loss.event, loss.name) for loss in found] == [("late", "text.place")]


def test_what_only_a_record_holds_is_a_note():
    notes = {one.name for one in losses_of(conversation(), "openai-chat") if one.kind == "note"}
    assert notes == {"id", "time_ms"}


def test_what_a_body_says_beside_its_messages_is_a_note_with_its_keys():
    body = {"model": "gpt-5", "temperature": 0.5, "messages": [{"role": "user", "content": "hi"}]}
    session = read_session(body, format="openai-chat")
    note = next(one for one in losses_of(session, "bedrock") if one.name == "metadata")
    assert note.reason == "openai-chat (model, temperature) is not in bedrock"


def test_strict_writes_nothing_where_something_would_be_lost(tmp_path):
    path = tmp_path / "s.json"
    with pytest.raises(LossyFormat, match="thinking would be lost in openai-chat") as error:
        write_session(conversation(), "openai-chat", path, strict=True)
    assert not path.exists() and len(error.value.losses) == 4 and error.value.exit_code == 16
    assert write_session(conversation(), "langchain", path, strict=True) == path.read_bytes()


def test_many_messages_that_say_the_same_are_told_apart_by_their_neighbours():
    session = Session("s")
    for number in range(300):
        session.user("ok", id=f"u{number}")
        parts = [Text(text="ok")]
        if number == 150:
            parts.insert(0, Thinking(text="hm"))
        session.assistant(*parts, id=f"a{number}")
    found = [loss.event for loss in losses_of(session, "openai-chat") if loss.kind == "content"]
    assert found == ["a150"]
