"""Charts drawn on the server, as numbers for SVG: columns and a line over days, a year's days, and a histogram."""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import NamedTuple

from ...modules.goals.models import Goal
from ...modules.records import dataclass
from .texts import Texts

WIDTH, HEIGHT = 300.0, 80.0
YEAR = 365
SHADES = 4
"""The shades of a heat map's days on which something happened."""
COLOURS = 6
"""The colours of parts in the style sheet."""
MONTH = 30
_SPANS = ((92, 1), (750, 7))
"""The days of a chart up to which a bar stands for so many of them."""
DayLink = Callable[[date], str]
"""The address of a day's page."""
Formatter = Callable[[float], str]
"""A value in words, with its unit."""


class DaySpan(NamedTuple):
    """Some days in a row: the first and the last."""

    first: date
    last: date


Link = Callable[[DaySpan], str]
"""The address of a span's page."""


@dataclass(frozen=True)
class Series:
    """Values by day under a name, with the address of the page of each span."""

    name: str
    values: Mapping[date, float]
    link: Link | None = None


@dataclass(frozen=True)
class Bar:
    """A bar of a chart, what it stands for in words, the page that tells more, and the number of its colour, if any."""

    x: float
    y: float
    width: float
    height: float
    label: str
    href: str = ""
    colour: int | None = None


@dataclass(frozen=True)
class Chart:
    """A chart: its bars or the dots of its lines, the names of its ends, and its figures as a table of two columns.

    `most` is what its upper edge stands for, and `legend` names the colours of its bars.
    """

    name: str
    bars: tuple[Bar, ...]
    lines: tuple[str, ...]
    first: str
    last: str
    most: str
    rows: tuple[tuple[str, str], ...]
    legend: tuple[str, ...] = ()

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


class GoalStretch(NamedTuple):
    """A goal on the line of dates: where it begins, how long it is, how much of it is done, and it in words."""

    x: float
    width: float
    progress: float
    is_open: bool
    label: str


class Dates(NamedTuple):
    """A line of dates: its stretches by the ids of goals, where now is, and the names of its ends."""

    stretches: Mapping[str, GoalStretch]
    now: float
    first: str
    last: str


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


def spans(until: date, count: int) -> list[DaySpan]:
    """Return the last days up to one, in spans of so many days that bars of them can be seen, the oldest first."""
    length = next((days for most, days in _SPANS if count <= most), MONTH)
    ends = [until - timedelta(days=ago) for ago in range(0, count, length)]
    return [
        DaySpan(max(end - timedelta(days=length - 1), until - timedelta(days=count - 1)), end) for end in ends[::-1]
    ]


def by_span(values: Mapping[date, float], shown: Sequence[DaySpan]) -> dict[DaySpan, float]:
    """Return the sums of values of days by the spans that these are in; a span without any is left out."""
    found: dict[DaySpan, float] = {}
    if not shown:
        return found
    length = (shown[-1].last - shown[-1].first).days + 1
    for day, value in values.items():
        place = len(shown) - 1 - (shown[-1].last - day).days // length
        if 0 <= place < len(shown):
            found[shown[place]] = found.get(shown[place], 0.0) + value
    return found


def columns(
    texts: Texts,
    name: str,
    formatted: Formatter,
    values: Mapping[date, float],
    shown: Sequence[DaySpan],
    link: Link | None = None,
) -> Chart:
    """Return a column for each span, which leads to its page; one without a value is a gap."""
    one = stacked(texts, name, formatted, [Series("", values, link)], shown)
    return replace(one, bars=tuple(replace(bar, colour=None) for bar in one.bars), legend=())


def stacked(texts: Texts, name: str, formatted: Formatter, series: Sequence[Series], shown: Sequence[DaySpan]) -> Chart:
    """Return a column for each span, of the values of several series upon each other; each part leads to its page."""
    sums = [by_span(one.values, shown) for one in series]
    totals = [sum(each.get(span, 0.0) for each in sums) for span in shown]
    most = max(totals, default=0.0)
    step = WIDTH / max(1, len(shown))
    bars, rows = [], []
    for at, span in enumerate(shown):
        top, words = HEIGHT, []
        for number, (one, each) in enumerate(zip(series, sums, strict=True)):
            value = each.get(span, 0.0)
            if value <= 0:
                continue
            height = max(1.0, value / most * HEIGHT)
            top -= height
            words.append(f"{one.name}: {formatted(value)}" if one.name else formatted(value))
            label = f"{_told(texts, span)}: {words[-1]}"
            href = one.link(span) if one.link else ""
            bars.append(Bar(at * step + step * 0.1, max(0.0, top), step * 0.8, height, label, href, number % COLOURS))
        if words:
            rows.append((span.first.isoformat(), ", ".join(words)))
    first, last = (texts.day(shown[0].first), texts.day(shown[-1].last)) if shown else ("", "")
    return Chart(name, tuple(bars), (), first, last, formatted(most), tuple(rows), tuple(one.name for one in series))


