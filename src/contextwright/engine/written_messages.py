"""What a spec made of messages, in the form in which they came; those that it left alone are the
caller's own objects."""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, cast

from contextwright.blocks.read_back_tools import is_read_back
from contextwright.compiler.pack import KnownRequest, Pack, known_request
from contextwright.engine.framework_messages import FRAMEWORKS, framework_messages
from contextwright.engine.message_history import MessageHistory
from contextwright.engine.prepare import memo_of
from contextwright.errors import NotInThisFormat
from contextwright.formats.fields import Json, list_if, object_if
from contextwright.formats.message_content import (
    canonical_contents,
    has_caching,
    without_caching,
)
from contextwright.formats.message_list import LISTS, KeptMessages, MessageList, plain_message
from contextwright.memo.ownership import remembering
from contextwright.render.idle_choice import is_idle
from contextwright.session.event import Tool

_SYSTEM = {"anthropic": "system", "openai-responses": "instructions"}
_GEMINI_SYSTEM = ("systemInstruction", "system_instruction")


def written(
    listed: MessageList,
    history: MessageHistory,
    pack: Pack,
    *,
    adds_tools: bool = False,
    read_back: bool = False,
) -> Any:
    """The request as a list or a body, as the messages came.

    Args:
        adds_tools: whether tools are put into a body that has none.
        read_back: whether those that read refs are.

    Raises:
        NotInThisFormat: a list of messages has no place for what the spec says as the system.
    """
    format, list_key = pack.receipt.format, LISTS[pack.receipt.format]
    if history.read.format in FRAMEWORKS:
        messages = framework_messages(pack.request["messages"], history)
        return {**listed.fields, listed.key: messages} if listed.key else messages
    put_in = _put_in(listed, history)
    marked = format != "anthropic" or history.marks_cache or has_caching(_plain(listed.fields))
    marked = marked or any(map(_marks, chain.from_iterable(put_in.values())))
    with remembering(memo_of(history.session.log)):
        known = known_request(pack)
    request = pack.request if known is None else _other_parts(known, list_key)
    wires = (request if known is None else known.request).get(list_key, [])
    places = history.places_of(wires, () if known is None else wires)
    made = _made_places(places, wires, history, marked)
    copies = dict(zip(made, _copied([wires[n] for n in made], known, listed, history), strict=True))
    messages: Any = list(_messages(places, copies, put_in, history))
    if not listed.key:
        return _with_system(messages, listed, request, format)
    if listed.single is not None and messages == listed.messages:
        messages = listed.single
    body = dict(listed.fields)
    if read_back and not adds_tools:
        request = _with_readers_alone(request, listed.fields, format)
    adds_tools = adds_tools or read_back
    for key, value in _other_fields(request, listed.fields, format, adds_tools).items():
        if value is None:
            del body[key]
        else:
            body[key] = value
    keys = dict.fromkeys([*_keys(listed.source), *([listed.key] if messages else ()), *body])
    whole = {
        key: messages if key == listed.key else body[key]
        for key in keys
        if key == listed.key or key in body
    }
    return listed.within(whole)


def _copied(
    wires: list[Any], known: KnownRequest | None, listed: MessageList, history: MessageHistory
) -> list[Any]:
    """Messages of a request for somebody to write into; into those of a list that is only read
    nobody does, so that they stand in the next one as the same objects."""
    if known is None:
        return wires
    if not isinstance(listed.messages, KeptMessages):
        return known.copy(wires)
    before = history.copies
    new = [wire for wire in wires if id(wire) not in before]
    made = dict(zip(map(id, new), zip(new, known.copy(new), strict=True), strict=True))
    history.copies = {id(wire): made.get(id(wire)) or before[id(wire)] for wire in wires}
    return [history.copies[id(wire)][1] for wire in wires]


def _keys(source: Any) -> list[str]:
    return list(cast(Json, source)) if isinstance(source, dict) else []


def _other_parts(known: KnownRequest, list_key: str) -> Json:
    """What a request says beside its messages."""
    return known.copy({key: value for key, value in known.request.items() if key != list_key})


def _made_places(
    places: list[int | None], wires: list[Any], history: MessageHistory, keeps: bool
) -> list[int]:
    """Which messages of a request are none of the caller's own objects.

    Args:
        places: of each in the history.
        keeps: whether the caller's cache breakpoints stay as they are: then there are none of ours.
    """
    made = [n for n, place in enumerate(places) if place is None]
    if keeps:
        return made
    own = ((n, place) for n, place in enumerate(places) if place is not None)
    marked = [n for n, place in own if history.places[place] >= 0 and has_caching(wires[n])]
    return sorted([*made, *marked])


def _messages(
    places: list[int | None],
    made: Mapping[int, Any],
    put_in: dict[int, list[Any]],
    history: MessageHistory,
) -> Iterator[Any]:
    """The messages of a request, as the caller's own objects where they say the same.

    Args:
        places: of each in the history.
        made: those that are none of the caller's.
        put_in: reminders, by the message that they stand behind.
    """
    own, stands = history.messages, history.places
    for n, place in enumerate(places):
        if place is None:
            yield made[n]
        elif (at := stands[place]) >= 0:
            yield made[n] if n in made else own[place]
            if at in put_in:
                yield from put_in[at]


def _put_in(listed: MessageList, history: MessageHistory) -> dict[int, list[Any]]:
    """The reminders that the list has and the history does not, behind the message before them."""
    if len(history.places) == len(listed.messages) and -1 not in history.places:
        return {}  # each message of the list is one of the history
    places = set(history.places)
    if len(places) == len(listed.messages):
        return {}
    put_in: dict[int, list[Any]] = {}
    last = -1
    for at, message in enumerate(listed.messages):
        if at in places:
            last = at
        else:
            put_in.setdefault(last, []).append(message)
    return put_in


