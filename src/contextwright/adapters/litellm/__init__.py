"""LiteLLM: what each request holds, in the SDK, its router and its proxy.

from contextwright.adapters.litellm import ContextCallback

litellm.callbacks = [ContextCallback(C.compaction(100_000))]
"""

from contextwright.optional_imports import optional_imports

with optional_imports("litellm", "litellm", "litellm"):
    from contextwright.adapters.litellm.context_callback import ContextCallback

__all__ = ["ContextCallback"]
