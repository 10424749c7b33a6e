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
        ("The glaze Postgres listens on 8147", True),
        ("Remember: glaze archive, port 8147", True),
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


def test_far_vectors_and_a_single_text_know_nothing() -> None:
    assert told("The glaze Postgres listens on 8147", GROUP, 0.5) == []
    assert told("The glaze Postgres listens on 8147", GROUP[:1], 0.7) == []


def test_groups_that_a_further_wording_joins_are_one() -> None:
    texts = {one: Wording(one) for one in (*GROUP, "The kiln is new")}
    groups = [GROUP[:2], GROUP[2:], ["The kiln is new"]]
    found = with_further(Wording("Glaze archive: port 8147"), groups, texts, dict.fromkeys(texts, 0.9))
    assert sorted(found) == sorted(GROUP)
