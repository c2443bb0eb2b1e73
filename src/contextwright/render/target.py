"""Who the request is for: provider format, model, window, counter."""

from typing import Literal

import msgspec

from contextwright.errors import ModelError
from contextwright.session.event import Tool
from contextwright.tokens.counter import Counter, counter_for
from contextwright.tokens.models import model_info

Format = Literal["openai-chat", "openai-responses", "anthropic", "gemini", "text"]
FORMATS: tuple[str, ...] = ("openai-chat", "openai-responses", "anthropic", "gemini", "text")
_BY_PROVIDER: dict[str, Format] = {
    "openai": "openai-chat",
    "anthropic": "anthropic",
    "google": "gemini",
}
DEFAULT_RESERVE = 4096
"""Tokens kept free for the answer where nothing else is said."""


class Target(msgspec.Struct, frozen=True, eq=False):
    """The receiver of a request.

    Args:
        model: the model's name, as the provider has it.
        format: the shape of the request.
        window: the model's context window in tokens.
        reserved_output: tokens kept free for the answer.
        reserved_system: tokens kept free for what others add, such as a framework's instruction.
        counter: counts the tokens of a text for this model.
        tools: what the agent may call; None takes the session's.
        cache: whether prompt-cache breakpoints are set where the provider has them.
    """

    model: str
    format: Format
    window: int
    reserved_output: int
    counter: Counter
    tools: tuple[Tool, ...] | None = None
    cache: bool = True
    reserved_system: int = 0

    @property
    def max_input(self) -> int:
        """Tokens that a request may have: the window without the reserves."""
        return self.window - self.reserved_output - self.reserved_system


def target(
    model: str,
    *,
    format: Format | None = None,
    window: int | None = None,
    reserved_output: int | None = None,
    reserved_system: int = 0,
    counter: Counter | None = None,
    tools: tuple[Tool, ...] | None = None,
    cache: bool = True,
) -> Target:
    """Describe the receiver; what is not said comes from the table of models.

    Raises:
        ModelError: the model is unknown and no `window` was given, an unknown `format`, or an
            answer as large as the window.
    """
    if not isinstance(model, str) or not model:
        raise ModelError(
            f"{model!r} is not a model's name", where="model", fix='such as model="gpt-5"'
        )
    if format is not None and format not in FORMATS:
        raise ModelError(
            f"no provider format {format!r}", where="format", fix=f"one of {', '.join(FORMATS)}"
        )
    for name, value in (("window", window), ("reserved_output", reserved_output)):
        if value is not None and (not isinstance(value, int) or value < (name == "window")):
            raise ModelError(
                f"{name} is {value!r}", where=name, fix="give a whole number of tokens"
            )
    provider = ""
    if window is None or format is None:
        try:
            info = model_info(model)
            window, provider = window or info.window, info.provider
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
        format=format or _BY_PROVIDER.get(provider, "openai-chat"),
        window=window,
        reserved_output=reserved,
        counter=counter or counter_for(model),
        tools=tools,
        cache=cache,
        reserved_system=reserved_system,
    )
