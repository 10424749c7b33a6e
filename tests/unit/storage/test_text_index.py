"""User text is never syntax: any text is looked for by its words, and nothing in it fails."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentos.modules.memory.words import MAX_TERMS, terms, tokens
from agentos.storage.engine import text_ranking
from agentos.storage.engine.stemming import LONGEST_WORD, Stemmer
from tests.tables import every

STEMMER = Stemmer()
[INDEXED] = STEMMER.stems([" ".join(tokens("the deploy of résumé.py failed near NOT AND OR; drop table"))])


def found(query: str) -> bool:
    return not set(INDEXED).isdisjoint(stem for of_word in STEMMER.stems(terms(query)) for stem in of_word)


@given(st.text(alphabet=st.characters(exclude_characters="\x00"), max_size=200))
def test_any_text_is_a_valid_query(query: str) -> None:
    found(query)


@given(st.text(alphabet="\"'()*:^-+{}[]~@#AND OR NOT NEAR/5 deploy", max_size=60))
def test_operators_are_words(query: str) -> None:
    found(query)


@every(
    "query",
    ['"', "deploy OR", "NEAR(deploy failed", "content: deploy", "dep* -failed", "'; DROP TABLE t; --", "^deploy"],
)
def test_hostile_text_is_searched_for_as_words(query: str) -> None:
    assert found(f"deploy {query}")


@every("query", ["", "   ", "!?…", '"""', "_", "\u200d"])
def test_text_without_words_matches_nothing(query: str) -> None:
    assert not found(query)


def test_stop_words_do_not_count_unless_there_is_nothing_else() -> None:
    assert terms("what was the deploy") == ["deploy"]
    assert terms("was the") == ["was", "the"]


def test_a_long_text_is_cut_to_its_longest_words() -> None:
    words = terms(" ".join(["ab" + str(n) for n in range(500)] + ["extraordinarily"]))
    assert len(words) == MAX_TERMS
    assert "extraordinarily" in words


def test_in_a_large_store_the_rarest_words_are_searched_for_while_they_match_few() -> None:
    many = text_ranking.MAX_MATCHES
    assert text_ranking.rarest([("the", many), ("rare", 1), ("some", 20), ("ticket", many)]) == ["rare", "some", "the"]
    assert text_ranking.rarest([("a", 5), ("b", 6), ("c", 7), ("d", 8)]) == ["a", "b", "c", "d"]
    assert text_ranking.rarest([(word, many) for word in "abcde"]) == ["a", "b", "c"]


def test_the_expression_is_the_same_each_time() -> None:
    words = " ".join(f"w{n}" for n in range(200))
    assert terms(words) == terms(words)


@every("query", ["résumé", "resume", "RÉSUMÉ", "re\u0301sume\u0301"])
def test_accents_and_case_do_not_matter_however_they_are_encoded(query: str) -> None:
    assert found(query)


def test_a_text_that_cannot_be_read_is_not_in_the_way_of_the_next() -> None:
    with pytest.raises(UnicodeEncodeError):
        STEMMER.stems(["fine", "\ud800"])
    assert STEMMER.stems(["a" + "क" * 20_000, "walks"]) == [["a" + "क" * (LONGEST_WORD - 1)], ["walk"]]
