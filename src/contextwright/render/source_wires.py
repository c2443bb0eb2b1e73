"""A message as its body had it, with only what was touched made anew (rules.md#left-as-it-came)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, cast

import msgspec

from contextwright.formats.fields import object_if
from contextwright.formats.part_places import MessageForm, Place, at_place
from contextwright.formats.responses_calls import chunk_text
from contextwright.render.source_messages import EventSource, SourceMessage
from contextwright.render.wire import EMPTY, Wire, arguments_of, arguments_text, clean
from contextwright.session.event import (
    AnyPart,
    File,
    Image,
    Opaque,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)

NewWires = Callable[[AnyPart], list[Wire]]
"""A part as the provider has it, made anew."""
_BESIDE_TEXT = ("type", "cache_control", "prompt_cache_breakpoint")
"""What a text that was shortened keeps: its citations and signatures were another text's."""
_LISTS = {("content",), ("parts",)}
"""Where a message has parts of every kind."""
_RESPONSES = ("functionResponse", "function_response")
_NAMING = ("function", "custom", "functionCall", "function_call")
"""Where a call has its name, where that is not its own field."""
_CALLS = ("functionCall", "function_call")


class SourceWire(dict[str, Any]):
    """A message, or an item of one, of a body. A copy of it that was changed is a plain dict.

    Attributes:
        source: the message that it came from.
        places: of the parts of that message that stand in it.
        touched: whether one of them is not as it came.
        as_it_came: whether it is the whole message, or an item of one that is.
    """

    __slots__ = ("as_it_came", "places", "source", "touched")

    def __init__(
        self, data: Wire, source: SourceMessage, places: Iterable[int], *, touched: bool = False
    ) -> None:
        super().__init__(data)
        self.source, self.places, self.touched = source, frozenset(places), touched
        self.as_it_came = not touched and len(self.places) == len(source.parts)


class Entry(msgspec.Struct, frozen=True):
    """A part of a message that is sent: where it came from, and, unless it is as it came, what
    stands there now.

    Args:
        place: among the parts of the source; -1 for one that was put in.
    """

    place: int
    part: AnyPart
    touched: bool


def entries_of(source: EventSource, parts: Sequence[AnyPart]) -> list[Entry]:
    """The parts of an event, as they are now, each with what it was."""
    return _matched(source.parts, parts, source.start)


def _matched(old: Sequence[AnyPart], new: Sequence[AnyPart], start: int = 0) -> list[Entry]:
    if old is new or old == new:
        return [Entry(start + n, part, touched=False) for n, part in enumerate(new)]
    if list(map(type, old)) == list(map(type, new)):
        pairs = enumerate(zip(old, new, strict=True))
        return [Entry(start + n, part, touched=was != part) for n, (was, part) in pairs]
    entries: list[Entry] = []
    at = 0
    for part in new:
        place = next((n for n in range(at, len(old)) if _is_same(old[n], part)), -1)
        if place < 0:
            entries.append(Entry(-1, part, touched=True))
            continue
        at = place + 1
        entries.append(Entry(start + place, part, touched=old[place] != part))
    return entries


def _is_same(old: AnyPart, new: AnyPart) -> bool:
    if isinstance(old, ToolCall) and isinstance(new, ToolCall):
        return old.id == new.id
    return old == new


def source_wire(
    source: SourceMessage, entries: Sequence[Entry], form: MessageForm, made: NewWires
) -> SourceWire | None:
    """The message with these parts alone, those that were not touched as they came; None where
    nothing of it is left."""
    if len(entries) == len(source.parts) and not any(entry.touched for entry in entries):
        return SourceWire(_object(source.data), source, range(len(entries)))
    decided: dict[Place, list[Any]] = {place: [] for place in source.places}
    touched, before, held = False, None, list[Any]()
    for entry in entries:
        touched = touched or entry.touched
        if entry.place < 0:
            (held if before is None else decided[before]).extend(made(entry.part))
            continue
        place = source.places[entry.place]
        item = at_place(source.data, place)
        own = source.parts[entry.place]
        wires = [item] if not entry.touched else _changed(item, own, entry.part, form, made)
        decided[place].extend([*held, *wires])
        before, held = place, []
    if held and decided:
        decided[source.places[0]].extend(held)
    if not any(decided.values()):
        return None
    data = _rebuilt(source.data, (), decided)
    return SourceWire(_object(data), source, (e.place for e in entries), touched=touched)


