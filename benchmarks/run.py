"""What every measurement is handed: sizes, counts, and homes to measure in."""

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
    def home(self, name: str, memories: int = 0, mode: str | None = None) -> Iterator[Home]:
        """A home of its own for a measurement, with so many memories in it; nothing of it runs on afterwards."""
        home = Home(self.scratch / name, mode or self.mode)
        if memories:
            self.seeds.plant(home.folder, memories)
        try:
            yield home
        finally:
            home.end()

    def repeats(self, whole: int, quick: int) -> int:
        """How often to do something."""
        return quick if self.quick else whole


Measurement = Callable[[Run], Iterator[Figure]]


def say(text: str) -> None:
    """Progress, for who waits."""
    sys.stderr.write(f"  {text}\n")
    sys.stderr.flush()
