"""What a spec redacts, of all of a body that leaves as it came: fields, parts and parameters that
nobody here knows (rules.md#left-as-it-came)."""

from typing import Any

import msgspec

from contextwright.formats.fields import Json
from contextwright.redaction.wire_data import (
    Cleaner,
    redacted_data,
    redacted_declaration,
    redacted_parameter,
    redacted_schema,
    redacted_tool,
    redacted_wire,
)
from contextwright.render.parameters import OWN, snake_case

_CONFIGS = ("config", "generationConfig", "generation_config")


class BodyRedaction(msgspec.Struct, frozen=True, eq=False):
    """Takes out of a body what the spec redacts.

    Args:
        cleaners: of its redactions; none where it redacts nothing.
    """

    cleaners: tuple[Cleaner, ...] = ()

    def message(self, value: Any) -> Any:
        """A message of the body, or a part of one."""
        for cleaner in self.cleaners:
            value = redacted_wire(cleaner, value)
        return value

    def text(self, text: str) -> str:
        """A text that stands for itself."""
        for cleaner in self.cleaners:
            text = cleaner.text(text)
        return text

    def data(self, value: Any, key: str) -> Any:
        """The arguments of a call, or its result as data.

        Args:
            key: of the field that holds it.
        """
        for cleaner in self.cleaners:
            value = redacted_data(cleaner, value, (), key, sealed=False)
        return value

    def declaration(self, tool: Json) -> Json:
        """A tool that a framework calls by its names."""
        for cleaner in self.cleaners:
            tool = redacted_declaration(cleaner, tool)
        return tool

    def schema(self, value: Any) -> Any:
        """The schema of an answer."""
        for cleaner in self.cleaners:
            value = redacted_schema(cleaner, value)
        return value

    def parameters(self, fields: Json, format: str) -> Json:
        """Parameters of the body, and its tools."""
        return {key: self.parameter(key, value, format) for key, value in fields.items()}

    def parameter(self, key: str, value: Any, format: str) -> Any:
        """One of them."""
        if key in _CONFIGS and isinstance(value, dict):
            return self.parameters(value, format)  # pyright: ignore[reportUnknownArgumentType]
        known = key == "model" or snake_case(key) in OWN.get(format, ())
        for cleaner in self.cleaners:
            if key == "tools":
                value = redacted_tool(cleaner, value)
            else:
                value = redacted_parameter(cleaner, value, key, known=known)
        return value


NO_REDACTION = BodyRedaction()
