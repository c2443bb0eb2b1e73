"""LiteLLM: what each request holds, in the SDK, its router and its proxy.

from contextwright.adapters.litellm import ContextCallback

litellm.callbacks = [ContextCallback(C.compaction(100_000))]
"""

from contextwright.errors import MissingExtra

try:
    from contextwright.adapters.litellm.context_callback import ContextCallback
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "litellm":
        raise
    raise MissingExtra("litellm", "litellm") from error

__all__ = ["ContextCallback"]
