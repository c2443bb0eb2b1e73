"""Messages as a program holds them, in any mixture: objects of an SDK or a framework, dicts, texts,
`(role, text)` pairs, our own events. Each becomes the dict of its own wire format; the formats'
readers do the rest, so that there is one parser a format.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, cast

import msgspec

from contextwright.argument_types import refuse_stream
from contextwright.errors import SessionError, UnknownFormat
from contextwright.formats import (
    agent_framework,
    anthropic,
    detect,
    format_named,
    known_kinds,
    langchain,
    llama_index,
    openai_chat,
    openai_responses,
    read_document,
)
from contextwright.formats.document import Document, Record, is_empty_request
from contextwright.formats.dump import Dumper, Path, get, is_record, items_of, not_a_holder, step_to
from contextwright.formats.fields import Json, list_if, object_if
from contextwright.formats.format_evidence import is_any_unread, strange_parts
from contextwright.formats.provenance import FreeIds, origins
from contextwright.formats.tool_schemas import tool_of
from contextwright.session.event import (
    AnyPart,
    Event,
    Opaque,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from contextwright.session.session import Session

_MESSAGE_FORMATS = (
    "pydantic-ai", "agent-framework", "llama-index", "vercel-ai", "bedrock", "adk", "langchain",
    "vercel-ai-model", "openai-responses", "gemini", "anthropic",
)  # fmt: skip
"""Tried for each message in this order, the most particular first; OpenAI Chat is the rest."""
_CHAT = "openai-chat"
_OWN = "event"
_READ_CHAT = {"anthropic", "openai-responses", "vercel-ai-model"}
"""Formats that have messages of role and text as OpenAI Chat has them: such a message in a list
of theirs is one of theirs."""
_LISTS = {
    "messages": _CHAT,
    "input": openai_responses.NAME,
    "contents": "gemini",
    "events": "adk",
    "output": openai_responses.NAME,
}
"""Where a provider's body, or a framework's session, holds its messages; and the format of a body
whose list is empty."""
_ENVELOPES = ("state", "chat_message_store_state", "store", "chat_store")
"""Where a framework's own record has its messages further inside."""
_TEXTS = ("input", "contents")
"""Lists for which, or for whose items, a provider takes a text of the user."""
_PAIR_ROLES = {"human": "user", "ai": "assistant", "model": "assistant"} | {
    role: role for role in ("system", "developer", "user", "assistant")
}
_GEMINI_PARTS = {
    "text", "function_call", "functionCall", "function_response", "functionResponse",
    "inline_data", "inlineData", "file_data", "fileData",
}  # fmt: skip
_EXPECTED = (
    "a message: a dict or an object with role and content, an item of OpenAI's Responses, a "
    "Gemini content, a message of Bedrock, LangChain, LlamaIndex, google-adk, Pydantic AI, Agent "
    "Framework or the Vercel AI SDK, an Event, a text, or a (role, text) pair"
)


_FIELDS: dict[type, Callable[[Any], tuple[Any, ...]]] = {
    ToolResult: lambda result: (result.call_id, result.name),
    ToolCall: lambda call: (call.id, call.name, call.arguments),
    Opaque: lambda part: tuple(part.value.values()),
}
"""What tells the place of a part beside its texts."""


class PartSource(msgspec.Struct, frozen=True):
    """Where a part of an event stood in the caller's messages.

    Args:
        message: index of the message.
        path: of the part within it; for a tool result the object that holds its call id.
        texts: of each text of it that stands there as it is. Empty where the part's text was made
            of other data, such as a call's arguments.
    """

    message: int
    path: Path
    texts: tuple[Path, ...] = ()


class ParsedMessages(msgspec.Struct, frozen=True, eq=False):
    """A list of messages as a session.

    Args:
        messages: by event id, indices of the messages that the event was made of.
        sources: by event id, the source of each of its parts; None for a part without one.
    """

    session: Session
    messages: dict[str, tuple[int, ...]]
    sources: dict[str, tuple[PartSource | None, ...]]


def session_from(source: Any, *, format: str | None = None, id: str | None = None) -> Session:
    """The session that messages are, whatever they are made of.

    Args:
        source: a list of messages, one message, a provider's request or response, a framework's
            session, or a session of ours, which is given back as it is.
        format: of all of it; found out by default.
        id: the session's id; by default the source's own.

    Raises:
        UnknownFormat: a message, named by its index, is of no known kind.
        SessionError: a message breaks its format.
    """
    if isinstance(source, Session):
        return source
    refuse_stream(source, UnknownFormat, "messages")
    key = list_key(source)
    if key is not None:
        session = _session_of_body(source, key, format)
    else:
        whole = isinstance(source, list | tuple) and _pair_role(source) is None
        items = cast(list[Any], source) if whole else [source]
        session = parse_messages(items, format=format, track=False).session
    if id:
        session.id = id
    return session


