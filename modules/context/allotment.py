"""Allotment: how many entries of each part of a context fit into a budget of tokens."""

import math
from collections.abc import Sequence


def allot(prices: Sequence[Sequence[int]], shares: Sequence[float], budget: int) -> list[int]:
    """Return how many entries each part gets, of its first ones; together they never cost more than `budget` tokens.

    `prices` are what the entries of each part cost, best first; `shares` the parts' weights. The next entry is always
    that of the part that has then used the least of its share (fair queueing), so that each part gets its share of the
    budget, and what one does not use flows to those that have more. A part whose next entry does not fit is done.
    """
    taken, spent = [0] * len(prices), [0] * len(prices)
    left = budget

    def used_with_next(part: int) -> float:
        return (spent[part] + prices[part][taken[part]]) / shares[part] if shares[part] else math.inf

    waiting = [part for part, queue in enumerate(prices) if queue]
    while waiting:
        part = min(waiting, key=used_with_next)
        price = prices[part][taken[part]]
        if price > left:
            waiting.remove(part)
            continue
        left -= price
        spent[part] += price
        taken[part] += 1
        if taken[part] == len(prices[part]):
            waiting.remove(part)
    return taken
