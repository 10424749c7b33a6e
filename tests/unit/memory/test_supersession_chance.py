import json

from agentos.modules.memory import supersession_chance
from agentos.modules.memory.differences import differences
from agentos.modules.memory.supersession_chance import features, judges
from agentos.storage.embedding import adapter
from tests.tables import every

MODEL = supersession_chance.bundled()
SURE, UNSURE = 0.97, 0.2


@every(
    ("older", "newer", "cosine", "opinion", "is_asked"),
    [
        ("The pallets go to dock 7.", "The pallets go to dock 9.", 0.94, SURE, True),
        ("The pallets go to dock 7.", "We sold the forklift.", 0.2, UNSURE, False),
        ("Die Hütte kostet 80 Euro.", "Die Hütte kostet 95 Euro.", 0.95, None, True),
        ("Die Hütte kostet 80 Euro.", "Der Ofen zieht schlecht.", 0.3, None, False),
        ("Die Hütte kostet 80 Euro.", "Die Hütte hat einen Ofen.", 0.7, None, False),
        ("Die Hütte kostet 80 Euro.", "Das Zimmer im Gasthof kostet 40 Euro.", 0.7, None, False),
        ("La piscina abre a las ocho.", "La piscina abre ahora a las siete y media.", 0.9, None, True),
        ("La piscina abre a las ocho.", "La biblioteca abre a las siete.", 0.7, None, False),
        ("L'atelier est au sous-sol.", "L'atelier n'est plus au sous-sol mais au grenier.", 0.9, None, True),
        ("Зал открыт до девяти.", "Зал теперь открыт до десяти.", 0.9, None, True),
        ("図書館は九時に開く。", "図書館は十時に開く。", 0.95, None, True),
        ("図書館は九時に開く。", "図書館には駐車場がある。", 0.8, None, False),
        ("仓库三点关门。", "仓库五点关门。", 0.95, None, True),
    ],
)
def test_a_pair_is_asked_about_by_what_the_model_and_the_texts_say(older, newer, cosine, opinion, is_asked):
    chance = MODEL.chance(older, newer, cosine, opinion)

    assert 0 < chance < 1
    assert (chance >= MODEL.asked) == is_asked


def test_another_key_in_the_same_sentence_is_less_likely_to_replace_than_another_value():
    older = "MAX_POOL_SIZE is read at startup and defaults to 10."
    key, value = older.replace("MAX_POOL_SIZE", "IDLE_TIMEOUT_MS"), older.replace("10", "25")

    assert MODEL.chance(older, key, 0.8, 0.8) < MODEL.chance(older, value, 0.8, 0.8)


def test_features_are_within_bounds_for_any_text():
    for older, newer in (("", ""), ("a", ""), ("價格三十元", "價格四十元"), ("x " * 5_000, "y " * 5_000)):
        known = {**features(older, newer, 0.5, 1.0), **differences(older, newer, 0.5)}
        assert all(-7 <= value <= 7 for value in known.values())


def test_nothing_is_said_of_a_script_that_no_weights_were_fitted_to():
    assert MODEL.chance("الاجتماع في الساعة الثالثة.", "الاجتماع في الساعة الرابعة.", 0.95, None) == 0
    assert MODEL.chance("ประชุมบ่ายสามโมง", "ประชุมบ่ายสี่โมง", 0.95, None) == 0


@every(
    ("text", "is_judged"),
    [
        ("The lease ends in May.", True),
        ("IDLE_TIMEOUT_MS = 30", True),
        ("", True),
        ("Le bail se termine en mai.", False),
        ("El contrato termina en mayo.", False),
        ("Договор действует до мая.", False),
        ("合同五月到期。", False),
    ],
)
def test_the_pair_model_judges_english_alone(text, is_judged):
    assert judges(text) == is_judged


def test_the_weights_were_fitted_to_the_pair_model_that_comes_with_them():
    written = json.loads(supersession_chance.WEIGHTS.read_text(encoding="utf-8"))

    assert written["pair_model"].endswith(adapter.bundled(adapter.SUCCESSION_FILE).digest[:12])
