"""A body is what its caller hands over at every call: a request of few messages looks at few of it."""

from collections.abc import Iterator
from typing import Any

import pytest

from contextwright import C, Context, Engine, Session, read_session, replay
from contextwright.render.source_messages import SourceMessage, SourceMessages
from contextwright.testing import target_for


def body(rounds: int, ids: int) -> dict[str, Any]:
    """So many calls and results, whose ids repeat after some."""
    messages: list[Any] = [{"role": "user", "content": "Mend the tests."}]
    for n in range(rounds):
        function = {"name": "shell", "arguments": f'{{"n": {n}}}'}
        call = {"id": f"c{n % ids}", "type": "function", "function": function}
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call["id"], "content": f"row {n} " * 40},
        ]
    return {"model": "gpt-5", "messages": messages}


@pytest.mark.parametrize("ids", [1000, 7], ids=["valid", "ids repeat"])
def test_a_warm_call_does_not_walk_the_body(ids: int, monkeypatch: pytest.MonkeyPatch) -> None:
    context = Context(C.default() | C.compaction(3000))
    walked: list[int] = []
    context(body(100, ids))
    whole = SourceMessages.all

    def counted(self: SourceMessages) -> Iterator[SourceMessage]:
        for message in whole(self):
            walked.append(message.at)
            yield message

    monkeypatch.setattr(SourceMessages, "all", counted)
    sent = context(body(101, ids))["messages"]
    assert len(walked) <= len(sent) + 5
    assert len(sent) < 100


@pytest.mark.parametrize("ids", [1000, 7], ids=["valid", "ids repeat"])
def test_the_request_is_the_one_without_a_living_session(ids: int) -> None:
    context = Context(C.default() | C.compaction(3000))
    warm: Any = None
    for rounds in (60, 61, 62):
        warm = context(body(rounds, ids))
    assert warm == Context(C.default() | C.compaction(3000))(body(62, ids))


def test_what_a_caller_mends_later_is_no_longer_the_callers_fault() -> None:
    context = Context(C.default(), model="gpt-5")
    open_call = body(3, 9)["messages"][:-1]
    assert context(open_call) == open_call or context.manifest.inserted
    assert context(body(3, 9)["messages"]) == body(3, 9)["messages"]


@pytest.mark.parametrize("key", ["input", "contents"])
def test_a_text_stands_for_the_messages_and_the_talk_goes_on(key: str) -> None:
    model = {"input": "gpt-5", "contents": "gemini-2.5-pro"}[key]
    context = Context(C.default())
    body: dict[str, Any] = {"temperature": 1, key: "Hello", "model": model}
    assert list(context(body).items()) == list(body.items())
    session = context.session
    said = {"role": "user", "content": "Hello"}
    wire = said if key == "input" else {"role": "user", "parts": [{"text": "Hello"}]}
    grown = {**body, key: [wire, wire]}
    assert context(grown) == grown
    assert context.session is session and len(session) == 2


def with_three_results(format: str) -> list[Any]:
    """Messages of which one has what three calls gave, and what the user says beside."""
    if format == "anthropic":
        calls = [{"type": "tool_use", "id": f"c{n}", "name": "f", "input": {}} for n in range(3)]
        results = [
            {"type": "tool_result", "tool_use_id": f"c{n}", "content": f"row {n} " * 40, "x": n}
            for n in range(3)
        ]
        key, user, model, text = "content", "user", "assistant", {"type": "text"}
    else:
        names = [{"name": "f", "id": f"c{n}"} for n in range(3)]
        calls = [{"functionCall": {**one, "args": {}}, "thoughtSignature": "c2ln"} for one in names]
        results = [
            {"functionResponse": {**one, "response": {"result": f"row {n} " * 40}}, f"x{n}": n}
            for n, one in enumerate(names)
        ]
        key, user, model, text = "parts", "user", "model", {}
    return [
        {"role": user, key: [{**text, "text": "Mend the tests."}]},
        {"role": model, key: calls},
        {"role": user, key: [*results, {**text, "text": "And now?", "y": 1}]},
        {"role": model, key: [{**text, "text": "Well."}]},
        {"role": user, key: [{**text, "text": "Go on."}]},
    ]


@pytest.mark.parametrize("spec", [C.default(), C.cool(40), C.compaction(3000)], ids=repr)
@pytest.mark.parametrize("target", ["anthropic", "gemini", "openai-chat"])
@pytest.mark.parametrize("format", ["anthropic", "gemini"])
def test_a_message_may_come_event_by_event(format: str, target: str, spec: Any) -> None:
    """A recorded session is played again, and compiled at every event: a message of several was
    taken for what it was before the last of them came."""
    read = read_session(with_three_results(format), format=format)
    engine = Engine(spec, target=target_for(target), suspend=False)
    session, packs = Session("s"), list[Any]()
    for event in read.log:
        session.append(event)
        packs.append(engine.compile(session))
        whole = Session("s", session.log)
        alone = Engine(spec, target=target_for(target), suspend=False).compile(whole)
        assert packs[-1].body == alone.body
    for pack in packs:  # manifests are written when they are read
        assert replay(pack.manifest, session).body == pack.body
