"""Traces by OpenTelemetry, to where its own variables say. Its packages are imported only then."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..modules import tracing
from ..modules.installing import INSTALL_OTEL_EXTRA
from ..modules.tracing import Attributes

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

FLUSH_S = 1.0
"""How long the last spans may take to be sent when the process ends."""
UNNAMED = "unknown_service"

log = logging.getLogger(__name__)


class _Recorded:
    """Implements `modules.tracing.Span`."""

    def __init__(self, span: "Span") -> None:
        self._span = span

    def note(self, attributes: Attributes) -> None:
        self._span.set_attributes(dict(attributes))

    def rename(self, name: str) -> None:
        self._span.update_name(name)


class _OpenTelemetry:
    """Implements `modules.tracing.Tracer`. Of an error its type is recorded: its message may quote a text."""

    def __init__(self, tracer: "Tracer") -> None:
        self._tracer = tracer

    @contextmanager
    def span(self, name: str, attributes: Attributes, parent: str) -> Iterator[_Recorded]:
        from opentelemetry.trace import StatusCode
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        context = TraceContextTextMapPropagator().extract({"traceparent": parent}) if parent else None
        with self._tracer.start_as_current_span(
            name, context, attributes=dict(attributes), record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                yield _Recorded(span)
            except BaseException as error:
                span.set_attribute("error.type", type(error).__name__)
                span.set_status(StatusCode.ERROR)
                raise


@contextmanager
def exported(endpoint: str, service: str, version: str) -> Iterator[None]:
    """Export the spans of the block to an OTLP endpoint over HTTP; with "", record none."""
    provider = _provider(service, version) if endpoint else None
    if provider is None:
        yield
        return
    try:
        with tracing.recorded_by(_OpenTelemetry(provider.get_tracer("agentos", version))):
            yield
    finally:
        ending = threading.Thread(target=provider.shutdown, daemon=True)
        ending.start()
        ending.join(FLUSH_S)


def _provider(service: str, version: str) -> Any:
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ModuleNotFoundError as error:
        # The variable may be meant for the program that started this one.
        log.info("no traces: OTEL_EXPORTER_OTLP_ENDPOINT needs %s: %s", error.name, INSTALL_OTEL_EXTRA)
        return None
    resource = Resource.create({SERVICE_VERSION: version})
    if str(resource.attributes.get(SERVICE_NAME, UNNAMED)).startswith(UNNAMED):
        resource = resource.merge(Resource({SERVICE_NAME: service}))
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider
