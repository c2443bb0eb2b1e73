"""What a wrapped client sends beside plain calls: bodies given in `extra_body`, beta paths, calls
that only count, bytes; and what one wrapped client leaves behind."""

import gc
import json
import weakref

import anthropic
import httpx
import openai
import pytest

from contextwright import C, Context, wrap
from contextwright.adapters import port as ports
from contextwright.errors import SpecError
from contextwright.render.wire import pixels
from contextwright.session.event import Image

REDACTING = C.default() | C.redact(patterns=["pii"])
SAID = [{"role": "user", "content": "Mail ada@example.com."}]


class Sent:
    """A transport that keeps what was sent and answers a chat message."""

    def __init__(self):
        self.paths, self.bodies = [], []
        self.transport = httpx.MockTransport(self.answer)

    def answer(self, request: httpx.Request) -> httpx.Response:
        self.paths.append(request.url.raw_path.decode())
        self.bodies.append(json.loads(request.content) if request.content else {})
        return httpx.Response(200, json={"id": "x", "object": "y", "choices": [], "output": []})

    def openai(self) -> openai.OpenAI:
        client = httpx.Client(transport=self.transport)
        return openai.OpenAI(api_key="none", base_url="http://x/v1", http_client=client)


def test_what_stands_in_extra_body_is_a_part_of_the_body():
    sent = Sent()
    client = wrap(sent.openai(), REDACTING)
    client.chat.completions.create(
        model="gpt-5", messages=SAID, extra_body={"hint": "or bob@example.com", "top_k": 3}
    )
    assert "example.com" not in json.dumps(sent.bodies[0])
    assert sent.bodies[0]["top_k"] == 3
    client.chat.completions.create(model="gpt-5", messages=[], extra_body={"messages": SAID})
    assert sent.bodies[1]["messages"] == [{"role": "user", "content": "Mail [REDACTED]."}]


def test_a_beta_path_is_compiled():
    sent = Sent()
    client = wrap(sent.openai(), REDACTING)
    client.post("/responses?beta=true", cast_to=object, body={"model": "gpt-5", "input": SAID})
    assert "example.com" not in json.dumps(sent.bodies[0])


@pytest.mark.parametrize("path", ["/completions", "/responses/compact", "/responses/input_tokens"])
def test_a_call_that_is_not_compiled_is_refused_where_the_spec_redacts(path):
    sent = Sent()
    body = {"model": "gpt-5", "input": "Mail ada@example.com."}
    with pytest.raises(SpecError, match="not compiled"):
        wrap(sent.openai(), REDACTING).post(path, cast_to=object, body=body)
    wrap(sent.openai(), C.default()).post(path, cast_to=object, body=body)
    assert sent.bodies == [body]


def test_a_count_of_tokens_is_refused_where_the_spec_redacts():
    client = wrap(anthropic.Anthropic(api_key="none", base_url="http://127.0.0.1:9"), REDACTING)
    with pytest.raises(SpecError, match="count_tokens"):
        client.messages.count_tokens(model="claude-sonnet-4-5", messages=SAID)


def test_bytes_that_somebody_wrote_go_as_they_are():
    sent = Sent()
    client = wrap(sent.openai(), C.default())
    client.post("/responses", cast_to=object, content=b'{"model": "gpt-5", "input": "Hi."}')
    assert sent.bodies == [{"model": "gpt-5", "input": "Hi."}]


def test_the_contexts_model_reads_a_body_that_names_none():
    sent = Sent()
    client = wrap(sent.openai(), Context(C.default(), model="gpt-5"))
    client.post("/responses", cast_to=object, body={"prompt": {"id": "pmpt_1"}, "input": "Hi."})
    assert "model" not in sent.bodies[0] and sent.bodies[0]["prompt"] == {"id": "pmpt_1"}


def test_options_beside_a_context_are_refused():
    with pytest.raises(SpecError, match="window"):
        wrap(Sent().openai(), Context(C.default()), window=5)


def test_a_client_that_was_wrapped_for_one_request_goes_with_its_body():
    sent, left = Sent(), []
    for n in range(9):
        client = wrap(sent.openai(), Context(C.default()))
        said = [{"role": "user", "content": f"{n}"}]
        client.chat.completions.create(model="gpt-5", messages=said)
        left.append(weakref.ref(client))
        del client
    gc.collect()
    assert not any(one() for one in left)
    wrap(sent.openai(), C.default()).chat.completions.create(model="gpt-5", messages=SAID)
    alive = [key for key in ports._NEWEST.get() if key() is not None]
    assert len(alive) < 9


def test_refs_are_shown_where_the_readers_are_sent_with_them():
    messages = [{"role": "user", "content": "Start."}]
    for n in range(12):
        call = {"name": "read", "arguments": "{}"}
        messages.append(
            {
                "role": "assistant",
                "tool_calls": [{"id": f"c{n}", "type": "function", "function": call}],
            }
        )
        messages.append({"role": "tool", "tool_call_id": f"c{n}", "content": f"It is {n}. " * 99})
    messages.append({"role": "user", "content": "And?"})
    spec = C.window(n=4) | C.compact() | C.budget(1500)
    body = Context(spec, read_back=True)({"model": "gpt-5", "messages": messages})
    assert [one["function"]["name"] for one in body["tools"]] == ["expand", "search"]
    assert "event://" in json.dumps(body["messages"])


def test_data_that_is_no_picture_has_no_size():
    header = "iVBORw0KGgowMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAw"
    assert pixels(Image(media_type="image/png", data=header)) == (0, 0)
