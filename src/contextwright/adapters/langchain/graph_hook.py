"""A hook for graphs that are made by hand. Tested with langgraph 1.2.

    hook = pre_model_hook(C.compaction(100_000), model="gpt-5")

    def ask(state):
        shown = hook(state)["llm_input_messages"]
        return {"messages": [model.invoke(shown)]}

    graph.add_node("model", ask)

or `create_react_agent(model, tools, pre_model_hook=hook)`.

It knows neither the tools nor the system text of a model that is bound to them: what a request
holds beside its messages is what the limit has to leave room for. Nor does it hear of a refusal:
`ContextMiddleware` does both.
"""

from collections.abc import Callable, Mapping
from typing import Any

from contextwright.adapters.langchain.chat_messages import MESSAGES
from contextwright.adapters.message_mapping import MappedRequest
from contextwright.adapters.port import context_of
from contextwright.errors import SpecError


def pre_model_hook(spec: Any = None, **options: Any) -> Callable[[Mapping[str, Any]], Any]:
    """A `pre_model_hook` of LangGraph, or a step in front of a model of your own graph: it gives
    `llm_input_messages` and leaves the state's `messages` alone.

    Args:
        spec: what requests hold, or a `Context`.
        options: of `Context`, where none is given: it needs `model=...`.

    Raises:
        SpecError: `read_back`, whose tools a hook can not bring. Whatever else a context refuses.
    """
    if options.get("read_back"):
        raise SpecError(
            "a hook brings no tools, and the model would be shown refs that it can not read",
            where="pre_model_hook(read_back=True)",
            fix="ContextMiddleware(..., read_back=True) brings them; or leave it out",
        )
    context = context_of(spec, options)

    def hook(state: Mapping[str, Any]) -> dict[str, Any]:
        shown = MappedRequest(MESSAGES, state["messages"], model=str(options.get("model", "")))
        return {"llm_input_messages": shown.messages_of(context(shown.body))}

    return hook