def _dash(x: float, y: float, step: float) -> list[tuple[float, float]]:
    """Return what shows a value without neighbours, within the drawing."""
    return [(max(0.0, x - step / 3), y), (min(WIDTH, x + step / 3), y)]


def line(
    texts: Texts, name: str, values: Mapping[DaySpan, float], shown: Sequence[DaySpan], link: Link | None = None
) -> Chart:
    """Return shares (0..1) over spans as a line; one without a value parts it, and one by itself is a dash.

    An unseen bar over each span says its value to whoever points at it.
    """
    step = WIDTH / max(1, len(shown) - 1)
    runs: list[list[tuple[float, float]]] = [[]]
    bars = []
    for at, span in enumerate(shown):
        if span not in values:
            runs.append([])
            continue
        x = at * step
        runs[-1].append((x, HEIGHT * (1 - values[span])))
        left = max(0.0, x - step / 2)
        label = f"{_told(texts, span)}: {texts.percent(values[span])}"
        href = link(span) if link else ""
        bars.append(Bar(left, 0, min(x + step / 2, WIDTH) - left, HEIGHT, label, href))
    drawable = [_dash(*run[0], step) if len(run) == 1 else run for run in runs if run]
    lines = tuple(" ".join(f"{x:.1f},{y:.1f}" for x, y in run) for run in drawable)
    rows = tuple((span.first.isoformat(), texts.percent(values[span])) for span in shown if span in values)
    first, last = texts.day(shown[0].first), texts.day(shown[-1].last)
    return Chart(name, tuple(bars), lines, first, last, texts.percent(1), rows)


def _told(texts: Texts, span: DaySpan) -> str:
    return texts.day(span.first) if span.first == span.last else f"{texts.day(span.first)} – {texts.day(span.last)}"


def hours(
    texts: Texts,
    name: str,
    formatted: Formatter,
    counts: Sequence[tuple[datetime, int]],
    link: Callable[[int], str],
) -> Chart:
    """Return a column for each hour of a day that has a count, which leads to the hour's page."""
    most = max((count for _, count in counts), default=0)
    step = WIDTH / max(1, len(counts))
    bars, rows = [], []
    for at, (moment, count) in enumerate(counts):
        if count:
            height = max(1.0, count / most * HEIGHT)
            label = f"{texts.clock(moment)}: {formatted(count)}"
            bars.append(Bar(at * step + step * 0.1, HEIGHT - height, step * 0.8, height, label, link(at)))
            rows.append((texts.clock(moment), formatted(count)))
    first, last = (texts.clock(counts[0][0]), texts.clock(counts[-1][0])) if counts else ("", "")
    return Chart(name, tuple(bars), (), first, last, formatted(most), tuple(rows))


def span_line(texts: Texts, goals: Sequence[Goal], now: datetime) -> Dates:
    """Return each goal from when it was set to its deadline, or to now, on one line of dates, with how far it is."""
    if not goals:
        return Dates({}, 0.0, "", "")
    first = min(min(one.created_at for one in goals), now)
    last = max(now, *(one.deadline for one in goals if one.deadline is not None), first + timedelta(days=1))

    def at(moment: datetime) -> float:
        return (moment - first) / (last - first) * WIDTH

    drawn = {}
    for one in goals:
        begin, end = at(one.created_at), at(max(one.deadline or now, one.created_at))
        label = texts("goals.from_to", first=texts.day_of(one.created_at), last=texts.day_of(one.deadline or now))
        drawn[one.id] = GoalStretch(begin, max(2.0, end - begin), one.progress, one.deadline is None, label)
    return Dates(drawn, at(now), texts.day(texts.day_of(first)), texts.day(texts.day_of(last)))


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
