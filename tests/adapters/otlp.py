"""The far end of OTLP over HTTP: takes what an exporter or a collector sends, and decodes it."""

import gzip
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


class OTLPReceiver(ThreadingHTTPServer):
    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.received = []  # path and body

    def __enter__(self):
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def resources(self):
        """Each batch of spans with its resource, in the order of arrival."""
        bodies = [body for path, body in list(self.received) if path == "/v1/traces"]
        requests = map(ExportTraceServiceRequest.FromString, bodies)
        return [resource for request in requests for resource in request.resource_spans]

    @property
    def scopes(self):
        return [scope for resource in self.resources for scope in resource.scope_spans]

    @property
    def spans(self):
        """In the order in which they began: a collector may send its batches in any."""
        spans = [span for scope in self.scopes for span in scope.spans]
        return sorted(spans, key=lambda span: span.start_time_unix_nano)

    @property
    def metrics(self):
        bodies = [body for path, body in list(self.received) if path == "/v1/metrics"]
        return [
            metric
            for request in map(ExportMetricsServiceRequest.FromString, bodies)
            for resource in request.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
        ]


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        self.server.received.append((self.path, body))
        self.send_response(200)
        self.send_header("Content-Type", "application/x-protobuf")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def values(attributes):
    """Attributes as Python's values."""
    return {one.key: _value(one.value) for one in attributes}


def _value(value):
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(one) for one in value.array_value.values]
    return getattr(value, kind)
