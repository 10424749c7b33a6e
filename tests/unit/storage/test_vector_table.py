"""A table of many vectors finds by their signs what a comparison of all finds."""

import numpy as np
import pytest

from agentos.storage.engine import vector_table
from agentos.storage.engine.vector_table import PassageVector, VectorTable

DIMENSION, TOPICS, PASSAGES = 100, 300, 3
COUNT = vector_table.SKETCHED_FROM // PASSAGES + 1_000
LIMIT = 10


@pytest.mark.parametrize(
    ("offset", "room"),
    [(0, 0), (6, 0), (6, COUNT * PASSAGES + 1)],
    ids=["texts far apart", "texts close together", "all room made at once, and settled"],
)
def test_the_nearest_of_many_are_those_of_a_comparison_of_all_with_their_passages(offset: float, room: int) -> None:
    chance = np.random.default_rng(1)
    topics = chance.normal(size=(TOPICS, DIMENSION)) + offset * chance.normal(size=DIMENSION)
    noise = chance.normal(size=(COUNT, PASSAGES, DIMENSION))
    vectors = topics[chance.integers(0, TOPICS, COUNT)][:, None, :] + 0.7 * noise
    vectors = (vectors / np.linalg.norm(vectors, axis=2, keepdims=True)).astype("<f4")
    table = VectorTable(room)
    for seqs in (range(COUNT // 4), range(COUNT // 4, COUNT // 2), range(COUNT // 2, COUNT)):
        table.append(
            [PassageVector(seq, part, vectors[seq, part].tobytes()) for seq in seqs for part in range(PASSAGES)]
        )
    if room:
        table.settle()
    gone = set(range(0, COUNT, 50))
    for seq in gone:
        table.discard(seq)
    allowed = [seq for seq in range(COUNT) if seq % 4]
    shares = []
    for topic in topics[:20]:
        query = (topic / np.linalg.norm(topic)).astype("<f4")
        cosines = vectors @ query
        for among in (None, allowed):
            scores = np.full(COUNT, -1.0)
            known = [seq for seq in (range(COUNT) if among is None else among) if seq not in gone]
            scores[known] = cosines[known].max(axis=1)
            best = np.argsort(-scores)[:LIMIT].tolist()
            found = table.rows().nearest(query.tobytes(), among, LIMIT)
            assert [near.cosine for near in found] == sorted((near.cosine for near in found), reverse=True)
            assert all(near.part == cosines[near.memory_seq].argmax() for near in found[:1])
            assert gone.isdisjoint(near.memory_seq for near in found)
            shares.append(len({near.memory_seq for near in found}.intersection(best)) / LIMIT)
    assert sum(shares) / len(shares) >= 0.98


@pytest.mark.parametrize("first", [0, 1])
def test_room_for_what_has_no_vector_yet_keeps_no_mean_of_the_first_ones(first: int) -> None:
    vectors = np.random.default_rng(2).normal(size=(600, DIMENSION)).astype("<f4")
    table = VectorTable(1_000)
    table.append([PassageVector(seq, 0, vectors[seq].tobytes()) for seq in range(first)])
    table.settle()
    for seq in range(first, len(vectors)):
        table.append([PassageVector(seq, 0, vectors[seq].tobytes())])
    mean = table.rows().mean
    assert mean is not None and np.linalg.norm(mean - vectors.mean(0)) < 1
