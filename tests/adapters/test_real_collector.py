"""What a loop's telemetry is behind a real OpenTelemetry collector: the SDK's OTLP exporters send it
to a collector's process, and what that passes on is held against the packs.

`rotel` comes with the group `test`; `otelcol` is in no package, and is played where it is on PATH."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

pytest.importorskip("opentelemetry.sdk")
pytest.importorskip("opentelemetry.exporter.otlp.proto.http")

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from tests.adapters.otlp import OTLPReceiver, values
from tests.adapters.test_opentelemetry import SECRET, loop

from contextwright import C, Engine
from contextwright.adapters.opentelemetry import telemetry
from contextwright.errors import BudgetError
from contextwright.models import Models, ScriptedLLM
from contextwright.retrieval.index import Index
from contextwright.retrieval.item import Item

DEPLOYED = Path(__file__).parents[2] / "deploy" / "collector.yaml"
WAIT_S = 60  # for a process on a busy machine
OTELCOL_CONFIG = """
receivers: {{otlp: {{protocols: {{http: {{endpoint: "127.0.0.1:{port}"}}}}}}}}
exporters: {{otlphttp: {{endpoint: "{to}"}}}}
service:
  telemetry: {{metrics: {{level: none}}}}
  pipelines:
    traces: {{receivers: [otlp], exporters: [otlphttp]}}
    metrics: {{receivers: [otlp], exporters: [otlphttp]}}
