"""A list of messages, without a model and its parameters, leaves byte for byte too; what its
provider would refuse is made anew (rules.md#left-as-it-came)."""

import copy
import json
import re

import pytest
from hypothesis import HealthCheck, given, settings
from tests.render.bodies import BODIES

from contextwright import C, Context, compile, read_session, write_session
from contextwright.compiler.of_body import readable_violations
from contextwright.render.providers import provider_named

MODELS = {
    "openai-chat": "gpt-5",
    "openai-responses": "gpt-5",
    "anthropic": "claude-sonnet-4-5",
    "gemini": "gemini-2.5-pro",
}
KEYS = {"openai-responses": "input", "gemini": "contents"}
FEW = settings(suppress_health_check=list(HealthCheck), deadline=None, max_examples=15)


def text(value):
    return json.dumps(value, ensure_ascii=False)


def compiled(source, format, spec=None, **options):
    target = {"model": MODELS[format], "format": format, **options}
    return compile(source, spec if spec is not None else C.default(), **target)


def messages_of(body, format):
    return body[KEYS.get(format, "messages")]


def is_sound(messages, format):
    """Whether no rule is broken that a list is made anew for."""
    renderer = provider_named(format).renderer
    request = {"model": MODELS[format], KEYS.get(format, "messages"): messages}
    return not any(one.rule in renderer.repaired for one in readable_violations(renderer, request))


def lists(format, *, times=1):
    """Bare lists of messages; longer ones are several conversations behind each other."""
    return (
        BODIES[format]
        .map(lambda body: messages_of(body, format))
        .filter(lambda messages: isinstance(messages, list) and is_sound(messages, format))
        .map(lambda messages: _repeated(messages, times))
    )


def _repeated(messages, times):
    """The messages several times over, the calls of each round with ids of their own."""
    rounds = []
    for number in range(times):
        named = re.sub(r'"(call|rs)_(\d)"', rf'"\1_{number}_\2"', text(messages))
        rounds += json.loads(named)
    return rounds


@pytest.mark.parametrize("format", BODIES)
def test_a_list_that_no_word_touches_leaves_byte_for_byte(format):
    @FEW
    @given(lists(format))
    def check(messages):
        session = read_session(copy.deepcopy(messages), format=format)
        pack = compiled(session, format, cache=False)
        assert text(messages_of(pack.request, format)) == text(messages)
        assert not pack.manifest.unrendered

    check()


@pytest.mark.parametrize("format", BODIES)
def test_so_does_one_of_many_turns_out_of_a_file(format):
    @settings(FEW, max_examples=3)
    @given(lists(format, times=8))
    def check(messages):
        stored = write_session(read_session(messages, format=format))
        pack = compiled(read_session(stored), format, cache=False)
        assert text(messages_of(pack.request, format)) == text(messages)

    check()


@pytest.mark.parametrize("format", BODIES)
def test_a_record_without_a_model_does_so_with_its_tools(format):
    @settings(FEW, max_examples=6)
    @given(BODIES[format])
    def check(body):
        messages = messages_of(body, format)
        if not (isinstance(messages, list) and is_sound(messages, format)):
            return
        beside = ("system", "tools", "instructions")
        record = {KEYS.get(format, "messages"): messages}
        record |= {key: body[key] for key in beside if body.get(key) and format != "gemini"}
        pack = compiled(read_session(record, format=format), format, cache=False)
        for key, value in record.items():
            assert text(pack.request[key]) == text(value)

    check()


