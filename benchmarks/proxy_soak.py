"""Faults at random, streams at once, slow callers, resets and kills: what a proxy loses of it.

    python -m benchmarks.proxy_soak [CALLS]

`ctx serve --data` is a process of its own with faults of ours put in, between an upstream that fails as it is told and
callers that hang up, read slowly, and try again after a connection broke. It is killed (SIGKILL) and started again
meanwhile. Writes docs/reference/proxy-soak.md.
"""

import asyncio
import json
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import aiohttp
import msgspec

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "proxy-soak.md"
UPSTREAM = """
import asyncio, json, re, sys
from aiohttp import web
WORD = re.compile(rb"conversation-(\\d+)-")
async def answer(request):
    body = await request.read()
    kind = request.headers.get("x-fault", "fine")
    said = json.dumps(sorted({int(n) for n in WORD.findall(body)})).encode()
    if kind == "refused" and b"context_block" in body:
        return web.json_response({"error": {"message": "odd"}}, status=400)
    if kind == "busy":
        return web.json_response({"error": {"message": "busy"}}, status=529)
    if kind == "down":
        request.transport.abort()
        return web.Response()
    if b'"stream": true' not in body[-60:]:
        return web.Response(body=b'{"said": %s}' % said, content_type="application/json")
    response = web.StreamResponse(headers={"content-type": "text/event-stream"})
    await response.prepare(request)
    for number in range(12):
        await response.write(b"data: %s\\n\\n" % said + b": " + b"x" * 2000 + b"\\n\\n")
        await asyncio.sleep(0.01)
        if kind == "reset" and number == 5:
            request.transport.abort()
            return response
    await response.write(b"data: [DONE]\\n\\n")
    return response
app = web.Application(client_max_size=2**30)
app.router.add_route("*", "/{any:.*}", answer)
web.run_app(app, host="127.0.0.1", port=int(sys.argv[1]), print=None)
"""
PROXY = """
import random, sys
from contextwright.cli.main import main
from contextwright.serve.compiled_calls import CallCompiler
dice, whole = random.Random(int(sys.argv[1])), CallCompiler.context
def context(self, format, **options):
    if dice.random() < 0.1:
        raise dice.choice([ValueError, MemoryError, KeyError, RecursionError])("a fault of ours")
    return whole(self, format, **options)
def begin(*arguments):
    CallCompiler.context = context
    print("ready", flush=True)
import contextwright.cli.serve_command as command
command._ready = begin
main(["serve", *sys.argv[2:]])
"""
KINDS = ("fine", "refused", "busy", "down", "reset", "slow", "hangs up")
"""What goes wrong with a call, each as often: the upstream's doing up to `reset`, then the caller's."""
STATUSES = {"busy": 529, "down": 502}
LINE = "the words that a file has in its lines and an agent reads, "
MOST = 60
"""Files that are read in a conversation."""


