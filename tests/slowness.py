"""How slow the machine is just now, so that a test's bound in seconds holds on a slow or busy one too."""

import time

PLAIN_S = 0.012
"""The time of a plain piece of work on the machine for which tests name their seconds."""


class Slowness:
    """How many times slower than that one this machine was, whenever it was looked at; `factor` is the greatest."""

    def __init__(self) -> None:
        self.factor = 1.0
        self.look()

    def look(self) -> None:
        """Time the plain work again, by the shortest of three times: one interruption is no slowness."""
        self.factor = max(self.factor, min(_plain_work_s() for _ in range(3)) / PLAIN_S)


def _plain_work_s() -> float:
    begun = time.perf_counter()
    sum(number * number for number in range(300_000))
    return time.perf_counter() - begun
