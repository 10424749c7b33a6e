"""The tags at the end of a note of Basic Memory: they go from its text, and a long row of them is read once."""

from time import process_time

import pytest

from agentos.storage.imports import basic_memory
from tests.tables import every


@every(
    ("text", "tags", "left"),
    [
        ("The gate is green #garden #paint", ["garden", "paint"], "The gate is green"),
        ("The gate is green #garden (seen in May)", ["garden"], "The gate is green (seen in May)"),
        ("The gate #garden is green", ["garden"], "The gate #garden is green"),
        ("The gate is green #garden #no", ["garden"], "The gate is green #garden #no"),
    ],
)
def test_tags_at_the_end_go(text: str, tags: list[str], left: str) -> None:
    assert basic_memory._without_last_tags(text, tags) == left


@pytest.mark.parametrize("pump", [" #a", " #a (", " #a" + " " * 40])
def test_a_long_row_is_read_once(pump: str) -> None:
    def seconds(times: int) -> float:
        begun = process_time()
        basic_memory._without_last_tags(pump * times + " x", ["a"])
        return process_time() - begun

    seconds(100)
    assert seconds(16_000) < 12 * max(min(seconds(4_000) for _ in range(3)), 0.002)
