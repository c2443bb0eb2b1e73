"""What a spec of ours sends of a recorded session, and what its refs lead to."""

import re
from collections.abc import Sequence

from benchmarks.economy_metrics import Message, Method, Request, text_of
from contextwright import C, Engine, Session, target
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.render.exchange_text import text_behind
from contextwright.session import Text, ToolCall, ToolResult
from contextwright.session.snapshot import Snapshot
from contextwright.spec.expr import Expr
from contextwright.spec.inputs import Memo
from contextwright.text.line_matches import line_count, lines_in, read_range

REF = re.compile(r"(?<![\w#./])(?:event://)?e(\d+)(?:#\.\.e(\d+)|-e(\d+)|#\d+)?(?![\w-])")
"""A ref, or the id of a note's line, alone or in a range."""
LINES = re.compile(r"\be\d+ \[lines [\d -]+-\]")
"""An exchange with the lines with which its parts begin and end."""


def compaction(budget: int) -> Method:
    """Ours, by its defaults: `C.compaction(budget)` over the whole conversation."""
    return compiled(C.default() | C.compaction(budget))


def minified(budget: int) -> Method:
    """`C.compaction` over JSON without its blanks."""
    return compiled(C.default() | C.minify() | C.compaction(budget))


def compiled(spec: Expr) -> Method:
    """What a spec sends."""
    session, memo = Session(), Memo()
    given = target(
        "gpt-5",
        window=1_000_000,
        reserved_output=0,
        format="openai-chat",
        cache=False,
        refs="show",
    )

    def method(messages: list[Message]) -> Request:
        for message in messages[len(session) :]:
            _append(session, message)
        pack = SpecCompiler(spec, memo=memo).compile(session.snapshot(), given)
        sent = [
            {key: value for key, value in message.items() if value is not None}
            for message in pack.request["messages"]
        ]
        shown = "\n".join(map(text_of, sent))
        refs: dict[str, Sequence[int] | str] = {}
        for match in LINES.finditer(shown):
            refs |= parts_behind(match[0], session.snapshot())
        for match in REF.finditer(shown):
            first = int(match[1])
            last = int(match[2] or match[3] or first)
            if last >= len(messages):
                continue
            while last + 1 < len(messages) and messages[last + 1]["role"] == "tool":
                last += 1
            refs[match[0]] = range(first, last + 1)
        return Request(sent, refs)

    return method


def by_engine(spec: Expr) -> Method:
    """What an engine with its defaults sends, its summaries made by the embedded models."""
    session, engine = Session(), Engine(spec, "gpt-5", window=1_000_000, reserved_output=0)

    def method(messages: list[Message]) -> Request:
        for message in messages[len(session) :]:
            _append(session, message)
        sent = engine.compile(session).request["messages"]
        return Request([{k: v for k, v in one.items() if v is not None} for one in sent])

    return method


def parts_behind(named: str, snapshot: Snapshot) -> dict[str, str]:
    """What is behind `e7 [lines 1-40 41-]`, by each of its ranges with the id in front of it, or
    with what stands between."""
    id, _, ranges = named.removesuffix("]").partition(" [lines ")
    text = text_behind(id, snapshot, str)
    total = line_count(text)
    behind: dict[str, str] = {}
    for one in ranges.split():
        lines = read_range(one, total)
        if lines is not None:
            behind[named[: named.index(one) + len(one)]] = lines_in(text, lines)
    return behind


def _append(session: Session, message: Message) -> None:
    text, role = message.get("content") or "", message["role"]
    if role == "assistant":
        calls = [
            ToolCall(
                id=call["id"],
                name=call["function"]["name"],
                arguments=call["function"]["arguments"],
            )
            for call in message.get("tool_calls") or ()
        ]
        session.assistant(*([Text(text=text)] if text or not calls else []), *calls)
    elif role == "tool":
        result = ToolResult(call_id=message["tool_call_id"], content=(Text(text=text),))
        session.add("tool", result)
    else:
        session.add("system" if role in {"system", "developer"} else "user", text)
