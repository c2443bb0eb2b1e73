"""Real agents, unchanged: pydantic-ai, LangChain, an OpenAI loop against a loopback server."""

import asyncio
import json
import threading
import warnings
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from contextwright.adapters.wrap import Cooled, with_context_management
from contextwright.tokens.counter import named_counter

COUNT = named_counter("o200k_base").count
LONG = " ".join(f"Supplier {n} confirmed order A{n} at {n} euros." for n in range(60))
SHORT = len(LONG) // 2


# pydantic-ai


@pytest.fixture
def pydantic_agent():
    pytest.importorskip("pydantic_ai")
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart
    from pydantic_ai.models.function import FunctionModel

    seen = []

    def answer(messages, info):
        seen.append(messages)
        return ModelResponse(parts=[TextPart("done")])

    async def stream(messages, info):
        seen.append(messages)
        yield "do"
        yield "ne"

    return Agent(FunctionModel(answer, stream_function=stream), instructions="Be brief."), seen


def history_of():
    from pydantic_ai.messages import (
        ModelRequest,
        ModelResponse,
        SystemPromptPart,
        TextPart,
        ThinkingPart,
        ToolCallPart,
        ToolReturnPart,
        UserPromptPart,
    )

    messages = [ModelRequest(parts=[SystemPromptPart(LONG[:300]), UserPromptPart("Find it.")])]
    for n in range(6):
        call = ToolCallPart("search", {"page": n}, tool_call_id=f"c{n}")
        back = ToolReturnPart("search", {"rows": [LONG]} if n else LONG, tool_call_id=f"c{n}")
        messages += [
            ModelResponse(parts=[ThinkingPart("hm"), call], model_name="m"),
            ModelRequest(parts=[back]),
        ]
    return [*messages, ModelResponse(parts=[TextPart(LONG)], model_name="m")]


def said_by_user(messages):
    return [p.content for m in messages for p in m.parts if p.part_kind == "user-prompt"]


def check_history(messages, history):
    assert said_by_user(messages) == ["Find it.", "And now?"]
    assert all(type(message).__module__ == "pydantic_ai.messages" for message in messages)
    calls = [p.tool_call_id for m in messages for p in m.parts if p.part_kind == "tool-call"]
    backs = [p.tool_call_id for m in messages for p in m.parts if p.part_kind == "tool-return"]
    assert calls == backs
    texts = [str(p.content) for m in messages for p in m.parts if hasattr(p, "content")]
    assert sum(map(COUNT, texts)) <= 1200
    assert history == history_of_again(history)


def history_of_again(history):
    fresh = history_of()
    for old, new in zip(history, fresh, strict=True):
        for one, other in zip(old.parts, new.parts, strict=True):
            if hasattr(one, "content"):
                assert one.content == other.content
    return history


def test_a_pydantic_ai_agent_runs_on_a_cooled_history(pydantic_agent):
    agent, seen = pydantic_agent
    cooled = Cooled(agent, 1000)
    history = history_of()
    result = asyncio.run(cooled.run("And now?", message_history=history))
    assert result.output == "done"
    check_history(seen[-1], history)
    assert cooled.last.tokens_after <= 1000
    assert cooled.run_sync("And now?", message_history=history).output == "done"
    check_history(seen[-1], history)


def test_a_pydantic_ai_agent_streams_on_a_cooled_history(pydantic_agent):
    agent, seen = pydantic_agent
    history = history_of()

    async def main():
        async with Cooled(agent, 1000).run_stream("And now?", message_history=history) as stream:
            pieces = [piece async for piece in stream.stream_text(delta=True)]
        async with Cooled(agent, 1000).iter("And now?", message_history=history) as run:
            async for _ in run:
                pass
        return pieces, run.result.output

    pieces, output = asyncio.run(main())
    assert "".join(pieces) == "done"
    assert output == "done"
    check_history(seen[0], history)
    check_history(seen[1], history)


def test_a_pydantic_ai_agent_is_a_radiator(pydantic_agent):
    agent, seen = pydantic_agent
    assert Cooled(lambda text: text, 100, agent)(LONG) == "done"


def test_a_long_prompt_is_the_users_and_stays(pydantic_agent):
    agent, seen = pydantic_agent
    cooled = Cooled(agent, 100)
    cooled.run_sync(LONG)
    assert said_by_user(seen[-1]) == [LONG]
    assert "by themselves" in cooled.last.why


