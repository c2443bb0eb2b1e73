"""Answers that break off, are none, or come coded as nobody reads: the caller is told, in words."""

import asyncio
import gzip
import json

import aiohttp
import pytest
from tests.serve.raw_upstream import RawAnswer, post, proxied, tool_loop, wait_for
from tests.serve.socket_upstream import RESET, chunk, head, proxied_sockets, whole

from contextwright import C
from contextwright.serve import stream_read_back

SPEC = C.compaction(4000)
LONG = tool_loop(20)
SSE = "text/event-stream"
CHUNKED = "transfer-encoding: chunked"
ANSWER = json.dumps({"usage": {"prompt_tokens": 70, "completion_tokens": 5}}).encode()


@pytest.mark.parametrize("read_back", [False, True])
@pytest.mark.parametrize("kind", [SSE, "application/json"])
def test_chunks_that_are_none_break_the_answer_off(kind, read_back):
    """A caller would wait for ever."""
    parts = [head(CHUNKED, kind=kind), chunk(b"data: {}\n\n"), b"zz\r\nrubbish\r\n"]

    async def asked(url):
        async with (
            asyncio.timeout(20),
            aiohttp.ClientSession() as session,
            session.post(f"{url}/v1/chat/completions", json=LONG) as answer,
        ):
            body = await answer.read()
            return answer.status, body

    with proxied_sockets(lambda number: parts, spec=SPEC, read_back=read_back) as (_, proxy):
        if read_back and kind != SSE:
            status, body = asyncio.run(asked(proxy.url))
            assert status == 502 and b"broke its answer off" in body
        else:
            with pytest.raises(aiohttp.ClientPayloadError):
                asyncio.run(asked(proxy.url))


def test_a_connection_that_was_reset_while_it_waited_is_replaced_once():
    """As one that was closed: what balances load forgets idle connections, and resets them."""

    def script(number):
        return [RESET] if number == 2 else [whole(ANSWER)]

    with proxied_sockets(script) as (upstream, proxy):
        assert [post(proxy.url, LONG)[0] for _ in range(2)] == [200, 200]
        assert len(upstream.bodies) == 3 and upstream.connections == 2
    with proxied_sockets(lambda number: [RESET]) as (upstream, proxy):
        status, _, body = post(proxy.url, LONG)
        assert status == 502 and b"did not answer" in body and len(upstream.bodies) == 1


BROKEN = {
    "behind its head": [head("content-length: 900")],
    "within its body": [head("content-length: 900"), ANSWER],
    "reset": [head("content-length: 900"), ANSWER, RESET],
    "within its chunks": [head(CHUNKED), chunk(ANSWER)],
    "within its coding": [
        whole(gzip.compress(ANSWER)[:10] + b"\x07" * 40, "content-encoding: gzip")
    ],
}


@pytest.mark.parametrize("how", BROKEN)
def test_an_answer_that_breaks_off_where_it_is_read_is_named(how):
    """Nothing of it was passed on yet."""
    with proxied_sockets(lambda number: BROKEN[how], hangs_up=True, spec=SPEC, read_back=True) as (
        upstream,
        proxy,
    ):
        status, headers, body = post(proxy.url, LONG)
        error = json.loads(body)["error"]
        assert status == 502 and error["where"] == upstream.url and error["fix"]
        assert "broke its answer off" in error["message"]
        assert headers["x-contextwright-action"] == "refused"


ODD = {
    "a page": (b"<html>busy</html>", (("content-type", "text/html"),)),
    "nothing": (b"", (("content-type", "application/json"),)),
    "a list of nothing known": (b"[1]", (("content-type", "application/json"),)),
    "a number": (b"7", (("content-type", "application/json"),)),
    "a coding": (b"\x01\x02", (("content-type", "application/json"), ("content-encoding", "x"))),
    "events in a coding": (b"\x01\x02", (("content-type", SSE), ("content-encoding", "x"))),
}


