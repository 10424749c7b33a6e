"""Home's charts: growth by kind, project and agent, what agents asked and were told, and tokens, over some days."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta

from ....modules.memory.models import MemoryType
from ....modules.usage.models import Answered, Spending, SpendingKey, Usage, UsageKey
from .. import charts
from ..visit import Visit

RECALLS = ("memory_search", "memory_search_across", "context_get_snapshot", "context_compile", "gateway", "hook ")
"""How the names of what tells agents of memories begin."""
SERIES = {"helpful": Answered.USED, "answered": Answered.ANSWERED, "nothing": Answered.NOTHING}
"""How recalls are drawn, the lowest part first, and the questions that each part leads to."""
MOST_SERIES = charts.COLOURS
Daily = dict[date, float]


async def grown(visit: Visit, shown: Sequence[charts.DaySpan]) -> Counter[tuple[date, str, str]]:
    """Return how many memories happened, by day, kind and project."""
    return await visit.grown(*_moments(visit, shown))


async def growth(
    visit: Visit, shown: Sequence[charts.DaySpan], counts: Mapping[tuple[date, str, str], int]
) -> list[charts.Chart]:
    """Return the memories of each kind, project and agent by when they happened; a chart of one series is left out."""
    begin, end = _moments(visit, shown)
    kinds: dict[str, Daily] = {kind.value: {} for kind in MemoryType}
    projects: dict[str, Daily] = {}
    for (day, kind, project), count in counts.items():
        for series in (kinds[kind], projects.setdefault(project, {})):
            series[day] = series.get(day, 0.0) + count
    named = await visit.agentos.principals.namespaces(visit.caller)
    largest = sorted(named, key=lambda one: -one.memories)[:MOST_SERIES] if not visit.project else []
    agents: dict[str, Daily] = {}
    for one in largest if len(largest) > 1 else ():
        daily = await visit.agentos.archive.daily(one.id, begin, end, visit.text.zone)
        agents[one.id] = {day: float(count) for day, count in daily.items()}

    def of(parameter: str, **also: str) -> Callable[[str], charts.Link]:
        return lambda value: lambda span: _list(visit, span, **{parameter: value}, **also)

    drawn = [
        _stacked(visit, "home.over.kinds", kinds, of("memory_type"), visit.text.named),
        _stacked(visit, "home.over.projects", projects, of("project"), lambda name: name or visit.text("home.none")),
        _stacked(visit, "home.over.agents", agents, of("ns", across=""), str),
    ]
    return [chart(shown) for chart, series in zip(drawn, (kinds, projects, agents), strict=True) if len(series) > 1]


async def recalls(visit: Visit, shown: Sequence[charts.DaySpan], usage: Mapping[UsageKey, Usage]) -> list[charts.Chart]:
    """Return what agents asked by whether they were told anything and used it, and the share of memories used.

    The questions that are kept are counted, so that a bar leads to what it stands for; what asks none, and what was
    before them, by its calls.
    """
    begin, end = _moments(visit, shown)
    asking = await visit.agentos.recalls.daily(visit.namespaces, begin, end, visit.text.zone)
    asked_by = {key.tool for key in asking}
    first = min((key.day for key in asking), default=shown[-1].last)
    counted = [
        (key.day, (one.helpful, one.asked - one.nothing - one.helpful, one.nothing, one.hits, one.used))
        for key, one in asking.items()
    ]
    counted += [
        (key.day, (one.helpful, max(0, answered), one.unanswered, one.hits, one.used))
        for key, one in usage.items()
        if key.tool.startswith(RECALLS) and (key.tool not in asked_by or key.day < first)
        for answered in (one.calls - one.failures - one.unanswered - one.helpful,)
    ]
    told: dict[str, Daily] = {name: {} for name in SERIES}
    hits: Daily = {}
    used: Daily = {}
    for day, counts in counted:
        for series, count in zip((*told.values(), hits, used), counts, strict=True):
            series[day] = series.get(day, 0.0) + count
    questions = charts.stacked(
        visit.text,
        visit.text("home.recalls_chart"),
        charts.counted(visit.text, "recalls"),
        [
            charts.Series(visit.text(f"home.told.{name}"), told[name], _asked(visit, how))
            for name, how in SERIES.items()
        ],
        shown,
    )
    given, taken = charts.by_span(hits, shown), charts.by_span(used, shown)
    shares = {span: taken.get(span, 0.0) / count for span, count in given.items() if count}
    return [questions, charts.line(visit.text, visit.text("home.used_chart"), shares, shown, _asked(visit))]


def _asked(visit: Visit, answered: Answered | None = None) -> charts.Link:
    """Return the pages of the questions of spans."""
    return lambda span: visit.url("/questions", since=span.first, until=span.last, answered=answered)


def tokens(
    visit: Visit,
    shown: Sequence[charts.DaySpan],
    usage: Mapping[UsageKey, Usage],
    spent: Mapping[SpendingKey, Spending],
) -> list[charts.Chart]:
    """Return the tokens of memory that models read, and those that a provider read from its cache, if any."""
    read: Daily = {}
    saved: Daily = {}
    for key, one in usage.items():
        read[key.day] = read.get(key.day, 0.0) + one.tokens
    for of, cost in spent.items():
        saved[of.day] = saved.get(of.day, 0.0) + cost.tokens.cached
    formatted, link = charts.counted(visit.text, "tokens"), day_link(visit)
    drawn = [charts.columns(visit.text, visit.text("home.read_chart"), formatted, read, shown, link)]
    if spent:
        drawn.append(charts.columns(visit.text, visit.text("home.saved_chart"), formatted, saved, shown, link))
    return drawn


def day_link(visit: Visit) -> charts.Link:
    """Return the pages of spans: the timeline of a day, the list of more than one."""
    return lambda span: (
        visit.url("/timeline", day=span.first, until=span.first) if span.first == span.last else _list(visit, span)
    )


def _moments(visit: Visit, shown: Sequence[charts.DaySpan]) -> tuple[datetime, datetime]:
    """Return when the first of the days begins, and when the last ends."""
    return visit.text.midnight(shown[0].first), visit.text.midnight(shown[-1].last + timedelta(days=1))


def _list(visit: Visit, span: charts.DaySpan, **filters: str) -> str:
    return visit.url("/memories", since=span.first, until=span.last, **filters)


def _stacked(
    visit: Visit,
    name: str,
    series: Mapping[str, Daily],
    link: Callable[[str], charts.Link],
    named: Callable[[str], str],
) -> Callable[[Sequence[charts.DaySpan]], charts.Chart]:
    largest = sorted(series, key=lambda one: -sum(series[one].values()))[:MOST_SERIES]
    drawn = [charts.Series(named(one), series[one], link(one)) for one in largest if series[one]]
    formatted = charts.counted(visit.text, "memories")
    return lambda shown: charts.stacked(visit.text, visit.text(name), formatted, drawn, shown)
