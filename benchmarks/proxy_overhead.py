"""What the proxy adds to a call, beside a bare forwarder of aiohttp in the same run.

    python -m benchmarks.proxy_overhead [CALLS]

A conversation of 1,500 messages that grows by two at every call, one call at a time (300, of which a compaction's step
is a few); and 16 streams at once of an event each 5 ms, as a model writes them. Upstream, forwarder, proxy and client are
processes of their own. Read the differences. It takes about three minutes.
"""

import json
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path

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
    for _ in range(250):
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
MESSAGES, STREAMS, ROUNDS = 1_500, 16, 5


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


def asked(port, body):
    """Milliseconds of one call."""
    connection = HTTPConnection("127.0.0.1", port, timeout=300)
    start = time.perf_counter()
    connection.request("POST", "/v1/chat/completions", body, {"content-type": "application/json"})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    assert answer.status == 200, answer.status
    return (time.perf_counter() - start) * 1000


def processor_s(process):
    """Seconds of the processor that a process' threads took so far."""
    threads = Path(f"/proc/{process.pid}/task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9


def streamed(port, body):
    """So many streams at once, each to its end."""
    with ThreadPoolExecutor(STREAMS) as pool:
        list(pool.map(asked, [port] * STREAMS, [body] * STREAMS))


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
    """Rows: name, median and 99th percentile of a call in ms, the same of the processor's time, and
    microseconds of it an event."""
    upstream = "http://127.0.0.1:9551"
    serve = ("-m", "contextwright.cli", "serve", "--upstream", upstream, "--port")
    spec = ("--spec", "C.compaction(100_000)")
    processes = [
        started(9551, "-c", UPSTREAM, "9551"),
        started(9552, "-c", FORWARDER, "9552", upstream),
        started(9553, *serve, "9553"),
        started(9554, *serve, "9554", *spec),
    ]
    names = ("no proxy", "bare forwarder", "ctx serve, nothing due", "ctx serve, compaction")
    try:
        for port in range(9551, 9555):
            asked(port, body_of(MESSAGES))
        times, work = {name: [] for name in names}, {name: [] for name in names}
        for call in range(calls):
            body = body_of(MESSAGES + 2 * call + 2)
            for port, (name, process) in enumerate(zip(names, processes, strict=True), 9551):
                before = processor_s(process)
                times[name].append(asked(port, body))
                work[name].append((processor_s(process) - before) * 1000)
        stream = body_of(20, stream=True)
        for process, name, port in zip(processes, names, range(9551, 9555), strict=True):
            streamed(port, stream)
            before = processor_s(process)
            for _ in range(ROUNDS):
                streamed(port, stream)
            event_us = (processor_s(process) - before) * 1e6 / (ROUNDS * STREAMS * 250)
            yield name, *middle_and_most(times[name]), *middle_and_most(work[name]), event_us
    finally:
        for process in processes:
            process.terminate()


def main():
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    print(
        "| | median, ms | 99th percentile | processor, ms | 99th percentile | processor an event, µs |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, *figures in measured(calls):
        print(f"| {name} | {' | '.join(f'{figure:.1f}' for figure in figures)} |")


if __name__ == "__main__":
    main()
