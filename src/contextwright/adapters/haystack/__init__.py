"""Haystack: what each request of an agent holds, by its chat generator.

from contextwright.adapters.haystack import context_generator

agent = Agent(chat_generator=context_generator(OpenAIChatGenerator(), C.compaction(100_000)))
"""

from contextwright.errors import MissingExtra

try:
    from contextwright.adapters.haystack.bounded_generator import (
        context_generator,
        read_back_tools,
    )
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "haystack":
        raise
    raise MissingExtra("haystack", "haystack") from error

__all__ = ["context_generator", "read_back_tools"]