def parse_messages(
    messages: Sequence[Any], *, format: str | None = None, track: bool = True
) -> ParsedMessages:
    """A list of messages as a session, and where each part of it stood.

    Args:
        format: of all of them; found out by default.
        track: whether the sources are wanted.

    Raises:
        SessionError: as `session_from` does.
    """
    dumper = Dumper(track=track)
    wire = _in_one_format(wire_messages(messages, dumper, "messages", format), {}, "messages")
    session = Session("session")
    homes: dict[str, tuple[int, ...]] = {}
    taken = FreeIds()
    for name, run in groupby(wire, key=lambda message: message.format):
        whole = list(run)
        for event, places in _read_run(name, whole, named=format is not None):
            event = msgspec.structs.replace(event, id=taken.take(event.id))
            homes[event.id] = tuple(dict.fromkeys(whole[place].index for place in places))
            session.append(event)
    sources = {
        event.id: tuple(_source(part, dumper.paths) for part in event.parts)
        for event in (session.log if track else ())
    }
    return ParsedMessages(session, homes, sources)


class WireMessage(msgspec.Struct, frozen=True):
    """A message as the dict of its wire format, and the index of the caller's message."""

    format: str
    data: Any
    index: int


def wire_messages(
    messages: Sequence[Any], dumper: Dumper, name: str, format: str | None
) -> list[WireMessage]:
    """Each message in its own wire format; one of role and text in that of the others."""
    wire: list[WireMessage] = []
    for index, message in enumerate(messages):
        where = f"{name}[{index}]"
        for inner, path in _opened(message):
            if isinstance(inner, Event):
                wire.append(WireMessage(_OWN, inner, index))
                continue
            data = _as_dict(inner, dumper, (("item", index), *path), where)
            wire.append(WireMessage(*_recognized(data, where, format), index))
    others = {message.format for message in wire if not is_plain_chat(message)}
    if len(others) == 1 and others <= _READ_CHAT:
        only = others.pop()
        wire = [msgspec.structs.replace(message, format=only) for message in wire]
    return wire


def _opened(value: Any) -> list[tuple[Any, Path]]:
    """The messages in a provider's response; any other value as it is."""
    if isinstance(value, Event) or not is_record(value):
        return [(value, ())]
    for key, inner in (("choices", "message"), ("candidates", "content")):
        listed = get(value, key)
        if isinstance(listed, list | tuple) and listed:
            path: Path = (step_to(value, key), ("item", 0), step_to(listed[0], inner))
            return [(get(listed[0], inner), path)]
    output = get(value, "output")
    if is_record(output) and is_record(get(output, "message")):  # Bedrock's
        return [(get(output, "message"), (step_to(value, "output"), step_to(output, "message")))]
    message = get(value, "message")  # LlamaIndex's
    if is_record(message) and get(message, "role") and not get(value, "type"):
        return [(message, (step_to(value, "message"),))]
    if get(value, "object") == "response" and isinstance(output, list):
        listed = enumerate(list_if(output))
        return [(item, (step_to(value, "output"), ("item", n))) for n, item in listed]
    return [(value, ())]


def _as_dict(value: Any, dumper: Dumper, path: Path, where: str) -> Json:
    """A message as a dict: objects dumped, texts and pairs in OpenAI Chat's form."""
    if isinstance(value, str):
        return {"role": "user", "content": dumper.plain(value, path, where)}
    role = _pair_role(value)
    if role is not None:
        return {"role": role, "content": dumper.plain(value[1], (*path, ("item", 1)), where)}
    not_a_holder(value, where)
    if not is_record(value):
        raise UnknownFormat(
            f"expected {_EXPECTED}; got {type(value).__name__}",
            where=where,
            fix="give the message as its SDK has it, or as a dict",
        )
    return dumper.plain(value, path, where)


def _pair_role(value: Any) -> str | None:
    """The role of a `(role, text)` pair; None for anything else."""
    if not isinstance(value, list | tuple) or len(value) != 2 or hasattr(value, "_fields"):  # pyright: ignore
        return None
    role, text = cast(tuple[Any, Any], value)
    return _PAIR_ROLES.get(role) if isinstance(role, str) and isinstance(text, str) else None


