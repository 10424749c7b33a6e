"""`agentos approvals`: the inbox of what waits for a human, and the only place where a human decides.

A decision is taken from a person at a terminal, who types the item's key back.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from ...modules.approvals.models import Approval, ApprovalEvent, ApprovalStatus, Inbox
from ...modules.errors import Conflict, PermissionDenied
from ...modules.identifiers import EVERYWHERE
from ...modules.records import dataclass
from . import person, shown
from .groups import ListingGroup
from .opened import at_terminal, settings_here
from .options import AsJson, Home
from .terminal import one_line, say, say_json

if TYPE_CHECKING:
    from ...config import Settings
    from ...modules.agentos import AgentOS
    from ...modules.approvals.decisions import Decisions

T = TypeVar("T")

approvals = typer.Typer(cls=ListingGroup, help="Requests pending your decision.")

Agent = Annotated[str | None, typer.Option("--agent", help="Only this agent's items.")]
Item = Annotated[str, typer.Argument(metavar="ITEM", help="A key, an id, or a position with --list.")]
InList = Annotated[str | None, typer.Option("--list", help="The name of the list that a position is in.")]
Note = Annotated[str, typer.Option("--note", help="A comment for the requester.")]


@dataclass(frozen=True)
class _Desk:
    """The services, and the human's side of approvals."""

    agentos: "AgentOS"
    decisions: "Decisions"


@approvals.command("list")
def show_list(home: Home = None, agent: Agent = None, as_json: AsJson = False) -> None:
    """List pending requests, riskiest first, with positions and keys."""
    inbox = _run(home, lambda desk: desk.agentos.approvals.inbox(agent or EVERYWHERE))
    if as_json:
        waiting = [{"position": n, **_facts(approval)} for n, approval in enumerate(inbox.approvals, 1)]
        say_json({"list": inbox.generation, "approvals": waiting})
        return
    _show_inbox(inbox)


@approvals.command()
def show(item: Item, in_list: InList = None, home: Home = None, agent: Agent = None, as_json: AsJson = False) -> None:
    """Show one item in full, with its history."""

    async def look(desk: _Desk) -> tuple[Approval, list[str], list[ApprovalEvent]]:
        approval = await desk.decisions.find(item, in_list, agent or EVERYWHERE)
        events = await desk.agentos.approvals.events(approval)
        return approval, [*await desk.agentos.approvals.description(approval)], events

    approval, description, events = _run(home, look)
    if as_json:
        say_json({**_facts(approval), "description": description, "history": [_plain(asdict(e)) for e in events]})
        return
    say(_item_text(approval, description))
    for event in events:
        say(f"  {_local(event.at)}  {event.status:9}  {one_line(event.by)}  {one_line(event.note)}")


@approvals.command()
def approve(
    item: Item, in_list: InList = None, note: Note = "", home: Home = None, agent: Agent = None, as_json: AsJson = False
) -> None:
    """Approve an item, at a terminal only, by typing its key. AgentOS then carries it out if it can."""
    _decide(ApprovalStatus.APPROVED, item, in_list, note, home, agent, as_json=as_json)


@approvals.command()
def reject(
    item: Item, in_list: InList = None, note: Note = "", home: Home = None, agent: Agent = None, as_json: AsJson = False
) -> None:
    """Reject an item, at a terminal only, by typing its key."""
    _decide(ApprovalStatus.REJECTED, item, in_list, note, home, agent, as_json=as_json)


