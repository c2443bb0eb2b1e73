"""LlamaIndex: what each request of an agent holds, by its LLM.

from contextwright.adapters.llama_index import context_llm

agent = FunctionAgent(llm=context_llm(OpenAI("gpt-5"), C.compaction(100_000)), tools=tools)
"""

from contextwright.optional_imports import optional_imports

with optional_imports("llama-index", "llama-index-core", "llama_index"):
    from contextwright.adapters.llama_index.bounded_llm import context_llm, read_back_tools

__all__ = ["context_llm", "read_back_tools"]
