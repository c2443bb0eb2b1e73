"""A fault of ours sends the original, and says so; what a provider refuses goes out as it came."""

import gzip
import json

import pytest
from tests.serve.raw_upstream import RawAnswer, post, proxied, tool_loop

from contextwright import C
from contextwright.serve.compiled_calls import CallCompiler
from contextwright.serve.grown_bodies import GrownBodies
from contextwright.serve.known_bodies import KnownBodies

SPEC = C.compaction(4000)
LONG = tool_loop(20)


def is_original(seen):
    return json.loads(seen.body) == LONG


def test_an_exception_of_ours_sends_the_original(monkeypatch):
    def fail(*args, **options):
        raise ZeroDivisionError("secret words of the conversation")

    monkeypatch.setattr(CallCompiler, "context", fail)
    monkeypatch.setattr(
        CallCompiler, "__init__", lambda self, settings, store: bare(self, settings)
    )
    with proxied(spec=SPEC) as (upstream, proxy):
        status, headers, _ = post(proxy.url, LONG)
        assert status == 200 and is_original(upstream.seen[0])
        assert headers["x-contextwright-action"] == "original"
        assert headers["x-contextwright-reason"] == "ZeroDivisionError"


def bare(compiler, settings):
    compiler.settings, compiler.redacts = settings, False
    compiler._known, compiler._grown = KnownBodies(1), GrownBodies(1)


def test_a_model_that_nobody_knows_sends_the_original():
    with proxied(spec=SPEC) as (upstream, proxy):
        body = {**LONG, "model": "model-of-tomorrow"}
        _, headers, _ = post(proxy.url, body)
        assert json.loads(upstream.seen[0].body) == body
        assert headers["x-contextwright-action"] == "original"
        assert "model-of-tomorrow" in headers["x-contextwright-reason"]
    with proxied(spec=SPEC, window=100_000) as (upstream, proxy):
        _, headers, _ = post(proxy.url, body)
        assert headers["x-contextwright-action"] == "rewritten"


@pytest.mark.parametrize("body", [b"", b"{", b"[1]", b"\xff\xfe{}", b'{"messages": 3}', b"{}"])
def test_a_body_that_is_not_understood_goes_out_as_it_came(body):
    with proxied(spec=SPEC) as (upstream, proxy):
        _, headers, _ = post(proxy.url, body)
        assert upstream.seen[0].body == body
        assert headers["x-contextwright-action"] in ("original", "untouched")
        assert (
            headers["x-contextwright-reason"] and "Decode" not in headers["x-contextwright-reason"]
        )


def test_compiling_that_takes_too_long_sends_the_original():
    with proxied(spec=SPEC, deadline_s=0.0001) as (upstream, proxy):
        _, headers, _ = post(proxy.url, LONG)
        assert (
            is_original(upstream.seen[0]) and "took more than" in headers["x-contextwright-reason"]
        )


def refuses(status, text, until):
    """An upstream that refuses its first requests."""
    answers = []

    def answer(seen):
        answers.append(seen)
        if len(answers) <= until:
            error = json.dumps({"error": {"message": text, "code": "c"}}).encode()
            return RawAnswer(status, error)
        return RawAnswer()

    return answer


@pytest.mark.parametrize("status", [400, 413, 422])
def test_what_was_rewritten_and_refused_goes_out_once_as_it_came(status):
    text = "messages.3: Invalid signature" if status != 413 else "no such thing"
    with proxied(refuses(status, text, 99), spec=SPEC) as (upstream, proxy):
        answered, headers, body = post(proxy.url, LONG)
        assert answered == status and text in body.decode()
        assert is_original(upstream.seen[-1])
        assert [is_original(seen) for seen in upstream.seen].count(True) == 1
        assert headers["x-contextwright-action"] == "original"


@pytest.mark.parametrize("status", [401, 403, 404, 408, 429, 500, 529])
def test_other_errors_are_passed_back_as_they_come(status):
    with proxied(refuses(status, "later", 99), spec=SPEC) as (upstream, proxy):
        answered, headers, body = post(proxy.url, LONG)
        assert answered == status and len(upstream.seen) == 1
        assert json.loads(body)["error"]["message"] == "later"


OVERFLOW = (
    "This model's maximum context length is 3000 tokens. However, your messages resulted in 9000 "
    "tokens. Please reduce the length of the messages."
)


