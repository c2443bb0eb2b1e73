"""What the installed anthropic client takes: its newer ones have no temperature, which some
frameworks still send."""

import inspect

from anthropic.resources import AsyncMessages

HAS_TEMPERATURE = "temperature" in inspect.signature(AsyncMessages.create).parameters
NO_TEMPERATURE = (
    {}
    if HAS_TEMPERATURE
    else {"tools-and-settings-arrive": "the installed anthropic client takes no temperature"}
)
