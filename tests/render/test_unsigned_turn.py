"""What Claude thought in a running turn, where a spec redacts a part of it: the signature was for
other words, so reasoning is off until the turn is over."""

import anthropic
import pytest

from contextwright import C, Context, wrap
from contextwright.compiler.replay_pack import replay
from contextwright.testing.adapter_suite.suite_tools import SECRET
from contextwright.testing.strict_server import Reply, StrictServer
from contextwright.testing.strict_server.reply import ReplyCall

ON = {"type": "enabled", "budget_tokens": 2_000}
TOOL = {"name": "read", "input_schema": {"type": "object"}}


def thought(text, id):
    called = {"type": "tool_use", "id": id, "name": "read", "input": {}}
    return [{"type": "thinking", "thinking": text, "signature": "c2ln"}, called]


def turn(*thoughts):
    messages = [{"role": "user", "content": "go"}]
    for number, text in enumerate(thoughts):
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "one"}
        messages.append({"role": "assistant", "content": thought(text, f"t{number}")})
        messages.append({"role": "user", "content": [result]})
    return messages


def body(messages, thinking=ON):
    return {
        "model": "claude-sonnet-4-5",
        "max_tokens": 4_000,
        "thinking": thinking,
        "messages": messages,
        "tools": [TOOL],
    }


def kinds(context):
    return [each.kind for each in context.manifest.inserted]


@pytest.mark.parametrize("thoughts", [[f"by {SECRET}"], ["a", f"by {SECRET}"], [SECRET, "a"]])
def test_reasoning_is_off_where_what_was_thought_is_not_what_was_signed(thoughts):
    context = Context(C.redact(["secrets"]))
    asked = body(turn(*thoughts))
    sent = context(asked)
    assert sent["thinking"] == {"type": "disabled"} and list(sent) == list(asked)
    assert kinds(context) == ["thinking_off"] and SECRET not in str(sent)
    assert {**sent, "messages": 0, "thinking": 0} == {**asked, "messages": 0, "thinking": 0}
    assert context.pack.request["thinking"] == sent["thinking"] and asked["thinking"] == ON
    assert replay(context.manifest, context.session).body == context.pack.body


@pytest.mark.parametrize(
    ("messages", "thinking"),
    [
        (turn("a", "b"), ON),
        (turn(f"by {SECRET}"), {"type": "adaptive"}),
        ([*turn(f"by {SECRET}"), {"role": "assistant", "content": "x"}, *turn()], ON),
        ([*turn(f"by {SECRET}"), {"role": "assistant", "content": "x"}, *turn("a")], ON),
    ],
    ids=["as-it-was", "adaptive", "a-new-turn", "an-earlier-turn"],
)
def test_reasoning_stays_where_nothing_of_the_turn_was_touched(messages, thinking):
    context = Context(C.redact(["secrets"]))
    assert context(body(messages, thinking))["thinking"] == thinking and not kinds(context)


def test_a_model_whose_reasoning_is_bound_goes_on_without_it():
    """It takes a turn whose reasoning went with an edit in front of it."""
    context = Context(C.redact(["secrets"]))
    asked = {**body(turn(f"by {SECRET}")), "model": "claude-opus-5-5"}
    assert context(asked)["thinking"] == ON and not kinds(context)


@pytest.mark.parametrize("streamed", [False, True])
def test_claude_goes_on_with_a_turn_in_which_it_thought_a_secret(streamed):
    one = Reply(thinking=f"it is {SECRET}", calls=(ReplyCall("read", {}),))
    two = Reply(thinking="and on", calls=(ReplyCall("read", {}),))
    with StrictServer([one, two, "done", two, "all done"]) as server:
        own = anthropic.Anthropic(base_url=server.url, api_key="none", max_retries=0)
        client = wrap(own, C.redact(["secrets"]))
        messages = [{"role": "user", "content": "go"}]
        for _ in range(5):
            ask = {key: value for key, value in body(messages).items() if key != "messages"}
            if streamed:
                with client.messages.stream(messages=messages, **ask) as stream:
                    answer = stream.get_final_message()
            else:
                answer = client.messages.create(messages=messages, **ask)
            messages.append({"role": "assistant", "content": answer.content})
            calls = [block for block in answer.content if block.type == "tool_use"]
            results = [
                {"type": "tool_result", "tool_use_id": each.id, "content": "1"} for each in calls
            ]
            messages.append({"role": "user", "content": results or "more"})
    assert not server.refused and not any(SECRET in str(each.body) for each in server.requests)
    off = {"type": "disabled"}
    assert [each.body["thinking"] for each in server.requests] == [ON, off, off, ON, ON]
