"""Spans and metrics as an SDK collects them, and as an OTLP collector gets them."""

import json

import pytest

pytest.importorskip("opentelemetry.sdk")

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from contextwright import C, Context, Engine, Session
from contextwright.adapters.opentelemetry import telemetry
from contextwright.errors import BudgetError
from contextwright.models import Models, ScriptedLLM
from contextwright.retrieval.index import Index
from contextwright.retrieval.item import Item

SECRET = "The supplier's word is xyzzy. "


class Collected:
    """An SDK whose spans and metrics stay in this process."""

    def __init__(self):
        self.exporter, self.reader = InMemorySpanExporter(), InMemoryMetricReader()
        self.tracer_provider = TracerProvider()
        self.tracer_provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.meter_provider = MeterProvider(metric_readers=[self.reader])

    def hooks(self, **options):
        return telemetry(
            tracer_provider=self.tracer_provider, meter_provider=self.meter_provider, **options
        )

    @property
    def spans(self):
        return self.exporter.get_finished_spans()

    def named(self, name):
        return [span for span in self.spans if span.name == name]

    def sums(self):
        data = self.reader.get_metrics_data()
        points = {}
        for metric in data.resource_metrics[0].scope_metrics[0].metrics:
            points[metric.name] = list(metric.data.data_points)
        return points


@pytest.fixture
def collected():
    return Collected()


def loop(engine, steps=25):
    session, packs = Session("s7"), []
    session.add("system", "You are an agent.")
    session.user("Find the cheapest offer.")
    for n in range(steps):
        packs.append(engine.compile(session))
        session.call("search", {"page": n}, id=f"c{n}")
        session.result(f"c{n}", f"Page {n}. " + SECRET * 25)
        engine.record(session)
    return packs


def test_a_compile_is_a_span_with_the_numbers_of_its_manifest(collected):
    engine = Engine(C.default() | C.compaction(4000), "gpt-5", events=collected.hooks())
    packs = loop(engine)
    spans = collected.named("contextwright.compile")
    assert [span.attributes["contextwright.pack.id"] for span in spans] == [
        pack.manifest.pack_id for pack in packs
    ]
    last, manifest = spans[-1].attributes, packs[-1].manifest
    assert last["gen_ai.conversation.id"] == "s7"
    assert (last["gen_ai.provider.name"], last["gen_ai.request.model"]) == ("openai", "gpt-5")
    assert last["contextwright.tokens"] == manifest.tokens < last["contextwright.tokens.before"]
    assert last["gen_ai.conversation.compacted"] is True
    assert spans[0].attributes["gen_ai.conversation.compacted"] is False
    layers = manifest.layer_tokens
    assert {f"contextwright.tokens.layer.{name}": n for name, n in layers.items()}.items() <= dict(
        last
    ).items()
    before = last["contextwright.tokens.before.layer.conversation"]
    assert before - layers["conversation"] == last["contextwright.tokens.before"] - manifest.tokens
    assert all(span.start_time < span.end_time for span in spans)


def test_a_step_is_an_event_of_the_span_and_counted(collected):
    engine = Engine(C.default() | C.compaction(4000), "gpt-5", events=collected.hooks())
    packs = loop(engine)
    events = [event for span in collected.spans for event in span.events]
    steps = max(fold.steps for fold in packs[-1].manifest.folds)
    assert [event.attributes["contextwright.step"] for event in events] == [*range(1, steps + 1)]
    assert all(event.attributes["contextwright.prefix.lost_tokens"] > 0 for event in events)
    sums = collected.sums()
    assert sums["contextwright.steps"][0].value == steps
    assert sums["contextwright.compile.duration"][0].count == len(packs)
    assert sums["contextwright.tokens"][0].sum == sum(pack.tokens for pack in packs)


