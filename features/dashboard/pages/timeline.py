"""Timeline: on which days memories happened, and one day's memories and sessions in the order in which they did."""

import math
from collections import Counter
from dataclasses import replace
from datetime import date, datetime, timedelta

from ....modules.errors import InvalidInput
from ....modules.memory.models import Memory, MemoryFilter, Order
from ....modules.sessions.models import Session
from ....modules.views.labels import labels_of
from .. import charts
from ..visit import Shown, Visit

DAYS = 30
ZOOMS = (7, DAYS, 90, 365)
"""The days that the chart can show."""
MOST = 100
MOST_SESSIONS = 100
LONGEST_DAY_H = 25


async def show(visit: Visit, path: str) -> Shown:
    """Show some days up to one, and what happened on the day, or in the hour, looked at. Raises InvalidInput."""
    today = visit.today
    until = _day(visit, "until", today)
    asked = int(visit.number("days", DAYS))
    zoom = asked if asked in ZOOMS else DAYS
    shown = charts.days(until, zoom)
    counts = await visit.happened(shown)
    day = _day(visit, "day", max(counts, default=until))
    midnight, end = visit.text.midnight(day), visit.text.midnight(day + timedelta(days=1))
    agentos, namespaces = visit.agentos, visit.namespaces
    hours: Counter[int] = Counter()
    projects = (visit.project,) if visit.project else ()
    if projects:
        of_day = MemoryFilter(since=midnight, until=end, projects=projects)
        listed = await agentos.browsing.page(namespaces, of_day, Order.NEWEST, MOST)
        hours.update(int((one.occurred_at - midnight) / timedelta(hours=1)) for one in listed.memories)
    else:
        for one in namespaces:
            hours.update(await agentos.browsing.hourly(one, midnight, end))
    hour = int(visit.number("hour", 0)) if visit.given("hour") else None
    begin = midnight if hour is None else midnight + timedelta(hours=max(0, min(hour, LONGEST_DAY_H)))
    end = end if hour is None else begin + timedelta(hours=1)
    where = MemoryFilter(since=begin, until=end, projects=projects)
    found = await agentos.browsing.page(namespaces, where, Order.NEWEST, MOST)
    labels = replace(await labels_of(agentos.lifecycle, visit.namespace, found.memories), namespace=None)
    sessions = [each for one in namespaces for each in await agentos.sessions.page(one, limit=MOST_SESSIONS)]
    first = visit.text.midnight(shown[0])
    has_earlier = any([await agentos.archive.happened_before(one, first) for one in namespaces])
    begun = [one for one in sessions if begin <= one.started_at < end]
    begun = [one for one in begun if visit.project in ("", *one.project.names)]
    entries: list[tuple[datetime, Memory | None, Session | None]]
    entries = [(one.occurred_at, one, None) for one in found.memories] + [(one.started_at, None, one) for one in begun]
    place = {"until": until, "days": zoom if zoom != DAYS else ""}
    return Shown(
        "timeline.html",
        {
            "chart": charts.columns(
                visit.text,
                visit.text("timeline.by_day"),
                charts.counted(visit.text, "memories"),
                counts,
                charts.spans(until, zoom),
                lambda one: visit.url("/timeline", **{**place, "day": one.last}),
            ),
            "hours": charts.hours(
                visit.text,
                visit.text("timeline.by_hour"),
                charts.counted(visit.text, "memories"),
                [
                    (midnight + timedelta(hours=one), hours.get(one, 0))
                    for one in range(_hours_of(midnight, visit, day))
                ],
                lambda one: visit.url("/timeline", **place, day=day, hour=one),
            ),
            "zooms": [(one, visit.url("/timeline", day=day, until=until, days=one)) for one in ZOOMS],
            "zoom": zoom,
            "counts": [(one, counts[one]) for one in reversed(shown) if one in counts][:DAYS],
            "place": place,
            "day": day,
            "hour": None if hour is None else begin,
            "labels": {one.id: labels.of(one) for one in found.memories},
            "entries": sorted(entries, key=lambda entry: entry[0]),
            "total": found.total,
            "most": MOST,
            "until": until,
            "earlier": visit.url("/timeline", **{**place, "until": until - timedelta(days=zoom)})
            if has_earlier
            else "",
            "later": visit.url("/timeline", **{**place, "until": until + timedelta(days=zoom)})
            if until < today
            else "",
        },
    )


def _hours_of(midnight: datetime, visit: Visit, day: date) -> int:
    """Return how many hours a day has: another number than 24 where clocks are changed."""
    return math.ceil((visit.text.midnight(day + timedelta(days=1)) - midnight).total_seconds() / 3600)


def _day(visit: Visit, name: str, default: date) -> date:
    """Return a day of the query. Raises InvalidInput."""
    given = visit.given(name)
    try:
        day = date.fromisoformat(given) if given else default
    except ValueError:
        raise InvalidInput(name, visit.text("errors.day")) from None
    if not 1971 <= day.year <= 2999:
        raise InvalidInput(name, visit.text("errors.day_range"))
    return day
