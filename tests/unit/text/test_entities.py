"""What a text names: by rules, without losing any and without taking every capital for a name."""

from agentos.modules.text.entities import KEY_LINE, compared, entities, key_line, missing, numbers
from agentos.modules.text.sentences import sentences
from tests.tables import every


@every(
    ("text", "named"),
    [
        ("I work at Acme Corp since March 3, 2024.", ["Acme Corp", "March 3, 2024"]),
        ("Great to hear! Don't forget Ada Lovelace's birthday on 10 December.", ["Ada Lovelace", "10 December"]),
        ("See src/app/models.py and DATABASE_URL.", ["src/app/models.py", "DATABASE_URL"]),
        ("It costs $1,200.50, or 12% less.", ["$1,200.50", "12%"]),
        ("We may go. The 18th of May 2023 was nice.", ["18th of May 2023"]),
        ("Thanks, Ben! I'm in Paris on Monday.", ["Ben", "Paris", "Monday"]),
        ("I read “Becoming Nicole” by Amy Ellis Nutt.", ["Becoming Nicole", "Amy Ellis Nutt"]),
        ("Run `make test` against v2.4.1 at 14:30.", ["make test", "v2.4.1", "14:30"]),
        ("Nothing is named here. What else? Well, no.", []),
        ("Ada: Hi there. Yes.", ["Ada"]),
        ("Ärzte aus Österreich kennen Émile.", ["Österreich", "Émile"]),
        ("", []),
    ],
)
def test_names_numbers_dates_and_identifiers_are_named(text: str, named: list[str]) -> None:
    assert list(entities([text]).values()) == named


def test_a_word_that_begins_a_sentence_is_a_name_where_it_is_one_elsewhere() -> None:
    assert "rex" not in entities(["Rex sleeps."])
    assert "rex" in entities(["Rex sleeps.", "My dog Rex is old."])


def test_a_line_of_entities_names_all_of_them() -> None:
    wanted = entities(["Ada paid $1,200.50 at Acme Corp on March 3, 2024 for src/app/models.py and `make test`."])
    line = key_line(wanted.values())
    assert line.startswith(KEY_LINE) and set(entities([line])) == set(wanted) and missing(wanted, line) == []
    assert key_line([]) == ""


@every(
    ("text", "wanted", "is_there"),
    [
        ("Ann is here", "ann", True),
        ("Anna is here", "ann", False),
        ("it costs 1,200", "200", False),
        ("it costs 12.5", "12", False),
        ("it costs 12.", "12", True),
        ("in models.py:12", "models.py", True),
        ("O’Brien", "o'brien", True),
    ],
)
def test_an_entity_is_there_only_as_a_whole(text: str, wanted: str, is_there: bool) -> None:
    assert (missing({wanted: wanted}, text) == []) is is_there


def test_sentences_end_where_sentences_do() -> None:
    assert sentences("Mr. Okafor plays Bach. No. 1 is nice! Is it?\n- yes") == [
        "Mr. Okafor plays Bach.",
        "No. 1 is nice!",
        "Is it?",
        "- yes",
    ]
    assert [len(part) <= 1_500 for part in sentences("x" * 4_000)] == [True] * 3
    assert sentences(" \n ") == [] and compared("A  ’B") == "a 'b"


def test_numbers_are_compared_without_what_stands_around_them() -> None:
    assert numbers("1,200 and 3.5, at 14:30 on 2024-03-02.") == {"1200", "3.5", "14:30", "2024", "03", "02"}
