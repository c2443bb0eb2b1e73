"""The mapping of messages that are a role and a list of parts, as most frameworks have them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from contextwright.adapters.left_parts import SHOWN, LeftParts
from contextwright.adapters.media_changes import address_note, media_with, with_items, words_of
from contextwright.adapters.message_mapping import Wire, plain_text
from contextwright.adapters.opaque_parts import part_with
from contextwright.adapters.part_view import PartView, reasoning_with
from contextwright.adapters.part_wires import SILENT, named, renamed, result_wire, wire_of
from contextwright.adapters.result_media import content_of, left_of

MessageT = TypeVar("MessageT")


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
    message that is of one role is one.

    Args:
        access: to the parts of its messages.
        note: makes a text that stands in a picture's or a file's place.
        of_tool: as `MessageMapping.is_of_tool` says.
    """

    def __init__(
        self,
        access: PartAccess[Any],
        note: Callable[[str], Any] = str,
        of_tool: Callable[[Any], bool] = lambda _: False,
    ) -> None:
        self.access, self._note, self._of_tool = access, note, of_tool

    def with_words_of_tools(self, of_tool: Callable[[Any], bool]) -> "PartedMessages":
        """The mapping of messages of which these hold what tools said."""
        return PartedMessages(self.access, self._note, of_tool)

    def is_of_tool(self, message: Any) -> bool:
        """Whether what it says as a user's, behind a result, is the tool's."""
        return self._of_tool(message)

    def wires(self, message: Any) -> list[Wire]:
        """A chat message for each result, and one for the rest of each role."""
        views = self._views(message)
        wires: list[Wire] = [
            result_wire(view, self._content(view)) for view in views if view.kind == "result"
        ]
        rest = self._rest(message, views)
        return [*wires, *(named(message, wire_of(role, each)) for role, each in rest.items())]

    def changed(self, message: Any, wires: Mapping[int, Wire]) -> Any:
        """The message with what is left of its parts; what is not shown stays where it stood."""
        parts, views, own = self.access.parts(message), self._views(message), self._role(message)
        first = sum(view.kind == "result" for view in views)
        rest = enumerate(self._rest(message, views).items(), first)
        texts = {role: LeftParts(wires.get(place), shown) for place, (role, shown) in rest}
        left: list[Any] = []
        number = 0
        for part, view in zip(parts, views, strict=True):
            if view.kind in ("own", "media"):
                left += self._left(part, view, texts[view.role or own].shown(view))
                continue
            if view.kind == "result":
                wire = wires.get(number)
                number += 1
                left += [] if wire is None else [self._result(part, view, wire)]
                continue
            text_now = texts.get(view.role or own)
            text = view.text if text_now is None else text_now.text(view)
            if text is not None:
                left.append(part if text == view.text else self.access.rewritten(part, text))
        return renamed(self.access.with_parts(message, left), wires.values())

    def _media(self, view: PartView) -> list[tuple[Any, PartView]]:
        """The pictures and files of a result: each, and its view."""
        views = ((item, self.access.view(item)) for item in view.files)
        return [(item, seen) for item, seen in views if seen.is_media]

    def _content(self, view: PartView) -> Any:
        return content_of(view.text, [seen for _, seen in self._media(view)])

    def _result(self, part: Any, view: PartView, wire: Wire) -> Any:
        """What is left of a result."""
        media = self._media(view)
        text, changed = left_of(wire, view.text, [seen for _, seen in media])
        made = part if text == view.text else self.access.rewritten(part, text)
        if not changed:
            return made
        new = {n: self._left(*media[n], shown)[0] for n, shown in changed.items()}
        return with_items(made, {id(media[n][0]): item for n, item in new.items()})

    def _rest(self, message: Any, views: Sequence[PartView]) -> dict[str, list[PartView]]:
        """What is shown of a message beside its results, by whose it is; where nothing is shown
        at all, nothing of its own role."""
        own = self._role(message)
        rest: dict[str, list[PartView]] = {}
        for view in views:
            if view.kind in SHOWN:
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
        return renamed(self.access.made(wire["role"], text), [wire])

    def _left(self, part: Any, view: PartView, shown: Wire | None) -> list[Any]:
        """What is left of a picture, a file or what only the framework knows."""
        if shown is None or shown == view.wire:
            return [] if shown is None else [part]
        if shown["type"] == "text":
            return [self._note(shown["text"])]
        if view.kind == "media":
            return [media_with(part, view.wire, shown)]
        was, now = view.wire["value"], shown["value"]
        note = address_note(view, was, now)
        return [self._note(note) if note else part_with(part, now)]

    def annex(self, message: Any) -> list[Any]:
        """What was thought, part by part, and what of a result's pictures and files may be
        words."""
        values: list[Any] = []
        for view in self._views(message):
            values += [view.wire["value"]] if view.kind == "reasoning" else []
            values += [words for _, _, words in self._items(view)]
        return values

    def with_annex(self, message: Any, values: list[Any]) -> Any:
        """The message with other thoughts, other pictures and files in its results."""
        new = iter(values)

        def left(part: Any, view: PartView) -> Any:
            if not view.files:
                return reasoning_with(new, part, view)
            pairs = zip(self._items(view), new, strict=False)
            made = {id(item): self._item(item, seen, was, now) for (item, seen, was), now in pairs}
            return with_items(part, made)

        return self._with_some(message, left)

    def _items(self, view: PartView) -> list[tuple[Any, PartView, Any]]:
        """The pictures and files of a result that may hold words: each, its view and its words."""
        views = ((item, self.access.view(item)) for item in view.files)
        words = ((item, seen, words_of(seen)) for item, seen in views)
        return [each for each in words if each[2] is not None]

    def _item(self, item: Any, view: PartView, was: Any, now: Any) -> Any:
        """What is left of a picture or a file of a result."""
        if note := address_note(view, was, now):
            return self._note(note)
        return media_with(item, was, now) if view.kind == "media" else part_with(item, now)

    def without_thinking(self, message: Any) -> Any:
        """The message without its reasoning."""
        return self._with_some(message, lambda p, v: None if v.kind == "reasoning" else p)

    def _with_some(self, message: Any, left: Callable[[Any, PartView], Any]) -> Any:
        """The message with what is left of its parts; itself where that is all, and in the place of
        one that held reasoning alone, one that says so."""
        parts = self.access.parts(message)
        news = list(map(left, parts, self._views(message)))
        if all(new is part for new, part in zip(news, parts, strict=True)):
            return message
        some = [new for new in news if new is not None]
        if not some:
            return self.access.made(self._role(message), SILENT)
        return self.access.with_parts(message, some)

    def _views(self, message: Any) -> list[PartView]:
        return [self.access.view(part) for part in self.access.parts(message)]
