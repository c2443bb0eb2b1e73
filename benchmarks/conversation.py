"""What a call costs whose caller hands over all messages so far, by how many there are.

    CONTEXTWRIGHT_DATA=... python -m benchmarks.conversation [MOST]

writes docs/reference/conversation.md. Recorded sessions, chained, as OpenAI Chat bodies; times are of the processor, in
this process, beside what decoding the same body costs there.
"""

import gc
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import msgspec

from benchmarks.recorded import chained
from contextwright import C, Context, Conversation, Session, compile, write_session

PAGE = Path(__file__).parents[1] / "docs/reference/conversation.md"
SIZES = (100, 1_500, 10_000, 100_000)
NEW = 2
"""Messages that each call brings: a call of the model and its result."""
CALLS = 7
SPEC = C.default() | C.compaction(32_000)


class Row(NamedTuple):
    """Milliseconds of the processor at one length."""

    messages: int
    megabytes: float
    decode: float
    first: float
    update: float
    same: float
    context: float
    fresh: float


def milliseconds(work: Callable[[], Any]) -> float:
    """What a piece of work costs the processor."""
    gc.collect()
    start = time.process_time()
    work()
    return 1000 * (time.process_time() - start)


def measured(count: int) -> Row:
    """One length: decoding, reading all, going on from there, a whole call, and a call without a living session."""
    session = Session("run")
    session.extend(chained("swe_agent", count))
    messages = msgspec.json.decode(write_session(session, "openai-chat"))
    bodies = [
        msgspec.json.encode({"model": "gpt-5", "messages": messages[: count - NEW * back]})
        for back in range(CALLS, -1, -1)
    ]
    decode = median(milliseconds(lambda body=body: msgspec.json.decode(body)) for body in bodies)
    decoded = [msgspec.json.decode(body) for body in bodies]
    conversation, context = Conversation(), Context(SPEC)
    first = milliseconds(lambda: conversation.update(decoded[0]))
    update = median(milliseconds(lambda b=b: conversation.update(b)) for b in decoded[1:])
    same = median(milliseconds(lambda: conversation.update(decoded[-1])) for _ in range(5))
    context(decoded[0])
    whole = median(milliseconds(lambda b=b: context(b)) for b in decoded[1:])
    fresh = milliseconds(lambda: compile(decoded[-1], SPEC)) if count <= 10_000 else float("nan")
    return Row(count, len(bodies[-1]) / 1e6, decode, first, update, same, whole, fresh)


def page(rows: list[Row]) -> str:
    """The page."""
    lines = [
        "# What a call costs that hands over all messages",
        "",
        "Measured by `python -m benchmarks.conversation`: recorded runs of a coding agent, chained, as OpenAI Chat bodies that",
        "are decoded anew for each call, two new messages a call; milliseconds of the processor on one machine. `decode` is",
        "decoding the body with msgspec, the fastest there is. `update` is `Conversation.update`, `context` the whole of",
        "`Context(C.default() | C.compaction(32_000))`: read, compile, write back. `fresh` is `compile` of the same body",
        "without a living session.",
        "",
        "| messages | MB | decode | first reading | update | of decode | same objects again | context | fresh |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in rows:
        fresh = "-" if row.fresh != row.fresh else f"{row.fresh:,.0f}"
        lines.append(
            f"| {row.messages:,} | {row.megabytes:.1f} | {row.decode:.1f} | {row.first:,.0f} | {row.update:.1f} | "
            f"{row.update / row.decode:.2f} | {row.same:.1f} | {row.context:.1f} | {fresh} |"
        )
    lines += [
        "",
        "An update compares the messages with copies of their containers: the larger part of it is comparing texts, which",
        "costs less where the caller hands over the same objects again. Only what is new is read. How it tells one message",
        "from another: [ADR 41](../adr/0041-conversations-are-told-by-what-they-say.md).",
        "",
        "`python -m benchmarks.interleaved 10000` runs random courses of conversations that begin alike, fork, are edited, come",
        "back and are restarted from a file; it ends at the first session that has a message of another. All 10,000, with 86,241",
        "sessions, were run on 2026-11-23 without one.",
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    most = int(sys.argv[1]) if len(sys.argv) > 1 else SIZES[-1]
    rows: list[Row] = []
    for size in SIZES:
        if size <= most:
            rows.append(measured(size))
            print(rows[-1], flush=True)
    PAGE.write_text(page(rows))
