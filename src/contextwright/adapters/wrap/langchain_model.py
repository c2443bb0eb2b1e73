"""A chat model of LangChain whose requests are cooled, wherever it is bound, chained or given to an
agent: a copy of its own class, so that nothing of LangChain's sees a difference."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

from contextwright.adapters.wrap.intake import Intake


def cooled_model(model: Any, intake: Intake) -> Any:
    """A copy of a chat model; of a binding of one, a copy with the model in it cooled."""
    if _is_binding(model):
        return model.model_copy(update={"bound": cooled_model(model.bound, intake)})
    copied = model.model_copy()
    object.__setattr__(copied, "__class__", _cooled_class(type(model), intake))
    return copied


def is_model(inner: Any) -> bool:
    """Whether it is a chat model of LangChain, or a binding of one."""
    if _is_binding(inner):
        return is_model(inner.bound)
    return _is_a(inner, "BaseChatModel")


def is_runnable(inner: Any) -> bool:
    """Whether it is anything that can stand in a chain."""
    return _is_a(inner, "Runnable")


def _is_binding(inner: Any) -> bool:
    return _is_a(inner, "RunnableBindingBase")


def _is_a(inner: Any, name: str) -> bool:
    return any(
        kind.__name__ == name and kind.__module__.startswith("langchain_core.")
        for kind in type(inner).__mro__
    )


def _cooled_class(kind: type, intake: Intake) -> type:
    """A subclass that cools what the model's own methods send; only of those that it has, since
    LangChain looks at which ones those are."""
    from langchain_core.language_models import BaseChatModel

    made = {
        "_generate": _generating(kind, intake),
        "_agenerate": _agenerating(kind, intake),
        "_stream": _streaming(kind, intake),
        "_astream": _astreaming(kind, intake),
    }
    own = {name: call for name, call in made.items() if _has(kind, name, BaseChatModel)}
    named = {
        "__module__": kind.__module__,
        "__qualname__": kind.__qualname__,
        "__doc__": kind.__doc__,
    }
    return type(kind.__name__, (kind,), {**named, **own, "last": property(lambda _: intake.last)})


def _has(kind: type, name: str, base: type) -> bool:
    return getattr(kind, name, None) is not getattr(base, name, None)


def _generating(kind: Any, intake: Intake) -> Any:
    def generate(self: Any, messages: Any, *args: Any, **kwargs: Any) -> Any:
        return kind._generate(self, _now(messages, intake), *args, **kwargs)

    return generate


def _agenerating(kind: Any, intake: Intake) -> Any:
    async def agenerate(self: Any, messages: Any, *args: Any, **kwargs: Any) -> Any:
        return await kind._agenerate(self, await _later(messages, intake), *args, **kwargs)

    return agenerate


def _streaming(kind: Any, intake: Intake) -> Any:
    def stream(self: Any, messages: Any, *args: Any, **kwargs: Any) -> Iterator[Any]:
        yield from kind._stream(self, _now(messages, intake), *args, **kwargs)

    return stream


def _astreaming(kind: Any, intake: Intake) -> Any:
    async def astream(self: Any, messages: Any, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        async for chunk in kind._astream(self, await _later(messages, intake), *args, **kwargs):
            yield chunk

    return astream


def _now(messages: Any, intake: Intake) -> Any:
    return intake.now({"messages": messages})["messages"]


async def _later(messages: Any, intake: Intake) -> Any:
    return (await intake.later({"messages": messages}))["messages"]
