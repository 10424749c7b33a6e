"""`agentos explain QUERY`: why a search finds what it finds, or nothing: channels × candidates, and the gate."""

import asyncio
import textwrap
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ... import config
from ...modules.errors import NotFound
from .opened import settings_here
from .terminal import console, say, say_json

if TYPE_CHECKING:
    from ...modules.memory.models import Reading, SearchHit, SearchResult
    from ...modules.trust.models import Trust

MODEL_WAIT_S = 60.0
"""How long to wait for the model to load, where a search would answer by words."""
TEXT_CHARS = 60


def run(
    query: str, home: Path | None, agent: str | None, limit: int, as_of: str | None = None, *, as_json: bool
) -> None:
    """Explain on standard output."""
    settings = settings_here(home)
    found, trusts = asyncio.run(_found(settings, query, agent or settings.agent_id, limit, as_of))
    if as_json:
        say_json(as_facts(found, trusts))
    else:
        say(as_text(found, console().width, trusts), end="")


async def _found(
    settings: config.Settings, query: str, namespace: str, limit: int, as_of: str | None
) -> "tuple[SearchResult, dict[str, Trust]]":
    from ... import database
    from ...modules import inputs
    from ...modules.clock import system_clock
    from ...modules.memory import named_dates
    from ...modules.memory.models import MemoryFilter
    from ...modules.memory.service import MAX_LIMIT

    inputs.text("query", query)
    inputs.count("--limit", limit, 1, MAX_LIMIT)
    times = await named_dates.spelled_out({"as_of": as_of}, system_clock())
    where = MemoryFilter(as_of=inputs.end_of_day_if_date_only("--as-of", times["as_of"]))
    if not await database.backups(settings, system_clock).holds_data():
        raise NotFound(f"there is no data in {settings.home} yet")
    async with database.opened(settings, system_clock) as (agentos, _):
        if settings.embedding_model != "none":
            await agentos.embedding.ready(MODEL_WAIT_S)
        if agentos.reranker is not None:
            await agentos.reranker.ready(MODEL_WAIT_S)
        found = await agentos.memory.recall(namespace, query, where, limit)
        return found, await agentos.trust.of(hit.memory for hit in (*found.hits, *found.misses))


def as_facts(found: "SearchResult", trusts: "Mapping[str, Trust]") -> dict[str, Any]:
    """Return everything as JSON: how the query was read, the gate, each candidate with the parts of score and trust."""
    return {
        "reading": asdict(found.reading),
        "mode": found.mode.value,
        "notes": list(found.notes),
        "gate": asdict(found.gate),
        "answers": [_facts(hit, trusts) for hit in found.hits],
        "nearest_misses": [_facts(hit, trusts) for hit in found.misses],
    }


def _facts(hit: "SearchHit", trusts: "Mapping[str, Trust]") -> dict[str, Any]:
    memory, trust = hit.memory, trusts.get(hit.memory.id)
    return {
        "id": memory.id,
        "occurred_at": memory.occurred_at.isoformat(),
        "text": memory.summary,
        "score": hit.score,
        "similarity": hit.similarity,
        "support": hit.support,
        "parts": dict(hit.parts),
        "trust": None if trust is None else asdict(trust),
    }


def as_text(found: "SearchResult", width: int, trusts: "Mapping[str, Trust]") -> str:
    """Return the reading, the channels' shares of each candidate, the gate and the trust, in lines of at most `width`.

    The shares are a table where that fits, else a line below each candidate.
    """
    from ...modules.memory.ranking import by_channel

    hits = (*found.hits, *found.misses)
    channels = [by_channel(hit.parts) for hit in hits]
    names = list(dict.fromkeys(name for one in channels for name in one))
    head = ["", "answers", "score", *names, "memory"]
    rows = [
        [
            str(number) if number <= len(found.hits) else "-",
            "" if hit.support is None else f"{hit.support:.3f}",
            f"{hit.score:.3f}",
            *(f"{one[name]:+.3f}" if name in one else "" for name in names),
            f"{hit.memory.id} {_one_line(hit.memory.content)}",
        ]
        for number, (hit, one) in enumerate(zip(hits, channels, strict=True), start=1)
    ]
    lines = [_sentence(found), "", f"read as: {_reading(found.reading)}", *_gate(found)]
    lines += [f"mode {found.mode.value}: {note}" for note in found.notes]
    if hits:
        table = _aligned([head, *rows])
        if max(map(len, table)) > width:
            table = _stacked(rows, names, width)
        title = "answers (- was withheld):" if found.hits else "nearest misses, withheld:"
        lines += ["", title, *table]
    if trusts:
        lines += ["", "trust, with its 95 % interval:", *(_trust(name, one) for name, one in trusts.items())]
    return "\n".join(line for long in lines for line in _wrapped(long, width)) + "\n"


