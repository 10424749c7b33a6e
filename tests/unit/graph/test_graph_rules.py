"""What the rules make of a text: names, forms, relations, aliases; and how labels are compared."""

from datetime import UTC, datetime
from typing import Any

from agentos.modules.graph.cues import between
from agentos.modules.graph.extraction import extract, node_type, relationship
from agentos.modules.graph.keys import key, outermost, phrases
from agentos.modules.graph.models import Text, Understood
from agentos.modules.graph.understanding import MAX_ENTITIES, understand
from agentos.modules.memory.exact_terms import exact_terms
from tests.tables import every

NOW = datetime(2024, 5, 1, tzinfo=UTC)


def understood(content: str, **more: Any) -> Understood:
    return understand(Text(1, "mem", 1, content, NOW, **more), exact_terms)


def named(content: str, **more: Any) -> dict[str, str]:
    return {each.label: str(each.type) for each in understood(content, **more).entities}


def stated(content: str, **more: Any) -> set[tuple[str, str, str, bool]]:
    return {(e.subject.label, e.type, e.object.label, e.holds) for e in understood(content, **more).relations}


@every(
    ("content", "expected"),
    [
        ("Maria Silva from Acme Corp called", {"Maria Silva": "person", "Acme Corp": "organization"}),
        ("Yesterday Maria met Łukasz Żółć in Kraków", {"Maria": "person", "Łukasz Żółć": "person", "Kraków": "name"}),
        ("Мария Иванова живёт в Москве", {"Мария Иванова": "name", "Москве": "name"}),
        ("The Bank of America bought it", {"Bank of America": "organization"}),
        ("Ana visited the University of Porto", {"Ana": "person", "University of Porto": "organization"}),
        ("We moved to postgres and GitHub Actions", {"postgres": "product", "GitHub Actions": "product"}),
        ("Dr. Okafor lives at Baker Street", {"Okafor": "person", "Baker Street": "place"}),
        ("Aww John, that is sweet", {"John": "person"}),
        ("Mel and Tim went to the UK", {"Mel": "name", "Tim": "person", "UK": "name"}),
        ("Maria's 18th birthday was in May", {"Maria": "person"}),
    ],
)
def test_names_are_found_by_their_capitals(content: str, expected: dict[str, str]) -> None:
    assert named(content) == expected


@every(
    "content",
    [
        "Deployment is broken since Monday.",
        "The Database was down. It Was Never Up.",
        "Never deploy on Fridays. Always run the tests before April.",
        "Nice work! Go for it. Don't stop. I'm sure that I'll do it.",
        "Weekly Status Report",
        "WE MUST NEVER DO THIS AGAIN",
        "a vivid sketch of how people react",
        "TODO: the API returns JSON, see README",
        "Running the job takes long. Quickly done.",
        "",
        "   \n\t ",
        "🎉 !!!",
    ],
)
def test_what_only_looks_like_a_name_is_none(content: str) -> None:
    assert named(content) == {}


def test_a_word_that_has_a_capital_within_a_sentence_is_a_name_at_its_beginning_too() -> None:
    assert named("Zorblax sleeps.") == {}
    assert named("Zorblax sleeps. We wake Zorblax.") == {"Zorblax": "name"}


def test_forms_show_their_types() -> None:
    assert named("See https://example.com/a, src/app/models.py and max_pool_size; E1234, HTTP 503, TypeError") == {
        "https://example.com/a": "url", "src/app/models.py": "path", "max_pool_size": "identifier",
        "E1234": "error", "HTTP 503": "error", "TypeError": "error",
    }  # fmt: skip
    assert named("on 2024-05-01, May 3rd, 2024 and 4 June 2024, but not 2024-02-31") == {
        "2024-05-01": "date", "2024-05-03": "date", "2024-06-04": "date",
    }  # fmt: skip


def test_a_text_names_at_most_fifteen() -> None:
    content = " and ".join(f"name_{number}_x" for number in range(40)) + ". Maria works at Acme."
    found = understood(content)
    assert len(found.entities) <= MAX_ENTITIES
    assert [each.label for each in found.entities[:2]] == ["Maria", "Acme"], "the ends of relations come first"


def test_a_huge_text_is_looked_at_in_part() -> None:
    assert named("x " * 5_000 + "we met Maria") == {}


