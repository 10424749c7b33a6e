"""Arithmetic of stored vectors."""

import struct

import pytest

from agentos.modules.vectors import cosine, matrix, mean


def vector(*values: float) -> bytes:
    return struct.pack(f"<{len(values)}f", *values)


def test_the_mean_is_the_direction_of_all_together() -> None:
    assert struct.unpack("<2f", mean([vector(1, 0), vector(0, 1)])) == pytest.approx((0.5**0.5, 0.5**0.5))
    assert struct.unpack("<2f", mean([vector(1, 0), vector(0, 9), vector(0, 1)])) == pytest.approx((0.2**0.5, 0.8**0.5))
    assert mean([vector(0.6, 0.8)]) == vector(0.6, 0.8)


def test_where_there_is_no_direction_the_first_stands_for_all() -> None:
    assert mean([vector(0, 1), vector(0, -1)]) == vector(0, 1)


def test_rows_have_length_one_and_nothing_stays_nothing() -> None:
    one, nothing = matrix([vector(3, 4), vector(0, 0)]).tolist()
    assert one == pytest.approx([0.6, 0.8]) and nothing == [0, 0]


def test_vectors_of_two_models_are_not_alike() -> None:
    assert cosine(vector(2, 0), vector(1, 1)) == pytest.approx(0.5**0.5)
    assert cosine(vector(1, 0), vector(1, 0, 0)) == cosine(vector(0, 0), vector(1, 0)) == 0.0
