"""pydantic-ai's capability in every scenario; what the context changes in its messages."""

# pyright: basic, reportAttributeAccessIssue=false

import asyncio

import pytest
from pydantic import BaseModel, Field
from pydantic_ai import Agent, NativeOutput, PromptedOutput
from pydantic_ai.messages import (
    BinaryContent,
    ModelRequest,
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    RetryFeedbackPart,
    RetryInfo,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.instrumented import InstrumentationSettings, InstrumentedModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.providers.openai import OpenAIProvider
from tests.adapters.drivers.pydantic_ai_agents import DRIVERS

from contextwright import C, Context, SpecError
from contextwright.adapters.message_mapping import MappedRequest
from contextwright.adapters.pydantic_ai import ContextCapability
from contextwright.adapters.pydantic_ai.prompt_messages import MESSAGES as MAPPING
from contextwright.testing.adapter_suite import AdapterSuite
from contextwright.testing.adapter_suite.suite_tools import read, reading
from contextwright.testing.strict_server import Reply, StrictServer, call
from contextwright.tokens.calibrate import Calibrator


@pytest.fixture(scope="module", params=DRIVERS, ids=lambda driver: driver.name)
def driver(request):
    return request.param


class TestPydanticAi(AdapterSuite):
    """Every scenario for two models."""


PICTURE = BinaryContent(b"\x89PNG", media_type="image/png")
MESSAGES = [
    ModelRequest(parts=[UserPromptPart(content=["look", PICTURE])]),
    ModelResponse(
        parts=[
            ThinkingPart(content="hm", signature="s"),
            TextPart(content="two at once"),
            ToolCallPart(tool_name="read", args={"path": "a"}, tool_call_id="a"),
            ToolCallPart(tool_name="read", args={"path": "b"}, tool_call_id="b"),
        ]
    ),
    ModelRequest(
        parts=[
            ToolReturnPart(tool_name="read", content="one", tool_call_id="a"),
            ToolReturnPart(tool_name="read", content={"n": 2}, tool_call_id="b"),
        ]
    ),
    ModelResponse(parts=[TextPart(content="done")]),
]


def through(change, model="gpt-5"):
    request = MappedRequest(MAPPING, MESSAGES, model=model, system="be brief")
    compiled = {"messages": change(list(request.body["messages"]))}
    return request.system_of(compiled), request.messages_of(compiled)


def test_what_is_unchanged_is_the_same_object():
    system, messages = through(lambda wires: wires)
    assert system is None  # the framework's own stays
    assert all(one is own for one, own in zip(messages, MESSAGES, strict=True))


def test_a_shortened_result_changes_its_part_and_no_other():
    def shorten(wires):
        return [{**w, "content": "1"} if w.get("tool_call_id") == "a" else w for w in wires]

    _, messages = through(shorten)
    assert [part.content for part in messages[2].parts] == ["1", {"n": 2}]
    assert messages[2].parts[1] is MESSAGES[2].parts[1] and MESSAGES[2].parts[0].content == "one"
    assert messages[1] is MESSAGES[1]


def test_a_redacted_prompt_keeps_its_picture():
    def redact(wires):
        content = [{"type": "text", "text": "l**k"}, wires[1]["content"][1]]
        return [wires[0], {**wires[1], "content": content}, *wires[2:]]

    _, messages = through(redact)
    assert messages[0].parts[0].content == ["l**k", PICTURE]


def test_what_was_added_is_a_message_and_what_was_left_out_is_gone():
    def fold(wires):
        return [wires[0], {"role": "user", "content": "so far: read a and b"}, wires[-1]]

    system, messages = through(fold)
    assert system is None and len(messages) == 2
    assert messages[0].parts[0].content == "so far: read a and b" and messages[1] is MESSAGES[3]


def test_what_an_operator_wrote_speaks_with_the_system_s_voice():
    _, (added, *_) = through(lambda wires: [wires[0], {"role": "system", "content": "Be kind"}])
    assert [(type(part), part.content) for part in added.parts] == [(SystemPromptPart, "Be kind")]


def test_reasoning_that_binds_goes_with_what_stood_before_it():
    def redact(wires):
        return [wires[0], {**wires[1], "content": "l**k"}, *wires[2:]]

    _, kept = through(redact)
    _, bound = through(redact, "claude-opus-5-5")
    assert isinstance(kept[1].parts[0], ThinkingPart)
    assert [type(part) for part in bound[1].parts] == [TextPart, ToolCallPart, ToolCallPart]


def turn(tool, arguments):
    call = ToolCallPart(tool_name=tool, args=arguments, tool_call_id="call_0")
    back = ToolReturnPart(tool_name=tool, content="of a@b.co", tool_call_id="call_0")
    return [ModelResponse(parts=[call]), ModelRequest(parts=[back])]


def test_a_call_whose_id_comes_again_stays_what_it_was():
    messages = [
        ModelRequest(parts=[UserPromptPart(content="start")]),
        *turn("send_mail", {"to": "a@b.co"}),
        ModelRequest(parts=[UserPromptPart(content="go on")]),
        *turn("delete_file", {"path": "/tmp"}),
    ]
    request = MappedRequest(MAPPING, messages, model="gpt-5")
    sent = request.messages_of(Context(C.redact("email"), model="gpt-5")(request.body))
    parts = [part for message in sent for part in message.parts if hasattr(part, "tool_name")]
    assert [part.tool_name for part in parts] == ["send_mail"] * 2 + ["delete_file"] * 2
    assert parts[0].args_as_dict() == {"to": "[REDACTED]"}


def test_two_calls_of_one_id_in_one_answer_are_two():
    first, second = (turn(tool, {"to": f"{tool}@b.co"}) for tool in ("send", "read"))
    parts = [*first[0].parts, *second[0].parts]
    answers = ModelRequest(parts=[*first[1].parts, *second[1].parts])
    messages = [ModelRequest(parts=[UserPromptPart(content="go")]), ModelResponse(parts), answers]
    request = MappedRequest(MAPPING, messages, model="gpt-5")
    compiled = request.body["messages"]
    calls = [dict(each) for each in compiled[1]["tool_calls"]]
    calls[0] = {**calls[0], "function": {**calls[0]["function"], "arguments": '{"to":"x"}'}}
    new = [compiled[0], {**compiled[1], "tool_calls": calls}, *compiled[2:]]
    own = request.messages_of({"messages": new})[1].parts
    assert [(part.tool_name, part.args_as_dict()) for part in own] == [
        ("send", {"to": "x"}),
        ("read", {"to": "read@b.co"}),
    ]


def search(page):
    """What a provider's own tool was asked, and what it says."""
    query = NativeToolCallPart("web_search", {"q": "who is a@b.co"}, "n1", provider_name="openai")
    back = NativeToolReturnPart("web_search", page, "n1", provider_name="openai")
    answer = ModelResponse(parts=[query, back, TextPart(content="ok")])
    return [ModelRequest(parts=[UserPromptPart(content="start")]), answer]


def test_what_only_the_framework_knows_is_redacted_and_what_is_sealed_is_not():
    messages = search([{"title": "of a@b.co", "encrypted_content": "c2VhbGVk"}])
    request = MappedRequest(MAPPING, messages, model="gpt-5")
    compiled = Context(C.redact("email"), model="gpt-5")(request.body)
    _, answer = request.messages_of(compiled)
    query, back, _ = answer.parts
    assert query.args == {"q": "who is [REDACTED]"}
    assert back.content == [{"title": "of [REDACTED]", "encrypted_content": "c2VhbGVk"}]
    assert (type(query), type(back)) == (NativeToolCallPart, NativeToolReturnPart)
    assert messages[1].parts[0].args == {"q": "who is a@b.co"}


def test_what_only_the_framework_knows_counts():
    question = ModelRequest(parts=[UserPromptPart(content="next")])
    messages = [*search("word " * 4000), question]
    request = MappedRequest(MAPPING, messages, model="gpt-5")
    context = Context(C.default(), model="gpt-5")
    assert request.messages_of(context(request.body)) == messages
    assert context.manifest.tokens > 4000
    context = Context(C.budget(max_tokens=3000), model="gpt-5")
    assert "word" not in str(request.messages_of(context(request.body)))
    assert context.manifest.tokens < 3000


def test_a_call_that_nobody_answered_has_a_result():
    call = ToolCallPart(tool_name="read", args={}, tool_call_id="c1")
    question, more = (ModelRequest(parts=[UserPromptPart(content=text)]) for text in ("go", "on"))
    request = MappedRequest(MAPPING, [question, ModelResponse(parts=[call]), more], model="gpt-5")
    sent = request.messages_of(Context(C.default(), model="gpt-5")(request.body))
    (part,) = sent[2].parts
    assert (part.part_kind, part.tool_call_id, part.tool_name) == ("tool-return", "c1", "read")


def told(part, spec=None):
    """The part of a request that answers a call, or none, as it is sent."""
    id = getattr(part, "tool_call_id", "")
    call = ToolCallPart(tool_name="read", args={}, tool_call_id=id) if id else TextPart("bad")
    question = ModelRequest(parts=[UserPromptPart(content="go")])
    messages = [question, ModelResponse(parts=[call]), ModelRequest(parts=[part])]
    request = MappedRequest(MAPPING, messages, model="gpt-5")
    context = Context(spec or C.redact("email"), model="gpt-5")
    return request.messages_of(context(request.body))[2].parts[0]


def test_what_a_retry_says_is_said_once():
    retried = ToolReturnPart("read", "not a@b.co", "c1", outcome="retried")
    assert told(retried).model_response_str() == '{"error":"not [REDACTED]"}'
    feedback = RetryFeedbackPart(content="not a@b.co", retry=RetryInfo(cause="model_retry"))
    assert told(feedback).content == "not [REDACTED]"


def test_data_that_a_tool_gave_stays_data_and_its_picture_stays():
    errors = [{"type": "missing", "loc": ["path"], "msg": "to a@b.co", "input": 1}]
    retried = ToolReturnPart("read", errors, "c1", outcome="retried")
    assert told(retried).content == [{**errors[0], "msg": "to [REDACTED]"}]
    assert told(ToolReturnPart("read", {"to": "a@b.co", "n": 1}, "c1")).content == {
        "to": "[REDACTED]",
        "n": 1,
    }
    seen = ToolReturnPart("read", ["of a@b.co", PICTURE], "c1")
    assert told(seen).content == ["of [REDACTED]", PICTURE]
    assert told(seen, C.default()) is seen


class Letter(BaseModel):
    """A letter to a@b.co."""

    to: str = Field(description="such as a@b.co")


@pytest.mark.parametrize("output", [NativeOutput, PromptedOutput])
def test_the_schema_of_an_answer_is_redacted(output):
    with StrictServer(['{"to": "Zoe"}']) as server:
        provider = OpenAIProvider(base_url=f"{server.url}/v1", api_key="none")
        model = OpenAIChatModel("gpt-5", provider=provider)
        context = ContextCapability(C.redact("email"))
        agent = Agent(model, output_type=output(Letter), capabilities=[context])
        assert agent.run_sync("go").output == Letter(to="Zoe")
    body = str(server.requests[0].body)
    assert "such as [REDACTED]" in body and "a@b.co" not in body


def test_instructions_that_are_redacted_stay_apart():
    """What is static is cached, what a function says is not."""
    with StrictServer(["done"]) as server:
        provider = OpenAIProvider(base_url=f"{server.url}/v1", api_key="none")
        model = OpenAIChatModel("gpt-5", provider=provider)
        context = ContextCapability(C.redact("email"))
        agent = Agent(model, instructions="for a@b.co", capabilities=[context])
        agent.instructions(lambda: "now")
        assert agent.run_sync("go").output == "done"
    system = [each for each in server.requests[0].body["messages"] if each["role"] == "system"]
    assert [each["content"] for each in system] == ["for [REDACTED]", "now"]


def chat_model(server, name):
    provider = OpenAIProvider(base_url=f"{server.url}/v1", api_key="none")
    provider.client.max_retries = 0
    return OpenAIChatModel(name, provider=provider)


@pytest.mark.parametrize("wrapped", [False, True])
def test_models_that_stand_in_for_another_are_asked_what_that_would_be(wrapped):
    """A model that falls back has a name of its own, `fallback:gpt-5,gpt-4o`, which nobody knows."""
    with StrictServer([*reading(8), Reply(status=503), "done"], window=100_000) as server:
        model = FallbackModel(chat_model(server, "gpt-5"), chat_model(server, "gpt-4o"))
        context = ContextCapability(C.compaction(8_000))
        given = WrapperModel(model) if wrapped else model
        agent = Agent(given, tools=[read], capabilities=[context])
        assert agent.run_sync("read all").output == "done"
    assert context.context.manifest.model == "gpt-5" and context.context.manifest.tokens < 8_000
    assert {request.model for request in server.requests} == {"gpt-5", "gpt-4o"}


def test_the_bill_of_a_model_that_stands_in_calibrates_none_other(monkeypatch):
    learned = []

    def observe(calibrator, format, model, billed, estimated):
        learned.extend([billed] if billed else [])

    monkeypatch.setattr(Calibrator, "observe", observe)
    busy = StrictServer([Reply(status=429)] * 9)
    with busy, StrictServer(["done", "done"]) as server:
        standing = FallbackModel(chat_model(busy, "gpt-5"), chat_model(server, "gpt-4o"))
        for model, count in ((standing, 0), (chat_model(server, "gpt-5"), 1)):
            Agent(model, capabilities=[ContextCapability(C.default())]).run_sync("go")
            assert len(learned) == count


def test_a_model_that_stands_in_is_asked_for_less_where_its_window_is_smaller():
    """The first is busy, the second says that the request is too long."""
    busy = StrictServer([Reply(status=429)] * 40)
    with StrictServer([*reading(12), "done"], window=9_000) as small, busy:
        model = FallbackModel(chat_model(busy, "gpt-5"), chat_model(small, "gpt-4o"))
        agent = Agent(model, tools=[read], capabilities=[ContextCapability(C.compaction(30_000))])
        assert agent.run_sync("read all").output == "done"
    assert small.overflows == len(small.refused) and small.overflows and len(busy.failed) > 13


def test_the_tool_of_an_answer_is_in_scope_or_refused():
    """Without it no answer would ever come."""
    with StrictServer([call("final_result", to="Zoe")]) as server:
        spec = C.default() + C.tools("read")
        capability = ContextCapability(spec)
        model = chat_model(server, "gpt-5")
        agent = Agent(model, output_type=Letter, tools=[read], capabilities=[capability])
        with pytest.raises(SpecError, match="by which the answer comes: 'final_result'"):
            agent.run_sync("go")
        capability = ContextCapability(C.default() + C.tools("final_result"))
        agent = Agent(model, output_type=Letter, tools=[read], capabilities=[capability])
        assert agent.run_sync("go").output == Letter(to="Zoe")
    assert server.requests[0].tools == ("final_result",)


def test_what_a_provider_s_own_tools_say_is_redacted():
    from openai import AsyncOpenAI
    from pydantic_ai import Agent
    from pydantic_ai.capabilities import NativeTool
    from pydantic_ai.models.openai import OpenAIResponsesModel
    from pydantic_ai.native_tools import WebSearchTool, WebSearchUserLocation
    from pydantic_ai.providers.openai import OpenAIProvider

    with StrictServer(["done"]) as server:
        client = AsyncOpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0)
        model = OpenAIResponsesModel("gpt-5", provider=OpenAIProvider(openai_client=client))
        search = NativeTool(WebSearchTool(user_location=WebSearchUserLocation(city="zoe@b.co")))
        hook = ContextCapability(C.default() | C.redact("email"))
        Agent(model, capabilities=[hook, search]).run_sync("hi")
    [tool] = server.requests[0].body["tools"]
    assert tool["user_location"]["city"] == "[REDACTED]" and "zoe" not in server.requests[0].text


@pytest.mark.parametrize("instrument", ["no", "model", "agent"])
def test_events_of_a_run_and_instrumented_models_are_compiled_as_any_run(instrument):
    """`run_stream_events` gives events alone; an instrumented model wraps the one that it tells of."""
    context = ContextCapability(Context(C.compaction(8_000) | C.redact("email"), model="gpt-5"))
    with StrictServer([*reading(12), "done"]) as server:
        model = chat_model(server, "gpt-5")
        if instrument == "model":
            model = InstrumentedModel(model, InstrumentationSettings())
        agent = Agent(model, tools=[read], capabilities=[context])
        agent.instrument = instrument == "agent"

        async def play():
            async with agent.run_stream_events("read all for a@b.example") as events:
                return [event async for event in events]

        *_, last = asyncio.run(play())
        assert last.result.output == "done"
    assert not server.refused and len(server.requests) == 13
    assert context.context.manifest.tokens < 8_000
    assert not any("a@b.example" in request.text for request in server.requests)
