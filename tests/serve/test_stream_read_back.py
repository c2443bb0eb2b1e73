"""The model reads what was left out within one answer: the client sees none of its calls."""

import gzip
import json
import re

import anthropic
import openai
import pytest
from google import genai
from google.genai import types
from google.genai.errors import APIError as GeminiError
from tests.serve.raw_upstream import RawAnswer, post, proxied, tool_loop, wait_for

from contextwright import C
from contextwright.engine.ledger import ENOUGH
from contextwright.serve import inner_requests
from contextwright.serve.event_lines import EventLines
from contextwright.serve.proxy_server import ProxyThread
from contextwright.serve.settings import ProxySettings
from contextwright.testing.strict_server import Reply, ReplyCall, StrictServer, call

SPEC = C.compaction(4000)
REF = re.compile(r"event://e\d+(?:#\d+)?")
CHAT = tool_loop(20)


def messages_body():
    messages = [{"role": "user", "content": "read all files"}]
    for n in range(20):
        text = "\n".join(f"{n} {line} some words of a file" for line in range(60))
        use = {"type": "tool_use", "id": f"t{n}", "name": "read", "input": {"path": f"f{n}"}}
        result = {"type": "tool_result", "tool_use_id": f"t{n}", "content": text}
        messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    tools = [{"name": "read", "description": "reads", "input_schema": {"type": "object"}}]
    return {"model": "claude-opus-4-5", "max_tokens": 500, "messages": messages, "tools": tools}


def expand(request):
    """The model reads the first ref that it sees."""
    assert {"read", "expand", "search"} <= set(request.tools)
    ref = REF.search(request.text)[0]
    return Reply(text="Let me look. ", calls=(ReplyCall("expand", {"ref": ref}),))


def answer_of(request):
    assert "some words of a file" in request.texts[-1], request.texts[-1][:200]
    return Reply(text="It is there.")


class Chat:
    def __init__(self, url):
        self.client = openai.OpenAI(base_url=f"{url}/v1", api_key="k", max_retries=0)

    def ask(self):
        answer = self.client.chat.completions.create(**CHAT)
        choice = answer.choices[0]
        calls = [c.function.name for c in choice.message.tool_calls or ()]
        return choice.message.content, calls, choice.finish_reason, billed(answer.usage)

    def stream(self):
        options = {"stream_options": {"include_usage": True}}
        with self.client.chat.completions.stream(**CHAT, **options) as stream:
            answer = stream.get_final_completion()
        choice = answer.choices[0]
        calls = [c.function.name for c in choice.message.tool_calls or ()]
        return choice.message.content, calls, choice.finish_reason, billed(answer.usage)


def billed(usage):
    """What a client reads of a usage: input and output."""
    if hasattr(usage, "completion_tokens"):
        assert usage.total_tokens == usage.prompt_tokens + usage.completion_tokens
        return usage.prompt_tokens, usage.completion_tokens
    cached = (
        getattr(usage, name, None) or 0
        for name in ("cache_read_input_tokens", "cache_creation_input_tokens")
    )
    return usage.input_tokens + sum(cached), usage.output_tokens


class Messages:
    def __init__(self, url):
        self.client = anthropic.Anthropic(base_url=url, api_key="k", max_retries=0)

    def ask(self):
        return self.seen(self.client.messages.create(**messages_body()))

    def stream(self):
        with self.client.messages.stream(**messages_body()) as stream:
            return self.seen(stream.get_final_message())

    def seen(self, message):
        text = "".join(block.text for block in message.content if block.type == "text")
        calls = [block.name for block in message.content if block.type == "tool_use"]
        end = {"end_turn": "stop", "tool_use": "tool_calls"}[message.stop_reason]
        return text, calls, end, billed(message.usage)