def _recognized(data: Json, where: str, format: str | None) -> tuple[str, Json]:
    """The format of a message, told from its fields, and the message in its envelope."""
    kind, role = data.get("type"), data.get("role")
    kind = kind if isinstance(kind, str) else None
    of_langchain = (
        role is None and (kind in langchain.ROLES or kind == "remove")
    ) or kind == "chat"
    if of_langchain and "content" in data and format in {None, langchain.NAME}:
        return langchain.NAME, {"type": kind, "data": data}
    if kind == "message" and "model" in data:  # an answer of Anthropic's, with what it cost
        data = {key: data[key] for key in ("id", "role", "content") if key in data}
        return format or anthropic.NAME, data
    if role is None and kind is None and data and data.keys() <= _GEMINI_PARTS:
        return format or "gemini", {"role": "user", "parts": [data]}
    if format is not None:
        return format, data
    if _is_simple_chat(data):
        return _CHAT, data
    for name in _MESSAGE_FORMATS:
        module: Any = format_named(name)
        if module.is_message(data):
            return name, data
    if openai_chat.sniff(_document([data], where)):
        return _CHAT, data
    if isinstance(kind, str) and "content" not in data:
        return openai_responses.NAME, data  # an item of a kind that came later
    fields = ", ".join(map(repr, list(data)[:6])) or "no field"
    raise UnknownFormat(
        f"expected {_EXPECTED}; got an object with {fields}",
        where=where,
        fix="give it a role and a content, or name the format: format=...",
    )


def _is_simple_chat(data: Json) -> bool:
    """Whether a message is a text by a role, or has the calls where only Chat has them."""
    if not isinstance(data.get("role"), str) or "type" in data or "additional_kwargs" in data:
        return False
    return isinstance(data.get("content"), str) or "tool_calls" in data or "tool_call_id" in data


def _in_one_format(wire: list[WireMessage], fields: Json, key: str) -> list[WireMessage]:
    """Messages that look like those of several formats, as those of the one that the whole list
    has, where it leaves no more of them strange than reading each by itself does.

    Args:
        fields: what stands beside the list, in a body. key: of the list in it.
    """
    if len({message.format for message in wire}) < 2 or any(m.format == _OWN for m in wire):
        return wire
    data = [message.data for message in wire]
    try:
        name = detect(_document({**fields, key: data} if fields else data))
        strange = _strange(name, data)
        if is_any_unread(format_named(name).read(_document(data)), name):
            return wire
        runs = [(one, list(run)) for one, run in groupby(wire, key=lambda each: each.format)]
        apart = sum(_strange(one, [each.data for each in run]) for one, run in runs)
    except (SessionError, LookupError, TypeError, AttributeError, ValueError):
        return wire  # their own reader names what is wrong
    if strange > apart:
        return wire
    return [msgspec.structs.replace(message, format=name) for message in wire]


def _strange(name: str, data: list[Any]) -> int:
    session = format_named(name).read(_document(data))
    return len(strange_parts(session, name, known_kinds(name) or ()))


def is_plain_chat(message: WireMessage) -> bool:
    """Whether a message says nothing but text, in a role that all have."""
    if message.format != _CHAT or message.data.get("tool_calls"):
        return False
    content = message.data.get("content")
    texts = all(object_if(part).get("type") == "text" for part in list_if(content))
    return (
        message.data.get("role") in ("user", "assistant", "system")
        and isinstance(content, str | list)
        and texts
    )


def _document(value: Any, name: str = "messages") -> Document:
    return Document(name, (Record(value, name),), lines=False)


def _read_run(
    name: str, run: list[WireMessage], named: bool
) -> Iterator[tuple[Event, Iterable[int]]]:
    """The events of messages of one format, each with the places in the run that it is of."""
    if name == _OWN:
        yield from ((message.data, (place,)) for place, message in enumerate(run))
        return
    data = [message.data for message in run]
    start = run[0].index
    document = _document(data, f"messages[{start}:]" if start else "messages")
    session = read_document(document, name, named=named)
    groups = openai_responses.grouped(data) if name == openai_responses.NAME else ()
    for event in session.log:
        places = [record["at"] for record in origins(event, name)]
        yield event, groups[places[0]] if groups else places


