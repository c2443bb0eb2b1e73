"""Every product as it is when nothing but the limit is said, and where it knows no limit, as it is."""

from collections.abc import Callable, Iterator
from functools import partial

from benchmarks import economy_frameworks as frameworks
from benchmarks import economy_peers as peers
from benchmarks import economy_summaries as summaries
from benchmarks.economy_metrics import Method

Peer = tuple[str, str, Callable[[], Method]]


def defaults(budget: int) -> Iterator[Peer]:
    """Of all that are installed."""
    for name, setting, make in _all(budget):
        product, _, module = name.partition("|")
        if summaries.installed(module):
            yield product, setting, make


def _all(budget: int) -> Iterator[Peer]:
    limit = f"max_tokens={budget}"
    harness, agent = "pydantic_ai_harness.compaction", "agent_framework"
    clear = {"max_tokens": budget}
    yield (
        "LangChain trim_messages|langchain_core.messages",
        limit,
        partial(peers.trimmed, budget, None, system=False),
    )
    yield (
        "LangChain ContextEditing|langchain.agents.middleware",
        f"trigger={budget}",
        partial(peers.cleared, budget, 3, 0),
    )
    yield (
        "LangChain Summarization (lead)|langchain.agents.middleware",
        f"trigger=('tokens', {budget})",
        partial(summaries.langchain, budget, trim=4_000),
    )
    for kind, title in (("clear", "ClearToolResults"), ("window", "SlidingWindowCompaction")):
        yield (
            f"Pydantic AI {title}|{harness}",
            limit,
            partial(frameworks.harness_method, [kind], clear),
        )
    yield (
        f"Agent Framework ContextWindow|{agent}",
        f"max_context_window_tokens={budget}",
        partial(frameworks.agent_method, "window", {"max_context_window_tokens": budget}),
    )
    yield (
        "deepagents eviction to files|deepagents.middleware.filesystem",
        "tool_token_limit_before_evict=20000",
        partial(frameworks.evicted, 20_000),
    )
    yield "headroom compress|headroom", "", partial(frameworks.compressed, False)
    yield "LiteLLM trim_messages|litellm.utils", limit, partial(summaries.trimmed, budget, 0.75)