def responses_body():
    items = [{"role": "user", "content": "read all files"}]
    for n in range(20):
        text = "\n".join(f"{n} {line} some words of a file" for line in range(60))
        call = {
            "type": "function_call",
            "call_id": f"c{n}",
            "name": "read",
            "arguments": f'{{"path": "f{n}"}}',
        }
        items += [call, {"type": "function_call_output", "call_id": f"c{n}", "output": text}]
    tool = {"type": "function", "name": "read", "parameters": {"type": "object"}, "strict": False}
    return {"model": "gpt-5", "input": items, "tools": [tool], "store": False}


class Responses:
    def __init__(self, url):
        self.client = openai.OpenAI(base_url=f"{url}/v1", api_key="k", max_retries=0)

    def ask(self):
        return self.seen(self.client.responses.create(**responses_body()))

    def stream(self):
        with self.client.responses.stream(**responses_body()) as stream:
            numbers = [event.sequence_number for event in stream]
            assert numbers == list(range(len(numbers)))
            return self.seen(stream.get_final_response())

    def seen(self, answer):
        calls = [item.name for item in answer.output if item.type == "function_call"]
        end = "tool_calls" if calls else "stop"
        assert answer.usage.total_tokens == answer.usage.input_tokens + answer.usage.output_tokens
        return answer.output_text, calls, end, billed(answer.usage)


def gemini_contents():
    contents = [{"role": "user", "parts": [{"text": "read all files"}]}]
    for n in range(20):
        text = "\n".join(f"{n} {line} some words of a file" for line in range(60))
        call = {"functionCall": {"id": f"c{n}", "name": "read", "args": {"path": f"f{n}"}}}
        result = {"functionResponse": {"id": f"c{n}", "name": "read", "response": {"result": text}}}
        contents += [{"role": "model", "parts": [call]}, {"role": "user", "parts": [result]}]
    return contents


class Gemini:
    def __init__(self, url):
        self.url = url
        self.client = genai.Client(api_key="k", http_options={"base_url": url})
        schema = {"type": "object", "properties": {"path": {"type": "string"}}}
        tool = {"function_declarations": [{"name": "read", "parameters_json_schema": schema}]}
        self.asked = {
            "model": "gemini-2.5-pro",
            "contents": gemini_contents(),
            "config": {"tools": [tool]},
        }

    def ask(self):
        return self.seen([self.client.models.generate_content(**self.asked)])

    def stream(self):
        return self.seen(list(self.client.models.generate_content_stream(**self.asked)))

    def listed(self):
        """A stream without `alt=sse` is one list."""
        declared = {"name": "read", "parametersJsonSchema": {"type": "object"}}
        body = {"contents": gemini_contents(), "tools": [{"functionDeclarations": [declared]}]}
        path = "/v1beta/models/gemini-2.5-pro:streamGenerateContent"
        _, _, answer = post(self.url, body, path=path)
        return self.seen([types.GenerateContentResponse(**one) for one in json.loads(answer)])

    def seen(self, answers):
        parts = [part for one in answers for part in one.candidates[0].content.parts or ()]
        calls = [part.function_call.name for part in parts if part.function_call]
        text = "".join(part.text for part in parts if part.text)
        assert str(answers[-1].candidates[0].finish_reason) == "FinishReason.STOP"
        assert all(one.candidates[0].finish_reason is None for one in answers[:-1])
        usage = answers[-1].usage_metadata
        assert usage.total_token_count == usage.prompt_token_count + usage.candidates_token_count
        counts = usage.prompt_token_count, usage.candidates_token_count
        return text, calls, "tool_calls" if calls else "stop", counts


