"""Damaged, truncated and forged bundles, and bundles for another reader: what is imported of them."""

import random
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from agentos.conformance import reader
from agentos.modules.errors import AgentOSError
from agentos.modules.identifiers import EVERYWHERE

from .files import opened, rows, written

KINDS = ("byte", "cut", "line dropped", "line twice", "lines swapped", "line added", "end of another")


@dataclass
class Harm:
    """The outcome of spoiled files. `harmful` ones imported something else than the sound one has, or half of it."""

    refused: Counter[str] = field(default_factory=Counter)
    harmless: Counter[str] = field(default_factory=Counter)
    harmful: list[str] = field(default_factory=list)


async def harm(sound: Path, other: Path, folder: Path, seed: int, count: int) -> Harm:
    """Import each spoiled file into an empty home, and check the home's contents afterwards."""
    found = Harm()
    chosen = random.Random(seed)
    expected = reader.verified(sound.read_bytes().removesuffix(b"\n").split(b"\n"))["canonical_hash"]
    spoiled = [*_damaged(sound, other, chosen, count), *_forged(sound, folder)]
    homes = (folder / f"empty-{number}" for number in range(len(spoiled)))
    waiting = iter(spoiled)
    case = next(waiting, None)
    while case is not None:  # a home is used until something was imported
        async with opened(next(homes)) as agentos:
            empty = await agentos.portability.canonical_hash()
            while case is not None:
                name, data = case
                file = folder / "spoiled.jsonl"
                file.write_bytes(data)
                try:
                    await agentos.portability.import_bundle(file)
                except AgentOSError:
                    found.refused[name] += 1
                    if await agentos.portability.canonical_hash() != empty:
                        found.harmful.append(f"{name}: refused, and yet something came in")
                    case = next(waiting, None)
                    continue
                holds = await agentos.portability.canonical_hash()
                if holds == expected and name in KINDS:
                    found.harmless[name] += 1
                else:
                    found.harmful.append(name)
                case = next(waiting, None)
                break
    return found


def _damaged(sound: Path, other: Path, chosen: random.Random, count: int) -> Iterator[tuple[str, bytes]]:
    data = sound.read_bytes()
    lines, foreign = data.splitlines(keepends=True), other.read_bytes().splitlines(keepends=True)
    for number in range(count):
        kind = KINDS[number % len(KINDS)]
        at = chosen.randrange(1, len(lines) - 1)
        if kind == "byte":
            place = chosen.randrange(len(data))
            sign = chosen.choice([one for one in range(256) if one != data[place]])
            yield kind, data[:place] + bytes([sign]) + data[place + 1 :]
        elif kind == "cut":
            yield kind, data[: chosen.randrange(len(data) - 1)]
        else:
            yield kind, b"".join(_moved(kind, list(lines), foreign, at, chosen))


def _moved(kind: str, lines: list[bytes], foreign: list[bytes], at: int, chosen: random.Random) -> list[bytes]:
    if kind == "line dropped":
        return lines[:at] + lines[at + 1 :]
    if kind == "line twice":
        return [*lines[:at], lines[at], *lines[at:]]
    if kind == "lines swapped":
        to = chosen.randrange(1, len(lines) - 1)
        lines[at], lines[to] = lines[to], lines[at]
        return lines
    if kind == "line added":
        return [*lines[:at], chosen.choice(foreign[1:-1]), *lines[at:]] if at % 2 else [*lines, foreign[1]]
    return [*lines[:-1], foreign[-1]]


def _forged(sound: Path, folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield complete bundles with a true hash, made by somebody who means harm."""
    lines = rows(sound)
    schema = reader.verified(sound.read_bytes().removesuffix(b"\n").split(b"\n"))["schema"]
    plain = [(line["table"], line["row"]) for line in lines]
    for name, change in FORGERIES.items():
        yield name, written(folder / "forged.jsonl", schema, change(plain)).read_bytes()


Rows = list[tuple[str, reader.Row]]


def _with(table: str, **more: object) -> Callable[[Rows], Rows]:
    return lambda plain: [(name, row | more if name == table else row) for name, row in plain]


FORGERIES: dict[str, Callable[[Rows], Rows]] = {
    "a table of the machine": lambda plain: [*plain, ("daemon_state", {"id": 1})],
    "a table that is SQL": lambda plain: [*plain, ("goals; DROP TABLE goals", {"id": "x"})],
    "a value that is SQL": _with("memories", memory_type="x'; DROP TABLE goals; --"),
    "a moment beyond all years": _with("memories", created_at=2**62),
    "tags that are no list": _with("memories", tags="5"),
    "a null character": _with("memories", content="a\x00b"),
    "an id that steers a terminal": _with("sessions", id="\x1b[31m"),
    "a reference to nothing": _with("memory_versions", memory_seq="mem_of_nobody"),
    "a truth value for a number": _with("memories", version=True),
}


async def decided(sound: Path, folder: Path) -> AsyncIterator[str]:
    """Yield AgentOS's own requests that a file claims to be approved, and that are not asked again after its import."""
    change = _with("approvals", status="approved", automatic=1, decided_at=1, decided_by="human:ada")
    schema = reader.verified(sound.read_bytes().removesuffix(b"\n").split(b"\n"))["schema"]
    plain = [(line["table"], line["row"]) for line in rows(sound)]
    first = next(row for name, row in plain if name == "approvals")
    one = [(name, row) for name, row in plain if name not in ("approvals", "approval_events")]
    file = written(folder / "decided.jsonl", schema, change([*one, ("approvals", first)]))
    async with opened(folder / "undecided") as agentos:
        await agentos.portability.import_bundle(file)
        await agentos.approvals.executor.run_due()
        waiting = (await agentos.approvals.inbox(EVERYWHERE)).approvals
        if [approval.id for approval in waiting] != [first["id"]]:
            yield "an approval that a file brought"
