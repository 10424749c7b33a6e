"""Metrics in Prometheus' text format: what the door answers, and the state of what is behind it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ...modules.principals.models import Role
from ...modules.records import dataclass
from .auth import caller_of

BUCKETS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)

Gauges = Callable[[], Awaitable[Mapping[str, float]]]
"""Returns what is measured when somebody looks, by name."""


@dataclass(frozen=True)
class Latency:
    """Answers of a route: how many took at most each of BUCKETS seconds, the last one for those beyond, and all in all.

    `up_to` counts cumulatively, as Prometheus does; `seconds` are those of all answers together.
    """

    method: str
    route: str
    up_to: tuple[int, ...]
    seconds: float

    @property
    def count(self) -> int:
        """The number of answers."""
        return self.up_to[-1]

    @property
    def counts(self) -> tuple[int, ...]:
        """The number of answers between one bound and the next."""
        return tuple(after - before for before, after in zip((0, *self.up_to), self.up_to, strict=False))

    def within(self, share: float) -> float | None:
        """Return the bound in seconds within which a share of the answers came; None beyond the last one."""
        return next((bound for bound, n in zip(BUCKETS, self.up_to, strict=False) if n >= share * self.count), None)


Latencies = Callable[[], Sequence[Latency]]
"""Returns how long answers took until now, by route."""


class Metrics:
    """The counters of one door. Routes are labelled by their patterns, never with ids, names or texts of users."""

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

    def latencies(self) -> list["Latency"]:
        """Return how long the answers of each route took, the most asked for first."""
        cumulative: dict[tuple[str, str], list[int]] = {}
        seconds: dict[tuple[str, str], float] = {}
        for metric in self._seconds.collect():
            for sample in metric.samples:
                which = (sample.labels.get("method", ""), sample.labels.get("route", ""))
                if sample.name.endswith("_bucket"):
                    cumulative.setdefault(which, []).append(int(sample.value))
                elif sample.name.endswith("_sum"):
                    seconds[which] = sample.value
        found = [Latency(*which, tuple(counts), seconds[which]) for which, counts in cumulative.items()]
        return sorted(found, key=lambda one: -one.count)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a scrape. Raises PermissionDenied."""
        caller_of(scope).requires(Role.OPERATOR)
        for name, value in (await self._gauges()).items():
            if name not in self._measured:
                self._measured[name] = Gauge(f"agentos_{name}", name.replace("_", " "), registry=self._registry)
            self._measured[name].set(value)
        await Response(generate_latest(self._registry), media_type=CONTENT_TYPE_LATEST)(scope, receive, send)
