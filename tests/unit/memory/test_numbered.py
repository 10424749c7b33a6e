"""Numbered things of one kind are two things; another number of one statement may be an update."""

from agentos.modules.memory.numbered import are_two_of_a_kind
from tests.tables import every


@every(
    ("one", "other", "expected"),
    [
        ("Room 204 seats 12 people.", "Room 205 seats 8 people.", True),
        ("The port of server 1 is 8081.", "The port of server 2 is 8082.", True),
        ("Customer A pays 40 euros.", "Customer B pays 55 euros.", True),
        ("Room 204 seats 12 people.", "Room 204 seats 14 people.", False),
        ("Room 204 seats 12 people.", "Desk 204 has 8 drawers.", False),
        ("Node 18 is our runtime.", "Node 20 is our runtime.", False),
        ("The office has 20 desks.", "The office has 25 desks.", False),
    ],
)
def test_numbered_things_are_two(one: str, other: str, expected: bool) -> None:
    assert are_two_of_a_kind(one, other) is expected