def takes_new_parts(source: SourceMessage) -> bool:
    """Whether it is clear where a part goes that was put in: all of it stands in one list, which
    holds parts of every kind, and not calls alone."""
    lists = {
        place[:-1] if place and isinstance(place[-1], int) else place for place in source.places
    }
    return len(lists) < 2 and all(place[-1:] in _LISTS for place in lists)


def _object(data: Any) -> Wire:
    return data if isinstance(data, dict) else {"parts": [{"text": data}]}  # pyright: ignore


def _rebuilt(value: Any, path: Place, decided: dict[Place, list[Any]]) -> Any:
    """The value with its decided places as they are to be."""
    if isinstance(value, list):
        out: list[Any] = []
        for number, item in enumerate(cast(list[Any], value)):
            place = (*path, number)
            inner = _within(place, decided)
            if place in decided:
                out.extend(decided[place])
            elif not inner:
                out.append(item)
            elif any(decided[each] for each in inner):
                out.append(_rebuilt(item, place, decided))
        return out
    if () in decided:
        return decided[()][0]
    fields: Wire = {}
    for key, item in cast(Wire, value).items():
        place = (*path, key)
        if place in decided:
            if (new := _field(item, decided[place])) is not None or key == "content":
                fields[key] = new
        else:
            fields[key] = _rebuilt(item, place, decided) if _within(place, decided) else item
    if isinstance(fields.get("tool_calls"), list) and not fields["tool_calls"]:
        del fields["tool_calls"]
    return fields


def _within(path: Place, decided: dict[Place, list[Any]]) -> list[Place]:
    return [place for place in decided if place[: len(path)] == path and place != path]


def _field(item: Any, wires: list[Any]) -> Any:
    """What stands in a field that held one part: a text, where texts can say it."""
    if not wires:
        return None
    if len(wires) == 1 and (wires[0] is item or not isinstance(item, str)):
        return wires[0]
    texts = [one if isinstance(one, str) else one.get("text") for one in wires]
    if all(isinstance(text, str) for text in texts):
        return "\n".join(cast(list[str], texts))
    return [{"type": "text", "text": one} if isinstance(one, str) else one for one in wires]


def _changed(item: Any, old: AnyPart, new: AnyPart, form: MessageForm, made: NewWires) -> list[Any]:
    """A part that was touched, in the place of what it was."""
    if isinstance(item, str) and isinstance(new, Text | Thinking):
        return [clean(new.text)] if new.text.strip() else []
    if isinstance(item, dict):
        wire = cast(Wire, item)
        if isinstance(old, Text) and isinstance(new, Text):
            if new.text == old.text:  # its fields are cleaned with the whole message
                return [wire]
            return [_with_text(wire, new)] if new.text.strip() else []
        if isinstance(old, Image | File) and type(new) is type(old):
            if msgspec.structs.replace(new, extra=old.extra) == old:
                return [wire]  # as of a text
        if isinstance(old, Thinking) and isinstance(new, Thinking):
            return [_with_thought(wire, new)]
        if isinstance(old, ToolCall) and isinstance(new, ToolCall):
            return [_with_ids(_with_call(wire, new), old, new)]
        if isinstance(old, ToolResult) and isinstance(new, ToolResult):
            return [_with_result(wire, old, new, form, made)]
        if isinstance(old, Opaque) and isinstance(new, Opaque) and wire.keys() >= new.value.keys():
            inner = {key: new.value.get(key, item) for key, item in wire.items()}
            return [wire if inner == wire else inner]  # the log sorts keys, the body does not
    return list(made(new))


def _with_text(item: Wire, part: Text) -> Wire:
    others = {key: value for key, value in item.items() if key in _BESIDE_TEXT}
    return {**others, "text": clean(part.text)}


def _with_thought(item: Wire, part: Thinking) -> Wire:
    """Reasoning with another text, in the field that has it."""
    if item.get("type") == "reasoning":
        return {**item, "summary": [{"type": "summary_text", "text": clean(part.text)}]}
    key = "thinking" if "thinking" in item else "text"
    return {**item, key: clean(part.text)}


