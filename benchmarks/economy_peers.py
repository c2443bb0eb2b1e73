# pyright: reportUnusedImport=false
"""What LangChain keeps, in the same table: `trim_messages`, and the clearing of
`ContextEditingMiddleware`. Both are called for each request with the whole session, as an agent
calls them; they keep no state between requests."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from benchmarks.economy_frameworks import frameworks
from benchmarks.economy_metrics import Message, Method, Request, tokens_of
from benchmarks.economy_summaries import summaries


def peers(budget: int) -> Iterator[tuple[str, str, Callable[[], Method]]]:
    """Name, setting and maker of every peer that is installed, over a grid of its settings."""
    yield from _langchain(budget)
    yield from frameworks(budget)
    yield from summaries(budget)


def _langchain(budget: int) -> Iterator[tuple[str, str, Callable[[], Method]]]:
    try:
        import langchain_core.messages  # noqa: F401
    except ImportError:
        return
    for share in (1.0, 0.75, 0.5):
        for start in ("human", None):
            setting = f"max_tokens={int(budget * share)}, start_on={start}"
            yield "LangChain trim_messages", setting, partial(trimmed, int(budget * share), start)
    try:
        import langchain.agents.middleware  # noqa: F401
    except ImportError:
        return
    for share in (1.0, 0.5):
        for keep in (3, 10, 20):
            for least in (0, budget // 4):
                setting = f"trigger={int(budget * share)}, keep={keep}, clear_at_least={least}"
                made = partial(cleared, int(budget * share), keep, least)
                yield "LangChain ContextEditing", setting, made


class _Converter:
    """Messages of one session as LangChain's, each made once, and back."""

    def __init__(self) -> None:
        self.made: list[Any] = []
        self.sizes: dict[str, int] = {}

    def to(self, messages: Sequence[Message]) -> list[Any]:
        from langchain_core.messages import convert_to_messages

        for at in range(len(self.made), len(messages)):
            message = {k: v for k, v in messages[at].items() if k != "is_demo"}
            made = convert_to_messages([message])[0]
            made.id = str(at)
            self.made.append(made)
            self.sizes[made.id] = tokens_of(messages[at])
        return self.made[: len(messages)]

    def count(self, messages: Sequence[Any]) -> int:
        total = 0
        for message in messages:
            if message.response_metadata.get("context_editing"):
                total += 8
            else:
                total += self.sizes[message.id]
        return total

    def back(self, sent: Sequence[Any], messages: Sequence[Message]) -> list[Message]:
        found = []
        for message in sent:
            own = messages[int(message.id)]
            cleared = message.response_metadata.get("context_editing")
            found.append({**own, "content": message.content} if cleared else own)
        return found


def trimmed(limit: int, start: str | None, *, system: bool = True) -> Method:
    from langchain_core.messages import trim_messages

    converter = _Converter()

    def method(messages: list[Message]) -> Request:
        sent = trim_messages(
            converter.to(messages),
            max_tokens=limit,
            token_counter=converter.count,
            strategy="last",
            start_on=start,
            include_system=system,
        )
        return Request(converter.back(sent, messages))

    return method


def cleared(trigger: int, keep: int, least: int) -> Method:
    from langchain.agents.middleware import ClearToolUsesEdit

    converter = _Converter()
    edit = ClearToolUsesEdit(trigger=trigger, keep=keep, clear_at_least=least)

    def method(messages: list[Message]) -> Request:
        sent = list(converter.to(messages))
        edit.apply(sent, count_tokens=converter.count)
        return Request(converter.back(sent, messages))

    return method
