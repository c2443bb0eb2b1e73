"""inspect_ai: what each request of an evaluated agent holds, by a strategy of compaction or by the
model of `react`.

from contextwright.adapters.inspect_ai import ContextCompaction, context_model

agent = react(compaction=ContextCompaction(C.compaction(100_000), threshold=100_000))
agent = react(model=context_model(C.compaction(100_000)))
"""

from contextwright.optional_imports import optional_imports

with optional_imports("inspect-ai", "inspect-ai", "inspect_ai"):
    from contextwright.adapters.inspect_ai.compaction_strategy import ContextCompaction
    from contextwright.adapters.inspect_ai.react_model import context_model, read_back_tools

__all__ = ["ContextCompaction", "context_model", "read_back_tools"]
