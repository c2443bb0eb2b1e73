"""Any agent with what goes into it cooled (cooling-and-forgetting.md#cooled-functor)."""

import asyncio
import functools
import inspect
from collections.abc import Iterable, Mapping
from types import GenericAlias
from typing import Any, Self

from contextwright.adapters.wrap.cooling_report import Cooling
from contextwright.adapters.wrap.inner_loops import (
    expect_reachable,
    is_pydantic_agent,
    with_cooled_requests,
)
from contextwright.adapters.wrap.intake import Intake, OnCool
from contextwright.adapters.wrap.langchain_model import cooled_model, is_model, is_runnable
from contextwright.adapters.wrap.text_slots import Names
from contextwright.adapters.wrap.wrapped_calls import Call, Kind, cooled_call, kind_of
from contextwright.engine.shorten_text import TIMEOUT_S, answering
from contextwright.errors import SpecError
from contextwright.stores.store import ArtifactStore
from contextwright.tokens.counter import counter_for, named_counter

ENTRIES = frozenset(
    {
        "acall", "acomplete", "ainvoke", "arun", "ask", "astream", "astream_events", "call", "chat",
        "complete", "create", "forward", "generate", "generate_content", "invoke", "iter",
        "kickoff", "kickoff_async", "parse", "predict", "run", "run_stream", "run_stream_events",
        "run_stream_sync", "run_streamed", "run_sync", "step", "stream",
    }
)  # fmt: skip
"""Methods by which frameworks let an agent be asked; what they are given is cooled."""
_VIEWS = frozenset({"with_raw_response", "with_streaming_response"})
"""Attributes of an SDK's resource that are the resource again, in another form."""
_FIRST = ("invoke", "run", "ainvoke", "create")
"""What calling an object asks that can not be called itself."""


