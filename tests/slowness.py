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
        """Time the plain work again."""
        begun = time.perf_counter()
        sum(number * number for number in range(300_000))
        self.factor = max(self.factor, (time.perf_counter() - begun) / PLAIN_S)