class LoggedIn(Gemini):
    """As Gemini's command line asks and reads: the request in an object, the answer in another."""

    def asked_at(self, method):
        declared = {"name": "read", "parametersJsonSchema": {"type": "object"}}
        request = {
            "contents": gemini_contents(),
            "tools": [{"functionDeclarations": [declared]}],
            "session_id": "s1",
        }
        around = {"model": "gemini-2.5-pro", "project": "p1", "user_prompt_id": "u1"}
        status, _, text = post(
            self.url, {**around, "request": request}, path=f"/v1internal:{method}"
        )
        if status != 200:
            raise GeminiError(status, json.loads(text))
        return text

    def ask(self):
        return self.read([json.loads(self.asked_at("generateContent"))])

    def stream(self):
        text = self.asked_at("streamGenerateContent?alt=sse").decode()
        lines = (line.removeprefix("data: ") for line in text.splitlines())
        return self.read([json.loads(line) for line in lines if line])

    def listed(self):
        return self.read(json.loads(self.asked_at("streamGenerateContent")))

    def read(self, answers):
        for answer in answers:
            if error := answer.get("error"):
                raise GeminiError(error["code"], answer)
            assert answer["traceId"]
        return self.seen([types.GenerateContentResponse(**one["response"]) for one in answers])


CLIENTS = (Chat, Messages, Responses, Gemini, LoggedIn)
WAYS = [(client, way) for client in CLIENTS for way in ("ask", "stream")]


@pytest.mark.parametrize(("client", "way"), WAYS)
def test_a_call_of_ours_is_answered_within_the_answer(client, way):
    with StrictServer([expand, answer_of], window=30_000) as server:
        text, calls, end, told = asked(client, way, server)
        assert (text, calls, end) == ("Let me look. It is there.", [], "stop")
        assert len(server.requests) == 2 and not server.refused
        # an agent steers by how long its context is: not by what several requests had in sum
        assert told == (server.bills[-1].tokens, sum(bill.output for bill in server.bills))


@pytest.mark.parametrize(
    ("client", "way"),
    [(Messages, "stream"), (Chat, "stream"), (Gemini, "ask"), (LoggedIn, "stream")],
)
def test_all_requests_of_an_answer_are_billed(client, way):
    with StrictServer([expand, answer_of], window=30_000) as server:
        options = {"upstream": server.url, "port": 0, "drain_s": 1, "spec": SPEC, "read_back": True}
        with ProxyThread(ProxySettings(**options)) as proxy:
            getattr(client(proxy.url), way)()
            wait_for(lambda: proxy.app.ledger.sums().calls == 1)
            sums = proxy.app.ledger.sums()
        first, second = server.bills
        assert sums.billed_input == first.tokens + second.tokens
        assert sums.billed_output == first.output + second.output
        assert sums.tokens > second.tokens > 0 and sums.cost > 0


def asked(client, way, server, **settings):
    options = {"upstream": server.url, "port": 0, "drain_s": 1, "spec": SPEC, "read_back": True}
    with ProxyThread(ProxySettings(**{**options, **settings})) as proxy:
        return getattr(client(proxy.url), way)()


@pytest.mark.parametrize(("client", "way"), WAYS)
def test_the_agents_own_calls_reach_it(client, way):
    def both(request):
        ours = ReplyCall("expand", {"ref": REF.search(request.text)[0]})
        return Reply(calls=(ours, ReplyCall("read", {"path": "a"})))

    for reply in (both, call("read", path="a")):
        with StrictServer([reply], window=30_000) as server:
            _, calls, end, _ = asked(client, way, server)
            assert (calls, end) == (["read"], "tool_calls") and len(server.requests) == 1


@pytest.mark.parametrize(("client", "way"), WAYS)
def test_a_model_that_only_reads_comes_to_an_end(client, way):
    with StrictServer([expand] * 9, window=30_000) as server:
        text, calls, end, _ = asked(client, way, server)
        assert calls == [] and end == "stop" and text.startswith("Let me look. ")
        assert len(server.requests) == 6
        assert "enough was read" in json.dumps(server.requests[-1].body)


@pytest.mark.parametrize(("client", "way"), WAYS)
def test_without_a_call_of_ours_the_answer_is_as_it_came(client, way):
    with StrictServer(["plain words"], window=30_000) as server:
        assert asked(client, way, server)[:3] == ("plain words", [], "stop")


