"""The loops of docs/how-to/any-loop.md, run with the real SDKs against a scripted transport."""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

PAGE = Path(__file__).parents[2] / "docs/how-to/any-loop.md"
BLOCKS = dict(re.findall(r"```python (\w+)\n(.*?)```", PAGE.read_text(), re.DOTALL))
QUESTIONS = ["What is in the folder?", "And now?", "Thanks."]


class Script:
    """Answers each request, and keeps its body."""

    def __init__(self, httpx, answer):
        self.bodies, self._httpx, self._answer = [], httpx, answer
        self.client = httpx.Client(transport=httpx.MockTransport(self._reply))

    def _reply(self, request):
        self.bodies.append(json.loads(request.content))
        return self._httpx.Response(200, json=self._answer(len(self.bodies)))


def run(name, **names):
    space = {"questions": QUESTIONS, **names}
    exec(BLOCKS[name], space)
    return space


def chat_answer(n):
    message = {"role": "assistant", "content": f"Answer {n}."}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    head = {"id": "c", "object": "chat.completion", "created": 1, "model": "gpt-5"}
    return {**head, "choices": [choice]}


def test_openai_chat():
    openai, httpx = pytest.importorskip("openai"), pytest.importorskip("httpx")
    script = Script(httpx, chat_answer)
    client = openai.OpenAI(api_key="none", http_client=script.client)
    space = run("chat", client=client, messages=[{"role": "system", "content": "Be brief."}])
    assert [len(body["messages"]) for body in script.bodies] == [2, 4, 6]
    assert script.bodies[-1]["messages"][2]["content"] == "Answer 1."
    assert len(space["context"].session.log) == 6
    assert len(space["context"].conversations) == 1


def test_litellm_messages_are_those_of_openai_chat():
    litellm = pytest.importorskip("litellm")

    def completion(n):
        return litellm.ModelResponse(**chat_answer(n))

    sent = []

    def create(*, model, messages):
        sent.append(list(messages))
        return completion(len(sent))

    client = SimpleNamespace(chat=SimpleNamespace(completions=SimpleNamespace(create=create)))
    space = run("chat", client=client, messages=[])
    assert [len(messages) for messages in sent] == [1, 3, 5]
    assert all(one is own for one, own in zip(sent[-1], space["messages"], strict=False))


def test_openai_responses():
    openai, httpx = pytest.importorskip("openai"), pytest.importorskip("httpx")

    def answer(n):
        content = [{"type": "output_text", "text": f"Answer {n}.", "annotations": []}]
        message = {"id": f"msg_{n}", "type": "message", "role": "assistant", "status": "completed"}
        head = {"id": f"resp_{n}", "object": "response", "created_at": 1, "model": "gpt-5"}
        return {
            **head, "output": [{**message, "content": content}], "tools": [], "tool_choice": "auto",
            "parallel_tool_calls": True, "status": "completed",
        }  # fmt: skip

    script = Script(httpx, answer)
    client = openai.OpenAI(api_key="none", http_client=script.client)
    space = run("responses", client=client, items=[])
    assert [len(body["input"]) for body in script.bodies] == [1, 3, 5]
    assert "Answer 1." in json.dumps(script.bodies[-1]["input"][1])
    assert len(space["context"].session.log) == 5


def test_anthropic():
    anthropic, httpx = pytest.importorskip("anthropic"), pytest.importorskip("httpx2")

    def answer(n):
        content = [{"type": "text", "text": f"Answer {n}."}]
        usage = {"input_tokens": 1, "output_tokens": 1}
        head = {"id": f"msg_{n}", "type": "message", "role": "assistant", "usage": usage}
        return {**head, "content": content, "model": "claude", "stop_reason": "end_turn"}

    script = Script(httpx, answer)
    client = anthropic.Anthropic(api_key="none", http_client=script.client)
    space = run("anthropic", client=client, messages=[])
    assert [len(body["messages"]) for body in script.bodies] == [1, 3, 5]
    assert "Answer 1." in json.dumps(script.bodies[-1]["messages"][1])
    assert all(body["max_tokens"] == 1000 for body in script.bodies)
    assert len(space["context"].session.log) == 6


def test_gemini():
    genai, httpx = pytest.importorskip("google.genai"), pytest.importorskip("httpx")

    def answer(n):
        content = {"role": "model", "parts": [{"text": f"Answer {n}."}]}
        return {"candidates": [{"content": content, "finishReason": "STOP"}]}

    script = Script(httpx, answer)
    client = genai.Client(api_key="none", http_options={"httpx_client": script.client})
    space = run("gemini", client=client, contents=[])
    assert [len(body["contents"]) for body in script.bodies] == [1, 3, 5]
    assert script.bodies[-1]["contents"][1]["parts"][0]["text"] == "Answer 1."
    assert len(space["context"].session.log) == 5


def test_the_other_blocks_run(tmp_path):
    space = run("store", path=tmp_path / "s.db")
    messages = [{"role": "user", "content": "Hi"}]
    assert space["context"](messages) == messages
    assert len(space["conversations"].store.ids()) == 1
    assert run("session", messages=messages)["pack"].request["messages"] == messages
