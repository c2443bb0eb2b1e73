"""Many calls at once, faults at random, and a restart: no answer is lost and no conversation mixed."""

import asyncio
import json
import random
import re
import threading

import aiohttp
from tests.serve.raw_upstream import RawAnswer, post, proxied, tool_loop, wait_for

from contextwright import C
from contextwright.serve.answer_relay import CallerLine, until_hung_up
from contextwright.serve.compiled_calls import CallCompiler
from contextwright.worker_threads import off_loop

SPEC = C.compaction(4000)
SSE = (("content-type", "text/event-stream"),)


def talk(number, count):
    """A conversation that begins as all others do, and differs behind its question."""
    body = tool_loop(count, lines=25)
    for message in body["messages"][1:]:
        if message["role"] == "tool":
            message["content"] = message["content"].replace("some words", f"conversation {number}")
    return body


def test_conversations_at_once_are_not_mixed():
    def answer(seen):
        text = seen.body.decode()
        numbers = {word for n in range(6) if f"conversation {n} " in text for word in [str(n)]}
        return RawAnswer(
            headers=SSE, chunks=(f"data: {json.dumps(sorted(numbers))}\n\n".encode(),) * 3
        )

    async def asked(session, url, number):
        for count in (3, 14, 15):
            body = json.dumps(talk(number, count)).encode()
            async with session.post(f"{url}/v1/chat/completions", data=body) as reply:
                lines = (await reply.read()).decode().split("\n\n")[:-1]
                assert lines == [f'data: ["{number}"]'] * 3

    async def all_asked(url):
        async with aiohttp.ClientSession() as session:
            await asyncio.gather(*(asked(session, url, number) for number in range(6)))

    with proxied(answer, spec=SPEC) as (upstream, proxy):
        asyncio.run(all_asked(proxy.url))
        wait_for(lambda: proxy.app.ledger.sums().calls == 18)
        sums = proxy.app.ledger.sums()
        assert (sums.calls, sums.faults, len(upstream.seen)) == (18, 0, 18)


def test_random_faults_lose_no_answer(monkeypatch):
    dice = random.Random(7)
    whole = CallCompiler.context

    def context(self, format):
        if dice.random() < 0.3:
            raise dice.choice([ValueError, MemoryError, KeyError, RecursionError])("x")
        return whole(self, format)

    def answer(seen):
        kind = dice.choice(["fine", "fine", "refused", "down", "busy"])
        sent.append(kind)
        return {
            "fine": RawAnswer(body=b'{"fine": true}'),
            "refused": RawAnswer(400, b'{"error": {"message": "odd"}}'),
            "down": RawAnswer(cut=True),
            "busy": RawAnswer(529, b"busy"),
        }[kind]

    statuses = {"fine": 200, "refused": 400, "down": 502, "busy": 529}
    with proxied(answer, spec=SPEC) as (_, proxy):
        monkeypatch.setattr(CallCompiler, "context", context)
        for round in range(60):
            sent = []
            status, _, body = post(proxy.url, tool_loop(3 + round % 20, lines=20))
            # a connection that waited is replaced once, and a refusal sends the original once
            assert status == statuses[sent[-1]] and 1 <= len(sent) <= 4
            assert sent[-1] != "fine" or body == b'{"fine": true}'
        wait_for(lambda: proxy.app.proxy.open_calls == 0)  # a moment behind the last byte
        assert proxy.app.proxy.open_calls == 0


def test_a_call_ends_with_its_answer_whatever_else_computes():
    """Whoever holds the threads of this process, work of another proxy included."""
    held, release = threading.Event(), threading.Event()

    def hold():
        held.set()
        release.wait(30)

    def answer(seen):
        work = asyncio.run_coroutine_threadsafe(off_loop(hold), loop)  # behind the compile
        works.append(work)
        held.wait(30)
        return RawAnswer(body=b'{"fine": true}')

    works, loop = [], asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    try:
        with proxied(answer, spec=SPEC) as (_, proxy):
            assert post(proxy.url, tool_loop(14, lines=25))[0] == 200
            wait_for(lambda: proxy.app.proxy.open_calls == 0)
            assert proxy.app.proxy.open_calls == 0 and not release.is_set()
            assert proxy.app.ledger.sums().calls == 0  # that waits, and nobody for it
            release.set()
            wait_for(lambda: proxy.app.ledger.sums().calls == 1)
            assert proxy.app.ledger.sums().calls == 1
    finally:
        release.set()
        [work.result(10) for work in works]
        loop.call_soon_threadsafe(loop.stop)


def test_a_caller_that_hangs_up_ends_what_swallows_its_end():
    swallowed = []

    async def stubborn():
        while len(swallowed) < 2:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                swallowed.append(1)
        await asyncio.sleep(3600)

    async def hung_up():
        return {"type": "http.disconnect"}

    work = until_hung_up(stubborn(), hung_up, CallerLine(None), 30)
    asyncio.run(asyncio.wait_for(work, 30))
    assert len(swallowed) == 2


def test_callers_that_hang_up_at_any_moment_leave_no_call_open():
    def answer(seen):
        return RawAnswer(headers=SSE, chunks=(b"data: {}\n\n",) * 50)

    async def hung_up(port, body, after_s):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        head = f"POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        await asyncio.sleep(after_s)
        writer.close()

    async def all_hung_up(url):
        port, bodies = int(url.rpartition(":")[2]), [tool_loop(n, lines=20) for n in (3, 14)]
        await asyncio.gather(*(
            hung_up(port, json.dumps(bodies[n % 2]).encode(), n / 100) for n in range(40)
        ))  # fmt: skip

    with proxied(answer, spec=SPEC) as (_, proxy):
        asyncio.run(all_hung_up(proxy.url))
        wait_for(lambda: proxy.app.proxy.open_calls == 0, 30)
        assert proxy.app.proxy.open_calls == 0
        assert post(proxy.url, tool_loop(3))[0] == 200


def test_a_conversation_goes_on_after_a_restart(tmp_path):
    def sent(parts, **settings):
        bodies = []
        for part in parts:
            with proxied(spec=SPEC, **settings) as (upstream, proxy):
                for count in part:
                    post(proxy.url, tool_loop(count, lines=25), {"authorization": "Bearer k"})
                # marks are signed for a tenant, and a salt is a ledger's own
                bodies += [re.sub(rb"sign=\W+\w+", b"", seen.body) for seen in upstream.seen]
                wait_for(lambda: proxy.app.ledger.sums().calls >= len(part))
        return bodies

    restarted = sent([(14, 15, 16), (17, 18)], data=tmp_path)
    assert restarted == sent([(14, 15, 16, 17, 18)])
    assert len(restarted[-1]) < len(json.dumps(tool_loop(18, lines=25))) / 2
