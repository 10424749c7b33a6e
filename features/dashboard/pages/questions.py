"""Questions: what agents asked on some days, and whether they were told anything and used it."""

from datetime import date, timedelta

from ....modules.errors import InvalidInput
from ....modules.usage.models import Answered
from ....modules.usage.recalls import KEPT_FOR
from ....tools.bound import ECHOES
from ..visit import Shown, Visit

MOST = 200
"""The questions that are shown: the last ones."""


async def show(visit: Visit, path: str) -> Shown:
    """Show the questions of some days, all or those that were answered in a way. Raises InvalidInput."""
    today = visit.today
    since, until = _day(visit, "since", today - KEPT_FOR), _day(visit, "until", today)
    answered = Answered(visit.given("answered")) if visit.given("answered") in set(Answered) else None
    begin, end = (visit.text.midnight(one) for one in (since, until + timedelta(days=1)))
    found, total = await visit.agentos.recalls.asked(visit.namespaces, begin, end, answered, MOST)
    return Shown(
        "questions.html",
        {
            "asked": [(one, await ECHOES.text(one.question)) for one in found],
            "total": total,
            "since": since,
            "until": until,
            "answered": answered,
            "ways": list(Answered),
            "kept_for": KEPT_FOR.days,
        },
    )


def _day(visit: Visit, name: str, default: date) -> date:
    """Return a day of the query. Raises InvalidInput."""
    try:
        day = date.fromisoformat(visit.given(name)) if visit.given(name) else default
    except ValueError:
        raise InvalidInput(name, visit.text("errors.day")) from None
    if not 1971 <= day.year <= 2999:
        raise InvalidInput(name, visit.text("errors.day_range"))
    return day
