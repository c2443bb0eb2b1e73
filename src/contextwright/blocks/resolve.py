"""What a ref names: of the session at hand, and of what that session was given; nothing else."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, cast

import msgspec

from contextwright.blocks.line_ids import event_of_line, ref_of_line
from contextwright.blocks.ref import Ref, event_ref, parse_ref
from contextwright.errors import RefError
from contextwright.session.event import Event, File, Image, Opaque, Text, ToolResult
from contextwright.session.exchange import Exchange
from contextwright.session.snapshot import Snapshot
from contextwright.session.state import EVIDENCE

ReadArtifact = Callable[[str], str | None]
"""The text behind an `artifact://` path, or None."""
ReadOutside = Callable[[str], str]
"""The text behind a `file://` or `https://` ref; a `RefError` where it may not be read."""


class RefSources(msgspec.Struct, frozen=True, eq=False):
    """What lies outside a session, as far as its refs may reach it.

    Args:
        read_artifact: reads the store of artifacts, which many sessions may share.
        read_outside: reads files and addresses that the user allowed.
        named: refs that a spec names itself: its author's, whoever stored what they name.
    """

    read_artifact: ReadArtifact | None = None
    read_outside: ReadOutside | None = None
    named: tuple[str, ...] = ()

    def of_one_compile(self) -> "RefSources":
        """The same, where each file and address is read once."""
        read = self.read_outside
        return self if read is None else msgspec.structs.replace(self, read_outside=cache(read))


NOTHING_OUTSIDE = RefSources()


def read_ref(text: str, snapshot: Snapshot, sources: RefSources) -> str:
    """The whole content behind a ref, or behind the ids of a line that names some (`e12-e40`).

    Raises:
        RefError: it is none, nothing is found, or it is not this session's to read.
    """
    ref = _parsed(text)
    if ref.scheme in {"file", "https"}:
        if sources.read_outside is None:
            raise _closed(ref, text)
        return sources.read_outside(text)
    content = None
    if ref.scheme == "event":
        content = _event(ref, snapshot)
    elif ref.scheme == "state":
        value = snapshot.state.get(ref.path)
        is_text = value is None or isinstance(value, str)
        content = value if is_text else msgspec.json.encode(value).decode()
    elif sources.read_artifact is not None:
        _check_owner(ref, snapshot, sources.named)
        content = sources.read_artifact(ref.path)
    if content is None:
        raise RefError(
            "nothing is found behind this ref",
            where=text[:200],
            fix="refs are those that a request or `ctx explain` of this session shows",
        )
    return content


def _check_owner(ref: Ref, snapshot: Snapshot, named: tuple[str, ...]) -> None:
    """Refuse an artifact that this session neither stored nor was given. The store is not asked:
    whether another session has it can not be told from the answer."""
    wanted = str(ref)
    if any(_names(one, wanted) for one in named) or is_given(wanted, snapshot):
        return
    raise RefError(
        "this session neither stored this artifact nor was given it",
        where=wanted[:200],
        fix="list it as evidence: session.update({'evidence': [{'uri': REF, 'summary': TEXT}]})",
    )


def is_given(ref: str, snapshot: Snapshot) -> bool:
    """Whether a session has an artifact: its state lists it as evidence, as `C.offload` and
    applications do, or a state value is this ref and nothing else. Not where the value is what
    somebody said in the session, or may be made of it: words that were captured, or put into a
    record by a model, give nothing."""
    for key, value in snapshot.state.items():
        if isinstance(value, str):
            if _names(value, ref) and not _is_said(value, snapshot):
                return True
        elif not key.startswith("_") and isinstance(value, (list, tuple)):
            uris = [_uri_of(item, key) for item in cast("list[Any]", value)]
            listed = [uri for uri in uris if _names(uri, ref)]
            if listed and (key == EVIDENCE or not _is_said(listed[0], snapshot, within=True)):
                return True
    return False


def _uri_of(item: Any, key: str) -> Any:
    if isinstance(item, Mapping):
        return cast("Mapping[str, Any]", item).get("uri")
    return item if key == EVIDENCE else None


def _names(candidate: Any, ref: str) -> bool:
    """Whether a value is this ref, however it is quoted."""
    if not isinstance(candidate, str) or "://" not in candidate:
        return False
    try:
        return str(parse_ref(candidate.strip())) == ref
    except RefError:
        return False


def _is_said(text: str, snapshot: Snapshot, *, within: bool = False) -> bool:
    """Whether somebody's words are this text, whatever blanks are in them; or have it `within`."""
    value = "".join(text.split())
    spoken = (
        "".join(words.split())
        for event in (snapshot.log[place] for place in range(snapshot.position))
        if event.role != "system"
        for words in (event.text, *(result.text for result in event.results))
    )
    return any(value in words if within else value == words for words in spoken)