def _trust(memory_id: str, trust: "Trust") -> str:
    parts = " ".join(f"{value:+.3f} {name}" for name, value in trust.parts.items())
    return f"  {memory_id} {trust.score:.2f} ({trust.low:.2f} to {trust.high:.2f}) = {parts}"


def _sentence(found: "SearchResult") -> str:
    """Return in a sentence what comes first and why, or that nothing answers."""
    from ...modules.memory.ranking import by_channel

    if not found.hits:
        return (
            f"Nothing stored answers this; the nearest were withheld ({found.gate.withheld})."
            if found.misses
            else ("Nothing is stored that this could be about.")
        )
    first = found.hits[0]
    shares = by_channel(first.parts)
    reasons = [name for name in sorted(shares, key=lambda name: -shares[name]) if shares[name] > 0][:2]
    why = f", found by {' and '.join(reasons).replace('_', ' ')}" if reasons else ""
    sure = "" if first.support is None else f"; it answers with a chance of {100 * first.support:.0f} %"
    return f'First of {len(found.hits)}{why}: "{_one_line(first.memory.summary)}"{sure}.'


def _gate(found: "SearchResult") -> list[str]:
    gate = found.gate
    if gate.threshold == 0:
        return ["gate: off"]
    terms = " ".join(f"{value:+.2f} {name}" for name, value in gate.parts.items() if value)
    verdict = "answered" if gate.answered else f"nothing relevant; nearest misses withheld: {gate.withheld}"
    return [f"gate: {verdict}; support {gate.support:.3f}, threshold {gate.threshold:g}", f"  log-odds: {terms}"]


def _reading(read: "Reading") -> str:
    """Return how a query was read, in words."""
    lists = (
        ("words", read.words),
        ("exact terms", read.identifiers),
        ("speakers", read.speakers),
        ("dates", read.dates),
    )
    told = [f"{name} {' '.join(values)}" for name, values in lists if values]
    marks = (
        (read.asks_when, "it asks when"),
        (read.asks_latest, "it asks for the latest"),
        (read.identifier_first, "exact terms decide"),
    )
    told += [words for is_so, words in marks if is_so]
    return ", ".join([*told, f"candidates {read.candidates}", f"profile {read.profile}"])


def _one_line(text: str) -> str:
    line = "".join(character if character.isprintable() else " " for character in text[: 2 * TEXT_CHARS])
    line = " ".join(line.split())
    return line if len(line) <= TEXT_CHARS else line[: TEXT_CHARS - 1] + "…"


def _aligned(rows: list[list[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join([*(cell.rjust(width) for cell, width in zip(row[:-1], widths, strict=False)), row[-1]]).rstrip()
        for row in rows
    ]


def _stacked(rows: list[list[str]], names: list[str], width: int) -> list[str]:
    lines = []
    for number, support, score, *shares, memory in rows:
        parts = ", ".join(f"{name} {share}" for name, share in zip(names, shares, strict=True) if share)
        lines += [f"{number:>3} {support:>5} {score}  {memory}"[:width].rstrip(), f"      {parts}"]
    return lines


def _wrapped(line: str, width: int) -> list[str]:
    return textwrap.wrap(line, width, subsequent_indent="      ", drop_whitespace=True) if len(line) > width else [line]
