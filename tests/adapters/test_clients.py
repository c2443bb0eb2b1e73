"""The wrapped clients of openai, anthropic and google-genai in every scenario, and beyond."""

import anthropic
import openai
import pytest
from google import genai
from tests.adapters.drivers.clients import DRIVERS

from contextwright import C, Context, SpecError, wrap
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