# LangChain


def test_a_langchain_runnable_takes_cooled_messages_texts_and_prompts():
    pytest.importorskip("langchain_core")
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
    from langchain_core.prompt_values import ChatPromptValue
    from langchain_core.runnables import RunnableLambda

    cooled = with_context_management(RunnableLambda(lambda given: given), 400)
    call = {"name": "search", "args": {}, "id": "c"}
    messages = [
        HumanMessage("Find it.", id="h"),
        AIMessage(LONG, tool_calls=[call], id="a"),
        ToolMessage(LONG, tool_call_id="c", artifact={"rows": 3}),
        HumanMessage("And now?"),
    ]
    made = cooled.invoke(messages)
    assert [type(one) for one in made] == [type(one) for one in messages]
    assert made[0] is messages[0]
    assert (made[1].id, made[1].tool_calls) == ("a", messages[1].tool_calls)
    assert made[2].artifact == {"rows": 3}
    assert max(len(one.content) for one in made) < SHORT
    assert messages[1].content == LONG
    state = asyncio.run(cooled.ainvoke({"messages": messages, "step": 3}))
    assert state["step"] == 3
    assert max(len(one.content) for one in state["messages"]) < SHORT
    prompt = cooled.invoke(ChatPromptValue(messages=messages))
    assert type(prompt) is ChatPromptValue
    assert len(prompt.messages[1].content) < SHORT
    assert len(cooled.invoke(LONG)) < len(LONG)
    pairs = cooled.invoke([("human", "Find it."), ("ai", LONG), ("human", "And now?")])
    assert pairs[0] == ("human", "Find it.")
    assert len(pairs[1][1]) < len(LONG)
    assert [len(one) for one in cooled.stream(LONG)][0] < len(LONG)
    chain = RunnableLambda(lambda text: text) | Cooled(lambda text: text, 100)
    assert len(chain.invoke(LONG)) < SHORT


def test_pydantic_ais_own_parts_are_no_words_of_the_user():
    messages = pytest.importorskip("pydantic_ai.messages")
    if not hasattr(messages, "NativeToolReturnPart"):
        pytest.skip("an older pydantic-ai")
    history = []
    for n in range(6):
        call = messages.NativeToolCallPart("web_search", {"q": LONG}, tool_call_id=f"b{n}")
        found = messages.NativeToolReturnPart("web_search", LONG, tool_call_id=f"b{n}")
        history.append(messages.ModelRequest([messages.UserPromptPart(f"question {n}")]))
        history.append(messages.ModelResponse([call, found, messages.TextPart(f"{n}: {LONG}")]))
    cooled = Cooled(lambda message_history: message_history, 3000)
    made = cooled(history)
    assert cooled.last.tokens_before > 3 * 6 * COUNT(LONG)
    assert cooled.last.tokens_after <= 3000
    requests = [part.content for one in made for part in one.parts if one.kind == "request"]
    assert requests == [f"question {n}" for n in range(6)]
    # the provider's own calls and results leave together, or stay as they are
    for response in (one for one in made if one.kind == "response"):
        assert [part.part_kind for part in response.parts] == [
            "builtin-tool-call",
            "builtin-tool-return",
            "text",
        ]
        assert response.parts[1].content == LONG


def test_a_deprecated_part_is_copied_without_a_warning():
    messages = pytest.importorskip("pydantic_ai.messages")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        retry = messages.RetryPromptPart(LONG, tool_name="read", tool_call_id="a")
    history = [
        messages.ModelRequest([messages.UserPromptPart("read it")]),
        messages.ModelResponse([messages.ToolCallPart("read", {}, tool_call_id="a")]),
        messages.ModelRequest([retry]),
    ]
    made = Cooled(lambda message_history: message_history, 100)(history)
    assert type(made[-1].parts[0]) is type(retry)
    assert len(made[-1].parts[0].content) < SHORT
    assert retry.content == LONG


# an OpenAI loop


