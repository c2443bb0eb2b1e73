"""What the proxy adds to a call, and to an event of a stream, beside a bare forwarder of aiohttp in the same run.

    python -m benchmarks.proxy_overhead [CALLS]

Upstream, forwarder, proxies and client are processes of their own, asked in turns. Writes
docs/reference/proxy-overhead.md. It takes about five minutes where nothing else runs.
"""

import json
import os
import platform
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

UPSTREAM = """
import asyncio, sys
from aiohttp import web
EVENT = b'data: {"choices":[{"index":0,"delta":{"content":"word "}}]}\\n\\n'
async def answer(request):
    body = await request.read()
    if b'"stream":true' not in body[-40:]:
        return web.json_response({"usage": {"prompt_tokens": len(body) // 4}})
    response = web.StreamResponse(headers={"content-type": "text/event-stream"})
    await response.prepare(request)
    for _ in range(int(request.query["events"])):
        await response.write(EVENT)
        await asyncio.sleep(0.005)
    return response
app = web.Application(client_max_size=2**30)
app.router.add_route("*", "/{any:.*}", answer)
web.run_app(app, host="127.0.0.1", port=int(sys.argv[1]), print=None)
"""
FORWARDER = """
import sys
import aiohttp
from aiohttp import web
async def answer(request):
    body = await request.read()
    url = sys.argv[2] + request.path_qs
    async with app["client"].post(url, data=body, headers={"content-type": "application/json"}) as up:
        response = web.StreamResponse(status=up.status, headers={"content-type": up.content_type})
        await response.prepare(request)
        async for chunk in up.content.iter_any():
            await response.write(chunk)
        return response
async def client(app):
    app["client"] = aiohttp.ClientSession(auto_decompress=False)
    yield
    await app["client"].close()
app = web.Application(client_max_size=2**30)
app.cleanup_ctx.append(client)
app.router.add_route("*", "/{any:.*}", answer)
web.run_app(app, host="127.0.0.1", port=int(sys.argv[1]), print=None)
"""
MESSAGES, STREAMS, ROUNDS = 1_500, 16, 16
PORT = 9551
SPEC = "C.compaction(100_000)"
WAYS = ("no proxy", "bare forwarder", "`ctx serve`, nothing due", "`ctx serve`, with the spec")
PAGE = Path(__file__).parent.parent / "docs" / "reference" / "proxy-overhead.md"
FEW, MANY = 50, 450
"""Events of a stream: what more of them take is what an event takes, the rest is the request's."""


class Figures(NamedTuple):
    """What was measured of a way to the upstream."""

    calls: list
    work: list
    events: list
    streams: list


