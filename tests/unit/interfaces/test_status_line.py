"""The line for a status bar: green, red, yellow."""

from typing import Any

from agentos.interfaces.hooks.status_line import GREEN, RED, YELLOW, line
from tests.tables import every


@every(
    ("status", "late", "expected"),
    [
        ({"sessions": 1, "model": {"state": "ready"}}, False, f"{GREEN} agentos · 1 session"),
        ({"sessions": 2, "model": {"state": "loading"}}, False, f"{GREEN} agentos · 2 sessions"),
        ({"sessions": 0, "model": {"state": "none"}}, True, f"{YELLOW} agentos · 0 sessions · no model: searches by words"),  # noqa: E501
        (None, False, f"{RED} agentos is not running"),
        (None, True, f"{YELLOW} agentos does not answer"),
    ],
)  # fmt: skip
def test_a_bar_says_how_the_memory_is(status: dict[str, Any] | None, late: bool, expected: str) -> None:
    assert line(status, late=late) == expected
