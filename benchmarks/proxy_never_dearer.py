"""Whether a recorded session costs more through the proxy than without it, by three providers' rules of caching.

    CONTEXTWRIGHT_DATA=... python -m benchmarks.proxy_never_dearer [SESSIONS] [FILE...]

plays the calls of SESSIONS of each file (default 1) as an agent makes them, straight to an upstream of this machine and
through `ctx serve` in front of it. The upstream bills what it was sent: of an earlier request's beginning, what its
provider's cache would read, at the prices of the table of models. Beside it headroom's proxy and LiteLLM's, where `HEADROOM` and
`LITELLM` are the paths of their commands. Writes docs/reference/proxy-never-dearer.md.
"""

import json
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cache
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.economy_metrics import Message
from benchmarks.peer_proxies import installed, version
from benchmarks.recorded import evenly
from benchmarks.recorded_chats import sessions as recorded
from contextwright import C
from contextwright.engine.session_budget import input_cost
from contextwright.serve.proxy_server import ProxyThread
from contextwright.serve.settings import ProxySettings
from contextwright.spec.expr import Expr
from contextwright.tokens.counter import named_counter
from contextwright.tokens.models import model_info
from contextwright.tokens.usage import Usage

Body = dict[str, Any]

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "proxy-never-dearer.md"
PATHS = {
    "gpt-5": "/v1/chat/completions",
    "claude-sonnet-4-5": "/v1/messages",
    "gemini-2.5-pro": "/v1beta/models/gemini-2.5-pro:generateContent",
}
"""The models, and where they are asked."""
LIMIT = 8_000
SPECS: dict[str, tuple[Expr | None, bool]] = {
    "no spec": (None, False),
    "`--never-dearer`": (C.compaction(LIMIT), True),
    "at once": (C.compaction(LIMIT), False),
}
"""What a proxy is started with, and whether its steps wait."""
MODELS = {"LiteLLM": ("claude-sonnet-4-5",)}
"""Models of a proxy that has nothing for the others."""
FILES = ("pi_coding", "se_agent", "swe_agent", "tau_bench_airline", "tapeagents", "webdancer")
MOST = 30
"""Calls of a session that are played."""
_MARK = {"cache_control": {"type": "ephemeral"}}


class ProviderCache:
    """What a provider bills for requests, each by what it had before.

    Args:
        model: whose rules and prices.
    """

    def __init__(self, model: str) -> None:
        self.info = model_info(model)
        self._seen: set[int] = set()

    def bill(self, body: Body) -> Usage:
        """The bill of a request."""
        rules, pieces = self.info.cache, list(_pieces(body))
        keys, sums, key, total = list[int](), list[int](), 0, 0
        for text, _ in pieces:
            key, total = hash((key, text)), total + _tokens(text)
            keys.append(key)
            sums.append(total)
        marks = [at for at, (_, is_marked) in enumerate(pieces) if is_marked]
        read = 0
        for at in marks if rules.breakpoints else range(len(keys)):
            reach = range(at, max(-1, at - (rules.look_back or 1)), -1)
            read = max([read, *(sums[near] for near in reach if keys[near] in self._seen)])
        self._seen.update(keys[at] for at in (marks if rules.breakpoints else range(len(keys))))
        read = rules.readable(read)
        end = sums[marks[-1]] if rules.breakpoints and marks else 0
        written = max(0, end - read) if end >= rules.minimum else 0
        return Usage(input=total, cached=read, cache_write=written, context=total)


def _pieces(body: Body) -> Iterator[tuple[bytes, bool]]:
    """What a cache reads as one, in the order of the model's reading, and whether a mark stands in it."""
    system = body.get("system") or body.get("systemInstruction")
    for value in (body.get("tools"), system, *(body.get("messages") or body["contents"])):
        if value is not None:
            text = msgspec.json.encode(value, order="sorted")
            plain = msgspec.json.encode(_unmarked(value), order="sorted")
            yield plain, plain != text


