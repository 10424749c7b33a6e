"""Facts that writers thought up one by one, each with what replaces it and what leaves it true.

A line of a file is one fact that somebody told (`older`, in two wordings), later statements that make it untrue
(`newer`: another value, an event, an end, a correction), later ones that sound alike and leave it true (`not`), and
questions for it (`ask`). It has no values to fill in, so that it can tell the consequence of an event: "I lent my drill
to Jonas." / "Jonas brought it back."
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

WORLDS = Path(__file__).with_name("worlds")
"""Lives, projects and teams that nothing is trained with nor fitted to."""


@dataclass(frozen=True)
class Scene:
    """One fact, what replaces it, what leaves it true, and the questions for it."""

    older: tuple[str, ...]
    newer: tuple[str, ...]
    beside: tuple[str, ...]
    asks: tuple[str, ...]
    world: str = ""


def scenes(folder: Path) -> list[list[Scene]]:
    """Return the scenes of each writer in a folder."""
    return [
        [_scene(json.loads(line)) for line in path.read_text("utf-8").splitlines()]
        for path in sorted(folder.glob("*.jsonl"))
    ]


def _scene(line: dict[str, Any]) -> Scene:
    older, newer, beside, asks = (tuple(line[which]) for which in ("older", "newer", "not", "ask"))
    return Scene(older, newer, beside, asks, line.get("world", ""))
