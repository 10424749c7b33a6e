"""A measured figure beside its reference and its bar; the table of them."""

import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Bar:
    """The bar of a figure; every given bound must hold. `ratio_at_most` is relative to the reference."""

    at_most: float | None = None
    at_least: float | None = None
    ratio_at_most: float | None = None

    def holds(self, value: float, ratio: float | None) -> bool:
        """Return whether a value, and its ratio to the reference, are within the bounds."""
        return (
            (self.at_most is None or value <= self.at_most)
            and (self.at_least is None or value >= self.at_least)
            and (self.ratio_at_most is None or (ratio is not None and ratio <= self.ratio_at_most))
        )

    def __str__(self) -> str:
        bounds = [("≤ ", self.at_most, ""), ("≥ ", self.at_least, ""), ("≤ ", self.ratio_at_most, " ×")]
        return ", ".join(f"{sign}{bound:g}{unit}" for sign, bound, unit in bounds if bound is not None)


@dataclass(frozen=True)
class Figure:
    """One row of the report. `reference` is the value of `reference_name` in the same run, in the same unit."""

    name: str
    value: float
    unit: str
    reference: float | None = None
    reference_name: str = ""
    bar: Bar | None = None
    detail: dict[str, Any] = field(default_factory=dict)

    @property
    def ratio(self) -> float | None:
        """The figure as a multiple of its reference."""
        return self.value / self.reference if self.reference else None

    @property
    def passed(self) -> bool | None:
        """Whether it meets its bar; None without one."""
        return None if self.bar is None else self.bar.holds(self.value, self.ratio)

    def as_json(self) -> dict[str, Any]:
        """Return all of it, for the machine-readable report."""
        bar = str(self.bar) if self.bar else None
        value = None if math.isinf(self.value) else self.value  # infinity (it never happened) is not JSON
        return {**asdict(self), "value": value, "ratio": self.ratio, "bar": bar, "passed": self.passed}


def percentile(samples: Sequence[float], share: float) -> float:
    """Return the smallest sample that at least `share` (0 to 1) of all samples do not exceed."""
    ordered = sorted(samples)
    return ordered[max(0, math.ceil(len(ordered) * share) - 1)]


def durations(
    name: str,
    samples: Sequence[float],
    reference: Sequence[float] = (),
    reference_name: str = "",
    p50: Bar | None = None,
    p95: Bar | None = None,
) -> Iterator[Figure]:
    """Yield median and 95th percentile of samples in seconds, as figures in milliseconds."""
    detail = {"samples": len(samples), "max_ms": round(max(samples) * 1000, 2)}
    for label, share, bar in (("p50", 0.5, p50), ("p95", 0.95, p95)):
        compared = percentile(reference, share) * 1000 if reference else None
        value = statistics.median(samples) if share == 0.5 else percentile(samples, share)
        yield Figure(f"{name}, {label}", value * 1000, "ms", compared, reference_name, bar, detail)


def table(figures: Sequence[Figure]) -> str:
    """Return the report as a table for people."""
    rows = [("figure", "value", "reference", "", "ratio", "bar", "")]
    rows += [
        (
            figure.name,
            _amount(figure.value, figure.unit),
            "" if figure.reference is None else _amount(figure.reference, figure.unit),
            figure.reference_name,
            "" if figure.ratio is None else f"{figure.ratio:.2f} ×",
            "" if figure.bar is None else str(figure.bar),
            {True: "pass", False: "FAIL", None: ""}[figure.passed],
        )
        for figure in figures
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    right = {1, 2, 4}
    return "\n".join(
        "  ".join(
            cell.rjust(widths[column]) if column in right else cell.ljust(widths[column])
            for column, cell in enumerate(row)
        ).rstrip()
        for row in rows
    )


def _amount(value: float, unit: str) -> str:
    if math.isinf(value):
        return "never"
    digits = 0 if value == int(value) or abs(value) >= 1000 else 1 if abs(value) >= 100 else 3 if abs(value) < 1 else 2
    return f"{value:,.{digits}f} {unit}".rstrip()