@pytest.mark.parametrize("format", BODIES)
def test_what_a_context_gives_back_are_the_messages_themselves(format):
    @settings(FEW, max_examples=6)
    @given(lists(format, times=3))
    def check(messages):
        context = Context(C.default(), model=MODELS[format], format=format, cache=False)
        for stop in range(len(messages) // 3, len(messages) + 1, len(messages) // 3):
            sent = context(messages[:stop])
            assert len(sent) == stop
            assert all(one is own for one, own in zip(sent, messages, strict=False))

    check()


@pytest.mark.parametrize("model", ["gpt-5", "claude-sonnet-4-5"])
@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "user", "content": "\ud800 hi"}, {"role": "user", "content": "go"}],
        [{"role": "user", "content": "hi"}, {"role": "assistant", "content": ""},
         {"role": "user", "content": "go"}],
        [{"role": "user", "content": "hi"}, {"role": "tool", "tool_call_id": "x", "content": "r"}],
        [{"role": "assistant", "tool_calls": []}],
        [{"role": "user", "content": "hi", "x": 10**400}],
    ],
    ids=["surrogate", "silence", "orphan", "nothing", "huge"],
)  # fmt: skip
def test_a_list_that_no_provider_takes_is_made_anew(messages, model):
    request = compile(messages, C.default(), model=model).request
    json.dumps(request, ensure_ascii=False).encode()
    assert request["messages"] and request["messages"][-1]["role"] == "user"
    assert all(message.get("content") for message in request["messages"])


def test_what_only_its_record_needs_is_not_sent():
    messages = [{"role": "user", "content": "hi", "id": "m1", "pinned": True, "name": "amy"}]
    request = compiled(messages, "openai-chat").request
    assert request["messages"] == [{"role": "user", "content": "hi", "name": "amy"}]
    recorded = [
        {"role": "user", "content": "hi", "is_demo": True, "agent": "main", "timestamp": "now"},
        {"role": "assistant", "content": "ho", "usage": {"input": 3}, "stop_reason": "stop",
         "thinking": "hm", "thought": "hm", "model": "gpt-4o"},
        {"role": "user", "content": "go", "reasoning_content": "x"},
    ]  # fmt: skip
    request = compiled(recorded, "openai-chat").request
    fields = [set(message) - {"role", "content"} for message in request["messages"]]
    assert fields == [set(), set(), {"reasoning_content"}]
    answer = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude",
              "content": [{"type": "text", "text": "a", "citations": None}],
              "stop_reason": "end_turn", "usage": {"input_tokens": 1}}  # fmt: skip
    listed = [messages[0], answer, {"role": "user", "content": [{"type": "text", "text": "go"}]}]
    request = compiled(read_session(listed, format="anthropic"), "anthropic", cache=False).request
    assert request["messages"][1] == {"role": "assistant", "content": answer["content"]}


@pytest.mark.parametrize("format", ["openai-chat", "anthropic"])
def test_an_id_that_is_called_by_twice_moves_nothing_in_front_of_it(format):
    def call(n, id):
        if format == "anthropic":
            use = {"type": "tool_use", "id": id, "name": "read", "input": {"n": n}, "x": n}
            result = {"type": "tool_result", "tool_use_id": id, "content": f"text {n}", "x": n}
            return [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
        function = {"name": "read", "arguments": f'{{"n": {n}}}'}
        made = {"id": id, "type": "function", "function": function, "x": n}
        return [
            {"role": "assistant", "content": None, "tool_calls": [made], "x": n},
            {"role": "tool", "tool_call_id": id, "name": "read", "content": f"text {n}"},
        ]

    messages = [{"role": "user", "content": "read all"}]
    for n, id in enumerate(["a1", "b1", "a1", "c1", "b1", "d1"]):
        messages += call(n, id)
    context = Context(C.default(), model=MODELS[format], format=format, cache=False)
    before = []
    for end in range(3, len(messages) + 1, 2):
        sent = context.call({"model": MODELS[format], "messages": messages[:end]}, id="body")
        assert sent.messages["messages"] == messages[:end]  # a body is its caller's
        pack = compiled(messages[:end], format, cache=False)
        made = pack.request["messages"]
        assert text(made[: len(before)]) == text(before)
        before = made
    ids = re.findall(r'"(?:tool_use_id|tool_call_id)": "(\w+)"', text(before))
    assert len(set(ids)) == len(ids) == 6
    assert [message == own for message, own in zip(messages, before)] == [
        True, *[True] * 4, *[False] * 2, *[True] * 2, *[False] * 2, *[True] * 2
    ]  # fmt: skip
