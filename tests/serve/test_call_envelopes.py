"""What Gemini's command line sends whose user logged in: the body of a call stands in another one."""

import json

import pytest
from tests.serve.raw_upstream import RawAnswer, post, proxied, wait_for
from tests.serve.test_stream_read_back import gemini_contents

from contextwright import C
from contextwright.serve.proxy_server import ProxyThread
from contextwright.serve.settings import ProxySettings
from contextwright.testing.strict_server import StrictServer

PATH = "/v1internal:generateContent"
TOOLS = [{"functionDeclarations": [{"name": "read", "parametersJsonSchema": {"type": "object"}}]}]


def body_of(contents, prompt="u1", **request):
    """A body as `packages/core/src/code_assist/converter.ts` of gemini-cli makes it."""
    inner = {"contents": contents, "tools": TOOLS, **request, "session_id": "s1"}
    return {
        "model": "gemini-2.5-pro",
        "project": "p1",
        "user_prompt_id": prompt,
        "request": inner,
    }


def test_the_request_is_rewritten_and_what_is_around_it_stays():
    with StrictServer(["done"]) as server:
        settings = ProxySettings(upstream=server.url, port=0, drain_s=1, spec=C.compaction(4000))
        with ProxyThread(settings) as proxy:
            came = body_of(gemini_contents(), generationConfig={"temperature": 0.5})
            status, headers, answer = post(proxy.url, came, path=PATH)
            wait_for(lambda: proxy.app.ledger.sums().calls == 1)
            sums = proxy.app.ledger.by("model")
    sent = server.requests[0].body
    assert status == 200 and headers["x-contextwright-action"] == "rewritten"
    assert list(sent) == list(came) and list(sent["request"]) == list(came["request"])
    assert len(sent["request"].pop("contents")) < len(came["request"].pop("contents"))
    assert sent == came
    assert json.loads(answer)["response"]["candidates"]
    (model, counted), bill = sums[0], server.bills[0]
    assert (model, counted.rewritten) == ("gemini-2.5-pro", 1)
    assert (counted.billed_input, counted.billed_output) == (bill.tokens, bill.output)


def test_where_nothing_is_due_it_leaves_as_it_came():
    with proxied() as (upstream, proxy):
        raw = json.dumps(body_of(gemini_contents()), indent=1).encode()
        for _ in range(2):  # the second one is known to fit
            _, headers, _ = post(proxy.url, raw, path=PATH)
            assert headers["x-contextwright-action"] == "untouched"
            assert upstream.seen[-1].body == raw


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (
            "/v1internal:countTokens",
            {"request": {"model": "models/gemini-2.5-pro", "contents": []}},
        ),
        ("/v1internal:loadCodeAssist", {"metadata": {"ideType": "IDE_UNSPECIFIED"}}),
        (PATH, {"model": "gemini-2.5-pro", "request": {"contents": gemini_contents()[:1]}}),
        (PATH, {"model": "gemini-2.5-pro"}),
        (PATH, [1]),
        (PATH, {"model": 7, "request": "none"}),
    ],
)
def test_what_is_no_turn_leaves_as_it_came(path, body):
    with proxied(spec=C.compaction(4000)) as (upstream, proxy):
        raw = json.dumps(body, indent=1).encode()
        status, headers, _ = post(proxy.url, raw, path=path)
        assert status == 200 and upstream.seen[0].body == raw
        assert headers.get("x-contextwright-action") != "rewritten"


def test_a_conversation_is_known_by_its_session_while_prompts_change():
    with proxied(spec=C.compaction(4000)) as (upstream, proxy):
        contents = gemini_contents()
        for number in (21, 31, 41):
            body = body_of(contents[:number], prompt=f"u{number}")
            _, headers, _ = post(proxy.url, body, path=PATH)
        assert headers["x-contextwright-action"] == "rewritten"
        conversations = proxy.app.proxy.compiler.context("gemini").conversations
        assert len(conversations) == 1
        assert len(next(iter(conversations._live.values())).conversation.sessions) == 1
        assert json.loads(upstream.seen[-1].body)["user_prompt_id"] == "u41"


def test_a_refusal_as_too_long_is_answered_by_a_smaller_one():
    with StrictServer(["done"], window=5_000) as server:
        with ProxyThread(ProxySettings(upstream=server.url, port=0, drain_s=1)) as proxy:
            status, headers, _ = post(proxy.url, body_of(gemini_contents()), path=PATH)
        assert status == 200 and headers["x-contextwright-action"] == "recompiled"
        assert len(server.refused) == 1 and server.refused[0].is_overflow
        assert server.requests[0].body["project"] == "p1"


def test_a_redaction_reaches_what_is_around_the_request():
    secret = "ann.smith@example.com"
    contents = [*gemini_contents(), {"role": "model", "parts": [{"text": f"It is {secret}"}]}]
    contents.append({"role": "user", "parts": [{"text": "Go on."}]})
    with proxied(spec=C.default() | C.redact(patterns=["email"])) as (upstream, proxy):
        post(proxy.url, body_of(contents, prompt=f"of {secret}"), path=PATH)
        assert upstream.seen and secret.encode() not in upstream.seen[0].body
        assert json.loads(upstream.seen[0].body)["model"] == "gemini-2.5-pro"
        twice = json.dumps(body_of(contents)).encode()[:-1] + b', "request": {}}'
        for refused in (twice, b'{"model": "m"}'):
            assert post(proxy.url, refused, path=PATH)[0] >= 400
        assert len(upstream.seen) == 1


def test_an_answer_that_says_nothing_of_its_usage_is_passed_on():
    def answered(seen):
        return RawAnswer(body=b'{"response": {"candidates": []}, "traceId": "t"}')

    with proxied(answered, spec=C.compaction(4000), read_back=True) as (_, proxy):
        _, _, answer = post(proxy.url, body_of(gemini_contents()), path=PATH)
        assert json.loads(answer) == {"response": {"candidates": []}, "traceId": "t"}
