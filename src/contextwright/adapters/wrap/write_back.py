"""A cooled conversation as the caller's messages: of the same types, the very same objects where
nothing changed."""

from collections.abc import Sequence
from typing import Any

from contextwright.adapters.wrap.cool_conversation import CooledConversation
from contextwright.adapters.wrap.foreign_messages import ForeignMessages
from contextwright.adapters.wrap.tree import field, retyped
from contextwright.formats.dump import Path, step_to
from contextwright.formats.objects import PartSource
from contextwright.formats.record_copies import at, is_list, put

_CONTENTS = ("content", "response", "output", "result")
"""Where the object of a tool's result holds what the tool said."""


def written_back(talk: ForeignMessages, made: CooledConversation) -> list[Any]:
    """The messages that stay, with the texts that they have now."""
    changes: dict[int, dict[Path, Any]] = {}
    removed: dict[int, list[Path]] = {}
    for key, short in made.parts.items():
        source = talk.parsed.sources[key[0]][key[1]]
        if source is not None:
            before, after = talk.quotes.get(key, ("", ""))
            # no summary closes a quotation
            text = short.new.replace("<<<", "<") if after else short.new
            where, value = _replacement(talk, source, f"{before}{text}{after}")
            changes.setdefault(source.message, {})[where] = value
            removed.setdefault(source.message, []).extend(source.texts[1:])
    for id in made.dropped:
        for source in talk.parsed.sources[id]:
            if source is not None:
                removed.setdefault(source.message, []).append(_place(source))
    dropped = set(dropped_messages(talk, made.dropped))
    stay = {
        n for id, places in talk.parsed.messages.items() if id not in made.dropped for n in places
    }
    out: list[Any] = []
    last = -1
    for n, message in enumerate(talk.messages):
        if n in dropped and n not in stay:
            continue
        message = _without(put(message, changes.get(n, {})), removed.get(n, ()))
        if out and n - last > 1:
            out[-1:] = _as_one(out[-1], message)
        else:
            out.append(message)
        last = n
    return out


def dropped_messages(talk: ForeignMessages, dropped: frozenset[str]) -> dict[int, list[str]]:
    """The messages of which events are left out, with the ids of these, by place."""
    places: dict[int, list[str]] = {}
    for id in (event.id for event in talk.events if event.id in dropped):
        for place in talk.parsed.messages[id]:
            places.setdefault(place, []).append(id)
    return dict(sorted(places.items()))


def _replacement(talk: ForeignMessages, source: PartSource, text: str) -> tuple[Path, Any]:
    """Where a text goes and in which form: what stood there may have been data."""
    message = talk.messages[source.message]
    if source.texts:
        return source.texts[0], retyped(at(message, source.texts[0]), text)
    holder = at(message, source.path)
    name = next(name for name in _CONTENTS if field(holder, name) is not None)
    value = {"result": text} if isinstance(field(holder, name), dict) else text
    return (*source.path, step_to(holder, name)), value


def _place(source: PartSource) -> Path:
    """The item of its message's list that a part is."""
    path = source.path
    if not any(kind == "item" for kind, _ in path) and source.texts:
        path = source.texts[0]
    while path and path[-1][0] != "item":
        path = path[:-1]
    return path


def _without(message: Any, paths: Sequence[Path]) -> Any:
    """The message without these items of its lists."""
    places: dict[Path, set[int]] = {}
    for path in paths:
        while path and path[-1][0] != "item":
            path = path[:-1]
        if path:
            places.setdefault(path[:-1], set()).add(path[-1][1])
    changes: dict[Path, Any] = {
        path: [item for n, item in enumerate(at(message, path)) if n not in left_out]
        for path, left_out in places.items()
    }
    return put(message, changes)


def _as_one(first: Any, second: Any) -> list[Any]:
    """Two messages between which something was left out: one where both are the user's and hold
    lists, since Anthropic and Gemini want user and model in turn; else the two."""
    for body in ("content", "parts"):
        parts = field(first, body), field(second, body)
        if field(first, "role") != "user" or type(first) is not type(second):
            continue
        if not all(map(is_list, parts)):
            continue
        whole = put(second, {(step_to(second, body),): [*parts[0], *parts[1]]})
        like_first = put(first, {(step_to(first, body),): [*parts[0], *parts[1]]})
        if whole == like_first:  # nothing else differs: no name, no id is lost
            return [whole]
    return [first, second]