"""


@dataclass(frozen=True)
class Product:
    """A collector: its program, the argument that only names its version, and how it is started."""

    program: str | None
    version: str
    arguments: Callable[[Path, int, str], list[str]]
    lacking: str


def of_otelcol(folder, port, to):
    config = folder / "config.yaml"
    config.write_text(OTELCOL_CONFIG.format(port=port, to=to))
    return ["--config", str(config)]


def of_rotel(folder, port, to):
    return [
        "start",
        *("--otlp-http-endpoint", f"127.0.0.1:{port}"),
        *("--otlp-grpc-endpoint", f"127.0.0.1:{free_port()}"),
        *("--exporter", "otlp", "--otlp-exporter-endpoint", to),
        *("--otlp-exporter-protocol", "http"),
        *("--pid-file", str(folder / "pid"), "--log-file", str(folder / "log")),
    ]


def rotel_program():
    found = find_spec("rotel")
    return str(Path(found.origin).with_name("rotel-agent")) if found and found.origin else None


OTELCOL = Product(
    next(filter(None, map(shutil.which, ("otelcol", "otelcol-contrib", "otelcol-k8s"))), None),
    "--version",
    of_otelcol,
    "no otelcol on PATH: it is a release of "
    "github.com/open-telemetry/opentelemetry-collector-releases",
)
ROTEL = Product(
    rotel_program(), "version", of_rotel, "rotel is not installed: PyPI has no wheel for this place"
)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def skip_where_it_does_not_run(product):
    if product.program is None:
        pytest.skip(product.lacking)
    try:
        subprocess.run([product.program, product.version], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"{product.program} does not start here: {error}")


@contextmanager
def running(product, folder, to):
    """A collector that passes on to an address what it gets; gives its own."""
    skip_where_it_does_not_run(product)
    port = free_port()
    command = [product.program, *product.arguments(folder, port, to)]
    quiet = {"PATH": os.environ["PATH"], "NO_PROXY": "127.0.0.1"}  # no settings of this machine
    log = folder / "printed"
    with (
        log.open("wb") as printed,
        subprocess.Popen(command, env=quiet, stdout=printed, stderr=printed) as process,
    ):
        try:
            listens = waited(lambda: process.poll() is not None or open_at(port))
            assert listens and process.poll() is None, log.read_text()
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def open_at(port):
    with socket.socket() as one:
        return not one.connect_ex(("127.0.0.1", port))


def waited(condition):
    """Whether something came true within a time that only a broken run needs."""
    end = time.monotonic() + WAIT_S
    while not (true := condition()) and time.monotonic() < end:
        time.sleep(0.05)
    return true


class Exporting:
    """An SDK that sends its spans and metrics to a collector."""

    def __init__(self, to):
        resource = Resource.create({"service.name": "support-agent"})
        self.spans = TracerProvider(resource=resource)
        exporter = OTLPSpanExporter(endpoint=f"{to}/v1/traces")
        self.spans.add_span_processor(BatchSpanProcessor(exporter))
        metrics = OTLPMetricExporter(endpoint=f"{to}/v1/metrics")
        reader = PeriodicExportingMetricReader(metrics, export_interval_millis=3_600_000)
        self.metrics = MeterProvider([reader], resource=resource)

    def hooks(self, **options):
        return telemetry(tracer_provider=self.spans, meter_provider=self.metrics, **options)

    def flush(self):
        self.spans.shutdown()
        self.metrics.shutdown()


@pytest.fixture(
    params=[ROTEL, pytest.param(OTELCOL, marks=pytest.mark.slow)], ids=["rotel", "otelcol"]
)
def product(request):
    return request.param


def test_spans_events_and_metrics_pass_a_collector_as_they_were_made(product, tmp_path):
    with OTLPReceiver() as behind, running(product, tmp_path, behind.url) as collector:
        sdk = Exporting(collector)
        spec = C.default() | C.compaction(4000)
        packs = loop(Engine(spec, "gpt-5", events=sdk.hooks()))
        sdk.flush()
        waited(lambda: len(behind.spans) >= len(packs) and behind.metrics)
    assert {scope.scope.name for scope in behind.scopes} == {"contextwright"}
    services = [values(one.resource.attributes)["service.name"] for one in behind.resources]
    assert set(services) == {"support-agent"}
    told = [values(span.attributes) for span in behind.spans]
    assert [one["contextwright.pack.id"] for one in told] == [
        pack.manifest.pack_id for pack in packs
    ]
    assert [one["contextwright.tokens"] for one in told] == [pack.tokens for pack in packs]
    assert all(one["gen_ai.conversation.id"] == "s7" for one in told)
    for one, pack in zip(told, packs, strict=True):
        for layer, tokens in pack.manifest.layer_tokens.items():
            assert one[f"contextwright.tokens.layer.{layer}"] == tokens

    steps = max(fold.steps for fold in packs[-1].manifest.folds)
    events = [event for span in behind.spans for event in span.events]
    assert {event.name for event in events} == {"contextwright.step"}
    numbers = [values(event.attributes)["contextwright.step"] for event in events]
    assert numbers == [*range(1, steps + 1)]

    metrics = {metric.name: metric for metric in behind.metrics}
    (tokens,) = metrics["contextwright.tokens"].histogram.data_points
    assert (tokens.count, tokens.sum) == (len(packs), sum(pack.tokens for pack in packs))
    assert values(tokens.attributes)["gen_ai.request.model"] == "gpt-5"
    assert metrics["contextwright.steps"].sum.data_points[0].as_int == steps
    assert metrics["contextwright.compile.duration"].unit == "s"


@pytest.mark.slow
def test_what_lies_within_a_compile_and_an_error_arrive_as_such(product, tmp_path):
    index = Index()
    index.add([Item("a", "The cheapest offer is at Baker's.")])
    spec = C.memory() + C.summarize("before_window") + C.window(steps=2)
    models = Models(ScriptedLLM(lambda task: "They looked for offers."))
    with OTLPReceiver() as behind, running(product, tmp_path, behind.url) as collector:
        sdk = Exporting(collector)
        parts = {"models": models, "retrievers": [index], "events": sdk.hooks()}
        loop(Engine(spec, "gpt-5", **parts), 8)
        with pytest.raises(BudgetError):
            loop(Engine(C.default() | C.budget(10), "gpt-5", events=sdk.hooks()), 1)
        sdk.flush()
        waited(lambda: any("error.type" in values(span.attributes) for span in behind.spans))
    compiles = {one.span_id: one for one in behind.spans if one.name == "contextwright.compile"}
    within = [one for one in behind.spans if one.name != "contextwright.compile"]
    assert {one.name for one in within} == {"search_memory", "contextwright.prepare"}
    assert {compiles[one.parent_span_id].name for one in within} == {"contextwright.compile"}
    searched = [values(one.attributes) for one in within if one.name == "search_memory"]
    assert searched[0]["contextwright.recall.sources"] == ["Index"]
    (failed,) = [one for one in compiles.values() if one.status.code]
    assert values(failed.attributes)["error.type"] == "BudgetError"


@pytest.mark.slow
@pytest.mark.parametrize("contents", [False, True])
def test_a_collector_gets_contents_only_where_they_were_asked_for(contents, product, tmp_path):
    with OTLPReceiver() as behind, running(product, tmp_path, behind.url) as collector:
        sdk = Exporting(collector)
        loop(Engine(C.default(), "gpt-5", events=sdk.hooks(contents=contents)), 2)
        sdk.flush()
        waited(lambda: len(behind.spans) >= 2 and behind.metrics)
    everything = b"".join(body for _, body in behind.received)
    assert (SECRET.strip().encode() in everything) is contents
    named = ["gen_ai.input.messages" in values(span.attributes) for span in behind.spans]
    assert named == [contents] * 2


@pytest.mark.slow
def test_the_collector_that_is_deployed_is_one_that_it_takes():
    skip_where_it_does_not_run(OTELCOL)
    environment = {**os.environ, "CONTEXTWRIGHT_ADMIN_KEY": "k"}
    done = subprocess.run(
        [OTELCOL.program, "validate", "--config", str(DEPLOYED)],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
