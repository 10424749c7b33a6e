"""Charts drawn on the server, as numbers for SVG: columns over days, a line over days, and a histogram."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

WIDTH, HEIGHT = 300.0, 80.0


@dataclass(frozen=True)
class Bar:
    """A bar of a chart, and what it stands for in words."""

    x: float
    y: float
    width: float
    height: float
    label: str


@dataclass(frozen=True)
class Chart:
    """A chart: its bars or the dots of its lines, the names of its ends, and its figures as a table of two columns."""

    name: str
    unit: str
    bars: tuple[Bar, ...]
    lines: tuple[str, ...]
    first: str
    last: str
    most: float
    rows: tuple[tuple[str, str], ...]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not self.rows


def days(until: date, count: int) -> list[date]:
    """Return the last days up to one, the oldest first."""
    return [until - timedelta(days=ago) for ago in range(count - 1, -1, -1)]


def columns(name: str, unit: str, values: Mapping[date, float], shown: Sequence[date]) -> Chart:
    """Return a column for each day; a day without a value is a gap."""
    most = max([values.get(day, 0.0) for day in shown], default=0.0)
    step = WIDTH / max(1, len(shown))
    bars = []
    for at, day in enumerate(shown):
        value = values.get(day, 0.0)
        if value > 0:
            height = max(1.0, value / most * HEIGHT)
            bars.append(
                Bar(at * step + step * 0.1, HEIGHT - height, step * 0.8, height, f"{day}: {_number(value)} {unit}")
            )
    rows = tuple((day.isoformat(), _number(values[day])) for day in shown if values.get(day))
    return Chart(name, unit, tuple(bars), (), f"{shown[0]}", f"{shown[-1]}", most, rows)


def line(name: str, values: Mapping[date, float], shown: Sequence[date]) -> Chart:
    """Return shares (0..1) over days as dots joined by lines; days without a value part the line."""
    step = WIDTH / max(1, len(shown) - 1)
    runs: list[list[tuple[float, float]]] = [[]]
    dots = []
    for at, day in enumerate(shown):
        if day not in values:
            runs.append([])
            continue
        x, y = at * step, HEIGHT * (1 - values[day])
        runs[-1].append((x, y))
        dots.append(Bar(min(x, WIDTH - 4), max(0.0, min(y, HEIGHT) - 2), 4, 4, f"{day}: {values[day] * 100:.0f} %"))
    lines = tuple(" ".join(f"{x:.1f},{y:.1f}" for x, y in run) for run in runs if len(run) > 1)
    rows = tuple((day.isoformat(), f"{values[day] * 100:.0f} %") for day in shown if day in values)
    return Chart(name, "%", tuple(dots), lines, f"{shown[0]}", f"{shown[-1]}", 1.0, rows)


def histogram(name: str, unit: str, counts: Sequence[int], bounds: Sequence[float]) -> Chart:
    """Return a column for each bucket: the answers up to a bound in seconds, the last one beyond all of them."""
    most = max(counts, default=0)
    step = WIDTH / max(1, len(counts))
    labels = [f"≤ {duration(bound)}" for bound in bounds] + ["more"]
    bars = tuple(
        Bar(at * step, HEIGHT - max(1.0, count / most * HEIGHT), step * 0.9, max(1.0, count / most * HEIGHT), label)
        for at, (count, label) in enumerate(
            (count, f"{label}: {count} {unit}") for count, label in zip(counts, labels, strict=True)
        )
        if count
    )
    rows = tuple((label, f"{count:,}") for count, label in zip(counts, labels, strict=True) if count)
    return Chart(name, unit, bars, (), labels[0], labels[-1], most, rows)


def duration(seconds: float) -> str:
    """Return a time in milliseconds below one second, else in seconds."""
    return f"{seconds * 1000:g} ms" if seconds < 1 else f"{seconds:g} s"


def _number(value: float) -> str:
    return f"{value:,.0f}"
