"""`agentos usage`: what agents asked for, and what it cost them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...modules.installing import switched_off
from . import shown
from .opened import with_store
from .options import AsJson, Home
from .terminal import say, say_json

if TYPE_CHECKING:
    from ...modules.agentos import AgentOS
    from ...modules.model_gateway import PriceList
    from ...modules.usage.models import Spending, SpendingKey, Usage, UsageKey
    from ...modules.usage.prices import Price

COST_BY: Mapping[str, "Callable[[SpendingKey], str]"] = {
    "model": lambda key: key.model,
    "client": lambda key: key.client,
    "agent": lambda key: key.namespace,
    "day": lambda key: key.day.isoformat(),
}
BY: Mapping[str, "Callable[[UsageKey], str]"] = {
    "tool": lambda key: key.tool,
    "client": lambda key: key.client,
    "agent": lambda key: key.namespace,
    "day": lambda key: key.day.isoformat(),
}


def usage(
    days: Annotated[int, typer.Option("--days", min=1, max=400, help="The number of days, including today.")] = 7,
    by: Annotated[
        str | None,
        typer.Option("--by", help="tool, client, agent, day or several: client,day. With --cost also model."),
    ] = None,
    cost: Annotated[
        bool, typer.Option("--cost", help="Model costs through the gateway, with the prices in gateway.toml.")
    ] = False,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Show how often tools were called, their answers' tokens, and how many returned memories were used."""
    by = by or ("model" if cost else "tool")
    choices = COST_BY if cost else BY
    names = by.split(",")
    if not set(names) <= choices.keys():
        *most, last = choices
        told = f"must be {', '.join(most)} or {last}, or several of them with commas"
        raise typer.BadParameter(told, param_hint="--by")
    if cost:
        _show_cost(home, days, names, as_json=as_json)
        return
    counted = _counted(home, days)
    groups: dict[tuple[str, ...], Usage] = {}
    for key, one in counted.items():
        group = tuple(BY[name](key) for name in names)
        groups[group] = groups[group] + one if group in groups else one
    order = (lambda pair: pair[0]) if "day" in names else (lambda pair: (-pair[1].tokens, pair[0]))
    rows = [
        {**dict(zip(names, group, strict=True)), **_facts(found)} for group, found in sorted(groups.items(), key=order)
    ]
    listed = _listed_tokens()
    if as_json:
        say_json({"days": days, "rows": rows, "tool_list_tokens": listed})
        return
    if rows:
        say(shown.rows(list(rows[0]), [list(row.values()) for row in rows]))
    say(f"Each session also reads the tool list: about {listed} tokens.", err=True)


def _show_cost(home: Path | None, days: int, by: Sequence[str], *, as_json: bool) -> None:
    """Show what was spent; each call at its own model's price."""

    async def read(agentos: "AgentOS", _: str) -> "tuple[PriceList, dict[SpendingKey, Spending], bool]":
        return agentos.gateway().price_list(), await agentos.usage.spending(days), "gateway" in agentos.features

    listed, spent, is_priced = with_store(home, read)
    prices, currency = listed.prices, listed.currency
    groups: dict[tuple[str, ...], list[tuple[SpendingKey, Spending]]] = {}
    for key, one in spent.items():
        groups.setdefault(tuple(COST_BY[name](key) for name in by), []).append((key, one))
    rows = [
        {**dict(zip(by, group, strict=True)), **_cost_facts(items, prices)} for group, items in sorted(groups.items())
    ]
    total = sum(row["cost"] or 0.0 for row in rows)
    unpriced = sum(row["unpriced_calls"] for row in rows)
    sent, replay = (sum(row[name] for row in rows) for name in ("told", "replay"))
    if as_json:
        say_json(
            {
                **{"days": days, "rows": rows, "cost": total, "currency": currency},
                **{"unpriced_calls": unpriced, "told": sent, "replay": replay},
            }
        )
        return
    if rows:
        say(shown.rows(list(rows[0]), [["" if one is None else one for one in row.values()] for row in rows]))
    if replay:
        share = 100 * sent / (sent + replay)
        say(f"Clients sent about {replay:,} tokens themselves; memory added {sent:,} ({share:.1f} %).", err=True)
    if not prices:
        reason = "no prices are set in gateway.toml" if is_priced else switched_off("gateway")
        say(f"{reason}, so {unpriced} calls have no cost", err=True)
        return
    missing = f", excluding {unpriced} calls of models without a price in gateway.toml" if unpriced else ""
    say(f"{total:.4f}{f' {currency}' if currency else ''} in all{missing}", err=True)


def _cost_facts(items: "Sequence[tuple[SpendingKey, Spending]]", prices: "Mapping[str, Price]") -> dict[str, Any]:
    from ...modules.usage.models import Spending
    from ...modules.usage.prices import cost, price_of

    total = sum((one for _, one in items), Spending())
    priced = [(one, price) for key, one in items if (price := price_of(key.model, prices)) is not None]
    return {
        **{"calls": total.calls, "estimated_calls": total.estimated, **asdict(total.tokens)},
        "cost": round(sum(cost(one.tokens, price) for one, price in priced), 6) if priced else None,
        **{"told": total.told, "replay": total.replay},
        "unpriced_calls": total.calls - sum(one.calls for one, _ in priced),
    }


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