@pytest.mark.parametrize("what", ODD)
def test_an_answer_that_is_none_comes_back_as_it_came(what):
    body, headers = ODD[what]
    with proxied(lambda seen: RawAnswer(200, body, headers), spec=SPEC, read_back=True) as (
        _,
        proxy,
    ):
        status, said, text = post(proxy.url, LONG)
        assert status == 200 and text == body
        assert [said[name.title()] for name, _ in headers] == [value for _, value in headers]
        assert said["x-contextwright-action"] == "rewritten"


def test_an_answer_too_long_to_be_read_is_passed_on_as_it_comes(monkeypatch):
    monkeypatch.setattr(stream_read_back, "_LONGEST", 1000)
    long = json.dumps({"choices": [{"message": {"content": "x" * 9000}}]}).encode()
    parts = [head(CHUNKED), *(chunk(long[at : at + 600]) for at in range(0, len(long), 600))]
    with proxied_sockets(lambda number: [*parts, b"0\r\n\r\n"], spec=SPEC, read_back=True) as (
        _,
        proxy,
    ):
        status, _, text = post(proxy.url, LONG)
        assert status == 200 and text == long


@pytest.mark.parametrize("status", [401, 404, 429, 500, 529])
def test_what_was_refused_took_nothing_and_saved_nothing(status):
    answers = iter([RawAnswer(status, b"{}")] * 2)
    with proxied(lambda seen: next(answers, RawAnswer(200, ANSWER)), spec=SPEC) as (_, proxy):
        for number in range(2):
            assert post(proxy.url, LONG)[0] == status
            wait_for(lambda at=number: proxy.app.ledger.sums().calls == at + 1)
        refused = proxy.app.ledger.sums()
        assert refused.calls == 2 and refused.saved_tokens == refused.saved_cost == 0
        assert refused.tokens == refused.whole_tokens == refused.cost == 0
        assert post(proxy.url, LONG)[0] == 200
        wait_for(lambda: proxy.app.ledger.sums().calls == 3)
        sums = proxy.app.ledger.sums()
        assert sums.whole_tokens > 10_000 > 5_000 > sums.tokens > 0 and sums.billed_input == 70


def test_what_was_refused_is_not_counted_with_the_next_turn():
    answers = iter([RawAnswer(200, ANSWER), RawAnswer(429, b"{}")])
    with proxied(lambda seen: next(answers, RawAnswer(200, ANSWER)), spec=SPEC) as (_, proxy):
        whole_tokens = []
        for number, count in enumerate((20, 21, 22)):
            post(proxy.url, tool_loop(count))
            wait_for(lambda at=number: proxy.app.ledger.sums().calls == at + 1)
            whole_tokens.append(proxy.app.ledger.sums().whole_tokens)
        first, refused, third = whole_tokens
        assert refused == first and first < third - first < first * 1.2


@pytest.mark.parametrize("script", [[RESET], [b"SSH-2.0-OpenSSH\r\n"]])
def test_a_call_without_an_answer_is_counted_and_saved_nothing(script):
    with proxied_sockets(lambda number: script, hangs_up=True, spec=SPEC) as (_, proxy):
        assert post(proxy.url, LONG)[0] == 502
        wait_for(lambda: proxy.app.ledger.sums().calls == 1)
        sums = proxy.app.ledger.sums()
        assert sums.calls == 1 and sums.tokens == sums.whole_tokens == 0


def test_a_caller_that_hangs_up_before_the_answer_is_counted_with_what_was_sent():
    async def hung_up(url, upstream):
        async with aiohttp.ClientSession() as session:
            asking = asyncio.ensure_future(session.post(f"{url}/v1/chat/completions", json=LONG))
            while not upstream.bodies:
                await asyncio.sleep(0.01)
            asking.cancel()
            await asyncio.wait({asking})

    with proxied_sockets(lambda number: [], spec=SPEC) as (upstream, proxy):
        asyncio.run(hung_up(proxy.url, upstream))
        wait_for(lambda: proxy.app.ledger.sums().calls == 1)
        sums = proxy.app.ledger.sums()
        assert sums.whole_tokens > sums.tokens > 0