def body_of(count, *, stream=False):
    """A body of OpenAI Chat with so many messages, as bytes."""
    messages = [{"role": "user", "content": "read all files"}]
    for number in range(count // 2):
        function = {"name": "read", "arguments": f'{{"path": "f{number}"}}'}
        call = {"id": f"c{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        text = "\n".join(f"{number} {line} some words of a file" for line in range(30))
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": text})
    tool = {"type": "function", "function": {"name": "read", "parameters": {"type": "object"}}}
    # its window holds the whole conversation at every call
    body = {"model": "gpt-4.1", "messages": messages, "tools": [tool]}
    if stream:
        body["stream"] = True
    return json.dumps(body, separators=(",", ":")).encode()


def asked(port, body, query=""):
    """Milliseconds of one call."""
    connection = HTTPConnection("127.0.0.1", port, timeout=300)
    start = time.perf_counter()
    connection.request(
        "POST", f"/v1/chat/completions{query}", body, {"content-type": "application/json"}
    )
    answer = connection.getresponse()
    answer.read()
    connection.close()
    assert answer.status == 200, answer.status
    return (time.perf_counter() - start) * 1000


def processor_s(process):
    """Seconds of the processor that a process' threads took so far."""
    threads = Path(f"/proc/{process.pid}/task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9


def streamed(process, port, body, events):
    """Microseconds of a process' processor for so many events in each of several streams at once."""
    before, query = processor_s(process), f"?events={events}"
    with ThreadPoolExecutor(STREAMS) as pool:
        list(pool.map(asked, [port] * STREAMS, [body] * STREAMS, [query] * STREAMS))
    return (processor_s(process) - before) * 1e6


def started(port, *arguments):
    """A process that listens at a port."""
    process = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.DEVNULL)
    while True:
        try:
            HTTPConnection("127.0.0.1", port, timeout=1).connect()
            return process
        except OSError:
            time.sleep(0.05)


def middle_and_most(values):
    """The median and the 99th percentile."""
    return statistics.median(values), sorted(values)[int(len(values) * 0.99)]


def measured(calls):
    """Of each way: milliseconds of the calls, and of the processor's time in them; microseconds of it for each event
    of a stream, in each round; and milliseconds for a stream beside its events."""
    upstream = f"http://127.0.0.1:{PORT}"
    serve = ("-m", "contextwright.cli", "serve", "--upstream", upstream, "--port")
    ports = range(PORT, PORT + len(WAYS))
    processes = [
        started(PORT, "-c", UPSTREAM, str(PORT)),
        started(PORT + 1, "-c", FORWARDER, str(PORT + 1), upstream),
        started(PORT + 2, *serve, str(PORT + 2)),
        started(PORT + 3, *serve, str(PORT + 3), "--spec", SPEC),
    ]
    ways = list(zip(WAYS, processes, ports, strict=True))
    found = {name: Figures([], [], [], []) for name in WAYS}
    try:
        for port in ports:
            asked(port, body_of(MESSAGES))
        for call in range(calls):
            body = body_of(MESSAGES + 2 * call + 2)
            for name, process, port in ways:
                before = processor_s(process)
                found[name].calls.append(asked(port, body))
                found[name].work.append((processor_s(process) - before) * 1000)
        stream = body_of(20, stream=True)
        for _, process, port in ways:
            streamed(process, port, stream, FEW)
        for _ in range(ROUNDS):
            for name, process, port in ways:
                few, many = (streamed(process, port, stream, events) for events in (FEW, MANY))
                event = (many - few) / STREAMS / (MANY - FEW)
                found[name].events.append(event)
                found[name].streams.append((few / STREAMS - event * FEW) / 1000)
    finally:
        for process in processes:
            process.terminate()
    return found


def row(name, figures):
    """A way's row of the table of calls."""
    cells = (*middle_and_most(figures.calls), *middle_and_most(figures.work))
    return f"| {name} | {' | '.join(f'{cell:.1f}' for cell in cells)} |"


def event_row(name, figures):
    """A way's row of the table of streams."""
    cells = (statistics.median(figures.events), min(figures.events), max(figures.events))
    per_stream = statistics.median(figures.streams)
    return f"| {name} | {' | '.join(f'{cell:.1f}' for cell in cells)} | {per_stream:.1f} |"


def page(found, calls):
    """The page of the figures."""
    bare, ours = found[WAYS[1]], found[WAYS[3]]
    added = [
        one - other
        for one, other in zip(middle_and_most(ours.calls), middle_and_most(bare.calls), strict=True)
    ]
    share = statistics.median(ours.events) / statistics.median(bare.events)
    rows = "\n".join(row(*pair) for pair in found.items())
    event_rows = "\n".join(event_row(*pair) for pair in list(found.items())[1:])
    parser = version_of("httptools")
    return f"""# What a proxy adds to a call

Written by `python -m benchmarks.proxy_overhead`, on {os.cpu_count()} cores ({machine()}), Python {platform.python_version()},
aiohttp {version_of("aiohttp")}, uvicorn {version_of("uvicorn")}, httptools {parser}, uvloop {version_of("uvloop")}. Upstream, a bare forwarder
of aiohttp, proxies and client are processes of their own on one machine, and are asked in turns.

## A call of a long conversation

{calls} calls of a conversation of {MESSAGES:,} messages ({len(body_of(MESSAGES)) // 1000:,} kB) that grows by two at each of them, behind a
first call that is not counted: the proxy knows the conversation. `{SPEC}` sends it shortened ({len(body_of(MESSAGES)) // 3600:,}k tokens or so
come in); its steps, of which these calls have one or two, are counted too. Milliseconds of the whole call, and of the processor's time in the process between:

| | median | 99th percentile | processor, median | 99th percentile |
| --- | ---: | ---: | ---: | ---: |
{rows}

`ctx serve --spec '{SPEC}'` takes {added[0]:.1f} ms more than the bare forwarder at the median, {added[1]:.1f} ms at the 99th percentile.

## An event of a stream

{STREAMS} streams at once, an event each 5 ms, in {ROUNDS} rounds: the processor's time of {MANY} events less that of {FEW}, in microseconds an event; and what is
left for a stream, in milliseconds: its request, and for `ctx serve` what is compiled, billed and counted.

| | an event, median | least | most | a stream beside its events, ms |
| --- | ---: | ---: | ---: | ---: |
{event_rows}

An event takes `ctx serve` with a spec {share:.2f} times what it takes the bare forwarder.
"""


def machine():
    """The processor by its name."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def version_of(package):
    """The version of a package; `-` where it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "-"


def main():
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    text = page(measured(calls), calls)
    PAGE.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