def _with_call(item: Wire, part: ToolCall) -> Wire:
    """The call with other arguments: an object or JSON text, or a text of its own."""
    for key in _CALLS:
        if isinstance(item.get(key), dict) and "args" in item[key]:
            return {**item, key: {**item[key], "args": arguments_of(part) or {}}}
    if isinstance(item.get("function"), dict):
        return {**item, "function": {**item["function"], "arguments": arguments_text(part)}}
    if isinstance(item.get("custom"), dict):
        return {**item, "custom": {**item["custom"], "input": _text_input(part)}}
    if "input" in item:
        text = isinstance(item["input"], str)
        return {**item, "input": _text_input(part) if text else arguments_of(part) or {}}
    for key in ("action", "operation"):
        if isinstance(item.get(key), dict):
            return {**item, key: arguments_of(part) or {}}
    if str(item.get("type", "")).endswith("_call") and "arguments" not in item:
        return item  # of a kind that says in fields of its own what it calls for
    return {**item, "arguments": arguments_text(part)}


def _with_ids(item: Wire, old: ToolCall, new: ToolCall) -> Wire:
    """The call with another id, another name, as its result has them."""
    if (old.id, old.name) == (new.id, new.name):
        return item
    changes = {"id": (old.id, new.id), "call_id": (old.id, new.id), "name": (old.name, new.name)}

    def changed(fields: Wire) -> Wire:
        now: Wire = {}
        for key, value in fields.items():
            was, new_value = changes.get(key, (None, None))
            now[key] = new_value if value == was and value else value
        return now

    inner = {
        key: changed(cast(Wire, value)) if key in _NAMING and isinstance(value, dict) else value
        for key, value in item.items()
    }
    return changed(inner)


def _text_input(part: ToolCall) -> str:
    """What a tool that takes no JSON was called with."""
    return str((arguments_of(part) or {}).get("input", ""))


def _with_result(
    item: Wire, old: ToolResult, new: ToolResult, form: MessageForm, made: NewWires
) -> Wire:
    for key in _RESPONSES:
        if isinstance(item.get(key), dict):
            return {**item, key: _with_response(item[key], new)}
    if "approval_request_id" in item:
        return item  # what the user allowed: no text stands there
    content = item.get(form.result)
    if isinstance(content, dict):
        return item  # what a screen showed: no text stands there
    if isinstance(content, list) and any(map(_is_printed, cast(list[Any], content))):
        return {**item, form.result: [_with_printed(cast(list[Any], content)[-1], new.text)]}
    if isinstance(content, list) and len(cast(list[Any], content)) == len(old.content):
        wires = list(_pieces(cast(list[Any], content), old, new, form, made))
    else:
        wires = [wire for piece in new.content for wire in made(piece)]
    if all(isinstance(piece, Text) for piece in new.content) and not isinstance(content, list):
        return {**item, form.result: clean(new.text) if new.text.strip() else EMPTY}
    return {**item, form.result: wires}


def _is_printed(chunk: Any) -> bool:
    return chunk_text(chunk) is not None


def _with_printed(chunk: Wire, text: str) -> Wire:
    """A chunk of a shell's output that says this, with how it ended."""
    return {**chunk, "stdout": clean(text), **({"stderr": ""} if "stderr" in chunk else {})}


def _pieces(
    content: list[Any], old: ToolResult, new: ToolResult, form: MessageForm, made: NewWires
) -> Iterator[Any]:
    for entry in _matched(old.content, new.content):
        if entry.place < 0:
            yield from made(entry.part)
        elif not entry.touched:
            yield content[entry.place]
        else:
            yield from _changed(
                content[entry.place], old.content[entry.place], entry.part, form, made
            )


def _with_response(response: Wire, new: ToolResult) -> Wire:
    """A function's response that says this: as data where it is what it was, with values gone;
    else as a text, under the key that it had, where it had one."""
    value = object_if(response.get("response"))
    text = clean(new.text)
    if not any(isinstance(value.get(key), str) for key in ("result", "output", "error")):
        try:
            data = msgspec.json.decode(text)
        except (msgspec.DecodeError, RecursionError):
            data = None
        if isinstance(data, dict) and value.keys() == data.keys():
            return {**response, "response": data}
    key = next(iter(value)) if len(value) == 1 else "result"
    return {**response, "response": {key: text}}
