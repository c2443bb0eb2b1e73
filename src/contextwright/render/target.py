"""Who the request is for: provider format, model, window, counter."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, Literal, TypedDict, cast, get_args

import msgspec

from contextwright.argument_types import expect_types
from contextwright.blocks.read_back_tools import is_read_back, read_back_tools, reads_refs
from contextwright.errors import ModelError, SessionError
from contextwright.formats.tool_schemas import tool_of
from contextwright.render.parameters import Translation
from contextwright.render.providers import DEFAULTS, Provider, provider_named
from contextwright.render.response_format import ResponseFormat, read_response_format
from contextwright.render.source_messages import SourceMessages
from contextwright.session.checked_call import CheckedReceiver
from contextwright.session.event import Tool
from contextwright.tokens.counter import Counter, guarded_counter
from contextwright.tokens.model_rules import CacheRules, ReasoningProfile, StepPrices, step_prices
from contextwright.tokens.models import (
    REASONING_RESERVE,
    ModelInfo,
    family_of,
    known_model,
    model_info,
    reasoning_profile,
)

RefsShown = Literal["auto", "show", "hide"]

DEFAULT_RESERVE = 4096
"""Tokens kept free for the answer where no number is given: an answer of some pages. Models that
think without being asked get more, and no request is larger than a model's largest input."""


class Target(msgspec.Struct, metaclass=CheckedReceiver, frozen=True, eq=False, dict=True):
    """The receiver of a request.

    Args:
        model: the model's name, as the provider has it.
        format: the shape of the request: the name of a provider (`render.providers`).
        window: the model's context window in tokens.
        reserved_output: tokens kept free for the answer.
        reserved_system: tokens kept free for what others add, such as a framework's instruction.
        counter: counts the tokens of a text for this model.
        tools: what the agent may call; None takes the session's.
        cache: whether prompt-cache breakpoints are set where the provider has them.
        sign: what marked sections carry outside of the system role; a compile sets the session's.
        response_format: the shape that the answer must have; None for text.
        read_back: whether the tools that read refs (`contextwright.ReadBack`) are among the tools.
        reader: the name of a tool of the agent's own that reads refs.
        refs: whether shortened texts show where their whole is: `auto`, where a tool of the
            request can read it; `show`, in any case; `hide`, never.
        overrides: what its maker said and a body may say otherwise: fields of this class.
        translation: what a body of another format asks for beside its context; a compile sets it.
        sources: the body that the session was read from, where it is one of this format; a
            compile sets the session's.

    Raises:
        ModelError: an unknown format, or no tools, however the target is made or replaced.
    """

    model: str
    format: str
    window: int
    reserved_output: int
    counter: Counter
    tools: tuple[Tool, ...] | None = None
    cache: bool = True
    reserved_system: int = 0
    sign: str = ""
    response_format: ResponseFormat | None = None
    read_back: bool = False
    reader: str = ""
    refs: RefsShown = "auto"
    overrides: frozenset[str] = frozenset()
    translation: Translation | None = None
    sources: SourceMessages | None = None

    def __post_init__(self) -> None:
        provider = provider_named(self.format)
        if self.response_format is not None:
            if not isinstance(self.response_format, ResponseFormat):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise ModelError(
                    f"expected a ResponseFormat, got {type(self.response_format).__name__}",
                    where="response_format",
                    fix="contextwright.target(model, response_format=...) reads what programs hold",
                )
            provider.renderer.response_fields(self.response_format)
        self._check_read_back()
        value: object = self.tools
        tools = value if isinstance(value, tuple | list | None) else (value,)
        for place, tool in enumerate(cast("tuple[object, ...]", tools or ())):
            if not isinstance(tool, Tool):
                raise ModelError(
                    f"expected a Tool, got {type(tool).__name__}",
                    where=f"tools[{place}]",
                    fix="contextwright.session.event.Tool(name=..., parameters=...)",
                )

    def _check_read_back(self) -> None:
        if self.refs not in get_args(RefsShown):
            raise ModelError(
                f"refs is {self.refs!r}",
                where="refs",
                fix=f"one of {', '.join(map(repr, get_args(RefsShown)))}",
            )
        if (self.read_back or self.reader) and not self.takes_messages:
            raise ModelError(
                f"a request of the format {self.format!r} has no tools that could read refs",
                where="read_back" if self.read_back else "reader",
                fix='leave it out; refs="show" shows refs to whoever reads them otherwise',
            )

    def with_readers(self, tools: tuple[Tool, ...]) -> tuple[Tool, ...]:
        """The tools, behind them those that read refs where these are wanted."""
        if not self.read_back:
            return tools
        own = tuple(tool for tool in tools if not is_read_back(tool))
        return (*own, *read_back_tools(own))

    def shows_refs(self, tools: Iterable[Tool]) -> bool:
        """Whether a request with these tools says where the whole of a shortened text is: only
        what can be read is shown (rules.md#refs)."""
        if self.refs != "auto":
            return self.refs == "show"
        return any(reads_refs(tool) or tool.name == self.reader for tool in tools)

    @cached_property
    def provider(self) -> Provider:
        """How requests of this format are made."""
        return provider_named(self.format)

    @cached_property
    def takes_messages(self) -> bool:
        """Whether the conversation is sent as messages with tools, not as one text."""
        return self.provider.takes_messages

    @property
    def reasoning(self) -> ReasoningProfile:
        """What the model does with reasoning that is sent back to it."""
        sent = self.takes_messages and self.provider.renderer.parts.reasoning_of
        return reasoning_profile(self.model) if sent else "none"

    def sendable(self, tools: tuple[Tool, ...]) -> tuple[Tool, ...]:
        """Those that its provider can be sent; what came in its caller's own body is the
        caller's."""
        own = self.sources.body.tools if self.sources is not None else ()
        takes = self.provider.renderer.takes_tool
        return tuple(tool for tool in tools if tool in own or takes(tool))

    def step_prices(self) -> StepPrices:
        """What a step that moves a cached prefix costs, and what staying does."""
        info = _known(self.model, self.window)
        bound = self.reasoning == "bound"
        return step_prices(info.prices(0) if info is not None else None, bound=bound)

    @property
    def cache_rules(self) -> CacheRules:
        """How the model's provider caches prefixes."""
        info = known_model(self.model)
        rules = info.cache if info is not None else family_of(self.model).cache()
        renderer = self.provider.renderer
        marked = rules.breakpoints or not renderer.marks_cache
        return rules if marked else family_of(renderer.cached_as).cache()

    @property
    def max_input(self) -> int:
        """Tokens that a request may have: the window without the reserves."""
        return self.window - self.reserved_output - self.reserved_system


class TargetOptions(TypedDict, total=False):
    """What `target` takes beside a model's name."""

    format: str | None
    window: int | None
    reserved_output: int | None
    reserved_system: int
    counter: Counter | None
    tools: Iterable[Tool | Mapping[str, Any]] | None
    cache: bool | None
    response_format: object
    read_back: bool
    reader: str
    refs: RefsShown


def target(
    model: str,
    *,
    format: str | None = None,
    window: int | None = None,
    reserved_output: int | None = None,
    reserved_system: int = 0,
    counter: Counter | None = None,
    tools: Iterable[Tool | Mapping[str, Any]] | None = None,
    cache: bool | None = None,
    response_format: object = None,
    read_back: bool = False,
    reader: str = "",
    refs: RefsShown = "auto",
) -> Target:
    """Describe the receiver; what is not given comes from the table of models.

    Args:
        model: the model's name.
        format: the shape of the request; by default that of the model's maker.
        window: the context window in tokens; given, the table's limit of the input is not asked.
        reserved_output: tokens kept free for the answer; by default some pages, more for models
            that reason, and in any case what the provider keeps from the input.
        reserved_system: tokens kept free for what others add.
        counter: counts tokens; by default the model's own, or an estimate.
        tools: what may be called: ours, or schemas as OpenAI and Anthropic have them.
        cache: whether prompt-cache breakpoints are set; by default they are, but not into a body
            that leaves as it came.
        response_format: the shape of the answer: as OpenAI's SDK has it, a JSON Schema, or a class
            such as a pydantic model.
        read_back, reader, refs: who reads what was shortened, as `Target` has it.

    Raises:
        ModelError: the model is unknown and no `window` was given, an unknown `format`, an answer
            as large as the window, or a response format that the provider has not.
    """
    _check_plain(model, format, cache, read_back, reader)
    explicit = {"model": model, "reserved_output": reserved_output, "cache": cache}
    _check_tokens(window, reserved_output, reserved_system)
    info = _known(model, window)
    reserved = _reserve(info, window, reserved_output)
    window = window or (info.window if info is not None else 0)
    _check_room(window, reserved, reserved_system)
    return Target(
        model=model,
        format=format or DEFAULTS.get(info.provider if info else "", "openai-chat"),
        window=window,
        reserved_output=reserved,
        counter=guarded_counter(counter, model),
        tools=None if tools is None else read_tools(tools),
        cache=cache is None or cache,
        reserved_system=reserved_system,
        response_format=read_response_format(response_format),
        read_back=read_back,
        reader=reader,
        refs=refs,
        overrides=frozenset(name for name, value in explicit.items() if value is not None),
    )