class Cooled:
    """An agent whose input is cooled: up to `threshold` tokens it gets what it was given; over
    it, context is summarized until it is under. The agent needs no change and sees no trace.

    What the user says is never shortened. Types stay: text, messages of any framework, dicts,
    dataclasses, NamedTuples, pydantic models, msgspec Structs. What the agent returns, streams
    and raises is its own, and so are its other attributes. A google-adk agent is given back as
    one: a copy whose models are sent cooled requests.

    Args:
        inner: a function, sync or async, a generator function, an object with `invoke`, `run`
            or the like, an agent of google-adk; or another `Cooled`.
        threshold: tokens of all arguments together.
        radiator: who shortens: an agent or function from text to text, a model's name, an `LLM`
            port, `Models`; by default the embedded model, which needs no network. Where it
            fails, hangs or says too much, the embedded model or a cut at a sentence stands in,
            and the report says why.
        model: whose tokenizer counts; by default `o200k_base`.
        user: names of arguments and fields that are the user's words, beside `question`,
            `query`, `task` and the like.
        context: names of the only ones that may be shortened.
        artifacts: keeps the whole of what was shortened; the text then ends with its ref.
        on_cool: hears of every call whose input was cooled, or stays over the threshold.
        timeout_s: seconds that the radiator may take for a text.

    Raises:
        SpecError: nothing that could be called, or a threshold below 1.
        ModelError: a radiator that could not be asked.
    """

    __class_getitem__ = classmethod(GenericAlias)

    def __new__(cls, inner: Any, *args: Any, **options: Any) -> Any:
        """For an agent of google-adk, or a chat model of LangChain, its cooled copy; for another
        part of a LangChain chain, one."""
        if _is_adk(inner):
            from contextwright.adapters.wrap.adk_agent import cooled_agent

            return cooled_agent(inner, intake_of(*args, **options))
        if is_model(inner):
            return cooled_model(inner, intake_of(*args, **options))
        expect_reachable(inner)
        if cls is Cooled and is_runnable(inner):
            from contextwright.adapters.wrap.cooled_runnable import CooledRunnable

            return object.__new__(CooledRunnable)
        return super().__new__(cls)

    def __init__(
        self,
        inner: Any,
        threshold: int = 4096,
        radiator: Any = None,
        *,
        model: str | None = None,
        user: str | Iterable[str] = (),
        context: str | Iterable[str] = (),
        artifacts: ArtifactStore | None = None,
        on_cool: OnCool | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        options: dict[str, Any] = {
            "model": model,
            "user": user,
            "context": context,
            "artifacts": artifacts,
            "on_cool": on_cool,
            "timeout_s": timeout_s,
        }
        self._set_up(inner, radiator, intake_of(threshold, radiator, **options), options)

    def _set_up(
        self, inner: Any, radiator: Any, intake: Intake, options: Mapping[str, Any]
    ) -> None:
        self._options = options
        self.inner = inner
        self.radiator = radiator
        self.threshold = intake.threshold
        self._intake = intake
        call = _callable(inner)
        self.kind: Kind = call.kind if isinstance(call, Cooled) else kind_of(call)
        self._call = self._cooled(call, self.kind)
        for name in ("__name__", "__qualname__", "__module__"):
            if isinstance(getattr(inner, name, None), str):
                self.__dict__[name] = getattr(inner, name)
        for name in ("__annotations__", "__globals__"):  # what typing.get_type_hints reads
            if isinstance(getattr(call, name, None), dict):
                self.__dict__[name] = getattr(call, name)
        # frameworks show it to a model: the agent's own, or none
        self.__dict__["__doc__"] = getattr(inner, "__doc__", None)
        self.__dict__["__signature__"] = _signature(call)
        # frameworks look at an object's __call__ for whether it must be awaited
        self.__dict__["__call__"] = self._call
        if self.kind == "async":
            _mark_async(self)

    @property
    def last(self) -> Cooling | None:
        """What the newest call's input became; None before the first."""
        return self._intake.last

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the agent, its arguments cooled."""
        return self._call(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        """The agent's own attributes; its methods in `ENTRIES` with their arguments cooled."""
        if name.startswith("__") or "inner" not in self.__dict__:
            raise AttributeError(name)
        inner = self.__dict__["inner"]
        if name in {"invoke", "ainvoke"} and callable(inner) and not hasattr(inner, name):
            # the document's name for calling an agent
            return self._call if name == "invoke" else cooled_call(inner, self._intake, "async")
        value = getattr(inner, name)
        if name in _VIEWS:
            return self._like(value)
        if name in ENTRIES and callable(value) and not isinstance(value, type):
            return self._cooled(value)
        return value

    def _cooled(self, call: Call, kind: Kind | None = None) -> Call:
        """A call of the agent with its input cooled; by its own hook where its loop is inside."""
        if is_pydantic_agent(self.__dict__["inner"]) and call is not self.__dict__["inner"]:
            return with_cooled_requests(call, self._intake)
        return cooled_call(call, self._intake, kind)

    def _like(self, inner: Any) -> Self:
        """Another object cooled as this one, with the same reports."""
        other = object.__new__(type(self))
        other._set_up(inner, self.radiator, self._intake, self._options)
        return other

    def __get__(self, owner: Any, kind: type | None = None) -> Self:
        """A cooled method, bound to its object."""
        bind = getattr(self.inner, "__get__", None)
        if owner is None or bind is None:
            return self
        return self._like(bind(owner, kind))

    def __reduce__(self) -> tuple[Any, ...]:
        """For `copy` and `pickle`: made again of what it was made of, without its last report."""
        return _again, (type(self), self.inner, self.threshold, self.radiator, self._options)

    def __repr__(self) -> str:
        inner = getattr(self.inner, "__qualname__", None) or repr(self.inner)
        return f"Cooled({inner}, threshold={self.threshold})"


def with_context_management(
    agent: Any = None, window_size: int = 4096, summarizer: Any = None, **options: Any
) -> Any:
    """An agent with what goes into it cooled; see `Cooled`. Decorates functions too, with or
    without options.

    Args:
        agent: anything that `Cooled` takes. An agent of google-adk is given back as one. Left
            out, what comes back decorates: `@with_context_management(window_size=2000)`.
        window_size: tokens over which the input is cooled.
        summarizer: who shortens; by default the embedded model.
        options: `Cooled`'s.
    """
    if agent is None:
        intake_of(window_size, summarizer, **options)  # mistakes are told where they are made
        preset: dict[str, Any] = {"window_size": window_size, "summarizer": summarizer, **options}
        return functools.partial(with_context_management, **preset)
    return Cooled(agent, window_size, summarizer, **options)


def intake_of(
    threshold: int = 4096,
    radiator: Any = None,
    *,
    model: str | None = None,
    user: str | Iterable[str] = (),
    context: str | Iterable[str] = (),
    artifacts: ArtifactStore | None = None,
    on_cool: OnCool | None = None,
    timeout_s: float = TIMEOUT_S,
) -> Intake:
    """The intake of a call, from the options of `Cooled`."""
    return Intake(
        threshold,
        answering(radiator, timeout_s=timeout_s),
        counter_for(model) if model else named_counter("o200k_base"),
        names=Names(_names(user), _names(context)),
        artifacts=artifacts,
        on_cool=on_cool,
    )


def _again(
    kind: type[Cooled], inner: Any, threshold: int, radiator: Any, options: Mapping[str, Any]
) -> Cooled:
    return kind(inner, threshold, radiator, **options)


def _names(names: str | Iterable[str]) -> frozenset[str]:
    return frozenset({names}) if isinstance(names, str) else frozenset(names)


def _callable(inner: Any) -> Call:
    """What calling the wrapped agent calls."""
    if callable(inner):
        return inner
    for name in _FIRST:
        method = getattr(inner, name, None)
        if callable(method):
            return method
    raise SpecError(
        f"expected an agent that can be called, got a {type(inner).__name__}",
        where="Cooled(...)",
        fix="give a function, or an object with __call__, invoke, run or create, such as "
        "client.chat.completions",
    )


def _signature(call: Call) -> inspect.Signature | None:
    try:
        return inspect.signature(call)
    except (TypeError, ValueError):
        return None


def _mark_async(cooled: Cooled) -> None:
    """Let frameworks see that calling it gives a coroutine."""
    mark = getattr(inspect, "markcoroutinefunction", None)  # from Python 3.12 on
    if mark is not None:
        mark(cooled)
    else:
        cooled.__dict__["_is_coroutine"] = getattr(asyncio.coroutines, "_is_coroutine", True)


def _is_adk(inner: Any) -> bool:
    return any(
        kind.__name__ == "BaseAgent" and kind.__module__.startswith("google.adk")
        for kind in type(inner).__mro__
    )