def _unmarked(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _unmarked(item) for key, item in value.items() if key != "cache_control"}
    return [_unmarked(item) for item in value] if isinstance(value, list) else value


@cache
def _tokens(text: bytes) -> int:
    return named_counter("o200k_base").count(text.decode())


class BillingUpstream:
    """A server that answers any call with its bill; a context manager.

    Attributes:
        url: its address. bills: of the calls since `begin`.
    """

    def __init__(self) -> None:
        self.bills: list[Usage] = []
        self._cache = ProviderCache("gpt-5")
        handler = type("Handler", (_Handler,), {"upstream": self})
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self._http.server_port}"

    def begin(self, model: str) -> None:
        """Another session, which finds nothing in a cache."""
        self.bills, self._cache = [], ProviderCache(model)

    def answer(self, body: Body) -> Body:
        """The answer to a call, of any provider's form."""
        bill = self._cache.bill(body)
        self.bills.append(bill)
        details = {"prompt_tokens": bill.input, "completion_tokens": 1, "total_tokens": bill.input}
        cached = {"prompt_tokens_details": {"cached_tokens": bill.cached}}
        if "contents" in body:
            counts = {"promptTokenCount": bill.input, "cachedContentTokenCount": bill.cached}
            content = {"role": "model", "parts": [{"text": "ok"}]}
            return {"candidates": [{"content": content}], "usageMetadata": counts}
        if "max_tokens" in body:
            fresh = bill.input - bill.cached - bill.cache_write
            read, written = bill.cached, bill.cache_write
            counts = {"input_tokens": fresh, "output_tokens": 1, "cache_read_input_tokens": read}
            usage = {**counts, "cache_creation_input_tokens": written}
            content = [{"type": "text", "text": "ok"}]
            head = {"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"]}
            return {**head, "content": content, "stop_reason": "end_turn", "usage": usage}
        message = {"role": "assistant", "content": "ok"}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        head = {"id": "c1", "object": "chat.completion", "created": 1, "model": body["model"]}
        return {**head, "choices": [choice], "usage": {**details, **cached}}

    def __enter__(self) -> "BillingUpstream":
        threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._http.shutdown()
        self._http.server_close()


class _Handler(BaseHTTPRequestHandler):
    upstream: BillingUpstream
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is written."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self._reply(self.upstream.answer(body))

    def do_GET(self) -> None:
        self._reply({"data": []})

    def _reply(self, answer: Body) -> None:
        data = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def bodies(messages: list[Message], model: str) -> Iterator[Body]:
    """The bodies of an agent's calls in a session, by its messages in the form of OpenAI Chat."""
    calls = [n for n, one in enumerate(messages) if one["role"] == "assistant" and n][:MOST]
    names = [call["function"]["name"] for one in messages for call in one.get("tool_calls") or ()]
    form = _FORMS[model]
    for at in calls:
        if any(one["role"] == "user" for one in messages[:at]):
            yield form(messages[:at], list(dict.fromkeys(names)))


def _chat(messages: list[Message], names: list[str]) -> Body:
    kept = ("role", "content", "tool_calls", "tool_call_id")
    listed = [{key: one[key] for key in kept if key in one} for one in messages]
    functions = [{"name": name, "parameters": {"type": "object"}} for name in names]
    tools = [{"type": "function", "function": function} for function in functions]
    return {"model": "gpt-5", "messages": listed, **({"tools": tools} if tools else {})}


def _claude(messages: list[Message], names: list[str]) -> Body:
    """With the marks of Claude Code: behind the system text, and at the end."""
    listed: list[Body] = []
    for one in messages:
        role, blocks = _claude_blocks(one)
        if listed and listed[-1]["role"] == role:
            listed[-1]["content"] += blocks
        elif role != "system" and blocks:
            listed.append({"role": role, "content": blocks})
    if listed and listed[-1]["content"]:
        listed[-1]["content"][-1] = {**listed[-1]["content"][-1], **_MARK}
    system = "\n".join(one["content"] for one in messages if one["role"] == "system")
    tools = [{"name": name, "input_schema": {"type": "object"}} for name in names]
    made: Body = {"model": "claude-sonnet-4-5", "max_tokens": 1000, "messages": listed}
    made |= {"system": [{"type": "text", "text": system, **_MARK}]} if system else {}
    return made | ({"tools": tools} if tools else {})


