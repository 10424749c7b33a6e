"""Questions, callers' own slots, values and sources: what the rules make of them."""

from agentos.modules.truth.attributes import canonical_attribute, canonical_slot
from agentos.modules.truth.comparison import same_value
from agentos.modules.truth.lexicon import attributes, by_name, by_noun, names_in
from agentos.modules.truth.questions import asked_slot
from agentos.modules.truth.sources import LOW, OWN, trust_of
from agentos.modules.truth.subjects import canonical_subject, resolve_subject
from tests.tables import every


@every(
    ("query", "slot"),
    [
        ("Where does Dana work?", ("dana", "employer")), ("Dana's employer", ("dana", "employer")),
        ("Who is Priya's boss?", ("priya", "manager")), ("Where do I live?", ("user", "home")),
        ("What is my phone number?", ("user", "phone number")), ("Which editor do I use?", ("user", "editor")),
        ("Which port does the API listen on?", ("api", "port")), ("What's the port of the API?", ("api", "port")),
        ("Where does billing-api store its data?", ("billing-api", "database")),
        ("Who leads Project Atlas?", ("atlas", "lead")),
        ("When is Project Atlas due?", ("atlas", "deadline")),
        ("What does Sam drive?", ("sam", "car")), ("How old is Leo?", ("leo", "age")),
        ("What is Tom allergic to?", ("tom", "allergy")),
        ("What is my favourite colour?", ("user", "favourite colour")),
        ("When is the standup?", ("project", "standup time")),
        ("Which licence does Project Atlas have?", ("atlas", "license")),
    ],
)  # fmt: skip
def test_a_question_asks_for_a_slot(query: str, slot: tuple[str, str]) -> None:
    found = asked_slot(query)
    assert found is not None and (found.subject, found.attribute) == slot


@every("query", ["", "hello", "asdf qwer", "what happened yesterday?", "why?", "x" * 500])
def test_other_queries_ask_for_none(query: str) -> None:
    assert asked_slot(query) is None


@every(
    ("given", "slot"),
    [
        (("Dana", "job title"), ("dana", "job")), (("The user", "Boss"), ("user", "manager")),
        (("I", "city"), ("user", "home")), (("the billing service", "DB"), ("billing", "database")),
        (("we", "issue tracker"), ("project", "issue tracker")), (("Tom", "work phone"), ("tom", "work phone number")),
        (("Project Atlas", "due date"), ("atlas", "deadline")),
        (("Tom", "Favorite Color"), ("tom", "favourite colour")),
    ],
)  # fmt: skip
def test_what_a_caller_gives_meets_what_the_rules_find(given: tuple[str, str], slot: tuple[str, str]) -> None:
    assert canonical_slot(*given) == slot


@every("query", ["Which AI model do I use?", "Which CI system do we use?"])
def test_what_i_use_is_asked_of_me_whatever_stands_before_it(query: str) -> None:
    found = asked_slot(query)
    assert found is None or found.subject in ("user", "project")


def test_of_two_questions_in_one_the_first_is_read() -> None:
    asked = asked_slot("Which database does Helios use and do we pay for it?")
    assert asked is not None and (asked.subject, asked.attribute) == ("helios", "database")


def test_canonical_forms_stay_as_they_are() -> None:
    for attribute in attributes():
        assert canonical_attribute(attribute.name) == attribute.name
    for subject in ("user", "project", "maria silva", "atlas", "user's sister", "billing"):
        assert canonical_subject(subject) == subject


def test_a_general_noun_with_words_before_it_is_its_own_attribute() -> None:
    assert canonical_attribute("lucky number") == "lucky number"
    assert canonical_attribute("work number") == "work phone number"
    assert canonical_attribute("primary hobby") == canonical_attribute("main hobby") == "main hobby"


def test_questions_may_be_typed_without_capitals() -> None:
    asked = asked_slot("where does dana work")
    assert asked is not None and (asked.subject, asked.attribute) == ("dana", "employer")


def test_every_noun_of_the_lexicon_leads_to_an_attribute() -> None:
    assert len(by_name()) > 120
    for noun, (attribute, name) in by_noun().items():
        assert noun == noun.lower() and attribute.name in by_name() and name


def test_a_first_name_stands_for_the_only_full_name() -> None:
    assert resolve_subject("maria", ["maria silva", "tom"]) == "maria silva"
    assert resolve_subject("maria", ["maria silva", "maria costa"]) == "maria"
    assert resolve_subject("maria", ["maria", "maria silva"]) == "maria"
    assert resolve_subject("maria silva", ["maria"]) == "maria silva"
    assert resolve_subject("user", ["user story"]) == "user"


@every(
    ("one", "other"),
    [
        ("Lisbon", "lisbon"), ("the Boardroom", "Boardroom"), ("1,050", "1050"), ("50,000 euros", "€50k"),
        ("3 June", "June 3rd"), ("2026-06-03", "3 June 2026"), ("9 am", "9:00"), ("3pm", "15:00"),
        ("PostgreSQL", "Postgres"), ("two", "2"), ("45 seconds", "45s"), ("+351 912 345 678", "+351912345678"),
        ("Karl", "Karl Meier"), ("Lisbon", "Lisbon, Portugal"), ("an email", "e-mail"), ("v2.3.1", "2.3.1"),
    ],
)  # fmt: skip
def test_values_are_the_same_in_other_words(one: str, other: str) -> None:
    assert same_value(one, other) and same_value(other, one)


@every(
    ("one", "other"),
    [
        ("Lisbon", "Porto"), ("14", "14.2"), ("3 June", "4 June"), ("9 am", "9 pm"), ("2.3.1", "2.3.10"),
        ("Maria Silva", "Maria Costa"), ("Postgres 14", "Postgres 16"), ("50 euros", "50 dollars"), ("tabs", "spaces"),
        ("engineer", "senior engineer"), ("10", "10 000"),
    ],
)  # fmt: skip
def test_other_values_are_not(one: str, other: str) -> None:
    assert not same_value(one, other) and not same_value(other, one)


def test_names_that_mean_something_else_count_with_a_capital_only() -> None:
    assert [one.text for one in names_in("we go to the arc with postgres and Go")] == ["postgres", "Go"]
    assert not [one for one in names_in("Ana met a bear") if "airline" in one.lists]


@every(
    "source",
    ["web", "https://example.org/x", "email", "email:ann@b.example", "document", "imported", "tool_output"],
)
def test_what_was_written_elsewhere_is_trusted_little(source: str) -> None:
    assert trust_of(source) == LOW


@every("source", ["", "claude", "agent-7", "me", "conversation"])
def test_agents_and_humans_are_trusted(source: str) -> None:
    assert trust_of(source) == OWN


def test_trust_can_be_set() -> None:
    assert trust_of("web", {"web": 0.9}) == 0.9
    assert trust_of("claude", {"Claude": 0.2}) == 0.2
    assert trust_of("email:x", {"email": 7}) == 1.0
