"""Messages of any framework as what they say and where they say it, so that a text can be
replaced and all else of a message, its type included, stays.

`session.formats` reads a conversation to keep it; it would give back JSON of its own. Here the
messages are the caller's objects: dicts and objects of OpenAI Chat and Responses, Anthropic,
Gemini and google-adk, LangChain and pydantic-ai.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal, cast

import msgspec

from contextwright.adapters.wrap.agent_names import ROLES
from contextwright.adapters.wrap.quoted import is_quoted, unquoted
from contextwright.adapters.wrap.tree import Path, Step, is_record, put
from contextwright.session.event import Role

_ITEMS: dict[str, Role] = {
    "function_call": "assistant",
    "function_call_output": "tool",
    "reasoning": "assistant",
}
"""Items of OpenAI's Responses that have no role."""
_CLASSES = {
    "HumanMessage": "human",
    "AIMessage": "ai",
    "SystemMessage": "system",
    "ToolMessage": "tool",
}
_TEXTS = {"text", "input_text", "output_text"}


class Piece(msgspec.Struct, frozen=True, eq=False):
    """What a message says in one place.

    Args:
        path: where, within the message.
        text: a text, a result's text, or a call's arguments.
        id: of the call, for a call and for its result.
        value: what stands at the path.
        around: what stands before and behind the text there, and stays.
        role: whose words, where a message holds more than one's.
    """

    kind: Literal["text", "result", "call", "thinking"]
    path: Path
    text: str
    role: Role
    id: str = ""
    name: str = ""
    value: Any = None
    around: tuple[str, str] = ("", "")


class Said(msgspec.Struct, frozen=True, eq=False):
    """A message.

    Args:
        joins: whether it and the one before it of the same role are one answer of a model.
    """

    pieces: tuple[Piece, ...]
    role: Role
    author: str = ""
    joins: bool = False


def said(message: Any) -> Said | None:
    """What a message says; None for what is no message."""
    if isinstance(message, str):  # LangChain's short form of the user's
        return Said((Piece("text", (), message, "user", value=message),), "user")
    if isinstance(message, tuple):
        return _pair(cast(tuple[Any, ...], message))
    if not is_record(message):
        return None
    kind, role = _get(message, "type"), _get(message, "role")
    if _is_list(_get(message, "parts")):
        if str(_get(message, "kind")) in {"request", "response"}:
            return _pydantic_ai(message)
        return _gemini(message, str(role or "user")) if str(role or "user") in ROLES else None
    inner, path = _inside(message, kind)
    if inner is not None:
        kind = _get(inner, "type") or _CLASSES.get(str((_get(message, "id") or [""])[-1]), kind)
        return _content(inner, path, ROLES.get(str(kind), "user"))
    if isinstance(kind, str) and kind in _ITEMS and role is None:
        return _item(message, kind)
    known = ROLES.get(role) if isinstance(role, str) else None
    known = known or (ROLES.get(kind) if isinstance(kind, str) and role is None else None)
    if known is None or not _has(message, "content"):
        return None
    found = _content(message, (), known)
    joins = kind == "message" and known == "assistant"
    return msgspec.structs.replace(found, joins=True) if joins else found


def is_conversation(value: Any) -> bool:
    """Whether it is a list of messages; texts alone are any texts."""
    if not isinstance(value, list | tuple) or not value or hasattr(value, "_fields"):
        return False
    items = cast(list[Any], value)
    if all(isinstance(item, str) for item in items):
        return False
    return all(said(item) is not None for item in items)


def written(message: Any, changes: Mapping[Piece, str]) -> Any:
    """The message with these pieces saying something else."""
    new: dict[Path, Any] = {}
    for piece, text in changes.items():
        before, after = piece.around
        if after:
            text = text.replace("<<<", "<")  # no summary closes a quotation
        new[piece.path] = _as(piece.value, f"{before}{text}{after}")
    return put(message, new)


def without(message: Any, gone: list[Piece]) -> Any:
    """The message without the items of its content that hold these pieces."""
    places: dict[Path, set[int]] = {}
    for piece in gone:
        if len(piece.path) > 1 and piece.path[1][0] == "item":
            places.setdefault(piece.path[:1], set()).add(piece.path[1][1])
    changes: dict[Path, Any] = {}
    for path, left_out in places.items():
        items = _get(message, path[0][1])
        changes[path] = [item for place, item in enumerate(items) if place not in left_out]
    return put(message, changes)


def as_one(first: Any, second: Any) -> list[Any]:
    """Two messages between which something was left out: one where both are the user's and hold
    lists, since Anthropic and Gemini want user and model in turn; else the two."""
    for body in ("content", "parts"):
        parts = _get(first, body), _get(second, body)
        role = _get(first, "role")
        if role != "user" or type(first) is not type(second) or not all(map(_is_list, parts)):
            continue
        whole = put(second, {(_step(second, body),): [*parts[0], *parts[1]]})
        like_first = put(first, {(_step(first, body),): [*parts[0], *parts[1]]})
        if whole == like_first:  # nothing else differs: no name, no id is lost
            return [whole]
    return [first, second]


