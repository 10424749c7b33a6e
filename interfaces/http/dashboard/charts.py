"""Charts drawn on the server, as numbers for SVG: columns and a line over days, a year's days, and a histogram."""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from .texts import Texts

WIDTH, HEIGHT = 300.0, 80.0
YEAR = 365
SHADES = 4
"""The shades of a heat map's days on which something happened."""
DayLink = Callable[[date], str]
"""The address of a day's page."""
Formatter = Callable[[float], str]
"""A value in words, with its unit."""


@dataclass(frozen=True)
class Bar:
    """A bar of a chart, what it stands for in words, and the page that tells more."""

    x: float
    y: float
    width: float
    height: float
    label: str
    href: str = ""


@dataclass(frozen=True)
class Chart:
    """A chart: its bars or the dots of its lines, the names of its ends, and its figures as a table of two columns.

    `most` is what its upper edge stands for.
    """

    name: str
    bars: tuple[Bar, ...]
    lines: tuple[str, ...]
    first: str
    last: str
    most: str
    rows: tuple[tuple[str, str], ...]

    @property
    def is_empty(self) -> bool:
        """Return whether there is nothing to draw."""
        return not self.rows

    @property
    def leads(self) -> bool:
        """Return whether its bars lead to pages."""
        return any(bar.href for bar in self.bars)


@dataclass(frozen=True)
class Cell:
    """A day of a heat map, in columns of weeks: its place, how much happened (0 to SHADES), and the page of the day."""

    week: int
    weekday: int
    shade: int
    label: str
    href: str


@dataclass(frozen=True)
class Heat:
    """A heat map of days in `weeks` columns; `months` are their names with the week that each begins in."""

    name: str
    weeks: int
    cells: tuple[Cell, ...]
    months: tuple[tuple[int, str], ...]


def days(until: date, count: int) -> list[date]:
    """Return the last days up to one, the oldest first."""
    return [until - timedelta(days=ago) for ago in range(count - 1, -1, -1)]


def counted(texts: Texts, unit: str) -> Formatter:
    """Return a formatter of numbers with the unit that they count."""
    return lambda value: texts.count(round(value), unit)


def heat(texts: Texts, name: str, formatted: Formatter, counts: Mapping[date, int], until: date, link: DayLink) -> Heat:
    """Return the year up to a day, a week a column; the shades are quarters of the days on which something happened."""
    shown = days(until, YEAR)
    begin = shown[0] - timedelta(days=shown[0].weekday())
    ranked = sorted(count for day in shown if (count := counts.get(day, 0)))
    cells = tuple(
        Cell(
            (day - begin).days // 7,
            day.weekday(),
            1 + bisect_left(ranked, counts[day]) * SHADES // len(ranked) if counts.get(day) else 0,
            f"{texts.day(day)}: {formatted(counts.get(day, 0))}",
            link(day) if counts.get(day) else "",
        )
        for day in shown
    )
    months = tuple(((day - begin).days // 7, texts.month(day)) for day in shown if day.day == 1)
    return Heat(name, cells[-1].week + 1, cells, months)


def columns(
    texts: Texts,
    name: str,
    formatted: Formatter,
    values: Mapping[date, float],
    shown: Sequence[date],
    link: DayLink | None = None,
) -> Chart:
    """Return a column for each day, which leads to the day's page; a day without a value is a gap."""
    most = max([values.get(day, 0.0) for day in shown], default=0.0)
    step = WIDTH / max(1, len(shown))
    bars = []
    for at, day in enumerate(shown):
        value = values.get(day, 0.0)
        if value > 0:
            height = max(1.0, value / most * HEIGHT)
            label = f"{texts.day(day)}: {formatted(value)}"
            bars.append(
                Bar(at * step + step * 0.1, HEIGHT - height, step * 0.8, height, label, link(day) if link else "")
            )
    rows = tuple((day.isoformat(), formatted(values[day])) for day in shown if values.get(day))
    return Chart(name, tuple(bars), (), texts.day(shown[0]), texts.day(shown[-1]), formatted(most), rows)


def line(texts: Texts, name: str, values: Mapping[date, float], shown: Sequence[date]) -> Chart:
    """Return shares (0..1) over days as a line; days without a value part it, and one by itself is a dot.

    An unseen bar over each day says its value to whoever points at it.
    """
    step = WIDTH / max(1, len(shown) - 1)
    runs: list[list[tuple[float, float]]] = [[]]
    bars = []
    for at, day in enumerate(shown):
        if day not in values:
            runs.append([])
            continue
        x = at * step
        runs[-1].append((x, HEIGHT * (1 - values[day])))
        left = max(0.0, x - step / 2)
        label = f"{texts.day(day)}: {texts.percent(values[day])}"
        bars.append(Bar(left, 0, min(x + step / 2, WIDTH) - left, HEIGHT, label))
    drawable = [run * 2 if len(run) == 1 else run for run in runs if run]
    lines = tuple(" ".join(f"{x:.1f},{y:.1f}" for x, y in run) for run in drawable)
    rows = tuple((day.isoformat(), texts.percent(values[day])) for day in shown if day in values)
    return Chart(name, tuple(bars), lines, texts.day(shown[0]), texts.day(shown[-1]), texts.percent(1), rows)


def histogram(texts: Texts, name: str, formatted: Formatter, counts: Sequence[int], bounds: Sequence[float]) -> Chart:
    """Return a column for each bucket: the answers up to a bound in seconds, the last one beyond all of them."""
    most = max(counts, default=0)
    step = WIDTH / max(1, len(counts))
    labels = [f"≤ {texts.duration(bound)}" for bound in bounds] + [f"> {texts.duration(bounds[-1])}"]
    bars = tuple(
        Bar(at * step, HEIGHT - max(1.0, count / most * HEIGHT), step * 0.9, max(1.0, count / most * HEIGHT), label)
        for at, (count, label) in enumerate(
            (count, f"{label}: {formatted(count)}") for count, label in zip(counts, labels, strict=True)
        )
        if count
    )
    rows = tuple((label, formatted(count)) for count, label in zip(counts, labels, strict=True) if count)
    return Chart(name, bars, (), labels[0], labels[-1], formatted(most), rows)
