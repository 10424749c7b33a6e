"""Walks over the graph, and when relations hold: cycles, products, order of arrival."""

import math
from datetime import UTC, datetime, timedelta
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from agentos.modules.graph.algorithms import Step, effects, nearest, needs, shortest, strongest
from agentos.modules.graph.models import NodeRelation
from agentos.modules.graph.validity import holding, timeline

BEGIN = datetime(2024, 1, 1, tzinfo=UTC)

steps = st.lists(
    st.tuples(st.integers(0, 7), st.integers(0, 7), st.floats(0.01, 1.0, allow_nan=False)), max_size=30
)  # fmt: skip


def day(number: int) -> datetime:
    return BEGIN + timedelta(days=number)


def works(target: int, at: int, *, weight: float = 0.85, end: int | None = None, evidence: int = 1) -> NodeRelation:
    return NodeRelation(1, "works_at", target, weight, day(at), None if end is None else day(end), evidence)


def products(given_steps: list[Step], start: int, depth: int) -> dict[int, float]:
    """The largest product on any walk, by trying all of them."""
    best: dict[int, float] = {}

    def go(node: int, weight: float, left: int) -> None:
        for begin, end, more in given_steps if left else ():
            if begin == node and begin != end:
                product = weight * more
                if end != start and product > best.get(end, -1.0):
                    best[end] = product
                go(end, product, left - 1)

    go(start, 1.0, depth)
    return best


@settings(deadline=None)
@given(steps=steps, depth=st.integers(1, 3))
def test_the_strongest_way_has_the_largest_product_of_all(steps: list[Step], depth: int) -> None:
    found = strongest(steps, 0, depth)
    expected = products(steps, 0, depth)
    assert found.keys() == expected.keys()
    for node, walk in found.items():
        assert math.isclose(walk.weight, expected[node], abs_tol=1e-8)
        assert walk.path[0] == 0 and walk.path[-1] == node and walk.hops <= depth


@settings(deadline=None)
@given(steps=steps, depth=st.integers(1, 7))
def test_walks_end_on_any_graph_and_reach_the_same(steps: list[Step], depth: int) -> None:
    near = nearest(steps, 0, depth)
    assert near.keys() == strongest(steps, 0, depth).keys()
    for node, walk in near.items():
        assert len(set(walk.path)) == len(walk.path) <= depth + 1
        assert shortest(steps, 0, node, depth) == walk.path


def test_products_are_exact_and_a_cycle_changes_nothing() -> None:
    cycle = [(0, 1, 0.8), (1, 2, 0.8), (2, 0, 0.9), (2, 1, 1.0)]
    assert {node: walk.weight for node, walk in strongest(cycle, 0, 5).items()} == {1: 0.8, 2: 0.64}


def test_a_longer_way_may_be_the_stronger_one() -> None:
    ways = [(0, 2, 0.1), (0, 1, 0.9), (1, 2, 0.9)]
    assert strongest(ways, 0, 5)[2].path == (0, 1, 2)
    assert strongest(ways, 0, 1)[2].weight == 0.1
    assert nearest(ways, 0, 5)[2].path == (0, 2)


def test_there_is_no_way_to_what_is_not_there() -> None:
    assert shortest([(0, 1, 1.0)], 1, 0, 6) == shortest([], 0, 1, 6) == ()
    assert nearest([], 0, 3) == strongest([], 0, 3) == {}
    assert shortest([], 3, 3, 6) == (3,)


def test_a_requirement_has_its_effect_backwards() -> None:
    relations = [NodeRelation(1, "requires", 2, 0.5), NodeRelation(3, "blocks", 1, 0.4)]
    assert effects(relations) == [(2, 1, 0.5), (3, 1, 0.4)]
    assert needs(relations) == [(1, 2, 0.5)]


def test_a_newer_one_ends_the_older_one_and_going_back_begins_anew() -> None:
    there, away, back = works(10, 0), works(11, 10, evidence=2), works(10, 20, evidence=3)
    assert [(e.target, e.start, e.end) for e in sorted(timeline([back, there, away]), key=lambda e: str(e.start))] == [
        (10, day(0), day(10)), (11, day(10), day(20)), (10, day(20), None),
    ]  # fmt: skip


def test_a_denial_ends_what_it_denies_and_nothing_else() -> None:
    left = works(10, 5, weight=0.0, evidence=2)
    assert holding([works(10, 0), left], day(4)) and not holding([works(10, 0), left], day(5))
    assert holding([works(11, 0), left], day(9)), "who does not work at one may work at another"


def test_a_relation_that_ended_by_its_own_word_does_not_bring_an_older_one_back() -> None:
    assert holding([works(10, 0), works(11, 5, end=8, evidence=2)], day(9)) == []


def test_a_pair_is_shown_once_since_the_earliest() -> None:
    one, other = (
        NodeRelation(1, "uses", 2, 0.7, day(3), evidence=1),
        NodeRelation(1, "uses", 2, 0.9, day(1), evidence=2),
    )
    [relation] = holding([one, other], day(5))
    assert (relation.weight, relation.start) == (0.9, day(1))
    assert holding([one], day(2)) == []


moves = st.lists(st.tuples(st.integers(10, 13), st.integers(0, 20)), max_size=8, unique_by=lambda move: move[1])


@settings(deadline=None)
@given(moves=moves, order=st.randoms(use_true_random=False), at=st.integers(0, 25))
def test_one_holds_at_a_time_whatever_the_order(moves: list[tuple[int, int]], order: Random, at: int) -> None:
    relations = [works(target, begin, evidence=place) for place, (target, begin) in enumerate(moves)]
    order.shuffle(relations)
    began = [move for move in moves if move[1] <= at]
    expected = [max(began, key=lambda move: move[1])[0]] if began else []
    assert [each.target for each in holding(relations, day(at))] == expected
