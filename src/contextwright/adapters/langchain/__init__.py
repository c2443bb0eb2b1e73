"""LangChain, LangGraph and deepagents: what each request of an agent holds, by a middleware.

from contextwright.adapters.langchain import ContextMiddleware

agent = create_agent(model, tools, middleware=[ContextMiddleware(C.compaction(100_000))])
"""

from contextwright.optional_imports import optional_imports

with optional_imports("langchain", "langchain", "langchain", "langchain_core"):
    from contextwright.adapters.langchain.graph_hook import pre_model_hook
    from contextwright.adapters.langchain.middleware import ContextMiddleware

__all__ = ["ContextMiddleware", "pre_model_hook"]
