"""Spans of OpenTelemetry in the forms that they are exported in: OTLP as JSON (a collector's file
exporter, an API), the Python SDK's own JSON, and Phoenix's rows."""

import json
from collections.abc import Iterable, Iterator
from typing import Any, cast

import msgspec

from contextwright.formats.document import Record
from contextwright.formats.fields import Json, list_if, object_if, text_if
from contextwright.formats.timestamps import ms_of_iso

_RESOURCES = ("resourceSpans", "resource_spans", "batches")
"""Where the spans of an export stand; Tempo calls them batches."""
_SCOPES = (
    "scopeSpans", "scope_spans", "instrumentationLibrarySpans", "instrumentation_library_spans",
)  # fmt: skip
_LOGS = ("resourceLogs", "resource_logs")


class SpanEvent(msgspec.Struct, frozen=True):
    """Something that happened during a span.

    Args:
        body: of a log record; None for a span's own event.
    """

    name: str
    attributes: Json
    body: Any = None


class TraceSpan(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """One span of a trace.

    Args:
        parent: the id of the span that it lies in; empty for none.
        start_ms: milliseconds since 1970.
        attributes: of the span, and of its resource where it has none of the name.
        dropped: attributes that its SDK left out over a limit.
    """

    id: str
    trace: str
    where: str
    name: str = ""
    parent: str = ""
    start_ms: int | None = None
    attributes: Json
    events: list[SpanEvent] = []
    dropped: int = 0


def has_spans(value: Any) -> bool:
    """Whether a record of an export holds spans, or is one."""
    fields = object_if(value)
    return (
        any(name in fields for name in (*_RESOURCES, *_LOGS))
        or ("attributes" in fields and "trace_id" in object_if(fields.get("context")))
        or "context.span_id" in fields
    )


def spans_of(records: Iterable[Record]) -> list[TraceSpan]:
    """All spans of an export, with the log records that belong to them as their events."""
    spans: dict[tuple[str, str], TraceSpan] = {}
    logs: list[tuple[tuple[str, str], SpanEvent]] = []
    for record in records:
        fields = object_if(record.value)
        for span in _spans(fields, record.where):
            spans[span.trace, span.id or f"#{len(spans)}"] = span
        logs += _log_records(fields)
    traces = {id: trace for trace, id in spans}  # a log record may leave its trace out
    for (trace, id), event in logs:
        place = trace or traces.get(id, ""), id
        if place in spans:
            spans[place].events.append(event)
    return list(spans.values())


def _spans(fields: Json, where: str) -> Iterator[TraceSpan]:
    resources = _first(fields, _RESOURCES)
    if resources is not None:
        for resource in map(object_if, list_if(resources)):
            shared = _attributes(object_if(resource.get("resource")))
            for scope in list_if(_first(resource, _SCOPES)):
                for span in list_if(object_if(scope).get("spans")):
                    yield _otlp_span(object_if(span), shared, where)
    elif "context.span_id" in fields:
        yield _row_span(fields, where)
    elif "attributes" in fields and "context" in fields:
        yield _sdk_span(fields, where)


def _otlp_span(span: Json, shared: Json, where: str) -> TraceSpan:
    events = [
        SpanEvent(text_if(object_if(event).get("name")), _attributes(object_if(event)))
        for event in list_if(span.get("events"))
    ]
    dropped = _first(span, ("droppedAttributesCount", "dropped_attributes_count"))
    id = text_if(_first(span, ("spanId", "span_id")))
    return TraceSpan(
        id=id,
        trace=text_if(_first(span, ("traceId", "trace_id"))),
        where=f"{where}, span {id}",
        name=text_if(span.get("name")),
        parent=text_if(_first(span, ("parentSpanId", "parent_span_id"))),
        start_ms=_ms_of_nanos(_first(span, ("startTimeUnixNano", "start_time_unix_nano"))),
        attributes={**shared, **_attributes(span)},
        events=events,
        dropped=dropped if isinstance(dropped, int) else 0,
    )


def _sdk_span(span: Json, where: str) -> TraceSpan:
    context = object_if(span["context"])
    id = text_if(context.get("span_id")).removeprefix("0x")
    events = [
        SpanEvent(text_if(each.get("name")), object_if(each.get("attributes")))
        for each in map(object_if, list_if(span.get("events")))
    ]
    return TraceSpan(
        id=id,
        trace=text_if(context.get("trace_id")).removeprefix("0x"),
        where=f"{where}, span {id}",
        name=text_if(span.get("name")),
        parent=text_if(span.get("parent_id")).removeprefix("0x"),
        start_ms=ms_of_iso(span.get("start_time")),
        attributes=object_if(span.get("attributes")),
        events=events,
    )


def _row_span(row: Json, where: str) -> TraceSpan:
    """A row of Phoenix's table of spans: a column an attribute."""
    start = "attributes."
    columns = {k.removeprefix(start): v for k, v in row.items() if k.startswith(start)}
    id = text_if(row.get("context.span_id"))
    return TraceSpan(
        id=id,
        trace=text_if(row.get("context.trace_id")),
        where=f"{where}, span {id}",
        name=text_if(row.get("name")),
        parent=text_if(row.get("parent_id")),
        start_ms=_ms_of_moment(row.get("start_time")),
        attributes={key: value for key, value in columns.items() if value is not None},
    )


def _log_records(fields: Json) -> Iterator[tuple[tuple[str, str], SpanEvent]]:
    """The log records of an export, each with the ids of its trace and its span."""
    for resource in list_if(_first(fields, _LOGS)):
        for scope in list_if(_first(object_if(resource), ("scopeLogs", "scope_logs"))):
            records = _first(object_if(scope), ("logRecords", "log_records"))
            for log in map(object_if, list_if(records)):
                attributes = _attributes(log)
                named = _first(log, ("eventName", "event_name")) or attributes.get("event.name")
                event = SpanEvent(text_if(named), attributes, _value(object_if(log.get("body"))))
                trace = text_if(_first(log, ("traceId", "trace_id")))
                yield (trace, text_if(_first(log, ("spanId", "span_id")))), event


def _first(fields: Json, names: tuple[str, ...]) -> Any:
    """The value of the first name that is there: OTLP's JSON has its fields in camelCase, what is
    printed of its messages has them as they are defined."""
    return next((fields[name] for name in names if name in fields), None)


def _attributes(holder: Json) -> Json:
    pairs = map(object_if, list_if(holder.get("attributes")))
    return {text_if(pair.get("key")): _value(object_if(pair.get("value"))) for pair in pairs}


def _value(value: Json) -> Any:
    """A value of OTLP: an object with its kind as the one key."""
    for kind, inner in value.items():
        match kind:
            case "intValue" | "int_value":
                return int(inner) if str(inner).lstrip("-").isdecimal() else inner
            case "arrayValue" | "array_value":
                return [_value(object_if(item)) for item in list_if(object_if(inner).get("values"))]
            case "kvlistValue" | "kvlist_value":
                return _attributes({"attributes": object_if(inner).get("values")})
            case _:
                return inner
    return None


def _ms_of_nanos(nanos: Any) -> int | None:
    text = str(nanos)
    return int(text) // 1_000_000 if text.isdecimal() else None


def _ms_of_moment(moment: Any) -> int | None:
    """Milliseconds of a text, or of a number, of which pandas writes milliseconds."""
    return moment if isinstance(moment, int) else ms_of_iso(moment)


def json_attribute(value: Any) -> Any:
    """The value of an attribute that holds JSON as a text.

    Raises:
        ValueError: it is cut off, or no JSON.
    """
    return json.loads(value) if isinstance(value, str) else value


def nested(attributes: Json, prefix: str) -> Any:
    """What flattened attributes were: `a.0.b` of the prefix `a` is `[{"b": ...}]`. Where the
    attribute is there in one piece, that."""
    if prefix in attributes:
        return attributes[prefix]
    tree: Json = {}
    start = prefix + "."
    for key, value in attributes.items():
        if key.startswith(start):
            *path, last = key[len(start) :].split(".")
            node = tree
            for step in path:
                inner = node.setdefault(step, {})
                node = cast(Json, inner if isinstance(inner, dict) else {})
            node[last] = value
    return _listed(tree)


def _listed(value: Any) -> Any:
    """Objects whose keys are places, as lists."""
    if not isinstance(value, dict):
        return value
    fields = {key: _listed(item) for key, item in cast(Json, value).items()}
    if fields and all(key.isdecimal() for key in fields):
        return [fields[key] for key in sorted(fields, key=int)]
    return fields
