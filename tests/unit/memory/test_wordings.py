"""Several wordings of one fact know a further one, and none of another fact."""

from collections.abc import Sequence

from agentos.modules.memory.sameness import Wording
from agentos.modules.memory.wordings import with_further
from tests.tables import every

GROUP = (
    "The glaze archive runs on port 8147",
    "Port of the glaze DB: 8147",
    "We use port 8147 for the glaze archive",
    "Glaze archive port = 8147",
)


def told(text: str, group: Sequence[str], cosine: float) -> list[str]:
    return with_further(Wording(text), [group], {one: Wording(one) for one in group}, dict.fromkeys(group, cosine))


@every(
    "text, is_told",
    [
        ("For the glaze archive we use port 8147", True),
        ("The glaze DB runs on 8147", True),
        ("The glaze Postgres listens on 8147", False),
        ("Remember: glaze archive, port 8147", False),
        ("Remember that glaze archive port = 8147", True),
        ("The glaze Postgres listens on 8148", False),
        ("The kiln Postgres listens on 8147", False),
        ("Port of the kiln archive: 8147", False),
        ("We use port 8147 for the kiln archive", False),
        ("We use port 8147 for the glaze printer", False),
        ("The glaze archive no longer uses port 8147", False),
        ("Since the flood the glaze machine of Imani listens on 8147", False),
    ],
)
def test_a_group_knows_what_tells_the_same_though_it_hardly_resembles_one(text: str, is_told: bool) -> None:
    assert told(text, GROUP, 0.7) == (list(GROUP) if is_told else [])


@every(
    "one, other, further",
    [
        (
            "The clay tasting is on Friday at 11",
            "We hold the clay tasting on Fridays at 11",
            "The clay tasting on Friday at 11 is cancelled",
        ),
        ("Imani runs the glaze club", "The glaze club is run by Imani", "Imani declined to run the glaze club"),
        ("The kiln code is in /safe/kiln", "Kiln code: /safe/kiln", "The kiln code in /safe/kiln expired"),
        ("Kiln DB port is 8147", "The kiln Postgres answers on 8147", "The kiln router blocks 8147"),
        ("Kiln DB port is 8147", "The kiln Postgres answers on 8147", "The kiln spare database is on port 8147"),
        ("Imani teaches and rents at the mill", "At the mill Imani teaches and rents", "Imani rented at the mill"),
        ("Kiln port is 8147", "The kiln is on port 8147", f"The kiln is on port 8147 {'and so on ' * 40}"),
    ],
)
def test_what_has_a_word_that_none_of_a_group_has_does_not_join_it(one: str, other: str, further: str) -> None:
    assert told(further, [one, other], 0.95) == []


def test_far_vectors_and_a_single_text_know_nothing() -> None:
    assert told("The glaze DB runs on 8147", GROUP, 0.5) == []
    assert told("The glaze DB runs on 8147", GROUP[:1], 0.7) == []


def test_groups_that_a_further_wording_joins_are_one() -> None:
    one, other = ("Glaze archive port = 8147", "It is port 8147: glaze archive"), ("Port of the glaze archive: 8147",)
    texts = {text: Wording(text) for text in (*one, *other, "The kiln is new")}
    groups = [one, other, ["The kiln is new"]]
    found = with_further(Wording("Glaze archive: port 8147"), groups, texts, dict.fromkeys(texts, 0.9))
    assert sorted(found) == sorted((*one, *other))
