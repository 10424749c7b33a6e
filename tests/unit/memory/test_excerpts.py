"""What is shown of a long content."""

from agentos.modules.memory.excerpts import MAX_CHARS, best_excerpt, excerpt

FILLER = "nothing of interest happens here at all. "


def shown(content: str, words: list[str], passage: tuple[int, int] | None = None) -> str:
    found = excerpt(content, words, passage)
    assert found is not None
    assert 0 < found[1] - found[0] <= MAX_CHARS
    return content[slice(*found)]


def test_a_short_content_needs_none() -> None:
    assert excerpt("short", ["short"], None) is None
    assert excerpt("x" * MAX_CHARS, [], None) is None


def test_it_holds_the_most_of_the_words() -> None:
    content = "the budget. " + FILLER * 40 + "Maria was running the budget in Berlin. " + FILLER * 40 + "in Berlin"
    for words in (["budget", "Berlin"], ["Runs", "BERLIN"], ["maria"]):
        assert "Maria was running the budget in Berlin." in shown(content, words)
    assert shown(content, ["absent"]).startswith("the budget.")
    assert "in Berlin" in shown(content, ["berlin", "berlin"])


def test_it_stays_within_the_passage_that_was_found() -> None:
    content = "budget " + FILLER * 200
    begin, end = best_excerpt(content, ["budget"], (1_000, 1_900))
    assert (begin, end) == (1_000, 1_900)
    begin, end = best_excerpt(content, ["budget"], (1_000, 4_000))
    assert 1_000 <= begin < end <= 4_000


def test_a_content_that_was_shortened_meanwhile_is_shown_from_its_beginning() -> None:
    assert excerpt("short", ["short"], (1_000, 2_500)) is None
    assert shown("zebra " * 500, ["absent"], (2_000, 4_000)).startswith("zebra")


def test_it_begins_with_a_word_and_ends_within_the_content() -> None:
    content = FILLER * 100 + "the last word is zebra"
    found = shown(content, ["zebra"])
    assert found.endswith("zebra")
    assert content[content.index(found) - 1] == " "


def test_a_word_of_thousands_of_characters_and_many_repetitions_are_no_trouble() -> None:
    assert len(shown("x" * 50_000, ["xxxxx"])) == MAX_CHARS
    assert len(shown("word " * 50_000, ["word", "other"])) <= MAX_CHARS


def test_it_is_where_the_words_stand_closest_together() -> None:
    content = "the code for the building. " + FILLER * 5 + "The alarm code of the building is 7781. " + FILLER * 5
    begin, end = best_excerpt(content, ["alarm", "code", "building"], max_chars=200)
    assert "The alarm code of the building is 7781." in content[begin:end]
