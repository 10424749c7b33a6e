"""`agentos rollback`: archives all memories of one source or session, after a look at them, and restores them."""

import asyncio
from pathlib import Path
from typing import Any

import typer

from ... import config, database
from ...modules import inputs
from ...modules.clock import system_clock
from ...modules.errors import NotFound
from ...modules.memory.lifecycle_service import AGENT, HUMAN
from ...modules.memory.rollback import ROLLBACK, Rollback
from ...modules.records import dataclass
from ...modules.text.counting import memories_counted
from . import person
from .opened import at_terminal, settings_here
from .outcome import CommandFailure, ExitCode
from .terminal import ask, json_text, one_line, say, say_json

SHOWN = 20


@dataclass(frozen=True)
class RollbackOptions:
    """The options of the command."""

    source: str | None = None
    session: str | None = None
    since: str | None = None
    undo: str | None = None
    dry_run: bool = False
    yes: bool = False
    as_json: bool = False


def run(request: RollbackOptions, home: Path | None, agent: str | None) -> None:
    """Show, ask, do or undo. Raises CommandFailure when it was not done, NotFound when there is nothing to do."""
    settings = settings_here(home)
    with at_terminal(settings):
        asyncio.run(_done(settings, agent or settings.agent_id, request))


async def _done(settings: config.Settings, agent: str, request: RollbackOptions) -> None:
    since = inputs.moment("--since", request.since)
    if not await database.backups(settings, system_clock).holds_data():
        raise NotFound(f"there is no data in {settings.home} yet")
    async with database.opened(settings, system_clock) as (agentos, _):
        if request.undo is not None:
            undo = await agentos.abbreviations.expand(agent, "--undo", request.undo)
            change, memories = await agentos.lifecycle.undo(agent, undo, ROLLBACK)
            facts = {"undone": undo, "change": change.id, "memories": [memory.id for memory in memories]}
            say(json_text(facts) if request.as_json else f"Undone: {memories_counted(len(memories))} restored.")
            return
        source, session = request.source, request.session
        planned = await agentos.lifecycle.rollback(agent, source=source, session=session, since=since)
        if not planned.archived:
            which = f"the source {source!r}" if source is not None else f"the session {session!r}"
            raise NotFound(f"no visible memory has {which}; nothing was changed; agentos list --json shows both")
        may_ask = not (request.yes or request.dry_run or request.as_json)
        if not request.as_json:
            say(_text(planned))
        wanted = request.yes or (may_ask and await asyncio.to_thread(ask, "Put them away?"))
        refused = not (wanted or request.dry_run)
        if wanted and not request.dry_run:
            by = HUMAN if person.is_there() else AGENT
            planned = await agentos.lifecycle.roll_back(agent, source=source, session=session, since=since, by=by)
    if refused and not request.as_json:
        raise CommandFailure("nothing was changed; add --yes to do it", ExitCode.REFUSED)
    if request.as_json:
        say_json({"dry_run": request.dry_run, **_facts(planned)})
    elif planned.change is not None:
        say(f"{len(planned.archived)} archived. Undo: agentos rollback --undo {planned.change}")
    if refused:
        raise typer.Exit(ExitCode.REFUSED)


def _facts(rollback: Rollback) -> dict[str, Any]:
    return {
        "archived": [memory.id for memory in rollback.archived],
        "restored": [memory.id for memory in rollback.restored],
        "complete": rollback.complete,
        "change": rollback.change,
    }


def _text(rollback: Rollback) -> str:
    lines = []
    for verb, memories in (("archives", rollback.archived), ("restores", rollback.restored)):
        lines += [f"{verb}  {memory.id}  {one_line(memory.summary)}" for memory in memories[:SHOWN]]
        lines += [f"{verb}  {len(memories) - SHOWN} more"] if len(memories) > SHOWN else []
    if not rollback.complete:
        lines.append("There are more; run this again for the rest.")
    return "\n".join(lines)
