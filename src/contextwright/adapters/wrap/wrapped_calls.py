"""A call with its arguments cooled, of the same kind as it was: sync, async, a generator, an
async generator, an async context manager."""

import contextlib
import functools
import inspect
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import Any, Literal

import msgspec

from contextwright.adapters.wrap.intake import ArgumentValues, Intake

Kind = Literal["sync", "async", "generator", "async generator", "async context"]
Call = Callable[..., Any]


class Arguments(msgspec.Struct, frozen=True, eq=False):
    """What a call was given, by the names of its parameters, and in the form it was given."""

    values: ArgumentValues
    places: tuple[str, ...]
    kwargs: tuple[str, ...]

    def back(self, values: ArgumentValues) -> tuple[list[Any], dict[str, Any]]:
        """Other values in the same form."""
        return [values[name] for name in self.places], {name: values[name] for name in self.kwargs}


def arguments(call: Call, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Arguments:
    """The arguments of a call; one whose signature is not known has `input`, `input[1]`, ..."""
    names, rest = _parameters(call)
    places: list[str] = []
    for place in range(len(args)):
        name = names[place] if place < len(names) else f"{rest}[{place - len(names)}]"
        places.append(name if name not in kwargs else f"{name}[0]")
    values = {**dict(zip(places, args, strict=True)), **kwargs}
    return Arguments(values, tuple(places), tuple(kwargs))


def _parameters(call: Call) -> tuple[list[str], str]:
    try:
        parameters = inspect.signature(call).parameters.values()
    except (TypeError, ValueError):
        return ["input"], "input"
    positional = {inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD}
    names = [parameter.name for parameter in parameters if parameter.kind in positional]
    rest = (p.name for p in parameters if p.kind is inspect.Parameter.VAR_POSITIONAL)
    return names, next(rest, "input")


def kind_of(call: Call) -> Kind:
    """What a call gives."""
    candidates = [call, getattr(type(call), "__call__", None)]  # noqa: B004 -- asked for its kind
    for is_kind, kind in _KINDS:
        if any(is_kind(one) for one in candidates):
            return kind
    code = getattr(getattr(call, "__func__", call), "__code__", None)
    managed = code is not None and code.co_filename == contextlib.__file__
    if managed and inspect.isasyncgenfunction(inspect.unwrap(call)):
        return "async context"
    return "sync"


_KINDS: tuple[tuple[Callable[[Any], bool], Kind], ...] = (
    (inspect.isasyncgenfunction, "async generator"),
    (inspect.isgeneratorfunction, "generator"),
    (inspect.iscoroutinefunction, "async"),
)


def cooled_call(call: Call, intake: Intake, kind: Kind | None = None) -> Call:
    """The call with its arguments cooled. What it gives, raises and streams is its own; a
    generator's arguments are cooled when it is first asked for something."""
    return _WRAPPERS[kind or kind_of(call)](call, intake)


def _sync(call: Call, intake: Intake) -> Call:
    @functools.wraps(call)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        bound = arguments(call, args, kwargs)
        args_, kwargs_ = bound.back(intake.now(bound.values))
        return call(*args_, **kwargs_)

    return wrapped


def _async(call: Call, intake: Intake) -> Call:
    @functools.wraps(call)
    async def wrapped(*args: Any, **kwargs: Any) -> Any:
        bound = arguments(call, args, kwargs)
        args_, kwargs_ = bound.back(await intake.later(bound.values))
        result = call(*args_, **kwargs_)
        return await result if inspect.isawaitable(result) else result

    return wrapped


def _generator(call: Call, intake: Intake) -> Call:
    @functools.wraps(call)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        bound = arguments(call, args, kwargs)
        args_, kwargs_ = bound.back(intake.now(bound.values))
        return (yield from call(*args_, **kwargs_))

    return wrapped


def _async_generator(call: Call, intake: Intake) -> Call:
    @functools.wraps(call)
    async def wrapped(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        bound = arguments(call, args, kwargs)
        args_, kwargs_ = bound.back(await intake.later(bound.values))
        inner = call(*args_, **kwargs_)
        try:
            item = await anext(inner)
            while True:
                try:
                    sent = yield item
                except GeneratorExit:
                    raise
                except BaseException as error:  # noqa: BLE001 -- thrown in: it is the agent's
                    item = await inner.athrow(error)
                else:
                    item = await inner.asend(sent)
        except StopAsyncIteration:
            return
        finally:
            await inner.aclose()

    return wrapped


def _async_context(call: Call, intake: Intake) -> Call:
    @functools.wraps(call)
    @contextlib.asynccontextmanager
    async def wrapped(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        bound = arguments(call, args, kwargs)
        args_, kwargs_ = bound.back(await intake.later(bound.values))
        async with call(*args_, **kwargs_) as inner:
            yield inner

    return wrapped


_WRAPPERS: dict[Kind, Callable[[Call, Intake], Call]] = {
    "sync": _sync,
    "async": _async,
    "generator": _generator,
    "async generator": _async_generator,
    "async context": _async_context,
}
