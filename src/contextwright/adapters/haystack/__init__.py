"""Haystack: what each request of an agent holds, by its chat generator.

from contextwright.adapters.haystack import context_generator

agent = Agent(chat_generator=context_generator(OpenAIChatGenerator(), C.compaction(100_000)))
"""

from contextwright.optional_imports import optional_imports

with optional_imports("haystack", "haystack-ai", "haystack"):
    from contextwright.adapters.haystack.bounded_generator import (
        context_generator,
        read_back_tools,
    )

__all__ = ["context_generator", "read_back_tools"]