def failing(server, statuses):
    """The server answers its inner requests so, one after another; None is as it would."""
    handler, left = server._http.RequestHandlerClass, list(statuses)
    whole = handler.do_POST

    def do_POST(self):
        if server.requests and left and (status := left.pop(0)):
            length = int(self.headers["content-length"])
            refused.append(json.loads(self.rfile.read(length)))
            words = {"type": "error", "error": {"type": "odd", "message": f"no, {status}"}}
            self._send(status, words)
            return
        whole(self)

    refused = []
    handler.do_POST = do_POST
    return refused


@pytest.mark.parametrize(("client", "way"), WAYS)
def test_what_is_busy_is_asked_again(client, way, monkeypatch):
    monkeypatch.setattr(inner_requests, "PAUSE_S", 0.01)
    for status in (429, 503, 529):
        with StrictServer([expand, answer_of], window=30_000) as server:
            refused = failing(server, [status])
            text, calls, end, told = asked(client, way, server)
            assert (text, calls, end) == ("Let me look. It is there.", [], "stop")
            assert len(refused) == 1 and len(server.requests) == 2 and not server.refused
            assert told == (server.bills[-1].tokens, sum(bill.output for bill in server.bills))


def plain_answer(request):
    """To the original: all of it, and none of our tools."""
    assert request.tools == ("read",) and not REF.search(request.text)
    return Reply(text="Read without.")


@pytest.mark.parametrize(("client", "way"), WAYS)
def test_where_it_may_not_go_on_the_original_is_asked(client, way, monkeypatch):
    """And its answer goes on behind what the client saw."""
    monkeypatch.setattr(inner_requests, "PAUSE_S", 0.01)
    for statuses in ([400, 400], [413, 413], [529, 529]):
        with StrictServer([expand, plain_answer], window=300_000) as server:
            refused = failing(server, statuses if statuses[0] == 529 else statuses[:1])
            text, calls, end, _ = asked(client, way, server)
            assert (text, calls, end) == ("Let me look. Read without.", [], "stop")
            assert refused and len(server.requests) == 2 and not server.refused


@pytest.mark.parametrize(("client", "way"), WAYS)
def test_an_answer_that_nobody_goes_on_with_ends_as_the_providers_do(client, way, monkeypatch):
    """A stream by an error within it, another answer by the refusal itself: no client takes what it
    has for all there is."""
    monkeypatch.setattr(inner_requests, "PAUSE_S", 0.01)
    errors = (openai.APIError, anthropic.APIError, GeminiError, RuntimeError)
    with StrictServer([expand], window=300_000) as server:
        failing(server, [529] * 9)
        with pytest.raises(errors) as raised:
            asked(client, way, server)
        assert len(server.requests) == 1
        if way == "ask":
            assert "no, 529" in str(raised.value)


def test_a_stream_of_responses_that_fails_says_so_in_its_last_event(monkeypatch):
    monkeypatch.setattr(inner_requests, "PAUSE_S", 0.01)
    with StrictServer([expand], window=300_000) as server:
        failing(server, [529] * 9)
        options = {"upstream": server.url, "port": 0, "drain_s": 1, "spec": SPEC, "read_back": True}
        with ProxyThread(ProxySettings(**options)) as proxy:
            client = openai.OpenAI(base_url=f"{proxy.url}/v1", api_key="k", max_retries=0)
            events = list(client.responses.create(**responses_body(), stream=True))
        last = events[-1]
        assert last.type == "response.failed" and last.response.error.message == "no, 529"
        assert [event.sequence_number for event in events] == list(range(len(events)))
        assert last.response.id == events[0].response.id


def test_under_a_redaction_the_original_is_not_asked(monkeypatch):
    monkeypatch.setattr(inner_requests, "PAUSE_S", 0.01)
    with StrictServer([expand, plain_answer], window=300_000) as server:
        refused = failing(server, [400])
        with pytest.raises(openai.APIError):
            asked(Chat, "stream", server, spec=SPEC | C.redact("email"))
        assert len(refused) == 1 and len(server.requests) == 1


