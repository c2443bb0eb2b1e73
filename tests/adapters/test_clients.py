"""The wrapped clients of openai, anthropic and google-genai in every scenario, and beyond."""

import anthropic
import openai
import pytest
from google import genai
from tests.adapters.drivers.clients import DRIVERS

from contextwright import C, Context, SpecError, wrap
from contextwright.errors import ModelError
from contextwright.formats.message_list import body_list
from contextwright.testing.adapter_suite import AdapterSuite
from contextwright.testing.adapter_suite.suite_tools import LIMIT
from contextwright.testing.strict_server import StrictServer


@pytest.fixture(scope="module", params=DRIVERS, ids=lambda driver: driver.name)
def driver(request):
    return request.param


class TestClients(AdapterSuite):
    """Every scenario for every client."""


CLIENTS = [
    openai.OpenAI(api_key="none"),
    openai.AsyncOpenAI(api_key="none"),
    openai.AzureOpenAI(api_key="none", azure_endpoint="http://here", api_version="1"),
    anthropic.Anthropic(api_key="none"),
    anthropic.AsyncAnthropic(api_key="none"),
    genai.Client(api_key="none"),
]


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: type(client).__name__)
def test_the_wrapped_client_is_of_the_same_type_and_the_given_one_stays(client):
    before = dict(vars(client))
    wrapped = wrap(client, C.compaction(LIMIT))
    assert type(wrapped) is type(client) and wrapped is not client
    assert vars(client).keys() == before.keys() and "request" not in vars(client)


def test_a_stream_that_has_no_chunk_stays_one():
    client = genai.Client(api_key="none")
    client._api_client.request_streamed = lambda *_, **__: iter(())
    ask = {"model": "gemini-2.5-pro", "contents": "hi"}
    wrapped = wrap(client, C.compaction(LIMIT))
    assert list(wrapped.models.generate_content_stream(**ask)) == []


def history(count):
    messages = [{"role": "user", "content": "read"}]
    for number in range(count):
        function = {"name": "read", "arguments": "{}"}
        call = {"id": f"c{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        text = "\n".join(f"{number} {line} some words of a file" for line in range(120))
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": text})
    return messages


def test_a_copy_with_other_options_is_wrapped_as_well():
    with StrictServer(["done"]) as server:
        client = wrap(
            openai.OpenAI(base_url=f"{server.url}/v1", api_key="none"), C.compaction(LIMIT)
        )
        answer = client.with_options(timeout=30).chat.completions.create(
            model="gpt-5", messages=history(16)
        )
    assert answer.choices[0].message.content == "done" and not server.refused


def test_the_model_of_the_request_is_compiled_for_where_none_is_named():
    context = Context(C.compaction(LIMIT))
    with StrictServer(["one", "two"]) as server:
        client = wrap(openai.OpenAI(base_url=f"{server.url}/v1", api_key="none"), context)
        for model in ("gpt-5", "gpt-4o"):
            client.chat.completions.create(model=model, messages=history(16))
            assert context.manifest.model == model


def test_what_is_no_request_to_a_model_goes_out_as_it_is():
    with StrictServer() as server:
        client = wrap(openai.OpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0))
        with pytest.raises(openai.NotFoundError, match="/v1/embeddings"):
            client.embeddings.create(model="e", input="text")


def test_what_is_no_client_is_refused_with_the_way_that_works():
    with pytest.raises(SpecError, match="can not be wrapped") as caught:
        wrap(object(), C.default())
    assert "frameworks" in caught.value.fix


def test_a_format_beside_a_client_is_refused():
    """It has one: messages of Anthropic's, read as OpenAI's, left without their calls."""
    with pytest.raises(SpecError, match="a format of their own"):
        wrap(CLIENTS[0], C.default(), window=8000, format="anthropic")


def talk(count):
    """Texts by roles, which any provider's messages could be."""
    text = "some words of a long talk " * 60
    said = [{"role": "user", "content": "begin"}]
    for number in range(count):
        said += [
            {"role": "assistant", "content": f"answer {number} {text}"},
            {"role": "user", "content": f"question {number} {text}"},
        ]
    return said


@pytest.mark.parametrize("model", ["kimi-k2", "gpt-5"])
def test_a_clients_bodies_are_what_its_provider_takes_whoever_serves_the_model(model):
    """Texts alone were read as OpenAI Chat's as long as no tool was called, and then as another
    conversation."""
    context, messages = Context(C.compaction(4000), window=100_000), talk(30)
    with StrictServer(["one", "two", "three"]) as server:
        client = wrap(anthropic.Anthropic(base_url=server.url, api_key="none"), context)
        client.messages.create(model=model, max_tokens=100, messages=messages)
        assert context.manifest.format == "anthropic"
        first = context.session.id
        call = {"type": "tool_use", "id": "t1", "name": "read", "input": {}}
        result = {"type": "tool_result", "tool_use_id": "t1", "content": "done"}
        messages += [
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]},
        ]
        tools = [{"name": "read", "input_schema": {"type": "object", "properties": {}}}]
        client.messages.create(model=model, max_tokens=100, messages=messages[:-2])
        assert context.session.id == first
        client.messages.create(model=model, max_tokens=100, messages=messages, tools=tools)
        assert context.manifest.format == "anthropic" and not server.refused


def test_a_system_message_among_anthropics_stays_where_it_stands():
    reminder = {"role": "system", "content": "Answer in German."}
    said = {"role": "assistant", "content": "yes"}, {"role": "user", "content": "go on"}
    messages = [*talk(30), reminder, *said]
    context = Context(C.compaction(4000))
    sent = context.call(body_list({"model": "claude-opus-4-8", "messages": messages}, "anthropic"))
    roles = [message["role"] for message in sent.messages["messages"]]
    assert context.manifest.format == "anthropic"
    assert roles[0] == "user" and roles[-3:] == ["system", "assistant", "user"]


@pytest.mark.parametrize("said", [{}, {"input": "hi"}], ids=["nothing", "text"])
def test_a_prompt_that_the_provider_keeps_needs_no_words_and_names_the_model(said, monkeypatch):
    bodies = []
    monkeypatch.setattr(
        openai.OpenAI, "request", lambda self, _, options, **__: bodies.append(options.json_data)
    )
    client = openai.OpenAI(base_url="http://here/v1", api_key="none")
    wrapped = wrap(client, C.compaction(4000), model="gpt-5")
    wrapped.responses.create(prompt={"id": "pmpt_1"}, **said)
    assert bodies == [{"prompt": {"id": "pmpt_1"}, **said}]


def test_a_prompt_whose_model_nobody_named_asks_for_it():
    wrapped = wrap(openai.OpenAI(base_url="http://here/v1", api_key="none"), C.compaction(4000))
    with pytest.raises(ModelError, match="names a model"):
        wrapped.responses.create(prompt={"id": "pmpt_1"})