@every(
    ("content", "expected"),
    [
        ("Maria works at Acme.", {("Maria", "works_at", "Acme", True)}),
        ("Maria no longer works at Acme.", {("Maria", "works_at", "Acme", False)}),
        ("Tom lives in Lisbon", {("Tom", "lives_at", "Lisbon", True)}),
        ("Ana studies at the University of Porto", {("Ana", "studies_at", "University of Porto", True)}),
        ("Tom moved to Lisbon", {("Tom", "lives_at", "Lisbon", True)}),
        ("Maria left Acme.", {("Maria", "works_at", "Acme", False)}),
        ("Maria now works at Globex.", {("Maria", "works_at", "Globex", True)}),
        ("Tom lives in a small flat", set()),
        ("Tom left Maria", set()),
        ("Xanti now works at Globex", {("Xanti", "works_at", "Globex", True)}),
        ("Atlas depends on RabbitMQ", {("Atlas", "depends_on", "RabbitMQ", True)}),
        ("RabbitMQ is required by Atlas", {("Atlas", "requires", "RabbitMQ", True)}),
        ("Atlas does not depend on RabbitMQ", {("Atlas", "depends_on", "RabbitMQ", False)}),
        ("Maria met Tom", set()),
        ("Maria's brother works at Acme", set()),
        ("Tom joined Maria", set()),
        ("K8s is short for Kubernetes", {("K8s", "alias_of", "Kubernetes", True)}),
        ("IBM, also known as Big Blue, hired Ana", {("Big Blue", "alias_of", "IBM", True)}),
        (
            "International Business Machines (IBM) grew",
            {("IBM", "alias_of", "International Business Machines", True)},
        ),
        ("Maria Silva (CEO) spoke", set()),
    ],
)
def test_relations_are_read_where_stated_plainly_or_not_at_all(
    content: str, expected: set[tuple[str, str, str, bool]]
) -> None:
    assert stated(content) == expected


def test_i_is_the_speaker_the_user_or_nobody() -> None:
    assert stated("Ana: I work at Initech now", speaker="Ana") == {("Ana", "works_at", "Initech", True)}
    assert stated("I work at Initech now", role="user") == {("user", "works_at", "Initech", True)}
    assert stated("I work at Initech now", role="assistant") == set()
    assert stated("Assistant: I work at Initech now", speaker="Assistant") == set()


def test_a_slot_is_read_before_the_text() -> None:
    slot = {"subject": "billing", "attribute": "uses", "value": "Postgres"}
    assert stated("billing runs on it these days", **slot) == {("billing", "uses", "Postgres", True)}
    denied = {"subject": "maria", "attribute": "employer", "value": "Acme", "polarity": False}
    assert stated("Maria left Acme", **denied) == {("Maria", "works_at", "Acme", False)}


@every(
    ("one", "other"),
    [
        ("Café de Flore", "cafe  DE flore"), ("Łukasz Żółć", "LUKASZ ZOLC"), ("Straße", "STRASSE"),
        ("Maria's", "maria"), ('"Acme".', "acme"), ("İstanbul", "istanbul"), ("Møller", "moller"),
    ],
)  # fmt: skip
def test_labels_are_compared_without_case_and_diacritics(one: str, other: str) -> None:
    assert key(one) == key(other) != ""


def test_scripts_without_diacritics_keep_their_signs() -> None:
    assert len({key("कि"), key("कु"), key("क")}) == 3
    assert key("东京") == "东京" and key("서울") == "서울"


def test_a_query_names_the_longest_that_is_there() -> None:
    assert {"maria silva", "maria", "silva", "where does maria"} <= set(phrases("Where does Maria Silva's cat live?"))
    assert outermost(["maria silva", "maria", "silva", "acme"]) == {"maria silva", "acme"}
    assert "src/app/models.py" in phrases("what is in src/app/models.py?")


def test_cues_have_a_direction_and_denials_tell_nothing() -> None:
    assert between(" blocks the ") == ("blocks", False)
    assert between(" is blocked by ") == ("blocks", True)
    assert between(" does not block ") is None
    assert between(" and ") is None


def test_thoughts_of_a_text_have_types() -> None:
    found = extract("The login bug blocks the release. The release needs Go experience.", "", NOW, exact_terms)
    assert [(e.subject.label, e.type, e.object.label) for e in reversed(found.relations)] == [
        ("login bug", "blocks", "release"), ("release", "requires", "Go experience"),
    ]  # fmt: skip
    assert {each.label: str(each.type) for each in found.entities} == {
        "login bug": "problem", "release": "goal", "Go experience": "skill",
    }  # fmt: skip
    learned = extract("We learned pagination from the outage.", "", NOW, exact_terms)
    assert [(e.subject.label, e.type, e.object.label) for e in learned.relations] == [
        ("pagination", "learned_from", "outage")
    ]
    assert node_type("fixing the login bug") == "task"


def test_a_relationship_is_read_in_either_direction() -> None:
    context = "By now the login page depends on the auth service."
    there, back = (
        relationship("login page", "auth service", context),
        relationship("auth service", "login page", context),
    )
    assert (there.type, there.weight, there.reverse, back.type, back.reverse) == (
        "depends_on", 0.7, False, "depends_on", True,
    )  # fmt: skip
    assert relationship("cat", "dog", "").type == "relates_to"
    assert relationship("a[b", "c)d", "a[b blocks c)d").type == "blocks"
