"""Traces by OpenTelemetry, read by a collector of our own on loopback."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from agentos.interfaces import telemetry
from agentos.modules.store_request import StoreRequest
from tests.integration.http.conftest import OWNER_KEY

pytest.importorskip("opentelemetry.exporter.otlp.proto.http")

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


class Collector(HTTPServer):
    """Keeps the spans that are sent to it."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Receiving)
        self.spans: list[Any] = []
        self.services: set[str] = set()
        self.raw = b""


class _Receiving(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        import gzip

        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

        body = self.rfile.read(int(self.headers["content-length"]))
        body = gzip.decompress(body) if self.headers.get("content-encoding") == "gzip" else body
        self.server.raw += body
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            named = {one.key: one.value.string_value for one in resource.resource.attributes}
            self.server.services.add(named["service.name"])
            self.server.spans += [span for scope in resource.scope_spans for span in scope.spans]
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    server = Collector()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


async def test_a_request_is_a_trace_of_its_stages_without_any_text(
    served: Any, agentos: Any, collector: Collector
) -> None:
    await agentos.memory.store("default", StoreRequest("The lamp in the hall is purple"))
    asked = {"query": "the purple lamp"}
    with telemetry.exported("on", "agentos-daemon", "1"):
        client = served.client(traceparent=f"00-{TRACE}-{PARENT}-01")
        assert (await client.get("/api/v1/search", params=asked)).json()["results"]
        call = {"name": "memory_search", "arguments": asked}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        accepts = {"accept": "application/json, text/event-stream"}
        assert (await client.post("/mcp", json=message, headers=accepts)).status_code == 200
        assert (await client.get("/api/v1/memories/mem_purple")).status_code == 404
    spans = collector.spans
    names = {span.name for span in spans}
    stages = {"search.gather", "search.embed", "search.vectors", "search.words", "search.rank", "search.read"}
    assert names >= {"GET /api/v1/search", "POST /mcp", "tool memory_search", *stages}
    assert {span.trace_id.hex() for span in spans} == {TRACE}
    by_id = {span.span_id: span for span in spans}
    roots = [span for span in spans if span.parent_span_id.hex() == PARENT]
    assert len(roots) == 3
    for span in spans:
        if span.name == "search.words":
            above = []
            while (span := by_id.get(span.parent_span_id)) is not None:
                above.append(span.name)
            assert above[:2] == ["search.gather", "tool memory_search"] and above[2] in (
                "GET /api/v1/search",
                "POST /mcp",
            )
    [missing] = [one for one in roots if "memories" in one.name]
    attributes = {one.key: one.value for one in missing.attributes}
    assert attributes["http.response.status_code"].int_value == 404
    assert attributes["http.route"].string_value == "/api/v1/memories/{memory_id}"
    assert collector.services == {"agentos-daemon"}
    assert b"purple" not in collector.raw and OWNER_KEY.encode() not in collector.raw


async def test_without_an_endpoint_nothing_is_recorded(served: Any, collector: Collector) -> None:
    with telemetry.exported("", "agentos-daemon", "1"):
        assert (await served.client().get("/api/v1/goals")).status_code == 200
    assert not collector.spans
