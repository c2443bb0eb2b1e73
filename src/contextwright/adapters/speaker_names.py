"""Who speaks in a framework's message, where that is sent beside what is said."""

from collections.abc import Iterable
from typing import Any

from contextwright.adapters.message_sources import Wire
from contextwright.formats.record_copies import copy_with

_FIELDS = ("author_name", "name")
_SPEAKERS = ("user", "assistant")


def named(message: Any, wire: Wire) -> Wire:
    """The chat message of a framework's one, with who speaks."""
    field = _field(message)
    name = getattr(message, field) if field and wire["role"] in _SPEAKERS else None
    return {**wire, "name": name} if isinstance(name, str) and name else wire


def renamed(message: Any, wires: Iterable[Wire]) -> Any:
    """A copy with the name that is left in its chat messages; itself where that is its own."""
    field = _field(message)
    names = [wire["name"] for wire in wires if wire.get("name") and wire["role"] in _SPEAKERS]
    if not (field and names) or names[0] == getattr(message, field):
        return message
    return copy_with(message, {field: names[0]})


def _field(message: Any) -> str:
    """Where it stands: a field, no property of something else."""
    known = {**getattr(message, "__dict__", {}), **getattr(type(message), "model_fields", {})}
    return next((name for name in _FIELDS if name in known), "")
