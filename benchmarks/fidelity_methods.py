"""The methods that fidelity is counted of, and the sessions in which something is planted."""

from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.economy import BUDGETS, Method
from benchmarks.economy_baselines import clearing, dropping, exchanges_of, last_n
from benchmarks.economy_metrics import Message
from benchmarks.economy_own import by_engine
from benchmarks.recorded_chats import sessions
from contextwright import C

BUDGET = 8_000
"""Tokens of a request, at most."""
LONG, JOINED = 400, 6
"""Messages of a session that is long enough to go down many steps, and how many are joined where
none is."""
METHODS: dict[str, Callable[[int], Method]] = {
    "last-N": last_n,
    "clearing in steps, to .75": clearing,
    "dropping in steps, to .5": dropping,
    "**`C.compaction`, ours**": lambda budget: by_engine(C.default() | C.compaction(budget)),
    "`C.fit`": lambda budget: by_engine(C.default() | C.fit(budget)),
    "`C.decay`": lambda budget: by_engine(C.default() | C.decay() | C.budget(budget)),
    "`C.rolling(5)`": lambda budget: by_engine(C.rolling(5) | C.budget(budget)),
    "`C.summarize`": lambda budget: by_engine(C.summarize() | C.budget(budget)),
    "`C.sliding`": lambda budget: by_engine(C.sliding(budget)),
    "`C.budget`": lambda budget: by_engine(C.default() | C.budget(budget)),
}


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def assistant(text: str) -> Message:
    return {"role": "assistant", "content": text}


def budget_of(name: str) -> int:
    """Tokens of a request of a file's sessions, at most."""
    return min(BUDGETS.get(name, BUDGET), BUDGET)


def recorded(name: str) -> list[Message]:
    """A file's longest session; where it is short, the longest ones as one."""
    found = sorted(sessions(name), key=len)
    if len(found[-1]) >= LONG:
        return found[-1]
    return [one for session in found[-JOINED:] for one in session if one["role"] != "system"]


def spread(messages: list[Message], turns: list[list[Message]]) -> list[Message]:
    """The session with what is planted, spread over its first half, and a last question."""
    exchanges, left = exchanges_of(messages), list(turns)
    every = max(1, len(exchanges) // 2 // len(left))
    made: list[Message] = []
    for at, places in enumerate(exchanges):
        made += [messages[place] for place in places]
        if at and at % every == 0 and left:
            made += left.pop(0)
    return made + [message for turn in left for message in turn] + [user("What is next?")]


def requests(messages: list[Message], method: Method) -> Iterator[list[Message]]:
    """What is sent for each of an assistant's messages, and at the end."""
    for _, sent in requests_with_places(messages, method):
        yield sent


def requests_with_places(
    messages: list[Message], method: Method
) -> Iterator[tuple[int, list[Message]]]:
    """The same, each with how many messages there were."""
    for at, message in enumerate(messages):
        if message["role"] == "assistant" or at == len(messages) - 1:
            count = at + (message["role"] != "assistant")
            sent = method(messages[:count]).messages
            yield count, [one | {"content": _text_of(one.get("content"))} for one in sent]


def _text_of(content: Any) -> str:
    """The words of a message, also of one in parts."""
    if not isinstance(content, list):
        return content or ""
    return "\n".join(part.get("text", "") for part in content)
