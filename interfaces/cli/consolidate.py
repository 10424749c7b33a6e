"""`agentos consolidate`: near duplicates, or the turns of a session; seen before anything is done, and undone."""

import asyncio
from pathlib import Path
from typing import Any

from ... import config, database
from ...modules.clock import system_clock
from ...modules.memory.upkeep import CONSOLIDATE, ConsolidationStep
from .calls import ask
from .opened import at_terminal, settings_here
from .shown import tell
from .terminal import json_text, one_line, say


def run(home: Path | None, agent: str | None, undo: str | None, *, apply: bool, similar: bool, as_json: bool) -> None:
    """Show what would be consolidated, do it, or undo it."""
    settings = settings_here(home)
    namespace = agent or settings.agent_id
    with at_terminal(settings):
        say(asyncio.run(_done(settings, namespace, undo, apply=apply, similar=similar, as_json=as_json)))


def of_session(
    home: Path | None,
    agent: str | None,
    session: str | None,
    undo: str | None,
    keep: int,
    *,
    apply: bool,
    as_json: bool,
) -> None:
    """Show the summaries of a session's turns, keep them, or undo that."""
    action = "undo" if undo else "apply" if apply else "preview"
    tell(
        ask(
            "consolidate",
            home,
            agent,
            ("consolidation",),
            session=session,
            action=action,
            consolidation=undo,
            keep=keep,
        ),
        as_json,
    )


async def _done(
    settings: config.Settings, agent: str, undo: str | None, *, apply: bool, similar: bool, as_json: bool
) -> str:
    async with database.opened(settings, system_clock) as (agentos, _):
        if undo is not None:
            undo = await agentos.abbreviations.expand(agent, "--undo", undo)
            change, memories = await agentos.lifecycle.undo(agent, undo, CONSOLIDATE)
            facts = {"undone": undo, "change": change.id, "memories": {m.id: m.status.value for m in memories}}
            return json_text(facts) if as_json else f"Undone: {', '.join(m.id for m in memories)} as before."
        upkeep = agentos.upkeep
        steps = await (upkeep.consolidate if apply else upkeep.consolidation)(agent, similar=similar, reworded=True)
        if as_json:
            return json_text({"applied": apply, "steps": [_facts(step) for step in steps]})
        return _text(steps, apply=apply, similar=similar)


def _facts(step: ConsolidationStep) -> dict[str, Any]:
    return {
        "archives": step.archived.id,
        "keeps": step.retained.id,
        "similarity": step.similarity,
        "change": step.change,
    }


def _text(steps: list[ConsolidationStep], *, apply: bool, similar: bool) -> str:
    if not steps:
        return "There are no similar memories." if similar else "No near duplicates."
    lines = []
    for step in steps:
        undo = f"  undo: agentos consolidate --undo {step.change}" if step.change else ""
        lines.append(f"{step.similarity:.3f}  keeps {step.retained.id}  {one_line(step.retained.content)}")
        lines.append(f"       archives {step.archived.id}  {one_line(step.archived.content)}{undo}")
    lines.append(
        f"{len(steps)} archived."
        if apply
        else f"{len(steps)} would be archived: agentos consolidate {'--similar ' * similar}--apply"
    )
    return "\n".join(lines)
