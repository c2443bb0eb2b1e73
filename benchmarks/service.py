"""How big a machine a proxy needs, and what its stores cost beside what they stand on.

    python -m benchmarks.service [CONVERSATIONS]     writes docs/reference/service.md

Needs a PostgreSQL server (CONTEXTWRIGHT_POSTGRES_URL, or at its usual port), in which it makes a database
of its own and drops it. The proxy, the upstream and the driver are processes of their own; figures are of
the proxy's process and of its server's CPU time, so that other work on the machine matters little.
"""

import asyncio
import json
import os
import platform
import statistics
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit, urlunsplit

import aiohttp
import psycopg

from benchmarks.proxy_overhead import UPSTREAM, processor_s, started
from contextwright.session import Event, Text
from contextwright.stores.postgres import PostgresDatabase, PostgresSessions
from contextwright.stores.sqlite import SQLiteSessions

PAGE = Path(__file__).parents[1] / "docs/reference/service.md"
URL = os.environ.get("CONTEXTWRIGHT_POSTGRES_URL", "postgresql://127.0.0.1:5432/test")
TURNS = (10, 40, 160)
"""Messages that a conversation has at its measured calls: 2 a call."""
AT_ONCE = 16
APPENDS, LONG = 1_000, 100_000
"""Appends of one event that are timed, and events of the session that is loaded."""


