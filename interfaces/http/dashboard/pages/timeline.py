"""Timeline: on which days memories happened, and one day's memories and sessions in the order in which they did."""

from datetime import date, datetime, timedelta
from typing import Any

from .....modules.errors import InvalidInput
from .. import charts
from ..visit import Redirect, Shown, Visit

DAYS = 30
MOST = 100
MOST_SESSIONS = 100


async def show(visit: Visit, path: str) -> Shown:
    """Show DAYS days up to one, and what happened on the day that is looked at. Raises InvalidInput."""
    today = visit.today
    until = _day(visit, "until", today)
    shown = charts.days(until, DAYS)
    counts = await visit.happened(shown)
    day = _day(visit, "day", max(counts, default=until))
    begin, end = visit.text.midnight(day), visit.text.midnight(day + timedelta(days=1))
    found = await visit.call("memory_list", limit=MOST, detail="full", since=begin.isoformat(), until=end.isoformat())
    sessions = await visit.agentos.sessions.page(visit.namespace, limit=MOST_SESSIONS)
    has_earlier = await visit.agentos.archive.happened_before(visit.namespace, visit.text.midnight(shown[0]))
    begun = [one for one in sessions if begin <= one.started_at < end]
    entries: list[tuple[str, Any, Any]] = [(one["occurred_at"], one, None) for one in found["results"]]
    entries += [(one.started_at.isoformat(), None, one) for one in begun]
    return Shown(
        "timeline.html",
        {
            "chart": charts.columns(
                visit.text,
                visit.text("timeline.by_day"),
                charts.counted(visit.text, "memories"),
                counts,
                charts.spans(until, DAYS),
                lambda one: visit.url("/timeline", day=one.first, until=until),
            ),
            "counts": [(one, counts[one]) for one in reversed(shown) if one in counts],
            "day": day,
            "entries": sorted(entries, key=lambda entry: datetime.fromisoformat(entry[0])),
            "total": found["total"],
            "most": MOST,
            "until": until,
            "earlier": visit.url("/timeline", until=until - timedelta(days=DAYS)) if has_earlier else "",
            "later": visit.url("/timeline", until=until + timedelta(days=DAYS)) if until < today else "",
        },
    )


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


async def act(visit: Visit, path: str) -> Redirect:
    """Refuse every form: nothing is changed here. Raises InvalidInput."""
    raise InvalidInput("do", visit.text("errors.nothing_here"))
