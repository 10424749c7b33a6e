"""The options that every measurement gets: sizes, counts, and homes to measure in."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .corpus import Seeds
from .figures import Figure
from .home import Home


@dataclass(frozen=True)
class Run:
    """One run of the benchmarks. `mode` is AGENTOS_DAEMON; `quick` asks for few repeats."""

    scratch: Path
    seeds: Seeds
    mode: str = "auto"
    sizes: tuple[int, ...] = (1_000, 10_000, 100_000)
    quick: bool = False
    rounds: int = 300
    writes: int = 200
    cycles: int = 100
    soak_minutes: float = 10.0
    random_seed: int = 1

    @contextmanager
    def home(self, name: str, memories: int = 0, mode: str | None = None, *, turns: bool = False) -> Iterator[Home]:
        """Open a new home for a measurement, with so many `memories` in it; all its processes end afterwards.

        With `turns` these are long turns of talks.
        """
        home = Home(self.scratch / name, mode or self.mode)
        if memories:
            self.seeds.plant(home.folder, memories, turns=turns)
        try:
            yield home
        finally:
            home.end()

    def repeats(self, full: int, quick: int) -> int:
        """Return how often to repeat something."""
        return quick if self.quick else full


Measurement = Callable[[Run], Iterator[Figure]]


def say(text: str) -> None:
    """Print progress to standard error."""
    sys.stderr.write(f"  {text}\n")
    sys.stderr.flush()