def _closed(ref: Ref, text: str) -> RefError:
    what, fix = "this address may not be fetched", "Engine(..., hosts={'docs.example': fetch})"
    if ref.scheme == "file":
        what, fix = "file refs are off", "Engine(..., roots=[FOLDER]), ctx --root FOLDER"
    return RefError(what, where=text[:200], fix=f"allow it: {fix}, or compile(...)")


def exchanges_behind(text: str, snapshot: Snapshot) -> tuple[Exchange, ...]:
    """The exchanges that a ref names whole: an event that is more than a text, or a range of
    events. None where it names anything else.

    Raises:
        RefError: it is no ref.
    """
    ref = _parsed(text)
    event = event_of_line(ref.path, snapshot) if ref.scheme == "event" else None
    return () if event is None else _exchanges(ref, event, snapshot)


def _parsed(text: str) -> Ref:
    is_text = isinstance(text, str)  # pyright: ignore[reportUnnecessaryIsInstance] -- a model's
    return parse_ref(ref_of_line(text) if is_text else text)


def _exchanges(ref: Ref, event: Event, snapshot: Snapshot) -> tuple[Exchange, ...]:
    if ref.part.startswith(".."):
        last = event_of_line(ref.part[2:], snapshot)
        return () if last is None else _between(event, last, snapshot)
    if ref.part or (event.parts and all(isinstance(part, Text) for part in event.parts)):
        return ()
    return _between(event, event, snapshot)


def _between(first: Event, last: Event, snapshot: Snapshot) -> tuple[Exchange, ...]:
    start = snapshot.log.position_of(first.id) or 0
    stop = snapshot.log.position_of(last.id) or 0
    return tuple(snapshot.exchanges_of(range(start, stop + 1)))


def _event(ref: Ref, snapshot: Snapshot) -> str | None:
    event = event_of_line(ref.path, snapshot)
    if event is None:
        return None
    exchanges = _exchanges(ref, event, snapshot)
    if exchanges:
        return msgspec.json.encode([event for e in exchanges for event in e.events]).decode()
    if ref.part.startswith(".."):
        return None
    if "." in ref.part:
        return _file(ref.part, event, snapshot)
    return _result(ref.part, event, snapshot) if ref.part else event.text


def _result(place: str, event: Event, snapshot: Snapshot) -> str | None:
    result = result_at(place, event, snapshot)
    if result is None:
        return None
    if all(isinstance(part, Text) for part in result.content):
        return result.text
    return msgspec.json.encode(result.content).decode()


def result_behind(text: str, snapshot: Snapshot) -> tuple[str, ToolResult] | None:
    """The result of a call that a ref names, with the ref; None where it names anything else.

    Raises:
        RefError: it is no ref.
    """
    ref = _parsed(text)
    event = event_of_line(ref.path, snapshot) if ref.scheme == "event" and ref.part else None
    result = None if event is None else result_at(ref.part, event, snapshot)
    return None if event is None or result is None else (event_ref(event.id, int(ref.part)), result)


def result_at(place: str, event: Event, snapshot: Snapshot) -> ToolResult | None:
    """The result of one of the calls of the exchange that an event is of, counted from 0."""
    position = snapshot.log.position_of(event.id) or 0
    exchange = snapshot.exchanges_of([position])[0]
    calls = exchange.calls
    if not _is_number(place) or int(place) >= len(calls):
        return None
    return exchange.results.get(calls[int(place)].id)


def _file(place: str, event: Event, snapshot: Snapshot) -> str | None:
    """A picture or a file of a message, or of the result of one of its calls: its bytes as a data
    URL, or where it is; other data as JSON."""
    call, _, number = place.partition(".")
    result = result_at(call, event, snapshot) if call else None
    parts = result.content if result is not None else () if call else event.parts
    if not _is_number(number) or int(number) >= len(parts):
        return None
    part = parts[int(number)]
    if isinstance(part, Opaque):
        return msgspec.json.encode(part.value).decode()
    if not isinstance(part, Image | File):
        return None
    if part.data:
        return f"data:{part.media_type};base64,{part.data}"
    return part.url or part.file_id


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()
