"""The spans of a loop through a real OpenTelemetry collector, and the one that is deployed with the
proxies, where there is one: it comes in no package of Python's."""

import os
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("opentelemetry.sdk")
pytest.importorskip("opentelemetry.exporter.otlp.proto.http")

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from tests.adapters.test_opentelemetry import Collector, loop

from contextwright import C, Engine
from contextwright.adapters.opentelemetry import telemetry

DEPLOYED = Path(__file__).parents[2] / "deploy" / "collector.yaml"
NAMES = ("otelcol", "otelcol-contrib", "otelcol-k8s")
OTELCOL = next(filter(None, map(shutil.which, NAMES)), None)
GET_ONE = (
    "no OpenTelemetry collector on PATH: otelcol is a release of "
    "github.com/open-telemetry/opentelemetry-collector-releases"
)
CONFIG = """
receivers: {{otlp: {{protocols: {{http: {{endpoint: "127.0.0.1:{port}"}}}}}}}}
exporters: {{otlphttp: {{endpoint: "http://127.0.0.1:{to}", compression: none}}}}
service:
  telemetry: {{metrics: {{level: none}}}}
  pipelines: {{traces: {{receivers: [otlp], exporters: [otlphttp]}}}}
"""
WAIT_S = 30

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(OTELCOL is None, reason=GET_ONE),
]


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@contextmanager
def running(folder, to):
    """A collector that passes spans on; gives its port."""
    port, config = free_port(), folder / "config.yaml"
    config.write_text(CONFIG.format(port=port, to=to))
    with subprocess.Popen([OTELCOL, "--config", str(config)], stderr=subprocess.PIPE) as process:
        end = time.monotonic() + WAIT_S
        while time.monotonic() < end and process.poll() is None:
            with socket.socket() as one:
                if not one.connect_ex(("127.0.0.1", port)):
                    break
            time.sleep(0.1)
        assert process.poll() is None, process.stderr.read().decode()
        yield port
        process.terminate()


def test_spans_pass_a_collector_as_they_were_made(tmp_path):
    with Collector() as behind, running(tmp_path, behind.server_port) as port:
        provider = TracerProvider()
        endpoint = f"http://127.0.0.1:{port}/v1/traces"
        provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter(endpoint=endpoint)))
        spec, hooks = C.default() | C.compaction(4000), telemetry(tracer_provider=provider)
        packs = loop(Engine(spec, "gpt-5", events=hooks))
        provider.shutdown()
        end = time.monotonic() + WAIT_S
        while len(spans := spans_in(behind.bodies)) < len(packs) and time.monotonic() < end:
            time.sleep(0.1)
    told = {one["contextwright.pack.id"]: one["contextwright.tokens"] for one in spans}
    assert told == {pack.manifest.pack_id: pack.tokens for pack in packs}


def spans_in(bodies):
    """The attributes of each compile's span that arrived."""
    requests = map(ExportTraceServiceRequest.FromString, list(bodies))
    spans = (
        span
        for request in requests
        for resource in request.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
        if span.name == "contextwright.compile"
    )
    return [
        {one.key: one.value.string_value or one.value.int_value for one in span.attributes}
        for span in spans
    ]


def test_the_collector_that_is_deployed_is_one_that_it_takes():
    environment = {**os.environ, "CONTEXTWRIGHT_ADMIN_KEY": "k"}
    done = subprocess.run(
        [OTELCOL, "validate", "--config", str(DEPLOYED)],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
