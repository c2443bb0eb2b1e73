# pyright: reportMissingImports=false, reportArgumentType=false
"""LangChain's middleware that summarizes, and LiteLLM's trimming, for the same table.

A summary wants a model. None is asked here: the middleware takes a function in its place, and is
given `lead`, the beginning of each message, 500 tokens at most in all. So its rows say what its cuts
are worth, and how often these are made; what a good model's summary adds is not in them, and what
it asks is not in their cost.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any

from benchmarks.economy_metrics import Message, Method, Request, tokens_of

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # nothing is fetched
Peer = tuple[str, str, Callable[[], Method]]
LEAD = 500
"""Tokens of a stand-in for a model's summary."""


def lead(messages: Sequence[Any]) -> str:
    """The beginning of each message, in as many tokens as a summary has."""
    each = max(40, 4 * LEAD // max(1, len(messages)))
    lines = [f"{m.type}: {' '.join(str(m.content).split())[:each]}" for m in messages]
    return "\n".join(lines)[: 4 * LEAD]


def summaries(budget: int) -> Iterator[Peer]:
    """Those that are installed, over a grid."""
    for share, rest in product((1.0, 0.9), (0.5, 0.25)):
        given = {"trigger": int(budget * share), "keep": int(budget * rest)}
        setting = ", ".join(f"{name}=('tokens', {size})" for name, size in given.items())
        if installed("langchain.agents.middleware"):
            yield "LangChain Summarization (lead)", setting, partial(langchain, **given)
    if installed("litellm.utils"):
        for share, ratio in product((1.0, 0.75, 0.5), (1.0, 0.75)):
            limit = int(budget * share)
            setting = f"max_tokens={limit}, trim_ratio={ratio}"
            yield "LiteLLM trim_messages", setting, partial(trimmed, limit, ratio)


def installed(module: str) -> bool:
    """Whether a product is there."""
    try:
        __import__(module)
    except ImportError:
        return False
    return True


class _History:
    """A run's messages as the framework's, rewritten by its middleware; counted as the table does."""

    def __init__(self) -> None:
        self.head: list[Message] = []
        self.state: list[Any] = []
        self.own: dict[str, Message] = {}
        self.seen = 0

    def add(self, messages: Sequence[Message]) -> None:
        """What is new; the instruction is no message of the run."""
        from langchain_core.messages import convert_to_messages

        for message in messages[self.seen :]:
            if message["role"] in {"system", "developer"}:
                self.head.append(message)
            else:
                made = convert_to_messages([{k: v for k, v in message.items() if k != "is_demo"}])[
                    0
                ]
                made.id = str(self.seen)
                self.state.append(made)
                self.own[made.id] = message
            self.seen += 1

    def count(self, messages: Sequence[Any], **_: Any) -> int:
        """Tokens of messages, with the instruction's."""
        return sum(tokens_of(self.back(message)) for message in messages)

    def back(self, message: Any) -> Message:
        """A message as the table has it."""
        own = self.own.get(message.id or "")
        if own is not None and own.get("content") == message.content:
            return own
        if own is not None:
            return {**own, "content": message.content}
        return {"role": "user", "content": message.text}

    def sent(self, state: Sequence[Any]) -> list[Message]:
        """The request."""
        return [*self.head, *map(self.back, state)]


def _fake() -> Any:
    from langchain_core.language_models.fake_chat_models import FakeListChatModel

    return FakeListChatModel(responses=[""])


def langchain(
    trigger: int, keep: int = 0, keep_messages: int = 20, trim: int | None = None
) -> Method:
    from langchain.agents.middleware import SummarizationMiddleware
    from langchain_core.messages import RemoveMessage

    history = _History()
    middleware = SummarizationMiddleware(
        _fake(),
        trigger=("tokens", trigger),
        keep=("tokens", keep) if keep else ("messages", keep_messages),
        token_counter=history.count,
        trim_tokens_to_summarize=trim,
        summarizer=lead,
    )

    def method(messages: list[Message]) -> Request:
        history.add(messages)
        changed = middleware.before_model({"messages": list(history.state)}, None)  # type: ignore[arg-type]
        if changed is not None:
            kept = [m for m in changed["messages"] if not isinstance(m, RemoveMessage)]
            history.state = kept
        return Request(history.sent(history.state))

    return method


def trimmed(limit: int, ratio: float) -> Method:
    from litellm.utils import trim_messages

    def method(messages: list[Message]) -> Request:
        given = [{k: v for k, v in message.items() if k != "is_demo"} for message in messages]
        sent = trim_messages(given, model="gpt-4o", max_tokens=limit, trim_ratio=ratio)
        return Request(list(sent))

    return method
