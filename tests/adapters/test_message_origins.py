"""What a tool said beside its result is of its exchange, where a framework has it as a user's
message: no user speaks there, and no turn begins."""

# pyright: basic

import asyncio

import pytest
from tests.adapters.framework_files import SHOT

from contextwright import C, Context, session_from
from contextwright.adapters.message_forms import NoReasoning
from contextwright.adapters.message_mapping import MappedRequest

PAGE = "the page: " + "one more line of it\n" * 400
KEY = "AKIAIOSFODNN7EXAMPLE"


class Said(NoReasoning):
    """Messages that are chat messages; what is named `tool` is of one."""

    def wires(self, message):
        return [{key: message[key] for key in message if key != "of"}]

    def is_of_tool(self, message):
        return message.get("of") == "tool"

    def changed(self, message, wires):
        return {**message, **wires[0]}

    def made(self, wire):
        return wire


def call(id):
    function = {"name": "look", "arguments": "{}"}
    calls = [{"id": id, "type": "function", "function": function}]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def picture(data=SHOT):
    return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}


def history(count, result="ok", text=PAGE):
    messages = [{"role": "user", "content": "the task"}]
    for number in range(count):
        added = [{"type": "text", "text": text}, picture()]
        messages += [
            call(f"c{number}"),
            {"role": "tool", "tool_call_id": f"c{number}", "content": result},
            {"role": "user", "content": added, "of": "tool"},
        ]
    return messages


def through(messages, spec, **options):
    request = MappedRequest(Said(), messages, model="gpt-5")
    return request.messages_of(Context(spec, model="gpt-5", **options)(request.body))


def test_what_a_tool_says_beside_its_result_begins_no_turn():
    request = MappedRequest(Said(), history(3), model="gpt-5")
    session = session_from(request.body)
    assert [event.role for event in session.log].count("user") == 1
    assert session.log[2].results[0].text.startswith("ok\nthe page")


@pytest.mark.parametrize("result", ["ok", "", [{"type": "text", "text": "ok"}, picture("AAAA")]])
def test_it_is_the_framework_s_own_where_nothing_becomes_of_it(result):
    messages = history(2, result)
    sent = through(messages, C.default())
    assert len(sent) == len(messages)
    assert all(one is other for one, other in zip(sent, messages, strict=True))


@pytest.mark.parametrize("result", ["ok", ""])
def test_a_picture_of_it_is_named_where_it_stood(result):
    sent = through(history(6, result), C.default() | C.decay(images=1))
    pictures = [m["content"][1]["type"] for m in sent if m.get("of")]
    assert len(pictures) == 6 and pictures[0] == "text" and pictures[-1] == "image_url"
    assert [m["content"] for m in sent if m["role"] == "tool"] == [result] * 6


def test_what_is_redacted_of_it_stays_where_it_stood():
    sent = through(history(2, f"ok {KEY}", f"it is {KEY}"), C.default() | C.redact(["secrets"]))
    assert [m["content"] for m in sent if m["role"] == "tool"] == ["ok [REDACTED]"] * 2
    added = [m["content"] for m in sent if m.get("of")]
    assert added == [[{"type": "text", "text": "it is [REDACTED]"}, picture()]] * 2


def test_what_is_told_in_other_words_stands_in_the_result():
    sent = through(history(8), C.compaction(6_000))
    results = [m["content"] for m in sent if m["role"] == "tool"]
    assert sum(map(len, map(str, results))) < 8 * len(PAGE)
    for place, message in enumerate(sent):
        if message.get("of"):
            assert sent[place - 1]["role"] == "tool"
    assert sent[-1] == history(8)[-1]


def test_without_a_result_in_front_it_stays_a_message():
    messages = [{"role": "user", "content": "the task"}, history(1)[-1]]
    request = MappedRequest(Said(), messages, model="gpt-5")
    assert [wire["role"] for wire in request.body["messages"]] == ["user", "user"]


def pydantic_runs():
    """The messages of two runs: a tool gave more than its result, and the second begins with the
    result of a call that was deferred and with words of the user's."""
    from pydantic_ai import Agent, CallDeferred, DeferredToolRequests, DeferredToolResults
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturn
    from pydantic_ai.models.function import FunctionModel

    def scripted(*names):
        answers = [ModelResponse([ToolCallPart(each, {}, f"{n}{each}")]) for n, each in names]
        answers = iter([*answers, ModelResponse([TextPart("done")])])
        return FunctionModel(lambda messages, info: next(answers))

    agent = Agent(output_type=[str, DeferredToolRequests])

    @agent.tool_plain
    def look() -> ToolReturn:
        return ToolReturn("ok", content=["the page"])

    @agent.tool_plain
    def wait() -> str:
        raise CallDeferred

    async def both():
        first = await agent.run("the task", model=scripted((1, "look"), (2, "look"), (3, "wait")))
        results = DeferredToolResults(calls={"3wait": "later"})
        second = await agent.run(
            "and now this", message_history=first.all_messages(), deferred_tool_results=results,
            model=scripted((4, "look")),
        )  # fmt: skip
        return second.all_messages()

    return asyncio.run(both())


def test_pydantic_ai_s_prompts_of_tools_are_told_from_those_of_users():
    pytest.importorskip("pydantic_ai")
    from contextwright.adapters.history_records import of_tools_too
    from contextwright.adapters.pydantic_ai.prompt_messages import MESSAGES

    messages = pydantic_runs()
    request = MappedRequest(of_tools_too(MESSAGES, messages), messages, model="gpt-5")
    said = [w["content"] for w in request.body["messages"] if w["role"] == "user"]
    assert said == ["the task", "and now this"]
    results = [event.results[0].text for event in session_from(request.body).log if event.results]
    assert results == ["ok\nthe page", "ok\nthe page", "later", "ok\nthe page"]


def test_media_that_agno_hands_on_from_a_tool_is_of_the_tool():
    agno = pytest.importorskip("agno.agent")
    from agno.media import Image
    from agno.models.message import Message
    from agno.models.openai import OpenAIChat
    from agno.tools.function import ToolResult

    from contextwright.adapters.agno.bounded_model import _MAPPING

    assert agno.Agent and ToolResult
    messages = [
        Message(role="user", content="look"),
        Message(role="assistant", tool_calls=[call("c1")["tool_calls"][0]]),
        Message(role="tool", tool_call_id="c1", content="a picture"),
    ]
    messages[-1].images = [Image(content=b"\x89PNG", format="png")]
    OpenAIChat("gpt-5", api_key="none")._handle_function_call_media(messages, messages[-1:])
    assert messages[-1].role == "user" and messages[-1].images
    request = MappedRequest(_MAPPING, messages, model="gpt-5")
    assert [w["role"] for w in request.body["messages"]] == ["user", "assistant", "tool"]
    sent = request.messages_of(Context(C.default(), model="gpt-5")(request.body))
    assert all(one is other for one, other in zip(sent, messages, strict=True))