def test_a_refusal_for_its_length_is_compiled_again_once():
    with proxied(refuses(400, OVERFLOW, 1)) as (upstream, proxy):  # the default spec
        status, headers, _ = post(proxy.url, LONG)
        assert status == 200 and is_original(upstream.seen[0])
        assert len(upstream.seen[1].body) < len(upstream.seen[0].body) / 2
        assert headers["x-contextwright-action"] == "recompiled"


def test_a_body_that_only_grew_is_compiled_when_it_is_refused():
    """It was not looked at, because it fits by all that is known here."""
    answers = iter(
        [RawAnswer(), RawAnswer(400, json.dumps({"error": {"message": OVERFLOW}}).encode())]
    )
    with proxied(lambda seen: next(answers, RawAnswer())) as (upstream, proxy):
        _, headers, _ = post(proxy.url, LONG)
        assert headers["x-contextwright-reason"] == "nothing is due"
        _, headers, _ = post(proxy.url, tool_loop(21))
        assert headers["x-contextwright-action"] == "recompiled"
        assert len(upstream.seen[2].body) < len(upstream.seen[1].body) / 2
        _, headers, _ = post(proxy.url, tool_loop(22))
        assert headers["x-contextwright-action"] == "rewritten"  # what was learned holds


def test_what_can_not_be_made_smaller_is_refused_in_the_providers_words():
    with proxied(refuses(400, OVERFLOW, 99)) as (upstream, proxy):
        status, headers, body = post(proxy.url, LONG)
        assert status == 400 and json.loads(body)["error"]["message"] == OVERFLOW
        assert len(upstream.seen) == 2 and headers["x-contextwright-action"] == "untouched"


def test_a_conversation_that_is_refused_again_and_again_is_left_alone():
    def refuse(seen):
        return RawAnswer() if is_original(seen) else RawAnswer(400, b'{"error": "odd"}')

    with proxied(refuse, spec=SPEC) as (upstream, proxy):
        for _ in range(3):
            status, headers, _ = post(proxy.url, LONG)
            assert status == 200 and headers["x-contextwright-action"] == "original"
        assert len(upstream.seen) == 5


def test_an_upstream_that_resets_in_mid_stream_breaks_the_answer_off():
    import aiohttp

    chunks = (b"data: {}\n\n",)
    broken = RawAnswer(chunks=chunks, cut=True)
    with (
        proxied(lambda seen: broken, spec=SPEC) as (_, proxy),
        pytest.raises(aiohttp.ClientPayloadError),
    ):
        post(proxy.url, LONG)


def test_an_upstream_that_is_not_there_is_named():
    with proxied(lambda seen: RawAnswer(cut=True)) as (upstream, proxy):
        status, _, body = post(proxy.url, LONG)
        assert status == 502 and json.loads(body)["error"]["where"] == upstream.url


def test_the_bypass_header_sends_the_original():
    with proxied(spec=SPEC) as (upstream, proxy):
        _, headers, _ = post(proxy.url, LONG, {"x-contextwright-bypass": "true"})
        assert is_original(upstream.seen[0])
        assert headers["x-contextwright-action"] == "untouched"


def test_a_spec_that_redacts_does_not_fail_open():
    body = tool_loop(2)
    body["messages"][0]["content"] = "mail ada@example.com"
    with proxied(spec=C.default() | C.redact(patterns=["email"])) as (upstream, proxy):
        _, headers, _ = post(proxy.url, body)
        assert b"ada@example.com" not in upstream.seen[0].body
        for odd in (b"{", b'{"model": "gpt-5", "messages": [], "messages": [{"role": "user"}]}'):
            status, _, _ = post(proxy.url, odd)
            assert status == 400
        status, _, _ = post(proxy.url, body, {"x-contextwright-bypass": "true"})
        assert status == 400 and len(upstream.seen) == 1
        for path in ("/v1/embeddings", "/v1/completions", "/v1/files", "/v1/messages/batches"):
            status, _, said = post(proxy.url, body, path=path)
            assert status == 400 and b"no call of a model" in said
        packed = gzip.compress(json.dumps(body).encode())
        for coding, status in (("gzip", 200), ("br", 400), ("x-odd", 400), ("gzip, gzip", 400)):
            assert post(proxy.url, packed, {"content-encoding": coding})[0] == status
        assert len(upstream.seen) == 2 and not upstream.seen[1].header("content-encoding")
        assert b"ada@example.com" not in upstream.seen[1].body and json.loads(upstream.seen[1].body)
        for path in ("/v1/ch%61t/completions", "/v1//chat/completions", "/v1/chat/completions/"):
            post(proxy.url, body, path=path)
            assert b"ada@example.com" not in upstream.seen.pop().body
