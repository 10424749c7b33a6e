"""The command: live, carry the memory away and bring it in elsewhere, print eight metrics and two speeds.

    python -m benchmarks.portability [--json FILE] [--quick] [--seed N] [--bundle FILE]

A home is made from the seed with something of everything in it, through a real server's tools; `agentos export` writes
it to a file, `agentos import` brings that into an empty home, and so on. Each metric has a bar:

  rows kept         share of the rows of both exports that are in both, value for value; 1 also means the same bytes
  rows disturbed    rows that were there before an import and are changed or gone after it, or come a second time: into
                    the same home again, and into a home that had things of its own
  recall parity     share of questions whose hits are the same in the same order, from model and words together
  truth parity      share of questions about what changed: now, as of a date before and after, with what was superseded
  lineage parity    share of memories with the same versions, relations and changes, and of undone ones, alike
  state parity      share of other views alike: goals, requests to decide, profile, graph, tiers, sessions, contexts
  harm done         files that brought in something else than the sound one: damaged, cut, forged, deciding themselves
  promises kept     share of files of other versions, and of other readers' work, treated as conformance/ promises
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio

from ..cognition.server import serving
from ..figures import Bar, Figure, table
from ..run import say
from . import asking, damage, files, living, throughput, versions

ALL, NONE = Bar(at_least=1), Bar(at_most=0)
FULL = {"people": 6, "exchanges": 25, "damaged": 210, "rows": 20_000}
QUICK = {"people": 2, "exchanges": 12, "damaged": 28, "rows": 1_000}
OTHER_SEED = 1_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure; return 1 if a bar was missed, else 0."""
    asked = _arguments(arguments)
    with tempfile.TemporaryDirectory(prefix="agentos-portability-", dir=asked.folder) as folder:
        found = anyio.run(_measured, asked, Path(folder))
    sys.stdout.write(f"{table(found)}\n")
    if asked.json:
        report = {"seed": asked.seed, "figures": [figure.as_json() for figure in found]}
        asked.json.write_text(json.dumps(report, indent=1, ensure_ascii=False), encoding="utf-8")
    return 1 if any(figure.passed is False for figure in found) else 0


async def _measured(asked: argparse.Namespace, folder: Path) -> list[Figure]:
    size = QUICK if asked.quick else FULL
    say(f"living through a while, seed {asked.seed} …")
    lived = await _home(folder / "first", asked.seed, size["people"], size["exchanges"])
    first, second = folder / "first.jsonl", folder / "second.jsonl"
    summary = files.export(folder / "first/home", first)
    if asked.bundle:
        asked.bundle.write_bytes(first.read_bytes())
    say(f"{sum(summary['rows'].values())} rows of {len(summary['rows'])} tables carried into an empty home …")
    copy = folder / "copy"
    copy.mkdir()
    files.bring_in(copy / "home", first)
    files.export(copy / "home", second)
    found = [_rows_carried(first, second, summary)]
    say("again, and into a home with things of its own …")
    found.append(await _disturbed(folder, asked.seed, first, second))
    say("asking both the same …")
    found += await _parity(folder, lived)
    say("damaged and forged files …")
    found.append(await _harm(folder, asked.seed, size["damaged"], first))
    say("other versions and readers …")
    found.append(await _promises(folder, first))
    say(f"{size['rows']} memories out and in …")
    return [*found, *await throughput.figures(folder, size["rows"])]


async def _home(folder: Path, seed: int, people: int, exchanges: int) -> living.Lived:
    async with serving(folder, living.TOOLSETS) as (server, agent):
        lived = await living.live(server, agent, seed, people, exchanges)
    await living.observe_sessions(folder / "home")
    return lived


def _rows_carried(first: Path, second: Path, summary: dict[str, Any]) -> Figure:
    ours = sum(summary["rows"].values())
    unlike = files.compared(first, second)
    lost = sum(row.is_in != "second" for row in unlike.rows)
    more = sum(row.is_in == "second" for row in unlike.rows)
    same_bytes = first.read_bytes() == second.read_bytes()
    detail = {"rows": summary["rows"], "same_bytes": same_bytes, "unlike": [repr(row) for row in unlike.rows]}
    share = (ours - lost) / (ours + more)
    name = f"1 rows kept, of {ours} in {len(summary['rows'])} tables"
    return Figure(name, share if same_bytes else min(share, 0.999), "", bar=ALL, detail=detail)


async def _disturbed(folder: Path, seed: int, first: Path, second: Path) -> Figure:
    again = files.bring_in(folder / "copy/home", first)
    files.export(folder / "copy/home", folder / "again.jsonl")
    unlike = [repr(row) for row in files.compared(second, folder / "again.jsonl").rows]
    await _home(folder / "other", seed + OTHER_SEED, 2, 4)
    files.export(folder / "other/home", folder / "other.jsonl")
    merged = files.bring_in(folder / "other/home", first)
    files.export(folder / "other/home", folder / "merged.jsonl")
    both = files.compared(folder / "other.jsonl", folder / "merged.jsonl")
    unlike += [repr(row) for row in both.rows if row.is_in != "second"]
    detail = {"again": again, "merged": merged, "disturbed": unlike}
    return Figure("2 rows disturbed", len(unlike) + sum(again["new"].values()), "", bar=NONE, detail=detail)


async def _parity(folder: Path, lived: living.Lived) -> list[Figure]:
    answers = []
    for name in ("first", "copy"):
        async with serving(folder / name, living.TOOLSETS) as (_, agent):
            answers.append(await asking.ask(agent, lived))
    found = []
    for number, part in enumerate(("recall", "truth", "lineage", "state"), start=3):
        ours, theirs = (getattr(one, part) for one in answers)
        unlike = sorted(asking.unlike(ours, theirs))
        detail = {
            "empty": sum(not answer for answer in ours.values()),
            "refused": sum(isinstance(answer, str) for answer in ours.values()),
            "unlike": {name: {"first": ours.get(name), "copy": theirs.get(name)} for name in unlike},
        }
        name = f"{number} {part} parity, of {len(ours)} answers"
        found.append(Figure(name, 1 - len(unlike) / len(ours), "", bar=ALL, detail=detail))
    return found


async def _harm(folder: Path, seed: int, count: int, first: Path) -> Figure:
    done = await damage.harm(first, folder / "other.jsonl", folder, seed, count)
    done.harmful += [name async for name in damage.decided(first, folder)]
    tried = done.refused.total() + done.harmless.total() + len(done.harmful) + 1
    detail = {"refused": dict(done.refused), "harmless": dict(done.harmless), "harmful": done.harmful}
    return Figure(f"7 harm done, by {tried} files", len(done.harmful), "", bar=NONE, detail=detail)


async def _promises(folder: Path, first: Path) -> Figure:
    outcomes = {name: held async for name, held in versions.treated(first, folder)}
    tried = [held for held in outcomes.values() if held is not None]
    broken = [name for name, held in outcomes.items() if held is False]
    untried = [name for name, held in outcomes.items() if held is None]
    detail = {"broken": broken, "not tried": untried}
    return Figure(f"8 promises kept, of {len(tried)}", sum(tried) / len(tried), "", bar=ALL, detail=detail)


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.portability",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help="a small home and few files: a look, not a result")
    parser.add_argument("--seed", type=int, default=1, help="of everything that is made up")
    parser.add_argument("--bundle", type=Path, help="keep the first export in this file")
    parser.add_argument("--json", type=Path, help="write everything to this file")
    parser.add_argument("--folder", type=Path, help="where the homes are made")
    return parser.parse_args(given)


if __name__ == "__main__":
    sys.exit(main())
