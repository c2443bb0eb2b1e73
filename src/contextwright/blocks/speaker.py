"""Whose words messages hold (rules.md#trust): what a manifest and a page call a block's trust."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from contextwright.session.event import AnyPart, Role, ToolResult

SPEAKERS = ("operator", "user", "assistant", "tool", "foreign")
"""Most trusted first. `foreign` is anybody: another agent, a memory, a value of the state."""
_OF_ROLE = {"system": "operator"}


class Spoken(Protocol):
    """An event, or a message of a block."""

    @property
    def role(self) -> Role: ...

    @property
    def parts(self) -> Sequence[AnyPart]: ...


def least_trusted(messages: Iterable[Spoken]) -> str:
    """Whose words some messages hold, the least trusted of them, of `SPEAKERS`: of a call with its
    result the tool's."""
    return max(map(_speaker, messages), key=SPEAKERS.index, default="foreign")


def _speaker(message: Spoken) -> str:
    for part in message.parts:
        if isinstance(part, ToolResult):
            return "tool"
    return _OF_ROLE.get(message.role, message.role)
