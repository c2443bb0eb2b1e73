"""Messages of a framework's own classes through a context, and back by identity.

Each message is shown to the context as one or several chat messages; what comes back unchanged is
the framework's own object, what was changed is a copy of it with the new content, and what the
context added is a new message. The framework's own list and objects are never touched.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import msgspec

from contextwright.adapters.message_sources import Wire, message_sources, plain_text
from contextwright.adapters.port import Body, is_our_tool
from contextwright.tokens.models import reasoning_profile

MessageT = TypeVar("MessageT")


class MessageMapping(Protocol[MessageT]):
    """How a framework's messages look as chat messages, and back."""

    def wires(self, message: MessageT) -> list[Wire]:
        """The chat messages that a message is; none where it has nothing that a context reads."""
        ...

    def changed(self, message: MessageT, wires: Mapping[int, Wire]) -> MessageT:
        """A copy of a message with new contents.

        Args:
            message: the framework's own.
            wires: what is left of its chat messages, by their places in `wires(message)`.
        """
        ...

    def made(self, wire: Wire) -> MessageT:
        """A message of the framework's for a chat message that the context added."""
        ...

    def without_reasoning(self, message: MessageT) -> MessageT:
        """A message without what is signed for its place; itself where it has none."""
        ...


class ForeignBody(msgspec.Struct, frozen=True):
    """The body that stands for a framework's request, and where each of its messages is from.

    Args:
        body: in OpenAI Chat's form.
        origins: of each chat message, the place of the framework's message and the one in it.
        has_system: whether the first chat message is the framework's system text.
    """

    body: Body
    origins: list[tuple[int, int]]
    has_system: bool


def foreign_body(
    mapping: MessageMapping[MessageT],
    messages: Sequence[MessageT],
    *,
    model: str,
    system: str | None = None,
    tools: Iterable[Mapping[str, Any]] = (),
) -> ForeignBody:
    """A framework's request as a body.

    Args:
        mapping: of its messages.
        messages: all of them, oldest first.
        model: its name; empty where only the context knows it.
        system: text that stands in front of all messages.
        tools: name, description and parameters of each; ours are left to the context.
    """
    wires: list[Wire] = [{"role": "system", "content": system}] if system else []
    origins = [(-1, 0)] * len(wires)
    for place, message in enumerate(messages):
        shown = mapping.wires(message)
        wires += shown
        origins += [(place, number) for number in range(len(shown))]
    body: Body = {"messages": wires}
    if model:
        body["model"] = model
    functions = [
        {"type": "function", "function": dict(tool)} for tool in tools if not is_our_tool(tool)
    ]
    if functions:
        body["tools"] = functions
    return ForeignBody(body, origins, bool(system))


def framework_messages(
    mapping: MessageMapping[MessageT],
    messages: Sequence[MessageT],
    foreign: ForeignBody,
    compiled: Sequence[Wire],
) -> tuple[str | None, list[MessageT]]:
    """The system text and the framework's messages that a compiled body stands for. Where the
    model binds reasoning to its prefix, what stands behind the first change goes without it.

    Args:
        mapping: of its messages.
        messages: as they were shown.
        foreign: what they were shown as.
        compiled: the chat messages that came back.
    """
    sources = message_sources(foreign.body["messages"], compiled)
    system: str | None = None
    groups: list[tuple[int, dict[int, Wire]]] = []
    sent: list[MessageT] = []
    first = compiled[0] if compiled else {}
    if foreign.has_system and first.get("role") == "system":
        system = plain_text(first.get("content"))
        compiled, sources = compiled[1:], sources[1:]
    for wire, source in zip(compiled, sources, strict=True):
        place, number = foreign.origins[source] if source is not None else (-1, 0)
        if place >= 0 and groups and groups[-1][0] == place:
            groups[-1][1][number] = wire
        else:
            groups.append((place, {number: wire}))
    shown = _shown(foreign)
    for place, wires in groups:
        if place < 0:
            sent += [mapping.made(wire) for wire in wires.values()]
        elif len(wires) == len(shown[place]) and all(
            wire is shown[place][number] for number, wire in wires.items()
        ):
            sent.append(messages[place])
        else:
            sent.append(mapping.changed(messages[place], wires))
    if reasoning_profile(str(foreign.body.get("model", ""))) != "bound":
        return system, sent
    same = next(
        (n for n, (one, own) in enumerate(zip(sent, messages, strict=False)) if one is not own),
        len(messages),
    )
    return system, [*sent[:same], *map(mapping.without_reasoning, sent[same:])]


def _shown(foreign: ForeignBody) -> dict[int, dict[int, Wire]]:
    """The chat messages of each of the framework's."""
    shown: dict[int, dict[int, Wire]] = {}
    for wire, (place, number) in zip(foreign.body["messages"], foreign.origins, strict=True):
        shown.setdefault(place, {})[number] = wire
    return shown
