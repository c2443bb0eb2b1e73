"""The provider extra over real HTTP: an OpenAI-compatible server on this machine."""

import asyncio
import json
import os
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import msgspec
import pytest
from tests.at_once import at_once

pytest.importorskip("pydantic_ai")

from contextwright import C, Session, compile
from contextwright.blocks.block import Block
from contextwright.errors import ModelError
from contextwright.models import Limits, Models, ScriptedLLM
from contextwright.models.provider_llm import ProviderLLM, with_provider
from contextwright.spec.schema import schema_text
from contextwright.spec.task import Task

WORDS = "The refund of order A17 was approved on May 3 by Ann. " * 12


class Server(ThreadingHTTPServer):
    """Answers chat completions from a list; the last one again and again."""

    daemon_threads = True

    def __init__(self, *replies):
        super().__init__(("127.0.0.1", 0), Handler)
        self.replies = replies
        self.asked = []
        self.finish_reason = "stop"

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # connections are kept, as providers do

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.asked.append(body)
        reply = self.server.replies[min(len(self.server.asked), len(self.server.replies)) - 1]
        status, headers, content = reply if isinstance(reply, tuple) else (200, {}, reply)
        if callable(content):
            content = content()
        data = json.dumps(
            completion(content, self.server.finish_reason)
            if status == 200
            else {"error": {"message": content}}
        ).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments):
        pass


def completion(content, finish_reason="stop"):
    message = {"role": "assistant", "content": content}
    if isinstance(content, dict):
        message = {"role": "assistant", "content": None, **content}
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "local",
        "choices": [{"index": 0, "finish_reason": finish_reason, "message": message}],
        "usage": {"prompt_tokens": 120, "completion_tokens": 7, "total_tokens": 127},
    }


@pytest.fixture
def serve():
    servers = []

    def start(*replies):
        server = Server(*replies)
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def asked(server, task, **limits):
    waits = []

    async def sleep(seconds):
        waits.append(seconds)

    llm = ProviderLLM("local", base_url=server.url, api_key="k")
    found = Models(llm, limits=Limits(**limits), sleep=sleep, uniform=lambda low, high: high)
    return found.answer_now([task])[0], waits


def summary():
    return Task(
        kind="summary", max_tokens=40, blocks=(Block(id="b", source="t", text=WORDS),), source="x"
    )


def test_a_text_comes_back_with_its_bill(serve):
    server = serve("Ann approved it.")
    answer, _ = asked(server, summary())
    assert (answer.value, answer.fallback) == ("Ann approved it.", "")
    assert (answer.input_tokens, answer.output_tokens) == (120, 7)
    body = server.asked[0]
    assert body["model"] == "local"
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert "A17" in body["messages"][1]["content"]


def test_a_model_answers_in_each_event_loop(serve):
    """Its connections are of the loop that opened them: in another, or once that is closed, they
    are an error, and the embedded model answered instead."""
    server = serve("Ann approved it.")
    found = Models(ProviderLLM("local", base_url=server.url, api_key="k"), limits=Limits(retries=0))
    fallbacks = []

    def another(number):
        return msgspec.structs.replace(summary(), max_tokens=number, source=str(number))

    def asked_in_a_loop(number):
        async def both():
            return await asyncio.gather(*(found.answer([another(number + n)]) for n in range(2)))

        # where inspect_ai was imported, `asyncio.run` closes no loop any more (nest_asyncio2)
        with asyncio.Runner() as runner:
            fallbacks.extend(answers[0].fallback for answers in runner.run(both()))

    for number in (40, 50, 60):
        asked_in_a_loop(number)
        fallbacks.append(found.answer_now([another(number + 5)])[0].fallback)
    at_once(asked_in_a_loop, range(100, 180, 10))
    assert set(fallbacks) == {""} and len(server.asked) == 25
    assert len(found.llm._by_loop) <= 9  # those that are closed go