class Server(ThreadingHTTPServer):
    """Speaks chat completions; asks for a tool a few times, then answers."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.bodies = []


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        size = int(self.headers["Content-Length"])
        body = json.loads(self.rfile.read(size))
        self.server.bodies.append(body)
        n = len(self.server.bodies)
        message = {"role": "assistant", "content": f"The cheapest is A{n}."}
        if n <= 8:
            function = {"name": "search", "arguments": f'{{"page": {n}}}'}
            call = {"id": f"call{n}", "type": "function", "function": function}
            message = {"role": "assistant", "content": None, "tool_calls": [call]}
        answer = json.dumps(
            {
                "id": "x",
                "object": "chat.completion",
                "created": 1,
                "model": body["model"],
                "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            }
        ).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *args):
        pass


@pytest.fixture
def server():
    server = Server()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


TOOLS = [
    {"type": "function", "function": {"name": "search", "description": LONG, "parameters": {}}}
]


def test_an_openai_loop_sends_no_more_than_the_threshold(server):
    openai = pytest.importorskip("openai")
    from pydantic import TypeAdapter

    url = f"http://127.0.0.1:{server.server_port}/v1"
    client = openai.OpenAI(base_url=url, api_key="none", max_retries=0)

    @with_context_management
    def ask(messages):
        return client.chat.completions.create(model="gpt-5", messages=messages, tools=TOOLS)

    ask = with_context_management(ask.inner, window_size=1500, model="gpt-5")
    messages = [{"role": "user", "content": "Find the cheapest."}]
    while True:
        message = ask(messages).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            break
        for call in message.tool_calls:
            messages.append({"role": "tool", "tool_call_id": call.id, "content": LONG})
    client.close()
    assert message.content == "The cheapest is A9."
    assert len(server.bodies) == 9
    accepted = TypeAdapter(list[openai.types.chat.ChatCompletionMessageParam])
    for body in server.bodies:
        sent = body["messages"]
        accepted.validate_python(sent)
        assert sent[0] == {"role": "user", "content": "Find the cheapest."}
        assert body["tools"] == TOOLS
        assert sum(COUNT(str(one.get("content") or "")) for one in sent) <= 1500
        ids = [call["id"] for one in sent for call in one.get("tool_calls") or ()]
        assert ids == [one["tool_call_id"] for one in sent if one["role"] == "tool"]
    assert server.bodies[1]["messages"][-1]["content"] == LONG
    assert len(server.bodies[8]["messages"]) == 17
    assert [m["content"] for m in messages if isinstance(m, dict)][1:] == [LONG] * 8


def test_the_create_method_of_a_client_is_cooled_in_place(server):
    openai = pytest.importorskip("openai")
    url = f"http://127.0.0.1:{server.server_port}/v1"

    async def main():
        client = openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
        completions = Cooled(client.chat.completions, 300)
        history = [{"role": "user", "content": "go"}, {"role": "assistant", "content": LONG}]
        messages = [*history, {"role": "user", "content": "on"}]
        await completions.create(model="gpt-5", messages=messages, tools=TOOLS)
        await client.close()

    asyncio.run(main())
    (body,) = server.bodies
    assert body["tools"] == TOOLS
    assert [one["content"] for one in body["messages"][::2]] == ["go", "on"]
    assert len(body["messages"][1]["content"]) < len(LONG)


@pytest.mark.parametrize("form", ["with_raw_response", "with_streaming_response"])
def test_raw_responses_of_a_client_are_cooled(server, form):
    openai = pytest.importorskip("openai")
    url = f"http://127.0.0.1:{server.server_port}/v1"
    history = [{"role": "user", "content": "go"}, {"role": "assistant", "content": LONG}]
    messages = [*history, {"role": "user", "content": "on"}]
    client = openai.OpenAI(base_url=url, api_key="none", max_retries=0)
    cooled = Cooled(client.chat.completions, 300)
    made = getattr(cooled, form).create(model="gpt-5", messages=messages)
    if form == "with_streaming_response":
        with made as response:
            response.read()
    client.close()

    async def main():
        client = openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
        made = getattr(Cooled(client.chat.completions, 300), form).create(
            model="gpt-5", messages=messages
        )
        if form == "with_streaming_response":
            async with made as response:
                await response.read()
        else:
            await made
        await client.close()

    asyncio.run(main())
    assert len(server.bodies) == 2
    for body in server.bodies:
        assert len(body["messages"][1]["content"]) < len(LONG)
    assert cooled.last.cooled