def _with_system(messages: list[Any], listed: MessageList, request: Json, format: str) -> list[Any]:
    """A list with the system text of a request that has a place of its own for it."""
    system = _system_of(request, format)
    if system is None or format == "openai-chat":
        return messages
    leading: list[Any] = []
    for message in listed.messages:
        if object_if(plain_message(message)).get("role") not in ("system", "developer"):
            break
        leading.append(message)
    if leading and _text(system) == "\n\n".join(map(_text_of_message, leading)):
        return [*leading, *messages]
    if format == "openai-responses":
        return [{"role": "system", "content": system}, *messages]
    raise NotInThisFormat(
        "the spec says something as the system, and a list of messages has no place for it",
        where=f"context(messages), format {format}",
        fix='give the body: context({"system": ..., "messages": [...]}), or with '
        '"contents" and "config" for Gemini',
    )


def _system_of(request: Json, format: str) -> Any:
    if format == "gemini":
        return object_if(request.get("config")).get("system_instruction")
    return request.get(_SYSTEM.get(format, ""))


def _other_fields(request: Json, fields: Json, format: str, adds_tools: bool) -> Json:
    """What a request has otherwise than the caller's fields: system text and tools. None for what
    the spec took away; all other fields are the caller's."""
    made: Json = {}
    source, where = fields, request
    if format == "gemini" and (config := _config_of(fields)) is not None:
        source, where = config, object_if(request.get("config"))
    elif format == "gemini":
        where = {**request, **object_if(request.get("config"))}
    names = _GEMINI_SYSTEM if format == "gemini" else (_SYSTEM.get(format, ""),)
    key = next((name for name in names if name in source), names[-1])
    system = next((where[name] for name in names if name in where), None)
    own = _plain(source.get(key))
    says = system is not None or bool(_text(own))  # an empty one is no system, and the caller's
    if key and says and not _same_system(system, own):
        made[key] = system
    tools = where.get("tools")
    # a request names what was called in it, though its caller names no tools
    names_tools = source.get("tools") or adds_tools
    if names_tools and _tool_names(tools) != _tool_names(_plain(source.get("tools"))):
        made["tools"] = tools
        if not tools:
            made |= {name: None for name, value in source.items() if is_idle(name, _plain(value))}
    thinking = where.get("thinking") if format == "anthropic" else None
    is_off = object_if(thinking).get("type") == "disabled"
    if is_off and object_if(_plain(fields.get("thinking"))).get("type") == "enabled":
        made["thinking"] = thinking  # what was thought is not what was signed
    if source is not fields and made:
        config = {**source, **made}
        return {"config": {k: v for k, v in config.items() if v is not None or k not in made}}
    return {k: v for k, v in made.items() if v is not None or k in fields}


def _config_of(fields: Json) -> Json | None:
    """What a body for Gemini has beside its contents: a dict of the caller's, or an object of the
    SDK's as one; None where it has none."""
    config = fields.get("config")
    return config if config is None or isinstance(config, dict) else object_if(_plain(config))


def _with_readers_alone(request: Json, fields: Json, format: str) -> Json:
    """A request of which, where its caller names no tools, those alone are left that read refs: of
    a tool that was called once and is no longer named the caller wants no call."""
    in_config = format == "gemini"
    inner = object_if(request.get("config")) if in_config else request
    own = _config_of(fields) or {} if in_config else fields
    if own.get("tools") or fields.get("tools") or not inner.get("tools"):
        return request
    tools = list(_readers(inner["tools"]))
    made = {**inner, "tools": tools} if tools else {k: v for k, v in inner.items() if k != "tools"}
    return {**request, "config": made} if in_config else made


def _readers(tools: Any) -> Iterator[Json]:
    for tool in map(object_if, list_if(tools)):
        declared = tool.get("function_declarations")
        if isinstance(declared, list):
            if functions := list(_readers(declared)):
                yield {**tool, "function_declarations": functions}
            continue
        inner = {**tool, **object_if(tool.get("function"))}
        about = str(inner.get("name")), str(inner.get("description"))
        if is_read_back(Tool(name=about[0], description=about[1])):
            yield tool


def _same_system(made: Any, own: Any) -> bool:
    """Whether two system texts say the same; breakpoints of ours are not the caller's."""
    if isinstance(own, dict) and "parts" in own:
        own = "\n\n".join(str(object_if(part).get("text", "")) for part in list_if(own["parts"]))
    if made is None or own is None:
        return made is None and own is None
    if has_caching(made) and not has_caching(own):
        return False
    one, other = canonical_contents(made), canonical_contents(own)
    return without_caching(one) == without_caching(other) or _text(made) == _text(own)


def _text(system: Any) -> str:
    blocks = canonical_contents(system)
    return "\n\n".join(str(object_if(block).get("text", "")) for block in list_if(blocks)).strip()


def _text_of_message(message: Any) -> str:
    return _text(object_if(plain_message(message)).get("content"))


def _tool_names(tools: Any) -> list[str]:
    """The names of tools, of any provider's form."""
    names: list[str] = []
    for tool in map(object_if, list_if(tools)):
        declared = tool.get("function_declarations", tool.get("functionDeclarations"))
        if isinstance(declared, list):
            names += _tool_names(declared)
        else:
            inner = {**tool, **object_if(tool.get("function"))}
            names.append(str(inner.get("name") or inner.get("type") or ""))
    return names


def _plain(value: Any) -> Any:
    return plain_message(value) if value is not None else None


def _marks(message: Any) -> bool:
    return has_caching(message if isinstance(message, dict) else plain_message(message))
