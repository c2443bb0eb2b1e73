"""OpenTelemetry: a span a compile, with what it asked models and searched, and metrics (extra
`otel`).

    engine = Engine(spec, "gpt-5", events=telemetry())

Names are those of the GenAI conventions (github.com/open-telemetry/semantic-conventions-genai, in
development) where they have one, and `contextwright.*` where not. Only the API is needed: without
an SDK nothing is recorded.
"""

import threading
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import chain
from time import time_ns
from typing import Any

import msgspec

from contextwright.engine.events import (
    CompileEvent,
    EngineEvent,
    ErrorEvent,
    OverflowEvent,
    PrepareEvent,
    RecallEvent,
    StepEvent,
)
from contextwright.errors import ContextwrightError
from contextwright.formats.otel_messages import otel_messages
from contextwright.optional_imports import optional_imports

with optional_imports("otel", "opentelemetry-api", "opentelemetry"):
    from opentelemetry import metrics, trace
    from opentelemetry.trace import Span, Status, StatusCode

PROVIDERS = {
    "anthropic": "anthropic",
    "gemini": "gcp.gen_ai",
    "openai-chat": "openai",
    "openai-responses": "openai",
}
"""`gen_ai.provider.name` by our name of the request's format."""
SECOND = 1_000_000_000
Attributes = dict[str, Any]
Hooks = Mapping[str, Callable[[Any], None]]


def telemetry(
    *,
    tracer_provider: trace.TracerProvider | None = None,
    meter_provider: metrics.MeterProvider | None = None,
    contents: bool = False,
) -> Hooks:
    """Hooks that make spans and metrics of an engine's events: `Engine(..., events=telemetry())`,
    and so in `Context` and the adapters.

    Spans: `contextwright.compile`, in it `contextwright.prepare` where models were asked and
    `search_memory` where a memory was searched, with an event `contextwright.step` where the
    prompt's cache is given up and `contextwright.overflow` after a refusal.
    Metrics: `contextwright.compile.duration` (seconds), `contextwright.tokens` and
    `contextwright.tokens.saved`, `contextwright.steps`, `contextwright.overflows`.

    Args:
        tracer_provider, meter_provider: by default the process's own.
        contents: whether a span has the request's messages (`gen_ai.input.messages`) as well;
            redacted as the spec says, and nothing else of what was said is in any span.
    """
    recorder = _Recorder(tracer_provider, meter_provider, contents)
    return {
        "compile": _Compiled(recorder, contents),
        "error": recorder.failed,
        "prepare": recorder.prepared,
        "recall": recorder.recalled,
        "step": recorder.stepped,
        "overflow": recorder.overflowed,
    }


class _Compiled:
    """The hook of `compile`, which asks for contents where they are wanted."""

    def __init__(self, recorder: "_Recorder", contents: bool) -> None:
        self.recorder, self.contents = recorder, contents

    def __call__(self, event: CompileEvent) -> None:
        self.recorder.compiled(event)


class _Part(msgspec.Struct, frozen=True):
    """A part of a compile that goes on: it becomes a span, or an event where it takes no time."""

    name: str
    attributes: Attributes
    began_ns: int
    ended_ns: int


