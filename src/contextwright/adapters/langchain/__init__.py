"""LangChain, LangGraph and deepagents: what each request of an agent holds, by a middleware.

from contextwright.adapters.langchain import ContextMiddleware

agent = create_agent(model, tools, middleware=[ContextMiddleware(C.compaction(100_000))])
"""

from contextwright.errors import MissingExtra

try:
    from contextwright.adapters.langchain.graph_hook import pre_model_hook
    from contextwright.adapters.langchain.middleware import ContextMiddleware
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] not in {"langchain", "langchain_core"}:
        raise
    raise MissingExtra("langchain", "langchain") from error

__all__ = ["ContextMiddleware", "pre_model_hook"]