def body_of(conversation, messages):
    """A body of a conversation whose results are of 1 KB."""
    system = {"role": "system", "content": f"You are agent {conversation}."}
    talk = [system, {"role": "user", "content": f"read the files of {conversation}"}]
    for n in range(messages // 2):
        function = {"name": "read", "arguments": f'{{"path": "{conversation}/{n}"}}'}
        call = {"id": f"c{n}", "type": "function", "function": function}
        talk.append({"role": "assistant", "content": None, "tool_calls": [call]})
        text = " ".join(f"{conversation}:{n}:{word} is a word" for word in range(60))
        talk.append({"role": "tool", "tool_call_id": f"c{n}", "content": text})
    tool = {"type": "function", "function": {"name": "read", "parameters": {"type": "object"}}}
    return json.dumps({"model": "gpt-5", "messages": talk, "tools": [tool]}).encode()


async def driven(port, bodies):
    """Send bodies, so many at once."""
    gate = asyncio.Semaphore(AT_ONCE)
    url = f"http://127.0.0.1:{port}/v1/chat/completions"
    async with aiohttp.ClientSession() as session:

        async def sent(body):
            async with gate, session.post(url, data=body) as answer:
                assert answer.status == 200, answer.status
                await answer.read()

        await asyncio.gather(*map(sent, bodies))


def resident_mb(process):
    """Memory of a process."""
    for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    raise AssertionError("no VmRSS")


@contextmanager
def database():
    """The URL of a new database."""
    name = f"ctx_bench_{os.getpid()}"
    with psycopg.connect(URL, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    try:
        yield urlunsplit(urlsplit(URL)._replace(path=f"/{name}"))
    finally:
        with psycopg.connect(URL, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def proxy_rows(conversations):
    """A row a place of the data: CPU ms a call at each length, MB at the end a 100 conversations."""
    upstream = started(9561, "-c", UPSTREAM, "9561")
    serve = ("-m", "contextwright.cli", "serve", "--upstream", "http://127.0.0.1:9561")
    spec = ("--spec", "C.compaction(8000)", "--max-requests", "64")
    with TemporaryDirectory() as folder, database() as url:
        places = {
            "memory": (),
            "a folder (SQLite)": ("--data", folder),
            "PostgreSQL": ("--data", url),
        }
        for number, (place, data) in enumerate(places.items()):
            port = 9562 + number
            process = started(port, *serve, *spec, *data, "--port", str(port))
            try:
                asyncio.run(driven(port, [body_of("first", 2)]))
                begun = resident_mb(process)
                costs = []
                sent = 0
                for length in TURNS:
                    while sent < length - 2:  # the turns between are turns as well
                        sent += 2
                        bodies = [body_of(one, sent) for one in range(conversations)]
                        asyncio.run(driven(port, bodies))
                    sent = length
                    before = processor_s(process)
                    asyncio.run(driven(port, [body_of(n, length) for n in range(conversations)]))
                    costs.append((processor_s(process) - before) * 1000 / conversations)
                grown = (resident_mb(process) - begun) * 100 / conversations
                yield place, costs, begun, grown
            finally:
                process.terminate()
                process.wait()
    upstream.terminate()


def events(count, first=0):
    """Events of 400 characters."""
    return [
        Event(id=f"e{n}", role="user", parts=(Text(text=f"{n} some words of a message " * 14),))
        for n in range(first, first + count)
    ]


def timed(work):
    """Microseconds of each of so many appends, the median; `work` takes the number."""
    each = []
    for n in range(APPENDS):
        start = time.perf_counter()
        work(n)
        each.append((time.perf_counter() - start) * 1e6)
    return statistics.median(each)


def seconds(work):
    """Seconds that a work takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def store_rows():
    """Name, microseconds of an append, seconds to load a long session, ms to load 10 new events."""
    prepared = events(APPENDS)
    rest = events(LONG - APPENDS, APPENDS)
    with TemporaryDirectory() as folder, database() as url:
        with psycopg.connect(url, autocommit=True, prepare_threshold=None) as bare:
            bare.execute("CREATE TABLE bare (seq bigint PRIMARY KEY, body bytea)")
            text = ("some words of a message " * 14).encode()
            insert = "INSERT INTO bare VALUES (%s, %s)"
            append = timed(lambda n: bare.execute(insert, (n, text)))
            with bare.cursor() as cursor:
                cursor.executemany(insert, [(n, text) for n in range(APPENDS, LONG)])
            read = lambda: bare.execute("SELECT body FROM bare ORDER BY seq").fetchall()  # noqa: E731
            yield "bare psycopg, one statement", append, seconds(read)
        stores = {
            "SQLite": SQLiteSessions(Path(folder) / "s.sqlite"),
            "PostgreSQL": PostgresSessions(PostgresDatabase(url)),
        }
        for name, store in stores.items():
            append = timed(lambda n, s=store: s.append("s", [prepared[n]], expected=n))
            for first in range(0, len(rest), 5_000):
                part = rest[first : first + 5_000]
                store.append("s", part, expected=APPENDS + first)
            yield name, append, seconds(lambda s=store: s.load("s"))


HEAD = """# How big a machine

Written by `python -m benchmarks.service`. One process of `ctx serve`, which computes on one core;
{conversations} conversations of an agent that reads files of 1 KB, {at_once} calls at once,
`C.compaction(8000)`. CPU time of the proxy's process a call, its own decoding, compiling and passing on
included, when conversations have so many messages; memory before, and what 100 conversations with
their packs add. Nothing of the upstream, the client or the database is in it.

{system}, {cores} cores shared with other work, Python {python}.

| data in | {calls} | calls a second a core | MB at start | MB a 100 conversations |
| --- |{columns}
"""
MIDDLE = """
Memory ends at `max_bytes` (128 MB of conversations, and as much of packs): what has not been used
longest is let go, and read again when its conversation goes on. More cores: more processes over one
PostgreSQL database ([how](../how-to/run-a-service.md)).

## The stores

The median of {appends:,} appends of one event of 350 characters; and the load of a session of {long:,}
such events, hashes checked and events made. Both servers are on this machine.

| | append, µs | times bare | load, s | times bare |
| --- | ---: | ---: | ---: | ---: |
"""


def page(proxies, stores, conversations):
    """The page's text."""
    text = HEAD.format(
        conversations=conversations,
        at_once=AT_ONCE,
        system=platform.system(),
        cores=os.cpu_count(),
        python=platform.python_version(),
        calls=" | ".join(f"CPU ms a call at {n}" for n in TURNS),
        columns=" ---: |" * (len(TURNS) + 3),
    )
    for place, costs, begun, grown in proxies:
        cells = " | ".join(f"{cost:.1f}" for cost in costs)
        rate = 1000 / statistics.mean(costs)
        text += f"| {place} | {cells} | {rate:,.0f} | {begun:.0f} | {grown:.0f} |\n"
    text += MIDDLE.format(appends=APPENDS, long=LONG)
    _, bare_append, bare_load = stores[0]
    for name, append, load in stores:
        ratios = f"{append / bare_append:.1f} | {load:.2f} | {load / bare_load:.1f}"
        text += f"| {name} | {append:,.0f} | {ratios} |\n"
    return text


def main():
    conversations = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    stores = list(store_rows())
    print(stores)
    proxies = list(proxy_rows(conversations))
    PAGE.write_text(page(proxies, stores, conversations))
    print(PAGE.read_text())


if __name__ == "__main__":
    main()