def _claude_blocks(one: Message) -> tuple[str, list[Body]]:
    if one["role"] == "tool":
        result = {"type": "tool_result", "tool_use_id": one["tool_call_id"]}
        return "user", [{**result, "content": one["content"] or "(empty)"}]
    blocks: list[Body] = [{"type": "text", "text": one["content"]}] if one["content"] else []
    for call in one.get("tool_calls") or ():
        use = {"type": "tool_use", "id": call["id"], "name": call["function"]["name"]}
        blocks.append({**use, "input": _arguments(call)})
    return one["role"], blocks


def _gemini(messages: list[Message], names: list[str]) -> Body:
    contents: list[Body] = []
    called: dict[str, str] = {}
    for one in messages:
        parts: list[Body] = [{"text": one["content"]}] if one["content"] else []
        for call in one.get("tool_calls") or ():
            called[call["id"]] = call["function"]["name"]
            made = {"name": call["function"]["name"], "args": _arguments(call), "id": call["id"]}
            parts.append({"functionCall": made})
        role = "model" if one["role"] == "assistant" else "user"
        if one["role"] == "tool":
            made = {"id": one["tool_call_id"], "name": called[one["tool_call_id"]]}
            parts = [{"functionResponse": {**made, "response": {"result": one["content"]}}}]
        if one["role"] != "system" and contents and contents[-1]["role"] == role:
            contents[-1]["parts"] += parts
        elif one["role"] != "system" and parts:
            contents.append({"role": role, "parts": parts})
    system = "\n".join(one["content"] for one in messages if one["role"] == "system")
    declared = [{"name": name, "parametersJsonSchema": {"type": "object"}} for name in names]
    return {
        "contents": contents,
        **({"systemInstruction": {"parts": [{"text": system}]}} if system else {}),
        **({"tools": [{"functionDeclarations": declared}]} if declared else {}),
    }


_FORMS = {"gpt-5": _chat, "claude-sonnet-4-5": _claude, "gemini-2.5-pro": _gemini}


def _arguments(call: Body) -> Any:
    try:
        made = json.loads(call["function"]["arguments"] or "{}")
    except ValueError:
        return {}
    return made if isinstance(made, dict) else {}


def played(upstream: BillingUpstream, url: str, model: str, calls: list[Body]) -> int | None:
    """Microdollars of the input of a session's calls at a base URL; None where one was not answered."""
    upstream.begin(model)
    connection = HTTPConnection(url.partition("//")[2], timeout=300)
    headers = {"content-type": "application/json", "authorization": "Bearer k", "x-api-key": "k"}
    for body in calls:
        connection.request("POST", PATHS[model], json.dumps(body), headers)
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            return None
    connection.close()
    return sum(input_cost(bill, model_info(model)) for bill in upstream.bills)


@contextmanager
def ways(upstream: str) -> Iterator[Mapping[str, str]]:
    """The base URL of each proxy, by its name in the table."""
    with ExitStack() as stack:
        urls: dict[str, str] = {}
        for name, (spec, waits) in SPECS.items():
            settings = ProxySettings(
                upstream=upstream, port=0, spec=spec, never_dearer=waits, deadline_s=600
            )
            urls[name] = stack.enter_context(ProxyThread(settings)).url
        for name, started in installed(LIMIT).items():
            urls[name] = stack.enter_context(started(upstream))
        yield urls


Row = tuple[str, str, int, int, list[int | None]]
"""Session, model, calls, microdollars without a proxy, and through each."""


