"""The strict server takes what the provider takes, and refuses what it refuses."""

import http.client
import json
import threading

import anthropic
import openai
import pytest
from google import genai

from contextwright.testing.strict_server import Reply, StrictServer, call, calls

QUESTION = {"role": "user", "content": "what is in a?"}
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}}
CHAT_TOOL = {"type": "function", "function": {"name": "read", "parameters": SCHEMA}}
TOOL = {"name": "read", "description": "Read.", "input_schema": SCHEMA}


def openai_client(server):
    return openai.OpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0)


def anthropic_client(server):
    return anthropic.Anthropic(base_url=server.url, api_key="none", max_retries=0)


def gemini_client(server):
    return genai.Client(api_key="none", http_options={"base_url": server.url})


def chat(server, messages, **options):
    return openai_client(server).chat.completions.create(
        model="gpt-5", messages=messages, tools=[CHAT_TOOL], **options
    )


def test_chat_calls_tools_and_ends_with_a_text():
    with StrictServer([calls(("read", {"path": "a"}), ("read", {"path": "b"})), "done"]) as server:
        first = chat(server, [QUESTION]).choices[0].message
        results = [
            {"role": "tool", "tool_call_id": each.id, "content": "1"} for each in first.tool_calls
        ]
        last = chat(server, [QUESTION, first.to_dict(), *results])
    assert [json.loads(each.function.arguments)["path"] for each in first.tool_calls] == ["a", "b"]
    assert last.choices[0].message.content == "done"
    assert [request.number for request in server.requests] == [0, 1]
    assert server.requests[0].tools == ("read",) and "what is in a?" in server.requests[0].text


def test_chat_streams_what_it_would_answer():
    with StrictServer([Reply(text="a long sentence in several pieces")]) as server:
        chunks = list(chat(server, [QUESTION], stream=True, stream_options={"include_usage": True}))
    texts = [each.choices[0].delta.content or "" for each in chunks if each.choices]
    assert "".join(texts) == "a long sentence in several pieces" and len(texts) > 3
    assert chunks[-1].usage.prompt_tokens == server.bills[0].tokens


@pytest.mark.parametrize(
    ("messages", "code"),
    [
        ([{"role": "tool", "tool_call_id": "x", "content": "1"}, QUESTION], "OC2"),
        ([{**QUESTION, "turn": 1}], "unknown-field"),
        ([{"role": "robot", "content": "hi"}], "unknown-field"),
        ([{"role": "user", "content": ""}], "U2"),
        (
            [
                QUESTION,
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        {
                            "id": "c",
                            "type": "function",
                            "function": {"name": "read", "arguments": "{"},
                        }
                    ],
                },
                {"role": "tool", "tool_call_id": "c", "content": "1"},
            ],
            "U4",
        ),
    ],
)
def test_chat_refuses_what_breaks_a_rule(messages, code):
    with StrictServer(["never"]) as server, pytest.raises(openai.BadRequestError) as caught:
        chat(server, messages)
    assert caught.value.code == code and server.refused[0].code == code
    assert not server.requests


def test_a_fault_of_the_providers_is_no_refusal_and_the_next_try_is_answered():
    with StrictServer([Reply(status=503), "done"]) as server:
        client = openai.OpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=1)
        answer = client.chat.completions.create(model="gpt-5", messages=[QUESTION])
    assert answer.choices[0].message.content == "done"
    assert server.failed == [server.requests[0].body] and not server.refused


def test_each_provider_says_in_its_own_words_that_it_is_too_long():
    long = "word " * 2_000
    with StrictServer(["never"], window=1_000) as server:
        with pytest.raises(openai.BadRequestError, match="maximum context length is 1000 tokens"):
            chat(server, [{"role": "user", "content": long}])
        with pytest.raises(openai.BadRequestError, match="exceeds the context window"):
            openai_client(server).responses.create(model="gpt-5", input=long)
        with pytest.raises(anthropic.BadRequestError, match=r"prompt is too long: \d+ tokens > 10"):
            anthropic_client(server).messages.create(
                model="claude-opus-4-1",
                max_tokens=9,
                messages=[{"role": "user", "content": long}],
            )
        # the client of google-genai closes where nothing holds it
        gemini = gemini_client(server)
        with pytest.raises(genai.errors.ClientError, match="exceeds the maximum number of tokens"):
            gemini.models.generate_content(model="gemini-3-pro", contents=long)
    assert server.overflows == 4 and not server.requests


def test_what_stood_at_the_front_before_is_billed_as_cached():
    messages = [{"role": "user", "content": "word " * 2_000}]
    with StrictServer(["one", "two", "three"]) as server:
        chat(server, messages)
        chat(server, [*messages, {"role": "assistant", "content": "one"}, QUESTION])
        chat(server, [QUESTION, *messages])
    first, second, third = server.bills
    assert (first.cached, third.cached) == (0, 0)
    assert first.tokens == second.cached < second.tokens
    assert second.cost < 0.2 * second.tokens


