"""What says the same as another text, and what only looks so."""

from agentos.modules.memory.near_duplicates import says_the_same
from tests.tables import every


@every(
    ("one", "other"),
    [
        ("The team meets on Mondays", "the team meets on Mondays!"),
        ("The team meets on Mondays", "On Mondays the team meets."),
        ("Dana doesn't use tabs", "Dana does not use tabs"),
        ("The deploy needs a review", "A deploy needs the reviews"),
        ("Café Zoë opens at 9", "Cafe Zoe opens at 9"),
    ],
)
def test_the_same_in_other_clothes(one: str, other: str) -> None:
    assert says_the_same(one, other) and says_the_same(other, one)


@every(
    ("one", "other"),
    [
        ("Alice owes Bob 5 euros", "Bob owes Alice 5 euros"),
        ("The man bit the dog", "The dog bit the man"),
        ("The build takes 9 minutes", "The build takes 4 minutes"),
        ("Python 3.11 is required", "Python 3.12 is required"),
        ("Python 3.11 is required", "Python 311 is required"),
        ("Dana uses tabs", "Dana does not use tabs"),
        ("Dana uses tabs", "Dana doesn't use tabs"),
        ("Dana works at Acme", "Dana works at Globex"),
        ("Dana lives in Paris", "Lena lives in Paris"),
        ("The flight goes from Paris to Rome", "The flight goes to Paris from Rome"),
        ("Lunch comes before the call", "Lunch comes after the call"),
        ("The server was down", "The server is down"),
        ("It is written in C++", "It is written in C#"),
        ("The discount is 5%", "The discount is 5 €"),
        ("It was -3 degrees", "It was 3 degrees"),
        ("The build is green?", "The build is green."),
        ("We meet on 3/4", "We meet on 3-4"),
        ("x" * 3000, "x" * 3000),
    ],
)
def test_what_differs_in_one_thing_says_something_else(one: str, other: str) -> None:
    assert not says_the_same(one, other) and not says_the_same(other, one)