MADE_BY_MANY = """
import sys, threading, traceback
from contextwright.models.provider_llm import ProviderLLM

sys.setswitchinterval(1e-6)
begin, failed = threading.Barrier(8), []

def work(number):
    begin.wait()
    try:
        ProviderLLM("m", base_url="http://x", api_key="k") if number % 2 else ProviderLLM("openai:m")
    except BaseException:
        failed.append(traceback.format_exc())

threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
[one.start() for one in threads]
[one.join() for one in threads]
sys.exit("".join(failed) or None)
"""


def test_models_that_many_threads_make_first_are_made():
    code = [sys.executable, "-c", MADE_BY_MANY]
    keyed = {**os.environ, "OPENAI_API_KEY": "k"}
    ended = subprocess.run(code, capture_output=True, text=True, env=keyed)
    assert ended.returncode == 0, ended.stderr


def test_a_model_is_told_what_room_rules_have(serve):
    server = serve("Ann approved it.")
    asked(server, msgspec.structs.replace(summary(), rule_tokens=200))
    body = server.asked[0]
    assert "At most 40 tokens" in body["messages"][1]["content"]
    assert "at most 240 tokens, some 180 words" in body["messages"][1]["content"]
    assert body["max_completion_tokens"] >= 240


def test_a_record_is_asked_for_in_the_providers_own_way(serve):
    server = serve('{"order": "A17"}')
    task = Task(
        kind="record",
        schema=schema_text({"order": "str"}),
        blocks=(Block(id="b", source="t", text=WORDS),),
        source="x",
    )
    answer, _ = asked(server, task)
    assert answer.value == {"order": "A17"}
    shape = server.asked[0]["response_format"]
    assert shape["type"] == "json_schema"
    assert shape["json_schema"]["schema"]["properties"] == {"order": {"type": "string"}}


def test_a_full_queue_is_waited_for_as_long_as_it_says(serve):
    server = serve((429, {"retry-after": "3"}, "slow down"), "Ann approved it.")
    answer, waits = asked(server, summary())
    assert (answer.value, waits) == ("Ann approved it.", [3])


def test_a_server_that_is_down_ends_in_the_embedded_answer(serve):
    server = serve((500, {}, "boom"))
    answer, waits = asked(server, summary(), retries=2)
    assert len(server.asked) == 3
    assert len(waits) == 2
    assert answer.model == "extractive"
    assert answer.fallback.startswith("unavailable: ")


def test_a_key_that_is_wrong_is_not_tried_again(serve):
    server = serve((401, {}, "who are you?"))
    answer, _ = asked(server, summary())
    assert len(server.asked) == 1
    assert answer.fallback.startswith("rejected: ")


def test_a_slow_server_is_not_waited_for(serve):
    def slow():
        time.sleep(0.5)
        return "late"

    answer, _ = asked(serve((200, {}, slow)), summary(), timeout_s=0.1, retries=0)
    assert answer.fallback == "timeout: no answer within 0.1 s"


def test_torn_json_is_asked_for_once_more(serve):
    server = serve('{"order": "A1', '{"order": "A17"}')
    task = Task(
        kind="record",
        schema=schema_text({"order": "str"}),
        blocks=(Block(id="b", source="t", text=WORDS),),
        source="x",
    )
    answer, _ = asked(server, task)
    assert answer.value == {"order": "A17"}
    assert len(server.asked) == 2


def test_a_refusal_is_taken_as_one(serve):
    answer, _ = asked(serve({"refusal": "I can not do that."}), summary())
    assert answer.model == "extractive"
    assert answer.fallback.startswith("refused: ")


def test_a_whole_compile_over_http(serve):
    server = serve("They settled the refund of A17.")
    session = Session()
    for n in range(5):
        session.user(f"{n}: {WORDS}")
        session.assistant("ok " * 50)
    session.user("and?")
    llm = ProviderLLM("local", base_url=server.url)
    pack = compile(session, C.rolling(n=1, max_tokens=50), model="gpt-5", models=Models(llm))
    assert "They settled the refund of A17." in pack.body.decode()
    assert len(server.asked) == 1


