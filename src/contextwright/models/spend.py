"""Limits on what models may cost, a turn and a session."""

import threading

import msgspec

from contextwright.errors import ModelError
from contextwright.models.llm import Completion
from contextwright.tokens.models import model_info

MAX_OWNERS = 10_000
"""Turns and sessions whose spending is remembered."""


class SpendLimit(msgspec.Struct, frozen=True):
    """How much may be spent; None where nothing limits it.

    Args:
        tokens: input and output together.
        microdollars: by the model's prices; a model without known prices is limited by its
            tokens only.
    """

    tokens: int | None = None
    microdollars: int | None = None


class Spent(msgspec.Struct):
    """Tokens and micro-dollars of one turn or session."""

    tokens: int = 0
    microdollars: int = 0


class Spending:
    """Counts what is spent for each turn and each session."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._spent: dict[str, Spent] = {}

    def add(self, completion: Completion, *names: str) -> None:
        """Count an answer for a turn and a session."""
        tokens = completion.input_tokens + completion.output_tokens
        cost = price(completion)
        with self._lock:
            for name in names:
                spent = self._spent.setdefault(name, Spent())
                spent.tokens += tokens
                spent.microdollars += cost
            while len(self._spent) > MAX_OWNERS:
                del self._spent[next(iter(self._spent))]

    def of(self, name: str) -> Spent:
        """What was spent for a turn or a session."""
        return self._spent.get(name, Spent())

    def over(self, name: str, allowed: SpendLimit) -> str:
        """Which limit was reached, in words; empty where none was."""
        spent = self.of(name)
        if allowed.tokens is not None and spent.tokens >= allowed.tokens:
            return f"{allowed.tokens} tokens"
        if allowed.microdollars is not None and spent.microdollars >= allowed.microdollars:
            return f"${allowed.microdollars / 1e6:g}"
        return ""


def price(completion: Completion) -> int:
    """Micro-dollars of an answer; 0 where the model's prices are not known."""
    try:
        info = model_info(completion.model)
    except ModelError:
        return 0
    paid = completion.input_tokens * info.input_price + completion.output_tokens * info.output_price
    return -(-paid // 1_000_000)