def test_messages_sign_reasoning_and_want_it_back_as_it_was():
    script = [Reply(thinking="let me see", calls=call("read", path="a").calls), "done"]
    with StrictServer(script) as server:
        client = anthropic_client(server)

        def ask(messages):
            return client.messages.create(
                model="claude-opus-4-1", max_tokens=99, tools=[TOOL], messages=messages
            )

        answer = ask([QUESTION])
        content = [block.to_dict() for block in answer.content]
        result = {"type": "tool_result", "tool_use_id": content[1]["id"], "content": "1"}
        after = {"role": "user", "content": [result]}
        with pytest.raises(anthropic.BadRequestError, match="Expected `thinking`"):
            ask([QUESTION, {"role": "assistant", "content": content[1:]}, after])
        changed = {**content[0], "thinking": "let me"}
        with pytest.raises(anthropic.BadRequestError, match="Invalid `signature`"):
            ask([QUESTION, {"role": "assistant", "content": [changed, content[1]]}, after])
        assert ask([QUESTION, {"role": "assistant", "content": content}, after]).content
    assert [each.code for each in server.refused] == ["thinking", "signature"]


def test_bound_reasoning_holds_only_behind_its_prefix():
    script = [Reply(thinking="hm", calls=call("read", path="a").calls), "done"]
    with StrictServer(script, bound=True) as server:
        client = anthropic_client(server)

        def ask(question, *rest):
            return client.messages.create(
                model="claude-opus-4-1",
                max_tokens=99,
                tools=[TOOL],
                messages=[{"role": "user", "content": question}, *rest],
            )

        content = [block.to_dict() for block in ask("what is in a?").content]
        result = {"type": "tool_result", "tool_use_id": content[1]["id"], "content": "1"}
        rest = [{"role": "assistant", "content": content}, {"role": "user", "content": [result]}]
        with pytest.raises(anthropic.BadRequestError, match="bound to a different conversation"):
            ask("what?", *rest)
        cached = {"type": "text", "text": "what is in a?", "cache_control": {"type": "ephemeral"}}
        assert ask([cached], *rest).content[0].text == "done"


def test_messages_stream_blocks():
    script = [Reply(text="I read it now, all of it", calls=call("read", path="a").calls)]
    with (
        StrictServer(script) as server,
        anthropic_client(server).messages.stream(
            model="claude-opus-4-1", max_tokens=9, tools=[TOOL], messages=[QUESTION]
        ) as stream,
    ):
        pieces = list(stream.text_stream)
        final = stream.get_final_message()
    assert "".join(pieces) == "I read it now, all of it" and len(pieces) > 1
    assert final.content[1].input == {"path": "a"} and final.stop_reason == "tool_use"


def test_responses_pair_reasoning_with_what_followed():
    tool = {"type": "function", "name": "read", "parameters": SCHEMA, "strict": False}
    script = [Reply(thinking="hm", calls=call("read", path="a").calls), "done"]
    with StrictServer(script) as server:
        client = openai_client(server)

        def ask(items):
            return client.responses.create(model="gpt-5", input=items, tools=[tool], store=False)

        output = [item.to_dict() for item in ask([QUESTION]).output]
        result = {
            "type": "function_call_output",
            "call_id": output[1]["call_id"],
            "output": "1",
        }
        with pytest.raises(openai.BadRequestError, match="without its required 'reasoning' item"):
            ask([QUESTION, output[1], result])
        with pytest.raises(openai.BadRequestError, match="reasoning without what it produced"):
            ask([QUESTION, output[0]])
        assert ask([QUESTION, *output, result]).output_text == "done"


def test_responses_stream_items():
    server = StrictServer([Reply(text="streamed as several deltas", thinking="hm")])
    with server, openai_client(server).responses.stream(model="gpt-5", input="hi") as stream:
        deltas = [e.delta for e in stream if e.type == "response.output_text.delta"]
        final = stream.get_final_response()
    assert "".join(deltas) == final.output_text == "streamed as several deltas"
    assert len(deltas) > 1


def test_gemini_wants_its_signatures_back():
    declaration = {"name": "read", "parameters_json_schema": SCHEMA}
    config = {"tools": [{"function_declarations": [declaration]}]}
    with StrictServer([call("read", path="a"), "done"]) as server:
        client = gemini_client(server)

        def ask(contents):
            return client.models.generate_content(
                model="gemini-3-pro", contents=contents, config=config
            )

        question = {"role": "user", "parts": [{"text": "what is in a?"}]}
        content = ask([question]).candidates[0].content
        function = {"id": content.parts[0].function_call.id, "name": "read"}
        part = {"function_response": {**function, "response": {"output": "1"}}}
        after = {"role": "user", "parts": [part]}
        assert ask([question, content, after]).text == "done"
        content.parts[0].thought_signature = None
        with pytest.raises(genai.errors.ClientError, match="unsigned call"):
            ask([question, content, after])


def test_gemini_streams_parts():
    with StrictServer([Reply(text="a text that comes in several chunks")]) as server:
        client = gemini_client(server)
        chunks = list(client.models.generate_content_stream(model="gemini-3-pro", contents="hi"))
    assert "".join(chunk.text for chunk in chunks) == "a text that comes in several chunks"
    assert len(chunks) > 1