def test_what_was_asked_and_searched_lies_within_the_compile(collected):
    models = Models(ScriptedLLM(lambda task: "They looked for offers."))
    index = Index()
    index.add([Item("a", "The cheapest offer is at Baker's.")])
    engine = Engine(
        C.memory() + C.summarize("before_window") + C.window(steps=2),
        "gpt-5",
        models=models,
        retrievers=[index],
        events=collected.hooks(),
    )
    loop(engine, 8)
    compiles = {span.context.span_id: span for span in collected.named("contextwright.compile")}
    (searched, *_), (asked, *_) = (
        collected.named("search_memory"),
        collected.named("contextwright.prepare"),
    )
    assert searched.attributes["contextwright.recall.sources"] == ("Index",)
    assert searched.attributes["contextwright.recall.hits"] == 1
    assert asked.attributes["contextwright.prepare.kinds"][0]
    for span in (searched, asked):
        outer = compiles[span.parent.span_id]
        assert outer.start_time <= span.start_time <= span.end_time <= outer.end_time


def test_an_error_is_a_span_that_says_so(collected):
    engine = Engine(C.default() | C.budget(10), "gpt-5", events=collected.hooks())
    with pytest.raises(BudgetError):
        loop(engine)
    (span,) = collected.spans
    assert (span.attributes["error.type"], span.status.status_code) == (
        "BudgetError",
        StatusCode.ERROR,
    )


def test_no_span_says_what_the_session_says_unless_it_was_asked_to(collected):
    loop(Engine(C.default() | C.compaction(4000), "gpt-5", events=collected.hooks()))
    assert collected.spans
    assert "xyzzy" not in "".join(span.to_json() for span in collected.spans)


@pytest.mark.parametrize("model", ["gpt-5", "claude-sonnet-4-5", "gemini-2.5-pro"])
def test_contents_are_messages_of_the_conventions(collected, model):
    engine = Engine(
        C.default() | C.redact(patterns=["email"]),
        model,
        events=collected.hooks(contents=True),
        read_back=False,
    )
    session = Session("s")
    session.add("system", "Be brief.")
    session.user("My mail is ann@example.org.")
    session.call("look", {"at": 1}, id="c1")
    session.result("c1", "seen")
    engine.compile(session)
    (span,) = collected.spans
    messages = json.loads(span.attributes["gen_ai.input.messages"])
    assert [message["role"] for message in messages] == ["user", "assistant", "tool"]
    assert "ann@example.org" not in span.to_json()
    call, result = messages[1]["parts"][0], messages[2]["parts"][0]
    assert (call["type"], call["name"], call["arguments"]) == ("tool_call", "look", {"at": 1})
    assert (result["type"], result["id"], result["response"]) == (
        "tool_call_response",
        call["id"],
        "seen",
    )
    assert json.loads(span.attributes["gen_ai.system_instructions"])[0]["content"] == "Be brief."


def test_a_context_and_two_threads_have_spans_of_their_own(collected):
    context = Context(C.compaction(4000), model="gpt-5", events=collected.hooks())
    context([{"role": "user", "content": "hello"}])
    assert len(collected.named("contextwright.compile")) == 1


def test_a_collector_gets_the_spans():
    exporter = pytest.importorskip("opentelemetry.exporter.otlp.proto.http.trace_exporter")
    from tests.adapters.otlp import OTLPReceiver, values

    with OTLPReceiver() as behind:
        provider = TracerProvider()
        sent = exporter.OTLPSpanExporter(endpoint=f"{behind.url}/v1/traces")
        provider.add_span_processor(SimpleSpanProcessor(sent))
        hooks = telemetry(tracer_provider=provider)
        (pack, *_) = loop(Engine(C.default(), "gpt-5", events=hooks), 1)
        provider.shutdown()
    (scope,), (span,) = behind.scopes, behind.spans
    told = values(span.attributes)
    assert (scope.scope.name, span.name) == ("contextwright", "contextwright.compile")
    assert told["contextwright.tokens"] == pack.tokens
    assert told["contextwright.pack.id"] == pack.manifest.pack_id
