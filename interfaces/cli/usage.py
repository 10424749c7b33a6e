"""`agentos usage`: what agents asked for, and what it cost them."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import shown
from .opened import with_store
from .options import AsJson, Home
from .terminal import say, say_json

if TYPE_CHECKING:
    from ...modules.usage.models import Usage, UsageKey

BY: Mapping[str, "Callable[[UsageKey], str]"] = {
    "tool": lambda key: key.tool,
    "client": lambda key: key.client,
    "agent": lambda key: key.namespace,
    "day": lambda key: key.day.isoformat(),
}


def usage(
    days: Annotated[int, typer.Option("--days", min=1, max=400, help="Of so many days, today included.")] = 7,
    by: Annotated[str, typer.Option("--by", help="tool, client, agent or day.")] = "tool",
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Show how often the tools were called, what their answers cost, and how many of the found memories were used."""
    if by not in BY:
        raise typer.BadParameter(f"must be one of {', '.join(BY)}", param_hint="--by")
    counted = _counted(home, days)
    groups: dict[str, Usage] = {}
    for key, one in counted.items():
        name = BY[by](key)
        groups[name] = groups[name] + one if name in groups else one
    order = (lambda pair: pair[0]) if by == "day" else (lambda pair: (-pair[1].tokens, pair[0]))
    rows = [{by: name, **_facts(found)} for name, found in sorted(groups.items(), key=order)]
    listed = _listed_tokens()
    if as_json:
        say_json({"days": days, "rows": rows, "tool_list_tokens": listed})
        return
    if rows:
        say(shown.rows(list(rows[0]), [list(row.values()) for row in rows]))
    say(f"Each session also reads the list of tools: about {listed} tokens.", err=True)


def _facts(found: "Usage") -> dict[str, Any]:
    return {
        "calls": found.calls,
        "failures": found.failures,
        "tokens": found.tokens,
        "hits": found.hits,
        "used": found.used,
    }


def _counted(home: Path | None, days: int) -> "dict[UsageKey, Usage]":
    return with_store(home, lambda agentos, _: agentos.usage.since(days))


def _listed_tokens() -> int:
    """Return how many tokens the tools listed by default cost a model: their names, descriptions and arguments."""
    from ...modules.usage.models import CHARACTERS_A_TOKEN
    from ..stdio.front import handshake

    return handshake.listed_characters() // CHARACTERS_A_TOKEN
