"""What the proxy adds to a call, and to an event of a stream, beside a bare forwarder of aiohttp in the same run.

    python -m benchmarks.proxy_overhead [CALLS]

Upstream, forwarder, proxies and client are processes of their own, asked in turns. Writes
docs/reference/proxy-overhead.md. It takes about six minutes where nothing else runs.
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
AROUND = 50
"""A conversation of so many messages is measured from so many fewer to so many more, that is at so
many calls: an agent's answer and its tool's result are new in each."""
LINES = 20
"""Of each result of the first conversation; those of each further one are longer, so that steps
fall where they fall."""
PORT = 9551
SPEC = "C.compaction(100_000)"
WAYS = ("no proxy", "bare forwarder", "`ctx serve`, nothing due", "`ctx serve`, with the spec")
PAGE = Path(__file__).parent.parent / "docs" / "reference" / "proxy-overhead.md"
FEW, MANY = 50, 450
"""Events of a stream: what more of them take is what an event takes, the rest is the request's."""


class Calls(NamedTuple):
    """What was measured of calls on a way to the upstream: milliseconds of each, and of the
    processor's time in the process between; and of those that came shorter than the one before,
    by a step."""

    times: list
    work: list
    steps: list

    @classmethod
    def none(cls):
        return cls([], [], [])


class Events(NamedTuple):
    """What was measured of streams: microseconds of the processor's time for each event, in each
    round; and milliseconds for a stream beside its events."""

    events: list
    streams: list


