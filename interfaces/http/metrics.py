"""Metrics in Prometheus' text format: what the door answers, and the state of what is behind it."""

from collections.abc import Awaitable, Callable, Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ...modules.principals.models import Role
from .auth import caller_of

BUCKETS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)

Gauges = Callable[[], Awaitable[Mapping[str, float]]]
"""Returns what is measured when somebody looks, by name."""


class Metrics:
    """The counters of one door. Routes are told by their patterns: no id, name or text of a user is a label."""

    def __init__(self, gauges: Gauges) -> None:
        self._gauges = gauges
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._requests = Counter(
            "agentos_http_requests", "Answered requests.", ["method", "route", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "agentos_http_request_seconds",
            "Time from a request's headers to the end of its answer.",
            ["method", "route"],
            registry=self._registry,
            buckets=BUCKETS,
        )
        self._measured: dict[str, Gauge] = {}

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count an answer to a request."""
        known = method if method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS") else "other"
        self._requests.labels(known, route, str(status)).inc()
        self._seconds.labels(known, route).observe(seconds)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a scrape. Raises PermissionDenied."""
        caller_of(scope).requires(Role.OPERATOR)
        for name, value in (await self._gauges()).items():
            if name not in self._measured:
                self._measured[name] = Gauge(f"agentos_{name}", name.replace("_", " "), registry=self._registry)
            self._measured[name].set(value)
        await Response(generate_latest(self._registry), media_type=CONTENT_TYPE_LATEST)(scope, receive, send)