def _check_plain(
    model: object, format: str | None, cache: object, read_back: object, reader: object
) -> None:
    """Refuse names and switches of another type: a text as a switch is always on."""
    if not isinstance(model, str) or not model:
        plain = model is None or isinstance(model, str | int | float)
        got = f"{model!r} is not" if plain else f"a {type(model).__name__} is not"
        raise ModelError(f"{got} a model's name", where="model", fix='such as model="gpt-5"')
    if format is not None:
        provider_named(format)
    switches = {"cache": (cache is None or cache, bool), "read_back": (read_back, bool)}
    expect_types("target(model, ...)", ModelError, **switches, reader=(reader, str))


def _check_room(window: int, reserved: int, reserved_system: int) -> None:
    if reserved + reserved_system >= window:
        raise ModelError(
            f"{reserved} tokens are reserved for the answer and {reserved_system} for the system, "
            f"of a window of {window}",
            where="reserved_output, reserved_system",
            fix="reserve less than the window",
        )


def _check_tokens(window: object, reserved_output: object, reserved_system: object) -> None:
    expect_tokens("window", 1 if window is None else window, least=1)
    expect_tokens("reserved_output", 0 if reserved_output is None else reserved_output)
    expect_tokens("reserved_system", reserved_system)


def expect_tokens(name: str, value: object, least: int = 0) -> None:
    """Refuse what is no number of tokens.

    Raises:
        ModelError: it is none.
    """
    if not isinstance(value, int) or value < least:
        raise ModelError(f"{name} is {value!r}", where=name, fix="give a whole number of tokens")


def _reserve(info: ModelInfo | None, window: int | None, reserved_output: int | None) -> int:
    """Tokens of the window that no request may have."""
    reasons = info is not None and info.reasons
    whole = window or (info.window if info is not None else 0)
    usual = min(REASONING_RESERVE if reasons else DEFAULT_RESERVE, whole // 4)
    refused = info.window - info.max_input if info is not None and window is None else 0
    return max(usual if reserved_output is None else reserved_output, refused)


def _known(model: str, window: int | None) -> ModelInfo | None:
    """What the table has of a model; nothing of one whose window is given."""
    return known_model(model) if window is not None else model_info(model)


def read_tools(tools: object) -> tuple[Tool, ...]:
    """Tools as a program holds them: ours, or the schemas of OpenAI and Anthropic.

    Raises:
        ModelError: one of them is neither, with its place.
    """
    if not isinstance(tools, Iterable) or isinstance(tools, str | Mapping | Tool):
        raise _no_tool(cast(object, tools), "tools", "a list of tools")
    return tuple(_tool(tool, f"tools[{n}]") for n, tool in enumerate(cast(Iterable[object], tools)))


def _tool(value: object, where: str) -> Tool:
    if isinstance(value, Tool):
        return value
    if not isinstance(value, Mapping):
        raise _no_tool(value, where, "a Tool or a schema")
    try:
        return tool_of(dict(cast("Mapping[str, Any]", value)), where, "openai-chat")
    except SessionError as error:
        raise _no_tool(value, where, "a tool with a name", error.what) from error


def _no_tool(value: object, where: str, expected: str, why: str = "") -> ModelError:
    return ModelError(
        f"expected {expected}, got {type(value).__name__}{f': {why}' if why else ''}",
        where=where,
        fix='[{"type": "function", "function": {"name": ..., "parameters": {...}}}], or '
        "contextwright.session.event.Tool(name=..., parameters=...)",
    )
