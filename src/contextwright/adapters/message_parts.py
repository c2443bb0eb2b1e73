"""The mapping of messages that are a role and a list of parts, as most frameworks have them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Protocol, TypeVar

from contextwright.adapters.message_mapping import Wire, plain_text
from contextwright.adapters.opaque_parts import KIND, part_with
from contextwright.adapters.ordered_pairs import in_order
from contextwright.adapters.part_view import PartView, reasoning_with
from contextwright.adapters.part_wires import SILENT, named, renamed, wire_of

MessageT = TypeVar("MessageT")
_SHOWN = ("text", "media", "call", "own")


class PartAccess(Protocol[MessageT]):
    """What a framework's messages are made of; written once a framework."""

    def role(self, message: MessageT) -> str:
        """The role, as OpenAI Chat names it."""
        ...

    def parts(self, message: MessageT) -> Sequence[Any]:
        """Its parts: texts, calls, results and others."""
        ...

    def view(self, part: Any) -> PartView:
        """What a part is."""
        ...

    def rewritten(self, part: Any, text: str) -> Any:
        """A copy of a text, a call or a result with another text, other arguments."""
        ...

    def with_parts(self, message: MessageT, parts: list[Any]) -> MessageT:
        """A copy of a message with other parts."""
        ...

    def made(self, role: str, text: str) -> MessageT:
        """A new message."""
        ...

    def made_result(self, id: str, tool: str, text: str) -> MessageT:
        """A new message that answers a call of a tool."""
        ...


class PartedMessages:
    """A `MessageMapping` by the parts of messages: a result is a chat message, all else of a
    message that is of one role is one."""

    def __init__(self, access: PartAccess[Any]) -> None:
        self.access = access

    def wires(self, message: Any) -> list[Wire]:
        """A chat message for each result, and one for the rest of each role."""
        views = self._views(message)
        wires: list[Wire] = [
            {"role": "tool", "tool_call_id": view.id, "content": view.text}
            for view in views
            if view.kind == "result"
        ]
        rest = self._rest(message, views)
        return [*wires, *(named(message, wire_of(role, each)) for role, each in rest.items())]

    def changed(self, message: Any, wires: Mapping[int, Wire]) -> Any:
        """The message with what is left of its parts; what is not shown stays where it stood."""
        parts, views, own = self.access.parts(message), self._views(message), self._role(message)
        first = sum(view.kind == "result" for view in views)
        rest = enumerate(self._rest(message, views).items(), first)
        texts = {role: _Texts(wires.get(place), shown) for place, (role, shown) in rest}
        left: list[Any] = []
        number = 0
        for part, view in zip(parts, views, strict=True):
            if view.kind == "own":
                shown = texts[view.role or own].own(view)
                left += [] if shown is None else [part_with(part, shown["value"])]
                continue
            if view.kind == "result":
                wire = wires.get(number)
                number += 1
                text = None if wire is None else plain_text(wire.get("content"))
            else:
                text_now = texts.get(view.role or own)
                text = view.text if text_now is None else text_now.now(view)
            if text is not None:
                left.append(part if text == view.text else self.access.rewritten(part, text))
        return renamed(self.access.with_parts(message, left), wires.values())

    def _rest(self, message: Any, views: Sequence[PartView]) -> dict[str, list[PartView]]:
        """What is shown of a message beside its results, by whose it is; where nothing is shown
        at all, nothing of its own role."""
        own = self._role(message)
        rest: dict[str, list[PartView]] = {}
        for view in views:
            if view.kind in _SHOWN:
                rest.setdefault(view.role or own, []).append(view)
        return rest or ({} if any(view.kind == "result" for view in views) else {own: []})

    def _role(self, message: Any) -> str:
        """The role of what is no result."""
        role = self.access.role(message)
        return "user" if role == "tool" else role

    def made(self, wire: Wire) -> Any:
        """A message for what was added."""
        text = plain_text(wire.get("content"))
        if wire["role"] == "tool":
            return self.access.made_result(wire["tool_call_id"], wire.get("name", ""), text)
        return self.access.made(wire["role"], text)

    def reasoning(self, message: Any) -> list[Any]:
        """What was thought, part by part."""
        return [view.wire["value"] for view in self._views(message) if view.kind == "reasoning"]

    def with_reasoning(self, message: Any, thoughts: list[Any]) -> Any:
        """The message with other thoughts."""
        return self._with_some(message, partial(reasoning_with, iter(thoughts)))

    def without_reasoning(self, message: Any) -> Any:
        """The message without its reasoning."""
        return self._with_some(message, lambda p, v: None if v.kind == "reasoning" else p)

    def _with_some(self, message: Any, left: Callable[[Any, PartView], Any]) -> Any:
        """The message with what is left of its parts; itself where that is all, and in the place of
        one that held reasoning alone, one that says so."""
        parts = self.access.parts(message)
        pairs = zip(parts, self._views(message), strict=True)
        some = [new for pair in pairs if (new := left(*pair)) is not None]
        if some == list(parts):
            return message
        if not some:
            return self.access.made(self._role(message), SILENT)
        return self.access.with_parts(message, some)

    def _views(self, message: Any) -> list[PartView]:
        return [self.access.view(part) for part in self.access.parts(message)]


class _Texts:
    """What became of the texts, calls and pictures of a message, which are asked for in their
    order."""

    def __init__(self, wire: Wire | None, before: Sequence[PartView]) -> None:
        content: Any = None if wire is None else wire.get("content")
        self._is_gone = wire is None
        self._same = wire is not None and content == wire_of(wire["role"], before)["content"]
        self._arguments = iter(_arguments((wire or {}).get("tool_calls") or (), before))
        parts: list[Wire] = content if isinstance(content, list) else []
        self._media = [part for part in parts if part["type"] != "text"]
        self._own = _paired(before, [part for part in parts if part["type"] == KIND])
        texts = [view for view in before if view.kind == "text"]
        new: list[str] = [part["text"] for part in parts if part["type"] == "text"]
        if not new and isinstance(content, str):
            new = [content]
        if len(new) != len(texts):
            new = ["\n".join(new)] if texts and new else []
        self._new = iter(new)

    def own(self, view: PartView) -> Wire | None:
        """A part of the framework's own, as it is now; None where it is gone."""
        new = next(self._own, None)
        return view.wire if self._same else new

    def now(self, view: PartView) -> str | None:
        """The text of now; None where it is gone."""
        if view.kind == "call":
            return next(self._arguments)
        if view.kind not in _SHOWN:
            return None if self._is_gone else view.text
        if self._same:
            return view.text
        if view.kind == "media":
            return view.text if view.wire in self._media else None
        return next(self._new, None)


def _arguments(calls: Sequence[Wire], before: Sequence[PartView]) -> list[str | None]:
    """Of each call that there was, its arguments of now; None where it is gone. Two may have one
    id."""
    ids = [view.id for view in before if view.kind == "call"]
    pairs = [(n, n) for n in range(len(ids))]
    if len(calls) != len(ids):
        pairs = in_order([("", call["id"]) for call in calls], [("", id) for id in ids])
    now = {other: calls[one]["function"]["arguments"] for one, other in pairs}
    return [now.get(place) for place in range(len(ids))]


def _paired(before: Sequence[PartView], now: Sequence[Wire]) -> Iterator[Wire | None]:
    """What became of each part of the framework's own; of those that are fewer, what is as it
    was."""
    own = [view.wire for view in before if view.kind == "own"]
    if len(own) == len(now):
        return iter(now)
    return iter([wire if wire in now else None for wire in own])
