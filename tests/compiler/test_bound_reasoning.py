"""What each kind of model is sent of its reasoning, judged as its API does."""

import json

import pytest

from contextwright import C, Session, compile, target
from contextwright.session.event import Text, Thinking, ToolCall

SPECS = [
    C.window(n=10) | C.compact() | C.budget(max_tokens=2_500),
    C.window(steps=4),
    C.default() | C.budget(max_tokens=2_500),
    C.compaction(max_tokens=2_500),
    C.default() | C.compaction(max_tokens=2_500),
    C.default() | C.cool(2_000),
    C.isolate() | C.budget(max_tokens=2_500),
]
STRIP_OLD, KEEP, BOUND = "claude-sonnet-4-5", "claude-opus-5", "claude-fable-5-1"


def loop(steps, *, provider="anthropic"):
    """A session that grows by a step: signed reasoning, words and a call, its result."""
    session = Session("s")
    session.user("Find the slow query. " * 20)
    session.assistant(
        Thinking(text="first", signature="sig-first", provider=provider), Text(text="ok")
    )
    session.user("go on")
    for n in range(steps):
        thought = Thinking(text=f"thought {n}", signature=f"sig{n}", provider=provider)
        extra = {"gemini": {"thought_signature": f"sig{n}"}}
        call = ToolCall(id=f"t{n}", name="read", arguments=f'{{"at": {n}}}', extra=extra)
        session.assistant(thought, Text(text=f"I read part {n}."), call)
        session.result(f"t{n}", f"part {n} " * 120)
        yield session


def messages(session, spec, model):
    return compile(session, spec, target=target(model, cache=False)).request["messages"]


def thinking(message):
    return [part for part in message["content"] if part["type"] == "thinking"]


@pytest.mark.parametrize("spec", SPECS, ids=repr)
@pytest.mark.parametrize("model", [STRIP_OLD, KEEP])
def test_where_nothing_binds_the_newest_message_of_the_assistant_begins_with_its_reasoning(
    spec, model
):
    for session in loop(14):
        newest = [m for m in messages(session, spec, model) if m["role"] == "assistant"][-1]
        assert newest["content"][0]["type"] == "thinking"
        assert newest["content"][0]["signature"] == session.log[-2].parts[0].signature


def test_a_model_that_strips_old_reasoning_is_sent_that_of_the_running_turn():
    *_, session = loop(3)
    sent = messages(session, C.default(), STRIP_OLD)
    signed = [part["signature"] for m in sent for part in thinking(m)]
    assert signed == ["sig0", "sig1", "sig2"]
    pack = compile(session, C.default(), target=target(STRIP_OLD))
    assert [(one.part, one.reason) for one in pack.manifest.unrendered] == [
        ("thinking", "the model reads the reasoning of the running turn only")
    ]
    whole = messages(session, C.default(), KEEP)
    assert sum(len(thinking(m)) for m in whole) == 4


@pytest.mark.parametrize("spec", SPECS, ids=repr)
def test_bound_reasoning_stands_behind_what_it_stood_behind_or_nowhere(spec):
    sent_before = set()
    left_out = set()
    for session in loop(14):
        whole = messages(session, C.default(), BOUND)
        sent = messages(session, spec, BOUND)
        shown = {part["signature"] for m in sent for part in thinking(m)}
        for at, message in enumerate(sent):
            if thinking(message):
                assert json.dumps(sent[: at + 1]) == json.dumps(whole[: at + 1])
        assert not shown & left_out, "what was left out once stays out"
        left_out |= sent_before - shown
        sent_before |= shown


def test_a_text_that_moves_with_the_newest_message_unbinds_all_of_it():
    *_, session = loop(2)
    session.update({"mood": "calm"})
    assert sum(len(thinking(m)) for m in messages(session, C.default(), BOUND)) == 3
    spec = C.default() + C.from_state("mood")
    sent = messages(session, spec, BOUND)
    assert "calm" in json.dumps(sent) and not any(map(thinking, sent))


@pytest.mark.parametrize("spec", SPECS, ids=repr)
def test_gemini_has_the_signature_of_each_call_of_the_running_turn(spec):
    for session in loop(14, provider="google"):
        contents = compile(session, spec, target=target("gemini-3.1-pro-preview")).request[
            "contents"
        ]
        calls = [p for c in contents for p in c["parts"] if "function_call" in p]
        newest = session.log[-2].parts[2].extra["gemini"]["thought_signature"]
        assert calls[-1]["thought_signature"] == newest