def body_of(count, *, lines=30, stream=False):
    """A body of OpenAI Chat with so many messages, as bytes.

    Args:
        lines: of each result.
    """
    messages = [{"role": "user", "content": f"read all files, {lines} lines of each"}]
    for number in range(count // 2):
        function = {"name": "read", "arguments": f'{{"path": "f{number}"}}'}
        call = {"id": f"c{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        text = "\n".join(f"{number} {line} some words of a file" for line in range(lines))
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": text})
    tool = {"type": "function", "function": {"name": "read", "parameters": {"type": "object"}}}
    # its window holds the whole conversation at every call
    body = {"model": "gpt-4.1", "messages": messages, "tools": [tool]}
    if stream:
        body["stream"] = True
    return json.dumps(body, separators=(",", ":")).encode()


def asked(port, body, query=""):
    """Milliseconds of one call, and what the upstream has for an answer."""
    connection = HTTPConnection("127.0.0.1", port, timeout=300)
    start = time.perf_counter()
    connection.request(
        "POST", f"/v1/chat/completions{query}", body, {"content-type": "application/json"}
    )
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    assert answer.status == 200, answer.status
    return (time.perf_counter() - start) * 1000, text


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


def grown(ways, found, bodies):
    """Measure calls of a conversation that grows: its first body, which is not counted, and each
    of the others."""
    first, *further = bodies
    for _, _, port in ways:
        asked(port, first)
    sizes = dict.fromkeys(found, 0)
    for body in further:
        for name, process, port in ways:
            before = processor_s(process)
            time_ms, text = asked(port, body)
            work_ms = (processor_s(process) - before) * 1000
            found[name].times.append(time_ms)
            found[name].work.append(work_ms)
            size = json.loads(text)["usage"]["prompt_tokens"]
            if size < sizes[name]:
                found[name].steps.append(work_ms)
            sizes[name] = size


def streams(ways):
    """Measure events of streams."""
    found, body = {name: Events([], []) for name in WAYS}, body_of(20, stream=True)
    for _, process, port in ways:
        streamed(process, port, body, FEW)
    for _ in range(ROUNDS):
        for name, process, port in ways:
            few, many = (streamed(process, port, body, events) for events in (FEW, MANY))
            event = (many - few) / STREAMS / (MANY - FEW)
            found[name].events.append(event)
            found[name].streams.append((few / STREAMS - event * FEW) / 1000)
    return found


def measured(calls):
    """Of each way: calls of conversations around so many messages; as many of one that goes on
    from there; and events of streams."""
    upstream = f"http://127.0.0.1:{PORT}"
    serve = ("-m", "contextwright.cli", "serve", "--upstream", upstream, "--port")
    processes = [
        started(PORT, "-c", UPSTREAM, str(PORT)),
        started(PORT + 1, "-c", FORWARDER, str(PORT + 1), upstream),
        started(PORT + 2, *serve, str(PORT + 2)),
        started(PORT + 3, *serve, str(PORT + 3), "--spec", SPEC),
    ]
    ways = list(zip(WAYS, processes, range(PORT, PORT + len(WAYS)), strict=True))
    around, longer = ({name: Calls.none() for name in WAYS} for _ in range(2))
    try:
        for number in range(calls // AROUND):
            lines = LINES + 4 * number
            counts = range(MESSAGES - AROUND, MESSAGES + AROUND + 1, 2)
            grown(ways, around, (body_of(count, lines=lines) for count in counts))
        grown(ways, longer, (body_of(MESSAGES + 2 * call) for call in range(calls + 1)))
        return around, longer, streams(ways)
    finally:
        for process in processes:
            process.terminate()


def row(name, figures):
    """A way's row of a table of calls."""
    cells = (*middle_and_most(figures.times), *middle_and_most(figures.work), max(figures.work))
    return f"| {name} | {' | '.join(f'{cell:.1f}' for cell in cells)} |"


def event_row(name, figures):
    """A way's row of the table of streams."""
    cells = (statistics.median(figures.events), min(figures.events), max(figures.events))
    per_stream = statistics.median(figures.streams)
    return f"| {name} | {' | '.join(f'{cell:.1f}' for cell in cells)} | {per_stream:.1f} |"


def table(found):
    """The table of calls, and what they take more than behind the bare forwarder."""
    bare, ours = found[WAYS[1]], found[WAYS[3]]
    pairs = zip(middle_and_most(ours.times), middle_and_most(bare.times), strict=True)
    median, most = (one - other for one, other in pairs)
    rows = "\n".join(row(*pair) for pair in found.items())
    steps = f"{len(ours.steps)} of these calls took a step"
    if ours.steps:
        steps += f", {statistics.median(ours.steps):.0f} ms of the processor in the middle"
    return f"""| | median | 99th percentile | processor, median | 99th percentile | most |
| --- | ---: | ---: | ---: | ---: | ---: |
{rows}

`ctx serve --spec '{SPEC}'` takes {median:.1f} ms more than the bare forwarder at the median, {most:.1f} ms at the 99th percentile; {steps}."""


def page(around, longer, streams, calls):
    """The page of the figures."""
    size = len(body_of(MESSAGES))
    sizes = [len(body_of(MESSAGES, lines=LINES + 4 * n)) // 1000 for n in range(calls // AROUND)]
    share = statistics.median(streams[WAYS[3]].events) / statistics.median(streams[WAYS[1]].events)
    event_rows = "\n".join(event_row(*pair) for pair in list(streams.items())[1:])
    parser = version_of("httptools")
    return f"""# What a proxy adds to a call

Written by `python -m benchmarks.proxy_overhead`, on {os.cpu_count()} cores ({machine()}), Python {platform.python_version()},
aiohttp {version_of("aiohttp")}, uvicorn {version_of("uvicorn")}, httptools {parser}, uvloop {version_of("uvloop")}. Upstream, a bare forwarder
of aiohttp, proxies and client are processes of their own on one machine, and are asked in turns.

## A call of a long conversation

{len(sizes)} conversations around {MESSAGES:,} messages ({min(sizes):,} to {max(sizes):,} kB): each is sent with {MESSAGES - AROUND:,} messages, which is not counted,
so that the proxy knows it, and then with two more at each of {AROUND} calls. `{SPEC}` sends it shortened; its steps are counted too.
Milliseconds of the whole call, and of the processor's time in the process between:

{table(around)}

## A conversation that goes on

{calls} calls of one conversation, from {MESSAGES:,} messages ({size // 1000:,} kB) to {MESSAGES + 2 * calls:,}:

{table(longer)}

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
    text = page(*measured(calls), calls)
    PAGE.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
