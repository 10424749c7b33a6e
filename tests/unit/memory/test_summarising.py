"""The summary of a memory says what the text is about, wherever in it that is said."""

from hypothesis import given
from hypothesis import strategies as st

from agentos.modules.memory.summarising import HEADLINE_CHARS, SUMMARY_CHARS, headline, summary
from tests.tables import every

CHAT = (
    "Thanks, that was a long call and I am rather tired now, sorry for the late answer and for all the noise. "
    "The payment gateway times out whenever the invoice service retries. "
    "My cat walked over the keyboard twice. "
    "We raised the timeout of the payment gateway to thirty seconds, and the invoice service retries only once now. "
    "See you tomorrow."
)
NOTE = (
    "# Deployment\n\n- Ask Maria for the window before anything else happens to the cluster that week.\n"
    "- Each deployment of the cluster runs on Tuesdays.\n- Lunch is at noon, as always, in the canteen upstairs.\n"
)
GERMAN = (
    "Guten Morgen zusammen, ich hoffe, ihr hattet alle ein schönes und erholsames Wochenende am See mit Sonne. "
    "Die Migration der Datenbank läuft am Freitag. Das Wetter war gut. "
    "Vor der Migration wird die Datenbank gesichert, und nach der Migration prüft Jana die Datenbank."
)
DECISION = (
    "Customers are billed on the first working day. Each invoice is sent as PDF by the mail worker of the branch. "
    "The PDF has the address of the branch office in Graz. Old invoices stay in the archive of the branch office for "
    "ten years, and the archive of the branch office is read-only."
)
SPANISH = (
    "Hola a todos, espero que tengan mucho ánimo esta semana de calor. Elegimos Redis para las sesiones de la tienda. "
    "Las sesiones caducan a las dos horas. Marta vigila el servidor y la memoria del servidor. "
    "El servidor está en Madrid y la memoria del servidor es de 16 GB, que basta para la tienda."
)
CJK = "今天天气很好。" * 30


@every(
    "content, present, absent",
    [
        (CHAT, ["payment gateway", "invoice service"], ["cat", "tired", "See you"]),
        (NOTE, ["Deployment: ", "runs on Tuesdays"], ["Lunch", "#"]),
        (GERMAN, ["Migration", "Datenbank"], ["Wetter", "Morgen"]),
        (DECISION, ["Customers are billed on the first working day."], []),
        (SPANISH, ["Elegimos Redis"], ["Hola"]),
        (CJK, ["今天天气很好。"], []),
        ("word " * 100, ["word word", "…"], []),
        ("x" * 500, ["xxx", "…"], []),
        ("Short.\n\nAnd whole.", ["Short. And whole."], ["…"]),
        ("---\n" * 100, ["---"], []),
    ],
)
def test_a_summary_says_what_the_text_is_about(content: str, present: list[str], absent: list[str]) -> None:
    text = summary(content)
    assert len(text) <= SUMMARY_CHARS
    assert all(part in text for part in present), text
    assert not any(part in text for part in absent), text


@given(st.text(max_size=1_500).filter(str.strip))
def test_a_summary_is_one_short_line(content: str) -> None:
    text = summary(content)
    assert 0 < len(text) <= SUMMARY_CHARS and len(text.splitlines()) == 1
    assert text == summary(content)


@every(
    ("content", "expected"),
    [
        ("one line", "one line"),
        ("\n\n  headline \nbody", "headline"),
        ("x" * 100, "x" * 100),
        ("x" * 101, "x" * 99 + "…"),
        ("first\r\nsecond", "first"),
    ],
)
def test_a_headline_is_the_first_line(content: str, expected: str) -> None:
    assert headline(content) == expected


def test_a_long_headline_is_cut_at_a_word() -> None:
    text = headline("word " * 50)
    assert len(text) <= 100
    assert text.endswith("word…")


@given(st.text(min_size=1, max_size=1000).filter(str.strip))
def test_a_headline_is_one_short_line_of_the_text(content: str) -> None:
    text = headline(content)
    assert 0 < len(text) <= HEADLINE_CHARS
    assert len(text.splitlines()) == 1
    assert text.removesuffix("…") in content