def test_an_unknown_provider_is_named():
    with pytest.raises(ModelError) as caught:
        ProviderLLM("nobody:x")
    assert "nobody:x" in caught.value.what


def test_an_answer_that_a_limit_cut_off_is_none(serve):
    server = serve("Ann approv")
    server.finish_reason = "length"
    answer, _ = asked(server, summary())
    assert answer.fallback.startswith("cut_off: ")
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("name", "own", "full"),
    [
        ("gemini-2.5-flash", "openai:gpt-5-mini", "google:gemini-2.5-flash"),
        ("gemini-2.5-flash", "google-gla:gemini-2.5-pro", "google-gla:gemini-2.5-flash"),
        ("claude-haiku-4-5", "openai:gpt-5-mini", "anthropic:claude-haiku-4-5"),
        ("gpt-5", "openai-chat:gpt-5-mini", "openai-chat:gpt-5"),
        ("gpt-5", "azure:gpt-5-mini", "azure:gpt-5"),
        (
            "google/gemini-2.5-flash",
            "openrouter:openai/gpt-5",
            "openrouter:google/gemini-2.5-flash",
        ),
        ("never-heard-of", "openai:gpt-5-mini", "openai:never-heard-of"),
        ("groq:llama", "openai:gpt-5-mini", "groq:llama"),
        ("gpt-5-mini", "", "openai:gpt-5-mini"),
        ("never-heard-of", "", "never-heard-of"),
    ],
)
def test_a_name_without_a_provider_is_the_makers_or_the_providers_at_hand(name, own, full):
    assert with_provider(name, own) == full


@pytest.mark.parametrize("name", ["gemini-2.5-flash", "llama3:8b"])
def test_the_model_that_a_spec_names_is_asked(serve, name):
    server = serve("They settled the refund of A17.")
    session = Session()
    for n in range(5):
        session.user(f"{n}: {WORDS}")
        session.assistant("ok " * 50)
    session.user("and?")
    spec = C.window(n=1) + C.summarize(scope="before_window", max_tokens=60, model=name)
    models = Models(ProviderLLM("local", base_url=server.url))
    pack = compile(session, spec, model="gpt-5", models=models)
    assert [body["model"] for body in server.asked] == [name]
    assert pack.manifest.answers[0].model == name
    assert not [note for note in pack.manifest.notes if "summary" in note]


def test_a_named_model_that_can_not_be_had_is_told(serve, monkeypatch):
    for key in ("GOOGLE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(key, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    task = summary()
    named = Task(
        kind="summary", model="gemini-2.5-flash", max_tokens=40, blocks=task.blocks, source="x"
    )
    (answer,) = Models("openai:gpt-5-mini").answer_now([named])
    assert answer.model == "extractive"
    assert answer.fallback.startswith("rejected: the key for 'google:gemini-2.5-flash' is missing")


def test_a_port_that_asks_another_model_is_told():
    session = Session()
    for n in range(5):
        session.user(f"{n}: {WORDS}")
        session.assistant("ok " * 50)
    session.user("and?")
    spec = C.window(n=1) + C.summarize(
        scope="before_window", max_tokens=60, model="gemini-2.5-flash"
    )
    pack = compile(session, spec, model="gpt-5", models=Models(ScriptedLLM("Refunded.")))
    assert "summary by scripted: gemini-2.5-flash was asked, not used" in pack.manifest.notes


@pytest.mark.parametrize(
    ("name", "what", "fix"),
    [
        ("openai:gpt-5-mini", "the key", "export OPENAI_API_KEY="),
        ("anthropic:claude-haiku-4-5", "the key", "export ANTHROPIC_API_KEY="),
        ("gpt-5-mini", "the key", "export OPENAI_API_KEY="),
        ("nobody:x", "no model", "provider:model"),
        ("mymodel", "no model", "provider:model"),
    ],
)
def test_what_a_model_lacks_is_named(name, what, fix, monkeypatch):
    for key in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(key, raising=False)
    with pytest.raises(ModelError) as caught:
        ProviderLLM(name)
    assert what in caught.value.what and name in caught.value.where and fix in caught.value.fix