class _Recorder:
    """What is heard of a compile waits for its span, by session: of one session only one compile
    goes on at a time."""

    def __init__(
        self,
        tracer_provider: trace.TracerProvider | None,
        meter_provider: metrics.MeterProvider | None,
        contents: bool,
    ) -> None:
        self._tracer = trace.get_tracer("contextwright", tracer_provider=tracer_provider)
        meter = metrics.get_meter("contextwright", meter_provider=meter_provider)
        self._seconds = meter.create_histogram(
            "contextwright.compile.duration", "s", "Time from a session to a request."
        )
        self._tokens = meter.create_histogram(
            "contextwright.tokens", "{token}", "Tokens of a request."
        )
        self._saved = meter.create_counter(
            "contextwright.tokens.saved", "{token}", "Tokens that were selected and not sent."
        )
        self._steps = meter.create_counter(
            "contextwright.steps", "{step}", "Compactions that went a step down."
        )
        self._overflows = meter.create_counter(
            "contextwright.overflows", "{refusal}", "Requests that a provider refused as too long."
        )
        self._contents = contents
        self._parts: defaultdict[str, list[_Part]] = defaultdict(list)
        self._lock = threading.Lock()

    def compiled(self, event: CompileEvent) -> None:
        """A pack was made: the span of its compile."""
        model = _of_model(event.model, event.format)
        ended_ns = time_ns()
        span = self._begun("contextwright.compile", event, event.began_ns, model)
        span.set_attributes(_of_pack(event))
        if event.pack is not None and self._contents:
            with suppress(ContextwrightError):  # a format of somebody's own is no messages
                span.set_attributes(otel_messages(event.pack.request))
        self._end(span, event.session, ended_ns)
        self._seconds.record((ended_ns - event.began_ns) / SECOND, model)
        self._tokens.record(event.tokens, model)
        self._saved.add(max(0, event.tokens_before - event.tokens), model)

    def failed(self, event: ErrorEvent) -> None:
        """No pack could be made: the span says by which error."""
        ended_ns = time_ns()
        span = self._begun("contextwright.compile", event, event.began_ns, {})
        span.set_attribute("error.type", event.error)
        span.set_status(Status(StatusCode.ERROR, event.error))
        self._end(span, event.session, ended_ns)

    def prepared(self, event: PrepareEvent) -> None:
        """Models were asked."""
        attributes: Attributes = {
            "contextwright.prepare.kinds": event.kinds,
            "contextwright.prepare.models": event.models,
            "contextwright.prepare.fallbacks": event.fallbacks,
            "gen_ai.usage.input_tokens": event.input_tokens,
            "gen_ai.usage.output_tokens": event.output_tokens,
        }
        self._add(event.session, "contextwright.prepare", attributes, event.began_ns)

    def recalled(self, event: RecallEvent) -> None:
        """Memories were searched."""
        attributes: Attributes = {
            "gen_ai.operation.name": "search_memory",
            "contextwright.recall.sources": event.sources,
            "contextwright.recall.hits": event.hits,
            "contextwright.recall.failed": event.failed,
        }
        self._add(event.session, "search_memory", attributes, event.began_ns)

    def stepped(self, event: StepEvent) -> None:
        """A compaction went a step down."""
        attributes: Attributes = {
            "contextwright.step": event.step,
            "contextwright.tokens.before": event.tokens_before,
            "contextwright.tokens.after": event.tokens_after,
            "contextwright.prefix.lost_tokens": event.lost_prefix_tokens,
        }
        self._add(event.session, "contextwright.step", attributes, 0)
        self._steps.add(1)

    def overflowed(self, event: OverflowEvent) -> None:
        """A provider refused a request: the span of the refusal, as its next one was compiled."""
        span = self._begun("contextwright.overflow", event, time_ns(), {})
        span.set_attributes(
            {
                "contextwright.tokens.before": event.tokens_before,
                "contextwright.tokens.after": event.tokens_after,
                "contextwright.room": event.room,
                "contextwright.refusals": event.refusals,
            }
        )
        span.end()
        self._overflows.add(1)

    def _add(self, session: str, name: str, attributes: Attributes, began_ns: int) -> None:
        with self._lock:
            self._parts[session].append(_Part(name, attributes, began_ns, time_ns()))

    def _begun(self, name: str, event: EngineEvent, began_ns: int, attributes: Attributes) -> Span:
        own: Attributes = {
            "gen_ai.conversation.id": event.session,
            "contextwright.position": event.position,
            "contextwright.turn": event.turn,
        }
        return self._tracer.start_span(
            name, start_time=began_ns or None, attributes=own | attributes
        )

    def _end(self, span: Span, session: str, ended_ns: int) -> None:
        """End the span of a compile, with its parts in it."""
        with self._lock:
            parts = self._parts.pop(session, [])
        inside = trace.set_span_in_context(span)
        for part in parts:
            if part.began_ns:
                inner = self._tracer.start_span(
                    part.name,
                    context=inside,
                    start_time=part.began_ns,
                    attributes=part.attributes,
                )
                inner.end(part.ended_ns)
            else:
                span.add_event(part.name, part.attributes, part.ended_ns)
        span.end(ended_ns)


def _of_model(model: str, format: str) -> Attributes:
    provider = PROVIDERS.get(format, format)
    return {"gen_ai.provider.name": provider, "gen_ai.request.model": model}


def _of_pack(event: CompileEvent) -> Attributes:
    prefix = "contextwright."
    plain: Attributes = {
        "gen_ai.conversation.compacted": event.tokens < event.tokens_before,
        prefix + "pack.id": event.pack_id,
        prefix + "format": event.format,
        prefix + "tokens": event.tokens,
        prefix + "tokens.before": event.tokens_before,
        prefix + "limit": event.limit,
        prefix + "blocks": event.blocks,
        prefix + "prefix.tokens": event.prefix_tokens,
        prefix + "notes": event.notes,
    }
    if event.saved_microdollars is not None:
        plain[prefix + "prefix.saved_microdollars"] = event.saved_microdollars
    sums = chain(
        ((f"tokens.layer.{layer}", count) for layer, count in event.layer_tokens.items()),
        (
            (f"tokens.before.layer.{layer}", count)
            for layer, count in event.layer_tokens_before.items()
        ),
        ((f"changes.{action}", count) for action, count in event.actions.items()),
    )
    return plain | {prefix + name: count for name, count in sums}