def test_a_stream_of_chat_without_a_usage_bills_what_it_read():
    """The client asked for no usage, and sees none."""

    def events_of(url):
        client = openai.OpenAI(base_url=f"{url}/v1", api_key="k", max_retries=0)
        return list(client.chat.completions.create(**CHAT, stream=True))

    with StrictServer([expand, answer_of], window=30_000) as server:
        options = {"upstream": server.url, "port": 0, "drain_s": 1, "spec": SPEC, "read_back": True}
        with ProxyThread(ProxySettings(**options)) as proxy:
            events = events_of(proxy.url)
            wait_for(lambda: proxy.app.ledger.sums().calls == 1)
            sums = proxy.app.ledger.sums()
        assert [bool(request.body.get("stream_options")) for request in server.requests] == [
            False,
            True,
        ]
        assert all(event.choices and not event.usage for event in events)
        assert "".join(e.choices[0].delta.content or "" for e in events).endswith("It is there.")
        assert (sums.billed_input, sums.billed_output) == (
            server.bills[1].tokens,
            server.bills[1].output,
        )


def test_who_does_not_know_a_usage_in_streams_is_asked_without():
    """A server that speaks OpenAI's language, and not all of it."""
    with StrictServer([expand, answer_of], window=30_000) as server:
        refused = failing(server, [400])
        client = Chat
        options = {"upstream": server.url, "port": 0, "drain_s": 1, "spec": SPEC, "read_back": True}
        with ProxyThread(ProxySettings(**options)) as proxy:
            client = openai.OpenAI(base_url=f"{proxy.url}/v1", api_key="k", max_retries=0)
            events = list(client.chat.completions.create(**CHAT, stream=True))
        assert refused[0]["stream_options"] == {"include_usage": True}
        assert "stream_options" not in server.requests[1].body and len(server.requests) == 2
        assert "".join(e.choices[0].delta.content or "" for e in events).endswith("It is there.")


def test_reasoning_that_led_to_our_calls_alone_is_held_with_them():
    """A client that sends reasoning back without what followed it is refused."""

    def thinks(request):
        return Reply(calls=expand(request).calls, thinking="I should look.")

    for way in ("ask", "stream"):
        spoken = Reply(text="It is there.", thinking="Now I know.")
        with StrictServer([thinks, spoken, "and on"], window=30_000) as server:
            settings = {"upstream": server.url, "port": 0, "drain_s": 1, "spec": SPEC}
            with ProxyThread(ProxySettings(**settings, read_back=True)) as proxy:
                client = Responses(proxy.url)
                client.seen = lambda answer: answer
                answer = getattr(client, way)()
                assert [item.type for item in answer.output] == ["reasoning", "message"]
                back = [item.model_dump(exclude_none=True) for item in answer.output]
                body = responses_body()
                body["input"] += [*back, {"role": "user", "content": "and on?"}]
                assert client.client.responses.create(**body).output_text == "and on"
            assert len(server.requests) == 3 and not server.refused


@pytest.mark.parametrize("client", [Gemini, LoggedIn])
def test_a_stream_of_gemini_that_is_a_list(client):
    with StrictServer([expand, answer_of], window=30_000) as server:

        def listed(handler, events, cut):
            handler._send(200, [data for _, data in events])

        server._http.RequestHandlerClass._stream = listed
        text, calls, end, told = asked(client, "listed", server)
        assert (text, calls, end) == ("Let me look. It is there.", [], "stop")
        assert told[1] == sum(bill.output for bill in server.bills)


def spoken(seen, streamed):
    """An answer of an upstream that codes whatever it is asked for: a call of ours first."""
    is_first = b"some words" in seen.body and b"call_ours" not in seen.body
    called = {"name": "expand", "arguments": f'{{"ref": "{REF.search(seen.body.decode())[0]}"}}'}
    call = {"index": 0, "id": "call_ours", "type": "function", "function": called}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    message = message if is_first else {"role": "assistant", "content": "It is there."}
    choice = {"index": 0, "finish_reason": "tool_calls" if is_first else "stop"}
    choice |= {"delta" if streamed else "message": message}
    text = json.dumps({"id": "c", "object": "chat.completion", "choices": [choice]})
    return f"data: {text}\n\ndata: [DONE]\n\n" if streamed else text


