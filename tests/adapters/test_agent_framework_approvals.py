"""A request for an approval of a tool that runs at the provider, and the answer to it, stand and go
together in Agent Framework's messages."""

import pytest

pytest.importorskip("agent_framework")

from agent_framework import Content, Message

from contextwright import C, Context
from contextwright.adapters.agent_framework.message_contents import MessageContents
from contextwright.adapters.message_mapping import MappedRequest
from contextwright.adapters.message_parts import PartedMessages

MAPPING = PartedMessages(MessageContents(), Content.from_text)


def approval():
    call = Content.from_function_call(
        "mcpr_1", "roll", arguments='{"to": "a@b.co"}', hosted=True, server_name="dice"
    )
    request = Content.from_function_approval_request("mcpr_1", call)
    return [
        Message("user", ["roll"]),
        Message("assistant", [request]),
        Message("user", [Content.from_function_approval_response(True, "mcpr_1", call)]),
    ]


def sent(messages, spec):
    request = MappedRequest(MAPPING, messages, model="gpt-5")
    return request.messages_of(Context(spec, model="gpt-5")(request.body))


def approvals(messages):
    return [one for m in messages for one in m.contents if "approval" in one.type]


def test_an_approval_goes_with_what_it_answers():
    rounds = [Message(role, ["word " * 30]) for _ in range(5) for role in ("assistant", "user")]
    messages = [*approval(), *rounds]
    new = sent(messages, C.default())
    assert all(one is other for one, other in zip(new, messages, strict=True))
    counts = set()
    for spec in [C.window(n=n) for n in range(1, 8)] + [C.budget(n) for n in range(150, 700, 50)]:
        counts.add(len(approvals(sent(messages, spec))))
    assert counts == {0, 2}


def test_what_is_asked_for_is_redacted():
    messages = [*approval(), Message("assistant", ["so"]), Message("user", ["on"])]
    request, answer = approvals(sent(messages, C.default() | C.redact("email")))
    assert request.function_call.arguments == '{"to": "[REDACTED]"}'
    assert request.function_call.server_name == "dice" and answer.approved is True


def test_what_nobody_answered_is_refused():
    messages = [*approval()[:2], Message("user", ["something else"])]
    request, answer = approvals(sent(messages, C.default()))
    assert (answer.id, answer.approved) == (request.id, False)
    assert answer.function_call.hosted
