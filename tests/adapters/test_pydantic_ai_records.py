"""What pydantic-ai records among its messages of what changed beside them is no user who speaks."""

import asyncio

import pytest

pytest.importorskip("pydantic_ai")

from pydantic_ai import Agent
from pydantic_ai.messages import (
    InstructionBaselinePart,
    InstructionDeltaPart,
    ModelRequest,
    ModelResponse,
    ModelSettingsDeltaPart,
    TextPart,
    ToolAvailabilityDeltaPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import FunctionModel

from contextwright import C, Context
from contextwright.adapters.message_mapping import MappedRequest
from contextwright.adapters.pydantic_ai import ContextCapability
from contextwright.adapters.pydantic_ai.prompt_messages import MESSAGES
from contextwright.errors import ModelError

RECORDS = [
    ToolAvailabilityDeltaPart(tools_added=["search"]),
    InstructionBaselinePart(instructions=[]),
    ModelSettingsDeltaPart(settings={"thinking": "high"}),
]


def played(spec):
    """The messages of the last of twelve requests, in whose middle an instruction changed."""
    requests = []

    def model(messages, info):
        requests.append(messages)
        number = len(requests)
        if number == 12:
            return ModelResponse(parts=[TextPart("done")])
        return ModelResponse(parts=[ToolCallPart("read", {"path": str(number)}, f"c{number}")])

    def read(path: str) -> str:
        return f"line {path}\n" * 100

    context = Context(spec, model="gpt-5")
    agent = Agent(FunctionModel(model), tools=[read], capabilities=[ContextCapability(context)])

    @agent.instructions(on_change="append", name="rules")
    def rules() -> str:
        return "speak German, mail a@b.co" if len(requests) >= 3 else "speak English"

    asyncio.run(agent.run("go"))
    return requests[-1]


@pytest.mark.parametrize(
    "spec",
    [C.default(), C.compaction(1_500), C.budget(1_500), C.isolate(), C.window(steps=2)],
    ids=repr,
)
def test_an_instruction_that_changed_stays(spec):
    sent = played(spec | C.redact("email"))
    texts = [str(part) for message in sent for part in message.parts]
    assert sum("speak German, mail [REDACTED]" in text for text in texts) == 1
    assert "a@b.co" not in str(sent)


def test_a_record_is_not_shown_and_stays_where_it_stood():
    messages = [
        ModelRequest(parts=[UserPromptPart("go"), RECORDS[1]]),
        ModelResponse(parts=[ToolCallPart("read", {}, "c1")]),
        ModelRequest(parts=[ToolReturnPart("read", "mail a@b.co", "c1"), *RECORDS]),
    ]
    request = MappedRequest(MESSAGES, messages, model="gpt-5")
    roles = [wire["role"] for wire in request.body["messages"]]
    assert roles == ["user", "assistant", "tool"]
    assert request.body["messages"][0]["content"] == "go"
    new = request.messages_of(Context(C.default(), model="gpt-5")(request.body))
    assert all(one is other for one, other in zip(new, messages, strict=True))
    redacted = Context(C.default() | C.redact("email"), model="gpt-5")(request.body)
    (*_, last) = request.messages_of(redacted)
    assert last.parts[0].content == "mail [REDACTED]"
    assert all(one is other for one, other in zip(last.parts[1:], RECORDS, strict=True))


def test_an_instruction_that_changed_is_the_system_s():
    change = InstructionDeltaPart(id=None, content="speak German")
    withdrawn = InstructionDeltaPart(id=None, content=None)
    messages = [
        ModelRequest(parts=[UserPromptPart("go")]),
        ModelResponse(parts=[ToolCallPart("read", {}, "c1")]),
        ModelRequest(parts=[ToolReturnPart("read", "so", "c1"), change, withdrawn]),
    ]
    request = MappedRequest(MESSAGES, messages, model="gpt-5")
    roles = [wire["role"] for wire in request.body["messages"]]
    assert roles == ["user", "assistant", "tool", "system"]
    redacted = Context(C.default() | C.redact(["German"]), model="gpt-5")(request.body)
    (*_, last) = request.messages_of(redacted)
    assert [type(part) for part in last.parts] == [ToolReturnPart, *[InstructionDeltaPart] * 2]
    assert "German" not in last.parts[1].content and last.parts[2] is withdrawn


def test_a_model_for_tests_needs_no_window():
    """An application's own agent is tested with it, by `agent.override`."""
    agent = Agent("test", capabilities=[ContextCapability(C.compaction(8000))])
    assert agent.run_sync("hi").output
    function = FunctionModel(lambda *_: ModelResponse(parts=[TextPart("done")]))
    with agent.override(model=function), pytest.raises(ModelError, match="unknown model"):
        agent.run_sync("hi")
