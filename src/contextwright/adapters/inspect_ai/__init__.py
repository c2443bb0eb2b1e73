"""inspect_ai: what each request of an evaluated agent holds, by a strategy of compaction or by the
model of `react`.

from contextwright.adapters.inspect_ai import ContextCompaction, context_model

agent = react(compaction=ContextCompaction(C.compaction(100_000), threshold=100_000))
agent = react(model=context_model(C.compaction(100_000)))
"""

from contextwright.errors import MissingExtra

try:
    from contextwright.adapters.inspect_ai.compaction_strategy import ContextCompaction
    from contextwright.adapters.inspect_ai.react_model import context_model, read_back_tools
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "inspect_ai":
        raise
    raise MissingExtra("inspect-ai", "inspect-ai") from error

__all__ = ["ContextCompaction", "context_model", "read_back_tools"]
