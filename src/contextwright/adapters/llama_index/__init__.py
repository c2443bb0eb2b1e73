"""LlamaIndex: what each request of an agent holds, by its LLM.

from contextwright.adapters.llama_index import context_llm

agent = FunctionAgent(llm=context_llm(OpenAI("gpt-5"), C.compaction(100_000)), tools=tools)
"""

from contextwright.errors import MissingExtra

try:
    from contextwright.adapters.llama_index.bounded_llm import context_llm, read_back_tools
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "llama_index":
        raise
    raise MissingExtra("llama-index", "llama-index") from error

__all__ = ["context_llm", "read_back_tools"]
