"""The pages, in the order of the navigation; a page is a file here, a template, and a line in PAGES."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from .....modules.errors import InvalidInput
from ..visit import Redirect, Shown, Visit
from . import (
    acts,
    approvals,
    chips,
    contested,
    duplicates,
    find,
    goals,
    graph,
    home,
    memories,
    memory,
    namespaces,
    operations,
    reflection,
    sessions,
    timeline,
)


async def refuse(visit: Visit, path: str) -> Redirect:
    """Refuse every form, on a page where nothing is changed. Raises InvalidInput."""
    raise InvalidInput("do", visit.text("errors.nothing_here"))


@dataclass(frozen=True)
class Page:
    """A page by the first part of its path; `title` is its name in the catalogue, None where navigation has it not.

    `show` answers a request to look, `act` a form; both are given the rest of the path. It needs a `role`.
    """

    path: str
    title: str | None
    show: Callable[[Visit, str], Awaitable[Shown]]
    act: Callable[[Visit, str], Awaitable[Redirect | Shown]] = refuse
    role: str = "reader"


PAGES = (
    Page("", "home", home.show, home.act),
    Page("memories", "memories", memories.show, memories.act),
    Page("chips", None, chips.show),
    Page("duplicates", "duplicates", duplicates.show),
    Page("acts", None, acts.show, acts.act),
    Page("timeline", "timeline", timeline.show),
    Page("memory", None, memory.show, memory.act),
    Page("contested", "contested", contested.show, contested.act),
    Page("approvals", "approvals", approvals.show, approvals.act),
    Page("goals", "goals", goals.show, goals.act),
    Page("reflection", "reflection", reflection.show, reflection.act),
    Page("sessions", "sessions", sessions.show, sessions.act),
    Page("graph", "graph", graph.show),
    Page("find", None, find.show),
    Page("namespaces", None, namespaces.show),
    Page("operations", "operations", operations.show, operations.act, "operator"),
)


def page_of(path: str) -> Page | None:
    """Return the page that a path below the dashboard belongs to; None where there is none."""
    return next((page for page in PAGES if page.path == path.partition("/")[0]), None)
