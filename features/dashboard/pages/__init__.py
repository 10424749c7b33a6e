"""The pages, in the order of the navigation, those of features among them; a page is a file, a template, and a line."""

from collections.abc import Awaitable, Callable, Collection, Sequence

from starlette.responses import Response

from ....modules.errors import InvalidInput
from ....modules.plugins.feature import with_brought
from ....modules.records import dataclass
from ... import registered
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
    questions,
    reflection,
    sessions,
    timeline,
)


async def refuse(visit: Visit, path: str) -> Redirect:
    """Refuse every form, on a page where nothing is changed. Raises InvalidInput."""
    raise InvalidInput("do", visit.text("errors.nothing_here"))


@dataclass(frozen=True)
class DashboardPage:
    """A page by the first part of its path; `title` is its name in the catalogue, None where navigation has it not.

    `show` answers a request to look, `act` a form; both are given the rest of the path. It needs a `role`. What it
    lists can be of all agents where `can_be_across`, and of one project alone where `is_by_project`. One that is
    `within` another is shown as that one in the navigation.
    """

    path: str
    title: str | None
    show: Callable[[Visit, str], Awaitable[Shown | Response]]
    act: Callable[[Visit, str], Awaitable[Redirect | Shown]] = refuse
    role: str = "reader"
    can_be_across: bool = False
    is_by_project: bool = False
    within: str = ""


PAGES = (
    DashboardPage("", "home", home.show, home.act, can_be_across=True, is_by_project=True),
    DashboardPage("memories", "memories", memories.show, memories.act, can_be_across=True, is_by_project=True),
    DashboardPage("chips", None, chips.show, can_be_across=True, is_by_project=True),
    DashboardPage("duplicates", "duplicates", duplicates.show),
    DashboardPage("acts", None, acts.show, acts.act),
    DashboardPage("timeline", "timeline", timeline.show, can_be_across=True, is_by_project=True),
    DashboardPage("memory", None, memory.show, memory.act, within="memories"),
    DashboardPage("contested", "contested", contested.show, contested.act),
    DashboardPage("approvals", "approvals", approvals.show, approvals.act, can_be_across=True),
    DashboardPage("goals", "goals", goals.show, goals.act, can_be_across=True, is_by_project=True),
    DashboardPage("reflection", "reflection", reflection.show, reflection.act),
    DashboardPage("sessions", "sessions", sessions.show, sessions.act, can_be_across=True, is_by_project=True),
    DashboardPage("graph", "graph", graph.show, can_be_across=True, is_by_project=True),
    DashboardPage("questions", None, questions.show, can_be_across=True),
    DashboardPage("find", None, find.show),
    DashboardPage("namespaces", None, namespaces.show),
    DashboardPage("operations", "operations", operations.show, operations.act, "operator"),
)


def pages_of(features: Collection[str] | None) -> Sequence[DashboardPage]:
    """Return the pages, of features those that are on; with None all. Imports those."""
    brought = (each for feature in registered(features) for each in feature.brought("pages"))
    return with_brought(PAGES, brought, lambda page: page.path)


def page_of(pages: Sequence[DashboardPage], path: str) -> DashboardPage | None:
    """Return the page that a path below the dashboard belongs to; None where there is none."""
    return next((page for page in pages if page.path == path.partition("/")[0]), None)