class Soaked(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the calls.

    Args:
        calls: by what went wrong with them.
        lost: answers that upstream gave, and no caller got; with what was got.
        mixed: answers to another conversation's words.
        again: calls that a caller made again because the proxy was killed.
        kills: how often it was.
        left_open: calls that were open when all had ended.
        memory: MB of the proxy at the end of each eighth of the calls.
        seconds: of it all.
        faults: calls that went out as they came, by the ledger.
        counted: calls that the ledger has.
    """

    calls: dict[str, int]
    lost: list[str]
    mixed: list[str]
    again: int
    kills: int
    left_open: int
    memory: list[int]
    seconds: float
    faults: int
    counted: int


def body_of(number: int, count: int, *, streamed: bool) -> bytes:
    """A conversation of an agent that reads files, known by its words in each of them."""
    messages: list[Any] = [{"role": "user", "content": f"read all files of conversation-{number}-"}]
    for place in range(count):
        function = {"name": "read", "arguments": f'{{"path": "f{place}"}}'}
        call = {"id": f"c{place}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        text = f"conversation-{number}- {place} " + LINE * 12
        messages.append({"role": "tool", "tool_call_id": f"c{place}", "content": text})
    tool = {"type": "function", "function": {"name": "read", "parameters": {"type": "object"}}}
    body = {"model": "gpt-5", "messages": messages, "tools": [tool]}
    return json.dumps({**body, "stream": True} if streamed else body).encode()


class Soak:
    """Calls through a proxy that is killed now and then.

    Args:
        calls: how many. at_once: conversations, one call of each at a time. kills: of the proxy. folder: of its data.
    """

    def __init__(self, calls: int, at_once: int, kills: int, folder: Path) -> None:
        self.calls, self.kills, self.folder = calls, kills, folder
        self.talks = at_once
        self.dice = random.Random(18)
        self.upstream, self.port = free_port(), free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.up = asyncio.Event()
        self.processes: list[subprocess.Popen[bytes]] = []
        self.killed = self.ended = self.again = 0
        self.memory: list[int] = []
        self.kinds: Counter[str] = Counter()
        self.lost: list[str] = []
        self.mixed: list[str] = []

    async def run(self) -> Soaked:
        """Make the calls."""
        start_s = time.monotonic()
        upstream = subprocess.Popen(
            [sys.executable, "-c", UPSTREAM, str(self.upstream)], stderr=subprocess.DEVNULL
        )
        try:
            await self.proxy()
            async with aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, force_close=True),
                timeout=aiohttp.ClientTimeout(total=120),
            ) as session:
                await self.reached(session, f"http://127.0.0.1:{self.upstream}/")
                await asyncio.gather(*(self.talk(session, n) for n in range(self.talks)))
                stats = await self.quiet(session)
        finally:
            for process in (upstream, *self.processes):
                process.kill()
                process.wait()
        return Soaked(
            calls=dict(self.kinds), lost=self.lost, mixed=self.mixed, again=self.again,
            kills=self.killed, left_open=stats["open_calls"], memory=self.memory,
            seconds=time.monotonic() - start_s, faults=stats["faults"], counted=stats["calls"],
        )  # fmt: skip

    async def proxy(self) -> None:
        """A proxy on the same port and data as the one before."""
        command = [sys.executable, "-c", PROXY, str(self.killed), "--port", str(self.port)]
        command += ["--upstream", f"http://127.0.0.1:{self.upstream}", "--data", str(self.folder)]
        command += ["--spec", "C.compaction(4000)", "--max-requests", "1000"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
        self.processes.append(process)
        assert process.stdout is not None
        await asyncio.to_thread(process.stdout.readline)
        self.up.set()

    async def reached(self, session: aiohttp.ClientSession, url: str) -> None:
        """Until a server answers."""
        while True:
            try:
                async with session.get(url):
                    return
            except aiohttp.ClientError:
                await asyncio.sleep(0.05)

    async def talk(self, session: aiohttp.ClientSession, number: int) -> None:
        """One conversation, call after call, each longer than the one before."""
        mine = range(number, self.calls, self.talks)
        for turn in range(len(mine)):
            kind = self.dice.choice(KINDS)
            streamed = kind in ("reset", "slow", "hangs up") or self.dice.random() < 0.7
            body = body_of(number, 2 + turn * 3 % MOST, streamed=streamed)
            await self.answered(session, number, kind, body)
            await self.noted(kind)

    async def answered(
        self, session: aiohttp.ClientSession, number: int, kind: str, body: bytes
    ) -> None:
        """One call, made again where the proxy was killed below it."""
        while True:
            await self.up.wait()
            kills = self.killed
            try:
                status, text = await self.asked(session, kind, body)
            except (aiohttp.ClientError, OSError) as error:
                if kind == "reset":
                    return
                if self.killed == kills:
                    self.lost.append(f"{kind}: {type(error).__name__}: {error}")
                    return
                self.again += 1
                continue
            if kind == "hangs up":
                return
            whole = f"[{number}]".encode() in text
            if status != STATUSES.get(kind, 200) or (status == 200 and not whole):
                self.lost.append(f"{kind}: {status} {text[:80]!r}")
            if any(said != b"%d" % number for said in re.findall(rb"\[([\d, ]+)\]", text)):
                self.mixed.append(f"{number}: {text[:80]!r}")
            return

    async def asked(
        self, session: aiohttp.ClientSession, kind: str, body: bytes
    ) -> tuple[int, bytes]:
        headers = {"content-type": "application/json", "authorization": "Bearer k", "x-fault": kind}
        url = f"{self.url}/v1/chat/completions"
        async with session.post(url, data=body, headers=headers) as answer:
            if kind == "slow":
                parts: list[bytes] = []
                async for part in answer.content.iter_chunked(4096):
                    parts.append(part)
                    await asyncio.sleep(0.05)
                return answer.status, b"".join(parts)
            if kind == "hangs up":
                await answer.content.read(10)
                return answer.status, b""
            return answer.status, await answer.read()

    async def noted(self, kind: str) -> None:
        self.kinds[kind] += 1
        self.ended += 1
        if self.ended % max(1, self.calls // 8) == 0 and self.up.is_set():
            self.memory.append(memory_mb(self.processes[-1]))
        if self.killed < self.kills and self.ended >= self.calls * (self.killed + 1) // (
            self.kills + 1
        ):
            self.killed += 1
            self.up.clear()
            self.processes[-1].send_signal(signal.SIGKILL)
            self.processes[-1].wait()
            await self.proxy()

    async def quiet(self, session: aiohttp.ClientSession) -> dict[str, Any]:
        """What the proxy says once all calls have ended; 30 seconds at most."""
        stats: dict[str, Any] = {}
        for _ in range(300):
            async with session.get(f"{self.url}/stats") as answer:
                stats = await answer.json()
            if not stats["open_calls"]:
                break
            await asyncio.sleep(0.1)
        return stats


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return bound.getsockname()[1]


def memory_mb(process: subprocess.Popen[bytes]) -> int:
    """Resident memory of a process."""
    try:
        lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    except OSError:
        return 0
    sizes = [line.split()[1] for line in lines if line.startswith("VmRSS")]
    return int(sizes[0]) // 1024 if sizes else 0


def soaked(calls: int, at_once: int, kills: int) -> Soaked:
    """What becomes of calls with faults.

    Args:
        calls: with one of `KINDS` each. at_once: how many of them, each of another conversation. kills: of the proxy.
    """
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(Soak(calls, at_once, kills, Path(folder)).run())


def page(found: Soaked, at_once: int) -> str:
    """The page of the figures."""
    total = sum(found.calls.values())
    rows = "\n".join(f"| {kind} | {found.calls[kind]:,} |" for kind in KINDS)
    memory = ", ".join(map(str, found.memory))
    return f"""# What a proxy loses

Written by `python -m benchmarks.proxy_soak`. {total:,} calls of {at_once} conversations, all {at_once} at once,
through `ctx serve --data FOLDER --spec 'C.compaction(4000)'`, whose compiles fail at random one in ten. It is killed with SIGKILL
{found.kills} times among them and started again on its data; a caller whose connection broke asks again, as the providers' clients do.

| what went wrong | calls |
| --- | ---: |
{rows}

`refused` is 400 to what was rewritten, `busy` 529, `down` no answer, `reset` a stream that the upstream breaks off, `slow` a caller that
reads 4 kB and waits, `hangs up` one that goes in mid-stream.

| | |
| --- | ---: |
| answers of the upstream that did not reach their caller | {len(found.lost)} |
| answers with another conversation's words | {len(found.mixed)} |
| calls that were made again because of a kill | {found.again} |
| calls that were open 30 s after the last one at the most | {found.left_open} |
| of {found.counted:,} calls in the ledger, sent as they came because of a fault | {found.faults:,} |
| seconds | {found.seconds:.0f} |

Memory of the proxy at each eighth of the calls, MB (it begins anew behind a kill): {memory}. It ends at what the
process takes at its start, and `max_bytes` two and a half times: 128 MB of conversations, as much of packs, and half as much of how bodies began, as JSON.
"""


def main() -> None:
    """Measure, and write the page."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 3_000
    found = soaked(calls, 200, 4)
    PAGE.write_text(page(found, 200))
    print(page(found, 200), *found.lost[:20], *found.mixed[:20], sep="\n")


if __name__ == "__main__":
    main()