def _as(value: Any, text: str) -> Any:
    """A text in the form of the value that it replaces."""
    if isinstance(value, list):
        items = cast(list[Any], value)
        first = next((n for n, item in enumerate(items) if _text_of(item) is not None), 0)
        rest = [item for n, item in enumerate(items) if n == first or _text_of(item) is None]
        place = rest.index(items[first])
        step: Path = (("item", place),)
        if not isinstance(items[first], str):
            step = (*step, _step(items[first], "text"))
        return put(rest, {step: text})
    return {"result": text} if isinstance(value, dict) else text


def _get(value: Any, name: str) -> Any:
    if isinstance(value, dict):
        return cast(dict[str, Any], value).get(name)
    return getattr(value, name, None)


def _has(value: Any, name: str) -> bool:
    return name in value if isinstance(value, dict) else hasattr(value, name)


def _step(value: Any, name: str) -> Step:
    return ("key" if isinstance(value, dict) else "attr", name)


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _text_of(item: Any) -> str | None:
    """The text of an item of a content list; None for a picture or anything else."""
    if isinstance(item, str):
        return item
    kind, text = _get(item, "type"), _get(item, "text")
    return text if isinstance(text, str) and kind in {None, *_TEXTS} else None


def _json(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _pair(message: tuple[Any, ...]) -> Said | None:
    """LangChain's `("human", "hello")`."""
    if len(message) != 2 or not all(isinstance(part, str) for part in message):
        return None
    role = ROLES.get(message[0])
    path: Path = (("item", 1),)
    pieces = (Piece("text", path, message[1], role or "user", value=message[1]),)
    return Said(pieces, role) if role is not None else None


def _inside(message: Any, kind: Any) -> tuple[Any, Path]:
    """A LangChain message out of its envelope: `messages_to_dict`'s, or `dumpd`'s."""
    if not isinstance(message, dict) or not isinstance(kind, str):
        return None, ()
    for name in ("data", "kwargs"):
        inner = _get(message, name)
        if isinstance(inner, dict) and "content" in inner:
            return inner, (("key", name),)
    return None, ()


def _content(message: Any, path: Path, role: Role) -> Said:
    """A message with `content`: OpenAI, Anthropic, LangChain."""
    content = _get(message, "content")
    inside: Path = (*path, _step(message, "content"))
    name = _get(message, "name")
    author = name if isinstance(name, str) and role != "tool" else ""
    if role == "tool":
        id = _get(message, "tool_call_id") or name or ""
        return Said((_result(inside, content, str(id)),), role)
    pieces: list[Piece] = []
    if isinstance(content, str):
        pieces.append(Piece("text", inside, content, role, value=content))
    for place, item in enumerate(content if _is_list(content) else ()):
        pieces += _block(item, (*inside, ("item", place)), role)
    known = {piece.id for piece in pieces if piece.kind == "call"}
    calls = [call for call in _calls(message, path) if call.id not in known]
    return Said((*pieces, *calls), role, author)


def _block(item: Any, path: Path, role: Role) -> Iterator[Piece]:
    kind = _get(item, "type")
    text = _text_of(item)
    if text is not None:
        inner: Path = path if isinstance(item, str) else (*path, _step(item, "text"))
        yield Piece("text", inner, text, role, value=text)
    elif kind == "tool_use":
        given = _json(_get(item, "input"))
        yield Piece(
            "call", path, given, "assistant", str(_get(item, "id")), str(_get(item, "name"))
        )
    elif kind == "tool_result":
        id = str(_get(item, "tool_use_id"))
        yield _result((*path, _step(item, "content")), _get(item, "content"), id)
    elif kind in {"thinking", "reasoning"}:
        yield Piece("thinking", path, str(_get(item, "thinking") or _get(item, "text") or ""), role)
    elif role == "user":
        yield _picture(path, item)


def _picture(path: Path, item: Any) -> Piece:
    """What a user shows: no words, but the user's; it stays where a result beside it goes."""
    return Piece("text", path, "", "user", value=item)


def _calls(message: Any, path: Path) -> Iterator[Piece]:
    """`tool_calls`, in OpenAI's form or LangChain's."""
    found = _get(message, "tool_calls")
    for call in found if _is_list(found) else ():
        function = _get(call, "function") or call
        given = _get(function, "arguments")
        given = _get(function, "args") if given is None else given
        name = str(_get(function, "name"))
        yield Piece("call", path, _json(given), "assistant", str(_get(call, "id")), name)
    old = _get(message, "function_call")
    if old is not None and _get(old, "name"):
        name = str(_get(old, "name"))
        yield Piece("call", path, _json(_get(old, "arguments")), "assistant", name, name)


def _result(path: Path, content: Any, id: str, name: str = "") -> Piece:
    if _is_list(content):
        texts = [text for item in content if (text := _text_of(item)) is not None]
        return Piece("result", path, "\n".join(texts), "tool", id, name, list(content))
    text = "" if content is None else _json(content)
    return Piece("result", path, text, "tool", id, name, content)


def _item(item: Any, kind: str) -> Said:
    """An item of OpenAI's Responses that is no message."""
    id = str(_get(item, "call_id"))
    if kind == "function_call_output":
        output = _get(item, "output")
        return Said((_result((_step(item, "output"),), output, id),), "tool")
    if kind == "function_call":
        given, name = _json(_get(item, "arguments")), str(_get(item, "name"))
        return Said((Piece("call", (), given, "assistant", id, name),), "assistant", joins=True)
    summary = _get(item, "summary")
    texts = [_text_of(part) or _get(part, "text") or "" for part in summary or ()]
    pieces = (Piece("thinking", (), "\n".join(texts), "assistant"),)
    return Said(pieces, "assistant", joins=True)


def _gemini(content: Any, role: str) -> Said:
    parts = _get(content, "parts")
    whose: Role = ROLES[role]
    if whose == "user" and is_quoted([str(_get(part, "text")) for part in parts]):
        return _another_agents(content, parts)
    pieces: list[Piece] = []
    for place, part in enumerate(parts):
        path: Path = (_step(content, "parts"), ("item", place))
        pieces += _part(part, path, whose)
    only: set[Role] = {piece.role for piece in pieces}
    return Said(tuple(pieces), only.pop() if len(only) == 1 else whose)


def _another_agents(content: Any, parts: Any) -> Said:
    """Another agent's words, without the quotation marks that google-adk puts around them."""
    pieces = [Piece("thinking", (), _get(parts[0], "text"), "assistant")]
    for place, part in enumerate(parts):
        if place:
            path: Path = (_step(content, "parts"), ("item", place), _step(part, "text"))
            before, words, after = unquoted(_get(part, "text"))
            around = (before, after)
            pieces.append(Piece("thinking", (), before + after, "assistant"))
            pieces.append(Piece("text", path, words, "assistant", value=words, around=around))
    return Said(tuple(pieces), "assistant")


def _part(part: Any, path: Path, role: Role) -> Iterator[Piece]:
    call = _get(part, "function_call") or _get(part, "functionCall")
    name = "function_response" if _get(part, "function_response") else "functionResponse"
    result, text = _get(part, name), _get(part, "text")
    if call:
        id = str(_get(call, "id") or _get(call, "name"))
        given = _json(_get(call, "args") or {})
        yield Piece("call", path, given, "assistant", id, str(_get(call, "name")))
    elif result:
        id = str(_get(result, "id") or _get(result, "name"))
        inner: Path = (*path, _step(part, name), _step(result, "response"))
        response = _get(result, "response")
        for key in ("result", "output"):
            if isinstance(response, dict) and isinstance(_get(response, key), str):
                step: Step = ("key", key)
                inner, response = (*inner, step), _get(response, key)
        yield _result(inner, response, id, str(_get(result, "name")))
    elif isinstance(text, str):
        where: Path = (*path, _step(part, "text"))
        yield Piece("thinking" if _get(part, "thought") else "text", where, text, role, value=text)
    elif role == "user":
        yield _picture(path, part)


_KINDS: dict[str, tuple[str, Role]] = {
    "system-prompt": ("text", "system"),
    "user-prompt": ("text", "user"),
    "tool-return": ("result", "tool"),
    "retry-prompt": ("result", "tool"),
    "text": ("text", "assistant"),
    "thinking": ("thinking", "assistant"),
    "tool-call": ("call", "assistant"),
    "builtin-tool-call": ("thinking", "assistant"),  # the provider's own, and its results: as is
    "builtin-tool-return": ("thinking", "assistant"),
}


def _as_text(content: Any) -> Any:
    """A tool's result as the text that a model reads, where it is JSON data."""
    try:
        return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    except (TypeError, ValueError):
        return content


def _pydantic_ai(message: Any) -> Said:
    pieces: list[Piece] = []
    whose: Role = "assistant" if _get(message, "kind") == "response" else "user"
    for place, part in enumerate(_get(message, "parts")):
        path: Path = (_step(message, "parts"), ("item", place))
        kind, role = _KINDS.get(str(_get(part, "part_kind")), ("", whose))
        if role == "tool" and not _get(part, "tool_name"):
            kind, role = "text", "user"  # a retry that answers no call is said as the user
        inner: Path = (*path, _step(part, "content"))
        content = _get(part, "content")
        id, name = str(_get(part, "tool_call_id")), str(_get(part, "tool_name"))
        if kind == "call":
            pieces.append(Piece("call", path, _json(_get(part, "args") or {}), role, id, name))
        elif kind == "result":
            pieces.append(_result(inner, _as_text(content), id, name))
        elif kind == "thinking":
            text = _as_text(_get(part, "args") if content is None else content)
            pieces.append(Piece("thinking", path, str(text or ""), role))
        elif isinstance(content, str):
            pieces.append(Piece("text", inner, content, role, value=content))
        else:
            for n, item in enumerate(content if _is_list(content) else ()):
                pieces += _block(item, (*inner, ("item", n)), role)
    instructions = _get(message, "instructions")
    if isinstance(instructions, str):
        whole: Path = (_step(message, "instructions"),)
        pieces.append(Piece("text", whole, instructions, "system", value=instructions))
    return Said(tuple(pieces), whose)
