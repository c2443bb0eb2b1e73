"""Bedrock's Converse takes a user and an assistant in turn: what is left out leaves no two of one
role behind each other."""

import pytest

from contextwright import C, Context

MODEL = "anthropic.claude-sonnet-4-5-20250929-v1:0"
SPECS = [
    C.compaction(3_000), C.compact() | C.budget(2_000), C.window(n=1), C.fit(3_000),
    C.window(steps=3), C.isolate(), C.default() | C.redact("email"),
]  # fmt: skip
ANSWER = {
    "output": {"message": {"role": "assistant", "content": [{"text": "ok"}]}},
    "stopReason": "end_turn",
    "usage": {"inputTokens": 5, "outputTokens": 1, "totalTokens": 6},
    "metrics": {"latencyMs": 1},
}


class Bedrock:
    """A client that takes what Converse does."""

    def __init__(self):
        self.requests = []

    def converse(self, **request):
        self.requests.append(request)
        messages = request["messages"]
        roles = [message["role"] for message in messages]
        assert roles == [("user", "assistant")[n % 2] for n in range(len(roles))]
        called = set()
        for message in messages:
            results = [
                b["toolResult"]["toolUseId"] for b in message["content"] if "toolResult" in b
            ]
            assert len(set(results)) == len(results) and set(results) == called
            called = {b["toolUse"]["toolUseId"] for b in message["content"] if "toolUse" in b}
        return ANSWER

    class meta:  # noqa: N801
        region_name = "us-east-1"


@pytest.mark.parametrize("spec", SPECS, ids=repr)
def test_strands(spec):
    pytest.importorskip("strands")
    boto3 = pytest.importorskip("boto3")
    from strands import Agent
    from strands.agent.conversation_manager import NullConversationManager
    from strands.models.bedrock import BedrockModel

    from contextwright.adapters.strands import ContextStage

    messages = [{"role": "user", "content": [{"guardContent": {"text": {"text": "read a@b.co"}}}]}]
    for n in range(15):
        use = {"toolUse": {"toolUseId": f"t{n}", "name": "read", "input": {"path": f"f{n}"}}}
        content = [{"text": f"line {n}\n" * 60}]
        result = {"toolResult": {"toolUseId": f"t{n}", "content": content, "status": "success"}}
        point = {"cachePoint": {"type": "default"}}
        messages += [
            {"role": "assistant", "content": [{"text": "ok"}, use]},
            {"role": "user", "content": [result, point]},
        ]
    messages.append({"role": "assistant", "content": [{"text": "so it is"}]})
    session = boto3.Session(
        region_name="us-east-1", aws_access_key_id="a", aws_secret_access_key="b"
    )
    model = BedrockModel(model_id=MODEL, boto_session=session, streaming=False)
    model.client = Bedrock()
    agent = Agent(
        model=model,
        messages=messages,
        conversation_manager=NullConversationManager(),
        plugins=[ContextStage(Context(spec))],
        callback_handler=None,
    )
    agent("and now?")
    assert len(model.client.requests) == 1 and "a@b.co" in str(agent.messages)


@pytest.mark.parametrize("spec", SPECS, ids=repr)
def test_agno(spec):
    pytest.importorskip("agno")
    pytest.importorskip("boto3")
    from agno.models.aws import AwsBedrock
    from agno.models.message import Message

    from contextwright.adapters.agno import context_model

    messages = [Message(role="user", content="read a@b.co")]
    for n in range(15):
        function = {"name": "read", "arguments": f'{{"path": "f{n}"}}'}
        call = {"id": f"t{n}", "type": "function", "function": function}
        messages += [
            Message(role="assistant", content="ok", tool_calls=[call]),
            Message(role="tool", content=f"line {n}\n" * 60, tool_call_id=f"t{n}"),
            Message(role="assistant", content=f"it is {n}"),
            Message(role="user", content=f"more {n}"),
        ]
    model = AwsBedrock(id=MODEL)
    model.client = Bedrock()
    bounded = context_model(model, Context(spec, model=MODEL))
    answer = Message(role="assistant")
    bounded.invoke(messages=messages, assistant_message=answer)
    assert len(model.client.requests) == 1 and len(messages) == 61


@pytest.mark.parametrize("spec", [C.default(), *SPECS], ids=repr)
def test_a_user_speaks_behind_agno_s_results(spec):
    """As where a tool gave back pictures, which stand in a user's message behind all results."""
    pytest.importorskip("agno")
    pytest.importorskip("boto3")
    from agno.media import Image
    from agno.models.aws import AwsBedrock
    from agno.models.message import Message

    from contextwright.adapters.agno import context_model

    messages = [Message(role="user", content="read a@b.co")]
    for n in range(15):
        calls = [
            {"id": f"{id}{n}", "type": "function", "function": {"name": "read", "arguments": "{}"}}
            for id in "tu"
        ]
        picture = Image(content=b"PNG", format="png")
        messages += [
            Message(role="assistant", content="ok", tool_calls=calls),
            Message(role="tool", content=f"line {n}\n" * 60, tool_call_id=f"t{n}"),
            Message(role="tool", content="b@c.de", tool_call_id=f"u{n}"),
            Message(role="user", content=f"seen {n}", images=[picture] if n == 14 else None),
        ]
    model = AwsBedrock(id=MODEL)
    model.client = Bedrock()
    before = [message.model_copy() for message in messages]
    bounded = context_model(model, Context(spec, model=MODEL))
    bounded.invoke(messages=messages, assistant_message=Message(role="assistant"))
    [request] = model.client.requests
    assert messages == before
    last = request["messages"][-1]["content"]
    assert "seen 14" in last[-2]["text"] and "image" in last[-1]


def test_another_model_is_sent_what_the_spec_says():
    from contextwright.adapters.turn_taking import in_turns

    assert in_turns(None, object(), [], ["a", "b"]) == ["a", "b"]
