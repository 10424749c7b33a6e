"""What a search knows of two of its hits: how far they stand out among others of the same name."""

from datetime import UTC, datetime

import numpy as np
import pytest

from agentos.modules.memory.features import Evidence
from agentos.modules.memory.hit_pairs import FEATURES, HitPairs
from agentos.modules.memory.models import Turn, WordFrequencies
from agentos.modules.memory.ranking import Ranked

AT = datetime(2026, 1, 1, tzinfo=UTC)


def unit(*values: float) -> bytes:
    vector = np.array(values, dtype="<f4")
    return bytes((vector / np.linalg.norm(vector)).tobytes())


def turn(seq: int, content: str, vector: bytes | None) -> Turn:
    return Turn(seq, f"mem_{seq}", content, None, None, None, AT, AT, 0.5, AT, vector)


def hits(*turns: Turn) -> HitPairs:
    evidence = Evidence([], [], WordFrequencies({}, 1, 1), vector=unit(1, 0, 0))
    return HitPairs(evidence, turns, [Ranked(row, {"text": 1.0 - row / 10}) for row in range(2)])


OLDER, NEWER = turn(1, "Dana has a flat in Lisbon.", unit(1, 0, 0)), turn(2, "Dana is in Porto now.", unit(1, 1, 0))


def test_two_stand_out_by_how_much_nearer_they_are_than_others_of_the_name() -> None:
    beside = turn(3, "Dana plays the cello.", unit(0, 1, 1))
    somebody_else = turn(4, "Kofi lives in Lisbon.", unit(1, 1, 0))
    known = hits(OLDER, NEWER, beside, somebody_else).features(0, 1, ["dana"])
    assert set(known) == set(FEATURES)
    assert known["cosine"] == pytest.approx(0.7071, abs=1e-3)
    assert known["older_margin"] == pytest.approx(0.7071, abs=1e-3)  # the cello has nothing of the flat
    assert known["newer_margin"] == pytest.approx(0.7071 - 0.5, abs=1e-3)
    assert known["older_query_margin"] == pytest.approx(1.0, abs=1e-3)


def test_where_nobody_else_is_mentioned_nothing_stands_out() -> None:
    known = hits(OLDER, NEWER, turn(3, "Kofi plays the cello.", unit(1, 0, 1))).features(0, 1, ["dana"])
    assert known["older_margin"] == known["newer_query_margin"] == 0.0


def test_what_has_no_vector_yet_has_no_cosine() -> None:
    known = hits(OLDER, turn(2, "Dana is in Porto now.", None), turn(3, "Dana sings.", unit(0, 1, 0)))
    assert known.cosine(0, 1) == 0.0
    assert known.features(0, 1, ["dana"])["older_margin"] == 0.0
