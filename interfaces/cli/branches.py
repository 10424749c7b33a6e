"""`agentos branch`: a namespace's branches; what they have learnt comes back by a proposal that an owner merges."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...modules.text.counting import memories_counted
from . import person, shown
from .groups import ListingGroup
from .opened import with_caller
from .options import AsJson, Home
from .terminal import one_line, say, say_json

if TYPE_CHECKING:
    from ...modules.approvals.models import Approval

branch = typer.Typer(cls=ListingGroup, help="Branches of a namespace, and merges that an owner decides.")

Name = Annotated[str, typer.Argument(metavar="BRANCH", help="The branch's namespace.")]
Origin = Annotated[str, typer.Argument(metavar="ORIGIN", help="The namespace that branches come from.")]
Proposal = Annotated[str, typer.Argument(metavar="PROPOSAL", help="A proposal's id, such as apr_1a2b…")]
Note = Annotated[str, typer.Option("--note", help="A comment for the proposer.")]
Watched = Annotated[
    list[str] | None, typer.Option("--watch", help="What needs a review before it changes: tag:policy, …")
]
Notified = Annotated[
    list[str] | None, typer.Option("--notify", help="What is reported when it changes: slot:billing/owner, …")
]
Unwatched = Annotated[list[str] | None, typer.Option("--unwatch", help="What is no longer watched.")]


@branch.command()
def create(origin: Origin, name: Name, home: Home = None, as_json: AsJson = False) -> None:
    """Create a branch: copy the origin's current memories into a new namespace."""
    made, count = with_caller(home, lambda agentos, caller: agentos.branches.fork(caller, origin, name))
    if as_json:
        say_json({**asdict(made), "memories": count})
    else:
        say(f"{name} is a branch of {origin}, with {memories_counted(count)}")


@branch.command("list")
def show_list(origin: Origin, home: Home = None, as_json: AsJson = False) -> None:
    """Show a namespace's branches, pending proposals, merges, and rules."""
    from ...modules.views import branches as views

    async def look(agentos: Any, caller: Any) -> Any:
        found = agentos.branches
        rules = await found.governance(caller, origin)
        there = [await ask(caller, origin) for ask in (found.branches, found.proposals, found.merges)]
        return views.overview(rules, *there)

    overview = with_caller(home, look)
    if as_json:
        say_json(asdict(overview))
        return
    rules = overview.governance
    say(f"review: {rules.review}" + "".join(f"; {one.demands} {one_line(one.watch)}" for one in rules.watches))
    rows = [("branch", one_line(one.branch), "", one_line(one.created_by)) for one in overview.branches]
    rows += [("waits", one.id, one_line(one.reason), one_line(one.requested_by)) for one in overview.proposals]
    rows += [
        ("merged", one.proposal, f"{one_line(one.branch)}: {one.created} new, {one.changed} changed", one.decided_by)
        for one in overview.merges
    ]
    say(shown.rows(("", "id", "what", "by"), rows) if rows else f"{origin} has no branches")


@branch.command()
def preview(name: Name, home: Home = None, as_json: AsJson = False) -> None:
    """Show what a merge would do: create, merge or conflict. Nothing is changed."""
    from ...modules.views import branches as views

    found = views.plan(with_caller(home, lambda agentos, caller: agentos.branches.preview(caller, name)))
    if as_json:
        say_json(asdict(found))
    else:
        say(found.as_text())


@branch.command()
def propose(
    name: Name,
    reason: Annotated[str, typer.Option("--reason", help="One line for the person who decides.")],
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Ask the origin's owners to merge the branch as it is now."""
    made = with_caller(home, lambda agentos, caller: agentos.branches.propose(caller, name, reason))
    _tell(made, as_json)


@branch.command()
def merge(proposal: Proposal, note: Note = "", home: Home = None, as_json: AsJson = False) -> None:
    """Merge a proposal that needs no review, at a terminal. For others use agentos approvals approve."""
    person.required()  # else an agent with a shell would merge what it proposed
    _tell(with_caller(home, lambda agentos, caller: agentos.branches.merge(caller, proposal, note)), as_json)


@branch.command()
def refuse(proposal: Proposal, note: Note = "", home: Home = None, as_json: AsJson = False) -> None:
    """Close a proposal, at a terminal; the branch is not changed."""
    person.required()
    _tell(with_caller(home, lambda agentos, caller: agentos.branches.refuse(caller, proposal, note)), as_json)


@branch.command()
def govern(
    namespace: Origin,
    review: Annotated[
        str | None, typer.Option("--review", help="always: every merge; watched: merges that change something watched.")
    ] = None,
    watch: Watched = None,
    notify: Notified = None,
    unwatch: Unwatched = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Set, at a terminal, which changes need a review by an owner other than the author, and what is watched."""
    person.required()
    from ...modules import inputs
    from ...modules.branches import service
    from ...modules.branches.models import Demand, Review
    from ...modules.views import branches as views

    wanted = None if review is None else inputs.choice("--review", review, Review)
    entries = [service.watch(one) for one in watch or ()]
    entries += [service.watch(one, Demand.NOTIFY) for one in notify or ()]
    rules = views.governance(
        with_caller(
            home, lambda agentos, caller: agentos.branches.govern(caller, namespace, wanted, entries, unwatch or ())
        )
    )
    if as_json:
        say_json(asdict(rules))
    else:
        say(f"review: {rules.review}" + "".join(f"; {one.demands} {one_line(one.watch)}" for one in rules.watches))


def _tell(found: "Approval", as_json: bool) -> None:
    if as_json:
        say_json({"id": found.id, "status": found.status, "decided_by": found.decided_by, "result": found.result})
    else:
        say(f"{found.id} is {found.status}: {one_line(found.result or found.reason)}")
