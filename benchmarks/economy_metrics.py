"""What a request is worth and what it costs, without an LLM: a method is called at every assistant
message of a recorded session, as an agent would call it, and its requests are measured.

`recall`: argument values of the next calls that occur earlier in the session and are in the
request; `calls`: calls with all of them in it; `recov`: values in it or behind a ref that it
shows; `tokens` and `cost` relative to full history; `invalid` and `over`: shares of requests.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from contextwright.tokens.counter import named_counter
from contextwright.tokens.models import ModelInfo, model_info
from contextwright.traces.later_values import argument_terms, shows

Message = dict[str, Any]
OVERHEAD = 4
"""Tokens of a message beside its words."""

_count = cache(named_counter("o200k_base").count)


@dataclass
class Request:
    """What a method sends.

    Args:
        messages: as OpenAI Chat takes them.
        refs: refs that the messages show, each with the places of the messages behind it, or with
            the text where it names a part of them.
        marks: places in `messages` after which Anthropic's prompt cache may be asked to write,
            beside the end of system and the end of the request; two at most.
    """

    messages: list[Message]
    refs: Mapping[str, Sequence[int] | str] = field(default_factory=dict)
    marks: Sequence[int] = ()


Method = Callable[[list[Message]], Request]
"""The messages so far to a request; one is made for each session, and may remember."""


def text_of(message: Message) -> str:
    """All that a model reads in a message: content, names and arguments as they are written."""
    content = message.get("content") or ""
    calls = message.get("tool_calls") or ()
    if not calls:
        return content
    written = (f"{c['function']['name']}\n{c['function']['arguments']}" for c in calls)
    return "\n".join([content, *written])


def tokens_of(message: Message) -> int:
    """Tokens of a message, by o200k."""
    total = OVERHEAD + _count(message.get("content") or "")
    for call in message.get("tool_calls") or ():
        total += _count(call["function"]["name"]) + _count(call["function"]["arguments"])
    return total


values_of = cache(argument_terms)
"""What a call's arguments are judged by: the package's own reading."""


def signature(message: Message) -> tuple[Any, ...]:
    """What tells a message from others, for the cache."""
    calls = message.get("tool_calls")
    written = json.dumps(calls) if calls else calls
    return message["role"], message.get("content"), written, message.get("tool_call_id")


class OpenAICache:
    """Longest prefix seen before, by the rules and prices of gpt-5."""

    def __init__(self) -> None:
        self.info = model_info("gpt-5")
        self.seen: set[int] = set()

    def cost(self, keys: Sequence[int], tokens: Sequence[int], marks: Sequence[int]) -> float:
        total = read = 0
        for key, size in zip(keys, tokens, strict=True):
            total += size
            if key in self.seen:
                read = total
        self.seen.update(keys)
        read = self.info.cache.readable(read)
        return total - (1 - _share(self.info.cached_price, self.info)) * read


class AnthropicCache:
    """Written at breakpoints, found a few messages before one, by the rules and prices of
    claude-sonnet-4-5."""

    def __init__(self) -> None:
        self.info = model_info("claude-sonnet-4-5")
        self.written: set[int] = set()

    def cost(self, keys: Sequence[int], tokens: Sequence[int], marks: Sequence[int]) -> float:
        if not keys:
            return 0.0
        rules = self.info.cache
        points = sorted({0, len(keys) - 1, *marks})
        sums = [0]
        for size in tokens:
            sums.append(sums[-1] + size)
        read = 0
        for point in points:
            for at in range(point, max(-1, point - rules.look_back - 1), -1):
                if keys[at] in self.written:
                    read = max(read, sums[at + 1])
                    break
        self.written.update(keys[point] for point in points)
        read = rules.readable(read)
        cached, written = (
            _share(price, self.info)
            for price in (self.info.cached_price, self.info.cache_write_price)
        )
        return cached * read + written * (sums[-1] - read)


def _share(price: int, info: ModelInfo) -> float:
    return price / info.input_price


def keys_of(messages: Sequence[Message]) -> list[int]:
    """A key for each prefix of a request."""
    keys, key = [], 0
    for message in messages:
        key = hash((key, signature(message)))
        keys.append(key)
    return keys


def is_valid(messages: Sequence[Message]) -> bool:
    """Whether providers take it: calls with their results right behind, a user or system first."""
    if not messages or all(m["role"] in ("system", "developer") for m in messages):
        return False
    first = next(m for m in messages if m["role"] not in ("system", "developer"))
    if first["role"] != "user":
        return False
    open_calls: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            if message["tool_call_id"] not in open_calls:
                return False
            open_calls.remove(message["tool_call_id"])
            continue
        if open_calls:
            return False
        open_calls = [call["id"] for call in message.get("tool_calls") or ()]
    return not open_calls


@dataclass
class Score:
    """Sums over the requests of one or more sessions."""

    values: int = 0
    seen: int = 0
    reachable: int = 0
    calls: int = 0
    whole: int = 0
    requests: int = 0
    invalid: int = 0
    over: int = 0
    unseen_fresh: int = 0
    tokens: int = 0
    openai: float = 0.0
    anthropic: float = 0.0
    missed: list[tuple[int, str, tuple[str, ...]]] = field(default_factory=list)

    def add(self, other: "Score") -> None:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    @property
    def recall(self) -> float:
        return self.seen / self.values if self.values else 1.0

    @property
    def call_share(self) -> float:
        return self.whole / self.calls if self.calls else 1.0

    @property
    def recov(self) -> float:
        return self.reachable / self.values if self.values else 1.0


def score(messages: list[Message], method: Method, budget: int | None = None) -> Score:
    """One session, called at every assistant message."""
    total = Score()
    for found in scores(messages, method, budget):
        total.add(found)
    return total


def asked_at(messages: Sequence[Message]) -> list[int]:
    """Places of the messages for which an agent called the model."""
    return [
        at
        for at, message in enumerate(messages)
        if at and message["role"] == "assistant" and not message.get("is_demo")
    ]


def scores(messages: list[Message], method: Method, budget: int | None = None) -> Iterator[Score]:
    """One session, called at every assistant message: each request by itself."""
    caches = (OpenAICache(), AnthropicCache())
    texts = [text_of(message) for message in messages]
    own = [tokens_of(message) for message in messages]
    for at in asked_at(messages):
        request, found = method(messages[:at]), Score()
        sizes = [tokens_of(m) for m in request.messages]
        keys = keys_of(request.messages)
        found.requests += 1
        found.tokens += sum(sizes)
        found.openai += caches[0].cost(keys, sizes, request.marks)
        found.anthropic += caches[1].cost(keys, sizes, request.marks)
        found.invalid += not is_valid(request.messages)
        found.over += budget is not None and sum(sizes) > budget
        found.unseen_fresh += not _fresh_whole(messages, at, request.messages)
        calls = messages[at].get("tool_calls") or ()
        if calls:
            _provenance(found, at, calls, texts, _readable(request, own, budget))
        yield found


READ = 4
"""A ref recovers what reads within this part of the budget: a longer text pushes out what it is
read for."""


def _readable(request: Request, tokens: Sequence[int], budget: int | None) -> Request:
    """The request with the refs that can be read at once."""
    if budget is None or not request.refs:
        return request
    refs = {
        ref: behind
        for ref, behind in request.refs.items()
        if _tokens_behind(behind, tokens) <= budget // READ
    }
    return Request(request.messages, refs, request.marks)


def _tokens_behind(behind: Sequence[int] | str, tokens: Sequence[int]) -> int:
    return _count(behind) if isinstance(behind, str) else sum(tokens[place] for place in behind)


def _fresh_whole(messages: list[Message], at: int, sent: list[Message]) -> bool:
    contents = {m.get("tool_call_id"): m["content"] for m in sent if m["role"] == "tool"}
    fresh = at - 1
    while fresh >= 0 and messages[fresh]["role"] == "tool":
        if not _same(messages[fresh]["content"], contents.get(messages[fresh]["tool_call_id"])):
            return False
        fresh -= 1
    return True


def _same(result: str, shown: str | None) -> bool:
    """Byte for byte, or the same JSON."""
    if result == shown or shown is None:
        return result == shown
    try:
        return json.loads(result) == json.loads(shown)
    except ValueError:
        return False


def _provenance(
    found: Score, at: int, calls: Sequence[Message], texts: list[str], request: Request
) -> None:
    earlier = "\n".join(texts[:at])
    shown = "\n".join(text_of(m) for m in request.messages)
    behind: str | None = None
    for call in calls:
        wanted = [v for v in values_of(call["function"]["arguments"]) if shows(earlier, v)]
        if not wanted:
            continue
        missing = [value for value in wanted if not shows(shown, value)]
        found.calls += 1
        found.whole += not missing
        found.values += len(wanted)
        found.seen += len(wanted) - len(missing)
        found.reachable += len(wanted)
        if missing:
            if behind is None:
                found_by = [behind for ref, behind in request.refs.items() if ref in shown]
                places = {p for one in found_by if not isinstance(one, str) for p in one}
                parts = [one for one in found_by if isinstance(one, str)]
                behind = "\n".join([*(texts[p] for p in sorted(places)), *parts])
            lost = [value for value in missing if not shows(behind, value)]
            found.reachable -= len(lost)
            found.missed.append((at, call["function"]["name"], tuple(missing)))


def hard_values(messages: list[Message], shrink: Callable[[str], str]) -> tuple[int, int, int, int]:
    """Compression at equal recall: tokens of results older than the newest 3 in short and whole,
    and argument values of calls that only these hold: how many stay, and how many there are."""
    short = whole = kept = all_ = 0
    texts = [text_of(message) for message in messages]
    for at, message in enumerate(messages):
        calls = message.get("tool_calls") or ()
        places = [i for i in range(at) if messages[i]["role"] == "tool"][:-3]
        if not calls or not places:
            continue
        stale = "\n".join(texts[i] for i in places)
        other = "\n".join(texts[i] for i in range(at) if i not in set(places))
        left = "\n".join(shrink(texts[i]) for i in places)
        short += sum(_count(shrink(texts[i])) for i in places)
        whole += sum(_count(texts[i]) for i in places)
        for call in calls:
            for value in values_of(call["function"]["arguments"]):
                if shows(stale, value) and not shows(other, value):
                    all_ += 1
                    kept += shows(left, value)
    return short, whole, kept, all_
