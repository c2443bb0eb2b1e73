"""Who the request is for: provider format, model, window, counter."""

from typing import cast

import msgspec

from contextwright.errors import ModelError
from contextwright.render.providers import DEFAULTS, Provider, provider_named
from contextwright.session.event import Tool
from contextwright.tokens.counter import Counter, counter_for
from contextwright.tokens.models import model_info

DEFAULT_RESERVE = 4096
"""Tokens kept free for the answer where no number is given: an answer of some pages."""


class Target(msgspec.Struct, frozen=True, eq=False):
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

    def __post_init__(self) -> None:
        provider_named(self.format)
        value: object = self.tools
        tools = value if isinstance(value, tuple | list | None) else (value,)
        for place, tool in enumerate(cast("tuple[object, ...]", tools or ())):
            if not isinstance(tool, Tool):
                raise ModelError(
                    f"expected a Tool, got {type(tool).__name__}",
                    where=f"tools[{place}]",
                    fix="contextwright.session.event.Tool(name=..., parameters=...)",
                )

    @property
    def provider(self) -> Provider:
        """How requests of this format are made."""
        return provider_named(self.format)

    @property
    def takes_messages(self) -> bool:
        """Whether the conversation is sent as messages with tools, not as one text."""
        return self.provider.takes_messages

    @property
    def max_input(self) -> int:
        """Tokens that a request may have: the window without the reserves."""
        return self.window - self.reserved_output - self.reserved_system


def target(
    model: str,
    *,
    format: str | None = None,
    window: int | None = None,
    reserved_output: int | None = None,
    reserved_system: int = 0,
    counter: Counter | None = None,
    tools: tuple[Tool, ...] | None = None,
    cache: bool = True,
) -> Target:
    """Describe the receiver; what is not given comes from the table of models.

    Raises:
        ModelError: the model is unknown and no `window` was given, an unknown `format`, or an
            answer as large as the window.
    """
    if not isinstance(model, str) or not model:
        raise ModelError(
            f"{model!r} is not a model's name", where="model", fix='such as model="gpt-5"'
        )
    if format is not None:
        provider_named(format)
    for name, value in (("window", window), ("reserved_output", reserved_output)):
        if value is not None and (not isinstance(value, int) or value < (name == "window")):
            raise ModelError(
                f"{name} is {value!r}", where=name, fix="give a whole number of tokens"
            )
    maker = ""
    if window is None or format is None:
        try:
            info = model_info(model)
            window, maker = window or info.window, info.provider
        except ModelError:
            if window is None:
                raise
    reserved = min(DEFAULT_RESERVE, window // 4) if reserved_output is None else reserved_output
    if reserved + reserved_system >= window:
        raise ModelError(
            f"{reserved} tokens are reserved for the answer and {reserved_system} for the system, "
            f"of a window of {window}",
            where="reserved_output, reserved_system",
            fix="reserve less than the window",
        )
    return Target(
        model=model,
        format=format or DEFAULTS.get(maker, "openai-chat"),
        window=window,
        reserved_output=reserved,
        counter=counter or counter_for(model),
        tools=tools,
        cache=cache,
        reserved_system=reserved_system,
    )
