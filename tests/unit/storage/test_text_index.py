"""User text is never syntax: any text makes a valid expression for a real FTS5 index."""

import sqlite3

from hypothesis import given
from hypothesis import strategies as st

from agentos.modules.memory.words import MAX_TERMS, terms, tokens
from agentos.storage.sqlite import text_index
from tests.tables import every

INDEX = sqlite3.connect(":memory:", check_same_thread=False)
INDEX.execute("CREATE VIRTUAL TABLE t USING fts5 (content, tokenize = 'porter ascii')")
INDEX.execute(
    "INSERT INTO t VALUES (?)", (" ".join(tokens("the deploy of résumé.py failed near NOT AND OR; drop table")),)
)


def found(query: str) -> bool:
    words = terms(query)
    expression = text_index.expression(words)
    return bool(words) and bool(INDEX.execute("SELECT 1 FROM t WHERE t MATCH ?", (expression,)).fetchall())


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
    assert text_index.expression(["was", "the"]) == '"was" OR "the"'


def test_a_long_text_is_cut_to_its_longest_words() -> None:
    words = terms(" ".join(["ab" + str(n) for n in range(500)] + ["extraordinarily"]))
    assert len(words) == MAX_TERMS
    assert "extraordinarily" in words


def test_in_a_large_store_the_rarest_words_are_searched_for_while_they_match_few() -> None:
    many = text_index.MAX_MATCHES
    assert text_index.rarest([("the", many), ("rare", 1), ("some", 20), ("ticket", many)]) == ["rare", "some", "the"]
    assert text_index.rarest([("a", 5), ("b", 6), ("c", 7), ("d", 8)]) == ["a", "b", "c", "d"]
    assert text_index.rarest([(word, many) for word in "abcde"]) == ["a", "b", "c"]


def test_the_expression_is_the_same_each_time() -> None:
    words = " ".join(f"w{n}" for n in range(200))
    assert terms(words) == terms(words)


@every("query", ["résumé", "resume", "RÉSUMÉ", "re\u0301sume\u0301"])
def test_accents_and_case_do_not_matter_however_they_are_encoded(query: str) -> None:
    assert found(query)


def expressions(*frequencies: tuple[str, int], matching: int = 1_000, wanted: int = 100) -> list[str]:
    """What is looked for where every conjunction matches so many memories."""
    plan = text_index.plan(frequencies)
    return plan.expressions(dict.fromkeys(plan.conjunctions, matching), wanted)


def test_in_a_large_store_common_words_must_meet_before_they_are_asked_for_alone() -> None:
    many = text_index.MAX_MATCHES + 1
    assert expressions() == []
    assert expressions(("rare", 2), ("some", 20)) == ['"rare" OR "some"']
    assert expressions(("ticket", many)) == ['"ticket"']
    assert expressions(("ticket", many), ("rare", 2), ("team", many)) == [
        '"rare" OR ("ticket" AND "team")', '"rare" OR "ticket" OR "team"'
    ]  # fmt: skip
    together, narrow, wide = expressions(*((word, many) for word in "abcde"))
    assert together == '("a" AND "b" AND "c" AND "d" AND "e")'
    assert narrow == '("a" AND "b") OR ("a" AND "c") OR ("b" AND "c")'
    assert wide == '"a" OR "b" OR "c"'
    for expression in (together, narrow, wide):
        INDEX.execute("SELECT 1 FROM t WHERE t MATCH ?", (expression,)).fetchall()


def test_what_cannot_give_enough_is_not_asked_for_and_of_the_pairs_only_few_matches_are_scored() -> None:
    many = text_index.MAX_MATCHES + 1
    plan = text_index.plan([(word, many) for word in "abc"])
    together, ab, ac, bc = plan.conjunctions
    counts = {together: 5, ab: 700, ac: 40, bc: many}
    assert plan.expressions(counts, 100) == [f"{ac} OR {ab}", '"a" OR "b" OR "c"']
    assert plan.expressions(counts, 5)[0] == together
    assert plan.expressions({**counts, ab: 30, bc: 20}, 100) == ['"a" OR "b" OR "c"']
    assert plan.expressions({together: 5, ab: many, ac: many, bc: many}, 100)[0] == ab
