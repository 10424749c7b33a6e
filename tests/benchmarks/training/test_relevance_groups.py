"""What the relevance model is trained with: a question, what answers it, and what does not."""

import random
from itertools import islice

from agentos.benchmarks.lifecycle.cases import wordings
from agentos.benchmarks.lifecycle.scenes import scenes
from agentos.training.relevance_groups import TEXTS, Groups
from agentos.training.scene_pairs import SCENES, WORLDS
from agentos.training.succession_pairs import properties_of
from agentos.training.train_relevance import TRAINED, labelled_scenes

OWN = [wordings(split) for split in TRAINED]
PROPERTIES = [one for own in OWN for one in properties_of(own)]
FOLDERS = [scenes(SCENES), scenes(WORLDS)]


def groups(seed: int) -> Groups:
    of = labelled_scenes(FOLDERS, held_back=False)
    return Groups(PROPERTIES, [[] for _ in PROPERTIES], OWN, of, [[] for _ in of], random.Random(seed))


def test_every_group_has_one_text_that_answers_and_others_that_do_not_say_the_same() -> None:
    for group in islice(groups(1), 2_000):
        assert group.question and len(group.texts) == TEXTS and all(group.texts), group
        assert "{" not in "".join((group.question, *group.texts)), group
    repeated = sum(group.texts[0] in group.texts[1:] for group in islice(groups(2), 2_000))
    assert repeated < 20


def test_the_same_chance_makes_the_same_groups() -> None:
    assert list(islice(groups(3), 50)) == list(islice(groups(3), 50))


def test_what_is_held_back_is_not_trained_with() -> None:
    trained, held_out = ({one for _, one in labelled_scenes(FOLDERS, held_back=which)} for which in (False, True))
    assert held_out and trained and not trained & held_out
    places = [place for place, _ in labelled_scenes(FOLDERS, held_back=False)]
    assert len(set(places)) > len(FOLDERS[0])  # each world is a place of its own, and so is each writer of scenes