def _source(part: AnyPart, paths: Mapping[int, Path]) -> PartSource | None:
    """Where a part stood: told by the texts in it, which are the very objects that were dumped."""
    content = part.content if isinstance(part, ToolResult) else (part,)
    texts = [each.text for each in content if isinstance(each, Text | Thinking)]
    # the interpreter has one object for all texts of one character: these tell no place
    text_paths = tuple(p for text in texts if len(text) > 1 and (p := paths.get(id(text))))
    held = _FIELDS.get(type(part), lambda _: ())(part)
    sized = (each for each in held if not isinstance(each, str) or len(each) > 1)
    places = [path for each in sized if (path := paths.get(id(each)))]
    # a result may take its name from the call, which stands in another message
    own = next((p for p in places if not text_paths or p[0] == text_paths[0][0]), None)
    whole = own or (text_paths[0] if text_paths else None)
    if whole is None:
        return None
    own_texts = tuple(path[1:] for path in text_paths)
    return PartSource(message=whole[0][1], path=whole[1:-1], texts=own_texts)


def list_key(source: Any) -> str | None:
    """The field in which a request or a framework's session holds its messages.

    Raises:
        UnknownFormat: it is an object that gives its messages another way.
    """
    not_a_holder(source, "messages")
    if isinstance(source, Event) or not is_record(source) or _opened(source)[0][1]:
        return None  # a message, or a response that holds one
    if isinstance(source, dict) and (key := _envelope_key(_document(source))):
        return key
    if get(source, "role") is not None or isinstance(get(source, "type"), str):
        return None
    states = (key for key in langchain.STATES if is_record(get(source, key)))
    state = next((key for key in states if isinstance(get(get(source, key), "messages"), list)), "")
    if state:
        return state
    if isinstance(source, dict) and "contents" in object_if(source.get("request")):  # pyright: ignore
        return "request"
    if isinstance(source, dict) and openai_responses.is_without_input(source):
        return "input"
    return next((key for key in _LISTS if _is_listed(get(source, key), key)), None)


def _is_listed(listed: Any, key: str) -> bool:
    return isinstance(listed, list | tuple | str) or (
        key == "contents" and is_record(listed) and get(listed, "parts") is not None
    )


def _envelope_key(document: Document) -> str:
    """The field in which a store, a memory or a session of a framework's holds its messages; empty
    where it is none."""
    record = document.records[0].value
    formats: tuple[Any, ...] = (agent_framework, llama_index)
    key = next((key for key in _ENVELOPES if key in record), "")
    return key if key and any(format.sniff(document) for format in formats) else ""


def _is_for_claude(fields: Json, messages: list[Any]) -> bool:
    """Whether a body of texts by roles alone, which Chat and Anthropic have alike, names a model by
    the name that Anthropic's own API has for it."""
    plain = ({"user", "assistant"}, {"role", "content"})
    return (
        str(fields.get("model", "")).startswith("claude-")
        and not fields.get("tools")
        and all(one.get("role") in plain[0] and one.keys() <= plain[1] for one in messages)
        and all(isinstance(one.get("content"), str) for one in messages)
    )


def _session_of_body(source: Any, key: str, format: str | None) -> Session:
    """The session of a body whose messages may be objects, with its system text and tools."""
    dumper = Dumper()
    listed = [] if key == "input" and get(source, key) is None else get(source, key)
    if key in ("events", "request", *langchain.STATES, *_ENVELOPES):
        return read_document(_document(dumper.plain(source, (), "session"), "session"), format)
    items: list[Any] = list(listed) if isinstance(listed, list | tuple) else [listed]  # pyright: ignore
    fields = {n: dumper.plain(v, (), n) for n, v in items_of(source) if n != key}
    single = not isinstance(listed, list | tuple)
    if key in _TEXTS and (single or any(isinstance(one, str) for one in items)):
        texts = dumper.plain(listed, (), key)
        fields = {n: fields[n] if n != key else texts for n, _ in items_of(source)}
        return read_document(_document(fields, "input"), format or _LISTS[key])
    wire = wire_messages(items, dumper, key, format or (_LISTS[key] if key in _TEXTS else None))
    wire = _in_one_format(wire, fields, key)
    if len({message.format for message in wire}) < 2 and all(m.format != _OWN for m in wire):
        data = [message.data for message in wire]
        body = {n: fields[n] if n != key else data for n, _ in items_of(source)}
        only = wire[0].format if wire and key in _TEXTS else None
        if key == "messages" and _is_for_claude(fields, data):
            only = anthropic.NAME  # texts by roles, which both have: the model tells
        nothing = is_empty_request(_document(body), key)  # what stands beside the list tells
        name = format or (only if wire or nothing else _LISTS[key])
        return read_document(_document(body, "input"), name)
    if "system" in fields:
        items = [{"role": "system", "content": fields["system"]}, *items]
    session = parse_messages(items, format=format, track=False).session
    tools: list[Any] = fields.get("tools") or []
    session.tools = tuple(tool_of(tool, f"tools[{n}]", _CHAT) for n, tool in enumerate(tools))
    return session
