"""A caller that sends nothing, or reads nothing, holds its place for a while, and no longer."""

import asyncio
import json
import socket
import threading

import pytest
from tests.serve.raw_upstream import RawAnswer, proxied, tool_loop, wait_for

from contextwright.serve.answer_relay import CallerLine, until_hung_up
from contextwright.serve.upstream import UpstreamReset

STALL_S = 0.2
SSE = (("content-type", "text/event-stream"),)


def stalled(url, target, length, body):
    """A connection that sends this, and reads nothing."""
    caller = socket.socket()
    caller.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    caller.connect(("127.0.0.1", int(url.rpartition(":")[2])))
    head = f"{target} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: {length}\r\n\r\n"
    caller.sendall(head.encode() + body)
    return caller


def long_answer(seen):
    return RawAnswer(headers=SSE, chunks=(b"data: " + b"x" * 100_000 + b"\n\n",) * 200)


def test_a_caller_that_reads_nothing_gives_its_place_back():
    body = json.dumps(tool_loop(3)).encode()
    with proxied(long_answer, stall_s=STALL_S) as (_, proxy):
        with stalled(proxy.url, "POST /v1/chat/completions", len(body), body):
            wait_for(lambda: proxy.app.proxy.open_calls == 1, 30)
            wait_for(lambda: proxy.app.proxy.open_calls == 0, 30)
            assert proxy.app.proxy.open_calls == 0
        wait_for(lambda: proxy.app.ledger.sums().calls == 1, 30)
        assert proxy.app.ledger.sums().calls == 1  # what was answered is counted


def test_a_caller_that_sends_nothing_is_told_so():
    with proxied(stall_s=STALL_S) as (upstream, proxy):
        with stalled(proxy.url, "POST /v1/chat/completions", 1000, b'{"model": ') as caller:
            answer = caller.recv(4096).decode()
        assert answer.startswith("HTTP/1.1 408 ") and "nothing of the body came" in answer
        assert proxy.app.proxy.open_calls == 0 and not upstream.seen


@pytest.mark.parametrize("reads", [True, False])
def test_what_is_no_call_of_a_model_ends_with_its_caller(reads):
    """An upstream that never ends is hung up on."""
    ended = threading.Event()

    class Endless:
        def __iter__(self):
            try:
                while True:
                    yield b"x" * 100_000
            finally:
                ended.set()

    with proxied(lambda seen: RawAnswer(chunks=Endless()), stall_s=STALL_S) as (_, proxy):
        caller = stalled(proxy.url, "POST /v1/files", 2, b"{}")
        if reads:  # and goes
            caller.recv(100)
            caller.close()
        assert ended.wait(30)
        caller.close()


def test_a_slow_caller_is_waited_for():
    async def slow(message):
        await asyncio.sleep(0.03)

    async def answered(line):
        for _ in range(8):
            await line.send({})

    async def never():
        await asyncio.sleep(60)

    async def all_passed():
        line = CallerLine(slow)
        await until_hung_up(answered(line), never, line, 0.05)
        assert line.passed == 8
        stuck = CallerLine(lambda message: asyncio.sleep(60))
        with pytest.raises(UpstreamReset, match="reads nothing"):
            await until_hung_up(answered(stuck), never, stuck, 0.01)

    asyncio.run(all_passed())