@approvals.command()
def history(
    home: Home = None,
    agent: Agent = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=200, help="How many.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List decided and expired requests, newest first."""
    found = _run(home, lambda desk: desk.agentos.approvals.history(agent or EVERYWHERE, limit))
    if as_json:
        say_json([_facts(approval) for approval in found])
        return
    entries = [
        (
            _local(one.updated_at),
            str(one.status),
            one.id,
            *_about(one),
            one.decided_by or "-",
            one.result or one.note or "",
        )
        for one in found
    ]
    say(
        shown.rows(("at", "status", "id", "agent", "asks to", "about", "by", "result"), entries)
        if entries
        else "nothing has been decided yet"
    )


def _decide(
    verdict: ApprovalStatus,
    item: str,
    in_list: str | None,
    note: str,
    home: Path | None,
    agent: str | None,
    *,
    as_json: bool,
) -> None:
    human = person.required()

    async def look(desk: _Desk) -> tuple[Approval, list[str]]:
        approval = await desk.decisions.find(item, in_list, agent or EVERYWHERE)
        if approval.status is not ApprovalStatus.PENDING:
            raise Conflict(f"{approval.id} is {approval.status}: there is nothing to decide")
        return approval, [*await desk.agentos.approvals.description(approval)]

    async def decide(desk: _Desk) -> Approval:
        if [*await desk.agentos.approvals.description(looked_at)] != description:
            raise Conflict(f"what {looked_at.id} is about has changed since it was shown; review it again")
        decided = await desk.decisions.decide(looked_at, verdict, human, note)
        await desk.agentos.approvals.executor.run_due()  # under a lease: if a daemon is quicker, it does it instead
        return await desk.agentos.approvals.get(decided.namespace, decided.id)

    looked_at, description = _run(home, look)
    say(_item_text(looked_at, description))
    _typed_back(looked_at.key, verdict)
    approval = _run(home, decide)
    if as_json:
        say_json(_facts(approval))
        return
    say(f"{approval.id} is {approval.status}{f': {one_line(approval.result)}' if approval.result else ''}")


def _typed_back(key: str, verdict: ApprovalStatus) -> None:
    """Wait until the key is typed. Raises PermissionDenied for anything else."""
    verb = "approve" if verdict is ApprovalStatus.APPROVED else "reject"
    if person.typed(f"Type {key} to {verb} it, anything else to leave it: ") != key:
        raise PermissionDenied("nothing was decided: the key does not match")


def _run(home: Path | None, work: Callable[[_Desk], Awaitable[T]]) -> T:
    settings = settings_here(home)

    async def at_desk() -> T:
        async with _desk(settings) as desk:
            return await work(desk)

    with at_terminal(settings):
        return asyncio.run(at_desk())


@asynccontextmanager
async def _desk(settings: "Settings") -> AsyncIterator[_Desk]:
    from ... import database
    from ...modules.clock import system_clock

    async with database.opened_for_decisions(settings, system_clock) as (agentos, decisions):
        yield _Desk(agentos, decisions)


def _facts(approval: Approval) -> dict[str, Any]:
    """Return an approval as JSON; its keys are stable."""
    facts = asdict(approval)
    return _plain({"key": approval.key, **facts, "risk": approval.risk})


def _plain(facts: dict[str, Any]) -> dict[str, Any]:
    return {key: value.isoformat() if isinstance(value, datetime) else value for key, value in facts.items()}


def _show_inbox(inbox: Inbox) -> None:
    if not inbox.approvals:
        say("nothing is pending")
        return
    entries = [
        (str(position), one.key, f"{one.risk:.2f}", *_about(one), _until(one))
        for position, one in enumerate(inbox.approvals, 1)
    ]
    say(shown.rows(("", "key", "risk", "agent", "asks to", "about", "until"), entries))
    example = inbox.approvals[0].key
    say(f"\nagentos approvals show {example}, then approve or reject (by position: 1 --list {inbox.generation})")


def _item_text(approval: Approval, description: list[str]) -> str:
    does_it = "AgentOS does it" if approval.automatic else "whoever asked does it"
    risk = approval.inputs
    lines = [
        f"{approval.key}  {approval.id}  {approval.status}",
        f"  asks to    {_action(approval)} ({does_it} once it is approved)",
        f"  about      {one_line(approval.subject)}",
        f"  agent      {one_line(approval.namespace)}, asked by {one_line(approval.requested_by)}",
        f"  reason     {one_line(approval.reason)}",
        f"  risk       {approval.risk:.2f} (impact {risk.impact:g}, reversibility {risk.reversibility:g}, "
        f"sensitivity {risk.sensitivity:g})",
    ]
    if approval.payload:
        lines.append(f"  with       {one_line(json.dumps(approval.payload, ensure_ascii=False))}")
    lines += [f"  {one_line(line)}" for line in description]
    lines.append(f"  asked      {_local(approval.created_at)}, expires {_until(approval)}")
    return "\n".join(lines)


def _about(approval: Approval) -> tuple[str, str, str]:
    subject = one_line(approval.subject).removeprefix("memory:")
    return one_line(approval.namespace), _action(approval), subject


_IN_WORDS = {
    "resolve_contest": "decide which memory is true",
    "memory.bulk_delete": "delete memories",
    "memory.decay": "archive faded memories",
    "branch.merge": "merge a branch",
    "goal.complete": "complete a goal",
    "goal.abandon": "abandon a goal",
    "system.maintenance": "run a job",
    "external.webhook": "call the webhook",
}
"""AgentOS's own actions; an agent's request has its own words."""
_FOR_GOOD = timedelta(days=3650)


def _action(approval: Approval) -> str:
    return _IN_WORDS.get(approval.action) or one_line(approval.action)


def _until(approval: Approval) -> str:
    lasts = approval.expires_at - approval.created_at
    return "decided" if lasts >= _FOR_GOOD else _local(approval.expires_at)


def _local(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"