def test_a_stream_can_break_off():
    server = StrictServer([Reply(text="a text that never comes to its end", cut=2)])
    with server, pytest.raises(Exception, match="peer closed|incomplete|Connection error"):
        list(chat(server, [QUESTION], stream=True))


def test_an_answer_can_be_held_back():
    with StrictServer([Reply(text="late", held=True)]) as server:
        answers = []
        asking = threading.Thread(target=lambda: answers.append(chat(server, [QUESTION])))
        asking.start()
        assert server.held.wait(5) and not answers
        server.release.set()
        asking.join(5)
    assert answers[0].choices[0].message.content == "late"


def test_two_scripts_are_told_apart_by_a_text():
    with StrictServer({"task A": ["a1", "a2"], "task B": ["b1"]}) as server:
        replies = [
            chat(server, [{"role": "user", "content": text}]).choices[0].message.content
            for text in ("task A", "task B", "task A")
        ]
        with pytest.raises(openai.BadRequestError, match="no reply left"):
            chat(server, [{"role": "user", "content": "task B"}])
    assert replies == ["a1", "b1", "a2"]


def test_a_script_may_answer_what_it_sees():
    def counted(request):
        return Reply(text=f"{len(request.texts)} texts for {request.model}")

    with StrictServer([counted]) as server:
        assert chat(server, [QUESTION]).choices[0].message.content == "1 texts for gpt-5"


FAULTS = {
    "no-json": b"{",
    "no-object": b"[]",
    "tools-null": {"model": "m", "messages": [QUESTION], "contents": [], "tools": None},
    "messages-null": {"model": "m", "messages": None, "contents": None, "input": 4},
    "a-tool-of-null": {"model": "m", "messages": [QUESTION], "contents": [], "tools": [None]},
    "a-function-missing": {
        "model": "m",
        "messages": [QUESTION],
        "contents": [{"role": "user", "parts": None}],
        "tools": [{"type": "function"}],
    },
    "a-message-of-text": {"model": "m", "messages": ["hi"], "contents": ["hi"], "input": ["hi"]},
    "no-content": {"model": "m", "messages": [{"role": "user"}], "contents": [{}], "input": [{}]},
    "nothing": {},
}
PATHS = {
    "openai-chat": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
    "anthropic": "/v1/messages",
    "gemini": "/v1beta/models/m:generateContent",
}


@pytest.mark.parametrize("api", PATHS)
@pytest.mark.parametrize("fault", FAULTS)
def test_whatever_is_wrong_is_answered_with_a_reason(api, fault):
    """Frameworks send `tools: null`: a connection that drops would say nothing."""
    body = FAULTS[fault]
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    with StrictServer(["never"]) as server:
        connection = http.client.HTTPConnection(server.url.removeprefix("http://"))
        connection.request("POST", PATHS[api], raw, {"content-type": "application/json"})
        answer = connection.getresponse()
        said = json.loads(answer.read())
        connection.close()
    assert answer.status == 400 and said["error"]["message"]
    assert not server.requests and len(server.refused) == 1


def test_a_null_in_the_place_of_tools_is_named():
    with StrictServer(["never"]) as server, pytest.raises(openai.BadRequestError, match="'tools'"):
        openai_client(server).chat.completions.create(
            model="gpt-5", messages=[QUESTION], tools=None
        )


def test_responses_go_on_from_what_the_provider_keeps():
    """A result alone answers its call there; the window holds what is kept, too."""
    ask = {"model": "gpt-5", "tools": [{"type": "function", "name": "read", "parameters": SCHEMA}]}
    with StrictServer([call("read", path="a"), "one", "two", "three"], window=400) as server:
        create = openai_client(server).responses.create
        first = create(**ask, input="what is in a?")
        result = {"type": "function_call_output", "call_id": first.output[0].call_id, "output": "1"}
        second = create(**ask, input=[result], previous_response_id=first.id)
        assert second.output_text == "one" and "what is in a?" in server.requests[1].text
        assert [each["type"] for each in server.requests[1].body["input"]] == [result["type"]]
        with pytest.raises(openai.BadRequestError, match="context window"):
            create(**ask, input="x" * 1500, previous_response_id=second.id)
        create(**ask, input="x" * 1000, conversation="conv_1", store=True)
        with pytest.raises(openai.BadRequestError, match="context window"):
            create(**ask, input="x" * 500, conversation={"id": "conv_1"})
        with pytest.raises(openai.BadRequestError, match="no output"):
            create(**ask, input="hi", previous_response_id=first.id)


def test_responses_know_no_answer_that_was_not_stored():
    with StrictServer(["one", "two"]) as server:
        create = openai_client(server).responses.create
        first = create(model="gpt-5", input="hi", store=False)
        for chain in (first.id, "resp_of_somebody"):
            with pytest.raises(openai.BadRequestError, match="not found"):
                create(model="gpt-5", input="on", previous_response_id=chain)
        with pytest.raises(openai.BadRequestError, match="Mutually exclusive"):
            create(model="gpt-5", input="on", previous_response_id="r", conversation="c")