def rows(
    count: int, files: tuple[str, ...], urls: Mapping[str, str], upstream: BillingUpstream
) -> Iterator[Row]:
    """A row a session and model, as they are measured."""
    for name in files:
        for number, messages in enumerate(evenly(recorded(name), count)):
            for model in PATHS:
                calls = list(bodies(messages, model))
                if whole := played(upstream, upstream.url, model, calls):
                    costs = [
                        played(upstream, url, model, calls)
                        if model in MODELS.get(way, PATHS)
                        else None
                        for way, url in urls.items()
                    ]
                    yield f"{name} {number + 1}", model, len(calls), whole, costs


def _shares(row: Row) -> list[str]:
    return ["-" if cost is None else f"{cost / row[3]:.3f}" for cost in row[4]]


def _summary(ways: list[str], found: list[Row]) -> Iterator[list[str]]:
    """A row a proxy: sessions, the cost of all, the dearest, how many cost more than direct."""
    for at, way in enumerate(ways):
        played_here = [(row[3], cost) for row in found if (cost := row[4][at]) is not None]
        if not played_here:
            yield [way, "0", "-", "-", "-"]
            continue
        whole, taken = map(sum, zip(*played_here, strict=True))
        dearer = sum(cost > direct * 1.001 for direct, cost in played_here)
        most = max(cost / direct for direct, cost in played_here)
        yield [way, str(len(played_here)), f"{taken / whole:.3f}", f"{most:.3f}", str(dearer)]


def _table(lines: list[list[str]], texts: int) -> str:
    head, *others = lines
    ruled = [head, [*["---"] * texts, *["---:"] * (len(head) - texts)], *others]
    return "\n".join(f"| {' | '.join(line)} |" for line in ruled)


def page(ways: list[str], found: list[Row]) -> str:
    """The page of the figures."""
    measured = [
        [row[0], row[1], str(row[2]), f"{row[3] / 1e6:.4f}", *_shares(row)] for row in found
    ]
    table = _table([["session", "model", "calls", "direct, $", *ways], *measured], 2)
    sums = [["proxy", "sessions", "cost of all", "dearest session", "sessions dearer than direct"]]
    peers = ", ".join(version(name) for name in ways if name not in SPECS)
    return f"""# What recorded sessions cost through the proxy

Written by `python -m benchmarks.proxy_never_dearer`. Recorded sessions, call by call (the first {MOST}), straight to an upstream that bills by
its provider's rules of caching and prices, and through a proxy in front of it: `ctx serve` without a spec, with `--spec
'C.compaction({LIMIT})'`, with `--never-dearer` and without (at once), and, where they were there, headroom's proxy as it starts by itself and LiteLLM's with its callback
`compression_interception` at a trigger of {LIMIT:,} tokens, which is for Anthropic's Messages. Input only; 1 is what the session costs
without a proxy; a dash where a proxy did not answer, or has nothing for this interface. Claude's bodies have the marks of Claude
Code. What a counter learns from bills depends on the sessions before.{f" In this run: {peers}." if peers else ""}

{_table([*sums, *_summary(ways, found)], 1)}

With `--never-dearer` a step waits until what was saved covers it ([ADR 85](../adr/0085-a-step-waits-until-it-is-paid-for.md)). Taken at once, it has cost more than it
saved where a conversation ends soon behind it. Without a spec nothing is done while everything fits. LiteLLM's compression takes nothing in
front of the caller's last cache mark; Claude Code's stands at the end.

{table}
"""


def main() -> None:
    """Measure, and write the page."""
    number, *chosen = sys.argv[1:] or ["1"]
    found: list[Row] = []
    with BillingUpstream() as upstream, ways(upstream.url) as urls:
        for row in rows(int(number), tuple(chosen) or FILES, urls, upstream):
            found.append(row)
            print(row[0], row[1], row[2], *_shares(row), sep=" | ", flush=True)
        PAGE.write_text(page(list(urls), found))


if __name__ == "__main__":
    main()
