"""Texts in at most so many tokens, by whoever is to shorten them."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from contextwright.atoms.shorten import SUMMARY_ROOM, Short, shortened, summary_task
from contextwright.engine.embedded import EMBEDDED
from contextwright.engine.run_tasks import TaskGenerator, TaskRunner

TIMEOUT_S = 30.0
"""Seconds that a radiator may take; then the embedded model shortens."""


class Wanted(msgspec.Struct, frozen=True):
    """A text, and what it is to be.

    Args:
        tail: what says where the whole stands; part of the tokens.
    """

    text: str
    max_tokens: int
    tail: str = ""
    query: str = ""


def shortening(wanted: Sequence[Wanted], count: Callable[[str], int]) -> TaskGenerator[list[Short]]:
    """Every text, those in short that are over their tokens; for `drive` and `adrive`."""
    over = {
        one: summary_task(one.text, max(1, one.max_tokens - count(one.tail)), query=one.query)
        for one in wanted
        if one.max_tokens >= SUMMARY_ROOM and count(one.text) > one.max_tokens
    }
    answers = (yield tuple(over.values())) if over else []
    by_text = dict(zip(over, answers, strict=True))
    return [
        shortened(one.text, one.max_tokens, by_text.get(one), count, one.tail, one.query)
        for one in wanted
    ]


def answering(radiator: Any, *, timeout_s: float = TIMEOUT_S) -> TaskRunner:
    """Who shortens.

    Args:
        radiator: a model's name, as `openai:gpt-5-mini`; an `LLM` port; `Models`; any agent or
            function from text to text, sync or async; None for the embedded model.
        timeout_s: seconds for one text; then, and where it fails, the embedded model answers.

    Raises:
        ModelError: nothing that could be asked. MissingExtra: a name, without the extra `llm`.
    """
    if radiator is None:
        return EMBEDDED
    if hasattr(radiator, "answer_now"):
        return radiator
    from contextwright.models.answering import Limits, Models
    from contextwright.models.callable_llm import AgentLLM

    limits = Limits(timeout_s=timeout_s, deadline_s=timeout_s, retries=0)
    if isinstance(radiator, str) or hasattr(radiator, "complete"):
        return Models(radiator, limits=limits)
    return Models(AgentLLM(radiator), limits=limits)
