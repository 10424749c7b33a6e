from agentos.modules.context.stretches import best_stretch
from agentos.modules.context.tokens import estimate
from agentos.modules.memory.words import terms
from tests.tables import every

LATIN = "Guests of the reading room leave their coats on the rack. "
CHINESE = "阅览室的客人把外套挂在架子上，然后安静地坐下来看书。"


@every(
    ("around", "answer", "query"),
    [
        (LATIN, "The alarm code of the boathouse is 7781-K. ", "alarm code of the boathouse"),
        (CHINESE, "船屋的警报密码是7781。", "船屋的警报密码"),
    ],
)
def test_the_stretch_that_answers_fits_the_tokens_in_every_script(around: str, answer: str, query: str) -> None:
    stretch = best_stretch(12 * around + answer + 12 * around, terms(query), 100)
    assert "7781" in stretch and estimate(stretch) <= 100 and stretch.startswith("…") and stretch.endswith("…")


def test_a_text_that_fits_is_whole() -> None:
    assert best_stretch(LATIN, terms("coats"), 100) == LATIN
