"""The ports to a language model and to an embedding model: one method each."""

from collections.abc import Sequence
from typing import Literal, Protocol

import msgspec

from contextwright.errors import ContextwrightError

Fault = Literal[
    "timeout", "rate_limited", "unavailable", "refused", "malformed", "cut_off", "rejected"
]
RETRIED: frozenset[str] = frozenset({"timeout", "rate_limited", "unavailable"})
"""What another try may mend."""


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """One question.

    Args:
        schema: JSON Schema of the answer, as text; empty where text is wanted.
        model: the model that a spec names; empty for the port's own.
    """

    system: str
    text: str
    schema: str = ""
    max_tokens: int = 1024
    model: str = ""


class Completion(msgspec.Struct, frozen=True, kw_only=True):
    """One answer.

    Args:
        model: who said it, as `provider:name`.
        finish_reason: why it ended, in the provider's word; an answer that a limit cut off, or a
            filter, is none.
    """

    text: str
    model: str
    input_tokens: int = 0
    output_tokens: int = 0
    finish_reason: str = ""


class ModelFault(ContextwrightError):
    """A model that did not answer as asked. Never reaches a turn: preparing falls back.

    Args:
        retry_after_s: seconds after which the provider wants to be asked again.
    """

    exit_code = 5

    def __init__(self, fault: Fault, what: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(what, where=f"model port: {fault}", fix="the embedded model answers")
        self.fault: Fault = fault
        self.retry_after_s = retry_after_s


class NotAsked(ModelFault):
    """A question that was not put: its limit is reached, or it failed before."""

    def __init__(self, what: str) -> None:
        super().__init__("rejected", what)


def fault_of_status(status: object) -> Fault:
    """What an HTTP status says of a question: what is wrong with it no other try mends."""
    if status == 429:
        return "rate_limited"
    if status == 408:
        return "timeout"
    return "rejected" if isinstance(status, int) and 400 <= status < 500 else "unavailable"


class LLM(Protocol):
    """A language model."""

    @property
    def id(self) -> str:
        """Names it, as `provider:name`."""
        ...

    async def complete(self, prompt: Prompt) -> Completion:
        """Answer.

        Raises:
            ModelFault: it did not. Any other exception counts as `unavailable`.
        """
        ...


class Embedder(Protocol):
    """Turns texts into vectors."""

    @property
    def id(self) -> str:
        """Names it: vectors of two ids are never compared."""
        ...

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """A vector for every text, each of length 1.

        Raises:
            ModelFault: it could not.
        """
        ...