@pytest.mark.parametrize("streamed", [False, True])
def test_an_answer_that_comes_coded_is_read_all_the_same(streamed):
    """And one without a usage is given none."""

    def packed(seen):
        assert seen.header("accept-encoding") == ["identity"]
        kind = "text/event-stream" if streamed else "application/json"
        headers = (("content-type", kind), ("content-encoding", "gzip"))
        body = gzip.compress(spoken(seen, streamed).encode())
        return RawAnswer(headers=headers, chunks=(body[:9], body[9:]))

    with proxied(packed, spec=SPEC, read_back=True) as (upstream, proxy):
        _, headers, answer = post(proxy.url, {**CHAT, "stream": streamed})
        assert len(upstream.seen) == 2 and "content-encoding" not in headers
        assert b"It is there." in answer and b"expand" not in answer
        if not streamed:
            assert "usage" not in json.loads(answer)


NOT_HELD = [
    ("/v1/responses", {**responses_body(), "store": True, "stream": True}),
    ("/v1/responses", {k: v for k, v in {**responses_body(), "stream": True}.items() if k != "store"}),
    ("/v1/chat/completions", {**CHAT, "n": 2}),
    ("/v1beta/models/gemini-2.5-pro:generateContent",
     {"contents": gemini_contents(), "generationConfig": {"candidateCount": 2},
      "tools": [{"functionDeclarations": [{"name": "read"}]}]}),
]  # fmt: skip


@pytest.mark.parametrize(("path", "body"), NOT_HELD)
def test_where_no_call_can_be_held_none_is_offered(path, body):
    with proxied(spec=SPEC, read_back=True) as (upstream, proxy):
        _, headers, _ = post(proxy.url, body, path=path)
        assert headers["x-contextwright-action"] == "rewritten"
        assert b"event://" not in upstream.seen[0].body and b"expand" not in upstream.seen[0].body


def test_it_is_off_unless_it_is_asked_for():
    with StrictServer(["plain words"], window=30_000) as server:
        asked(Chat, "ask", server, read_back=False)
        assert server.requests[0].tools == ("read",) and not REF.search(server.requests[0].text)


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_events_are_split_at_their_ends_wherever_chunks_end(size):
    stream = b"event: a\ndata: {}\n\ndata: 1\r\n\r\n: ping\n\ndata: rest"
    lines, events = EventLines(), []
    for at in range(0, len(stream), size):
        events += lines.feed(stream[at : at + size])
    assert b"".join(events) + lines.rest() == stream and len(events) == 3


@pytest.mark.slow
def test_reading_that_is_dear_is_no_longer_offered():
    """A user's own limit stands; what was read back and cost more than it saved does not."""

    def reads(request):
        return expand(request) if "expand" in request.tools else Reply(text="It is there.")

    with StrictServer([reads] * 200, window=30_000) as server:
        options = {"upstream": server.url, "port": 0, "drain_s": 1, "spec": SPEC, "read_back": True}
        with ProxyThread(ProxySettings(**options)) as proxy:
            client = openai.OpenAI(base_url=f"{proxy.url}/v1", api_key="k", max_retries=0)
            body = tool_loop(12)
            for calls in range(1, 15):
                body["messages"].append({"role": "user", "content": f"and {calls}?"})
                answer = client.chat.completions.create(**body)
                spoken = answer.choices[0].message.content
                body["messages"].append({"role": "assistant", "content": spoken})
                wait_for(lambda n=calls: proxy.app.ledger.sums().calls == n)
        assert server.requests[-1].tools == ("read",) and not server.refused
        assert not REF.search(server.requests[-1].text) and server.requests[-1].tokens < 6000
        assert sum("expand" in request.tools for request in server.requests) == 6 * ENOUGH
