"""Ways of keeping a session within a budget that everybody writes: the newest, cleared results,
steps."""

import json
from collections.abc import Callable, Iterator, Sequence

from benchmarks.economy_metrics import Message, Method, Request, tokens_of

PLACEHOLDER = "[old tool result cleared]"


def full() -> Method:
    """Everything."""
    return lambda messages: Request(messages)


def exchanges_of(messages: Sequence[Message]) -> list[list[int]]:
    """Places of messages that go together: a call with its results, or one message."""
    found: list[list[int]] = []
    for at, message in enumerate(messages):
        if message["role"] == "tool" and found:
            found[-1].append(at)
        else:
            found.append([at])
    return found


def _head(messages: list[Message]) -> int:
    return 1 if messages and messages[0]["role"] == "system" else 0


def last_n(budget: int) -> Method:
    """The newest exchanges that fit, from a user message on or with the first one kept."""

    def method(messages: list[Message]) -> Request:
        head = messages[: _head(messages)]
        room = budget - sum(map(tokens_of, head))
        kept: list[Message] = []
        for exchange in reversed(exchanges_of(messages)[len(head) :]):
            part = [messages[at] for at in exchange]
            room -= sum(map(tokens_of, part))
            if room < 0:
                break
            kept = part + kept
        return Request(head + kept)

    return method


def masking(keep: int) -> Method:
    """Only the newest `keep` tool results stay."""

    def method(messages: list[Message]) -> Request:
        places = [at for at, m in enumerate(messages) if m["role"] == "tool"]
        return Request(_cleared(messages, set(places[: len(places) - keep])))

    return method


def _cleared(messages: list[Message], places: set[int]) -> list[Message]:
    return [{**m, "content": PLACEHOLDER} if at in places else m for at, m in enumerate(messages)]


def superseded() -> Method:
    """Results go when the same was asked again: same path, else same arguments."""

    def method(messages: list[Message]) -> Request:
        newest: dict[str, int] = {}
        gone: set[int] = set()
        calls = {c["id"]: c for m in messages for c in m.get("tool_calls") or ()}
        for at, message in enumerate(messages):
            if message["role"] == "tool":
                call = calls[message["tool_call_id"]]["function"]
                key = call["name"] + call["arguments"]
                try:
                    path = json.loads(call["arguments"]).get("path")
                    key = call["name"] + path if path else key
                except (ValueError, AttributeError):
                    pass
                if key in newest:
                    gone.add(newest[key])
                newest[key] = at
            else:
                for call in message.get("tool_calls") or ():
                    calls[call["id"]] = call
        return Request(_cleared(messages, gone))

    return method


def head_tail(characters: int) -> Method:
    """Every result to so many characters of its beginning and of its end."""

    def method(messages: list[Message]) -> Request:
        return Request(
            [
                {**m, "content": m["content"][:characters] + "\n...\n" + m["content"][-characters:]}
                if m["role"] == "tool" and len(m["content"]) > 2 * characters
                else m
                for m in messages
            ]
        )

    return method


def clearing(budget: int, keep: int = 3, fraction: float = 0.75) -> Method:
    """When the budget would be passed: the oldest results go, but for the newest, then the oldest
    exchanges, down to a share of it; then nothing until the next time."""
    return _stepped(budget, fraction, keep)


def dropping(budget: int, fraction: float = 0.5) -> Method:
    """The oldest exchanges go, in steps."""
    return _stepped(budget, fraction, None)


def _stepped(budget: int, fraction: float, keep: int | None) -> Method:
    cleared: set[int] = set()
    dropped = 0

    def method(messages: list[Message]) -> Request:
        nonlocal dropped
        head = _head(messages)

        def sent() -> list[Message]:
            whole = _cleared(messages, cleared)
            return whole[:head] + whole[max(head, dropped) :]

        def size() -> int:
            return sum(map(tokens_of, sent()))

        if size() > budget:
            results = [at for at, m in enumerate(messages) if m["role"] == "tool"]
            for at in results[: len(results) - keep] if keep is not None else ():
                if size() <= budget * fraction:
                    break
                cleared.add(at)
            for exchange in exchanges_of(messages)[head:-1]:
                if size() <= budget * fraction:
                    break
                dropped = max(dropped, exchange[-1] + 1)
        return Request(sent())

    return method


def baselines(budget: int) -> Iterator[tuple[str, str, Callable[[], Method]]]:
    """All of them at a budget: what each is called, its setting, and what makes it."""
    yield "full history", "", full
    yield "last-N", "", lambda: last_n(budget)
    yield "masking", "keep 10", lambda: masking(10)
    yield "superseded results go", "", superseded
    yield "head + tail", "1,000 characters", lambda: head_tail(1000)
    yield "clearing in steps", "to .75", lambda: clearing(budget)
    yield "dropping in steps", "to .5", lambda: dropping(budget)
