from agentos.modules.memory import supersession_chance
from agentos.modules.memory.supersession_chance import features, judges
from tests.tables import every

MODEL = supersession_chance.bundled()
SURE, UNSURE = 0.97, 0.2


@every(
    ("older", "newer", "cosine", "opinion", "is_asked", "is_labelled"),
    [
        ("The pallets go to dock 7.", "The pallets go to dock 9.", 0.94, SURE, True, True),
        ("The pallets go to dock 7.", "We sold the forklift.", 0.2, UNSURE, False, False),
        ("Die Hütte kostet 80 Euro.", "Die Hütte kostet 95 Euro.", 0.95, None, True, False),
        ("Die Hütte kostet 80 Euro.", "Der Ofen zieht schlecht.", 0.3, None, False, False),
    ],
)
def test_a_pair_is_asked_about_or_labelled_by_what_the_model_and_the_texts_say(
    older, newer, cosine, opinion, is_asked, is_labelled
):
    chance = MODEL.chance(older, newer, cosine, opinion)

    assert 0 < chance < 1
    assert (chance >= MODEL.asked) == is_asked
    assert MODEL.labels(chance, opinion) == is_labelled


def test_another_key_in_the_same_sentence_is_less_likely_to_replace_than_another_value():
    older = "MAX_POOL_SIZE is read at startup and defaults to 10."
    key, value = older.replace("MAX_POOL_SIZE", "IDLE_TIMEOUT_MS"), older.replace("10", "25")

    assert MODEL.chance(older, key, 0.8, 0.8) < MODEL.chance(older, value, 0.8, 0.8)


def test_features_are_within_bounds_for_any_text():
    for older, newer in (("", ""), ("a", ""), ("價格三十元", "價格四十元"), ("x " * 5_000, "y " * 5_000)):
        known = features(older, newer, 0.5, 1.0)
        assert all(-7 <= value <= 7 for value in known.values())


def test_the_opinion_of_a_text_counts_where_its_words_are_whole_pieces():
    pieces = {"the": 1, "lease": 1, "ends": 1, "in": 1, "der": 1, "endet": 2, "im": 1, "vertrag": 3, "договор": 5}

    assert judges("The lease ends in May", lambda word: pieces[word])
    assert not judges("der vertrag endet im Mai", lambda word: pieces[word])
    assert not judges("договор", lambda word: pieces[word])
    assert judges("IDLE_TIMEOUT_MS = 30", lambda word: 9)
