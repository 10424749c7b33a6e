"""Which sentences of a conversation are facts, what text they become, and which facts have no evidence."""

from dataclasses import replace
from datetime import UTC, datetime

from agentos.modules.extraction import asking
from agentos.modules.extraction.evidence import problem
from agentos.modules.extraction.models import About, ExtractedFact, FactType, Method, SpokenTurn
from agentos.modules.extraction.sentences import facts_in
from agentos.modules.extraction.third_person import in_third_person
from tests.tables import every

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


def turn(text: str, role: str = "user", speaker: str | None = None, memory_id: str = "mem_1") -> SpokenTurn:
    return SpokenTurn(memory_id, "ada", role, speaker, text, NOW)


def texts(text: str, role: str = "user", speaker: str | None = None) -> list[str]:
    return [fact.text for fact in facts_in(turn(text, role, speaker))]


@every(
    ("text", "type_", "expected"),
    [
        ("My name is Dana.", "identity", "The user's name is Dana."),
        ("I'm a nurse from Leeds", "identity", "The user is a nurse from Leeds."),
        ("I was born in 1990 in Oslo", "identity", "The user was born in 1990 in Oslo."),
        ("I prefer short answers", "preference", "The user prefers short answers."),
        ("My favourite colour is green!", "preference", "The user's favourite colour is green."),
        ("Honestly, I don't like mushrooms.", "preference", "The user does not like mushrooms."),
        ("I'm a huge fan of jazz", "preference", "The user is a huge fan of jazz."),
        ("I live in Porto and work at Initech.", "state", "The user lives in Porto and works at Initech."),
        ("I have a dog named Rex", "state", "The user has a dog named Rex."),
        ("My sister Ana is a doctor.", "state", "The user's sister Ana is a doctor."),
        ("I run Arch Linux on my laptop", "state", "The user runs Arch Linux on their laptop."),
        ("I just signed up for a pottery class.", "event", "The user just signed up for a pottery class."),
        (
            "Last week I went to a concert in Rome - it was great!",
            "event",
            "Last week the user went to a concert in Rome.",
        ),
        ("We decided to use Postgres for billing.", "event", "The team decided to use Postgres for billing."),
        ("We switched from Jira to Linear", "event", "The team switched from Jira to Linear."),
        ("Please remember that my passport number is 123-456.", "identity", "The user's passport number is 123-456."),
        ("The staging database runs MySQL 8.", "state", "The staging database runs MySQL 8."),
        ("Our CI runs on Buildkite.", "state", "The team's CI runs on Buildkite."),
        ("We use pnpm, not npm, for everything.", "state", "The team uses pnpm, not npm, for everything."),
        ("For the record, invoices are in Swiss francs.", "state", "Invoices are in Swiss francs."),
        ("Maria's email is now m@example.org.", "state", "Maria's email is now m@example.org."),
    ],
)
def test_a_planted_fact_is_found_in_a_text_that_stands_by_itself(text: str, type_: str, expected: str) -> None:
    [fact] = facts_in(turn(text))
    assert (fact.type, fact.text, fact.about) == (type_, expected, About.USER)
    assert fact.evidence == ("mem_1",) and problem(fact, [turn(text)]) is None


@every(
    "text",
    [
        "Paris is the capital of France.",
        "Water boils at 100 degrees.",
        "Tim Cook is the CEO of Apple",
        "Where do I live?",
        "Do you know where I work",
        "If I lived in Rome I would eat pasta.",
        "I might move to Berlin",
        "Maybe I should buy a car",
        'I read "we should use Go for all of it" in a post',
        "Bob told me that I live in Berlin",
        "Fix the bug in parser.py",
        "Remember to buy milk",
        "Can you fix the bug?",
        "Thanks, I appreciate your help!",
        "I'm so happy for you",
        "I think it is fine",
        "I love that!",
        "I went there yesterday",
        "I bought it last week",
        "Imagine I own a boat.",
        "The capital of Australia is Canberra.",
        "I opened the log and scrolled to the end.",
        "We have a problem with the login page.",
        "My guess is a race condition.",
        "```\nI live in Rome\n```",
        "> I live in Rome",
    ],
)
def test_general_knowledge_questions_hypotheticals_and_small_talk_are_skipped(text: str) -> None:
    assert texts(text) == []


def test_what_stands_beside_a_quotation_is_read() -> None:
    assert texts("> I live in Rome\nI own a sailing boat\n```\nI live in Oslo\n```\nMy wife loves tennis") == [
        "The user owns a sailing boat.",
        "The user's wife loves tennis.",
    ]


def test_a_named_speaker_is_named() -> None:
    assert texts("I moved to Lisbon with my kids", speaker="Maria") == ["Maria moved to Lisbon with their kids."]
    assert texts("My wife loves tennis", speaker="James") == ["James's wife loves tennis."]


def test_an_event_happened_when_its_sentence_says_and_a_plan_is_marked() -> None:
    [past] = facts_in(turn("I bought a car yesterday"))
    assert (past.occurred_at, past.mentioned_at) == (datetime(2026, 3, 1, tzinfo=UTC), NOW)
    [ahead] = facts_in(turn("I'm going to Rome next week"))
    assert ahead.planned and ahead.metadata["planned"] is True


def test_of_the_assistant_only_what_it_did_itself_is_kept() -> None:
    text = "I've updated the config to use port 9090. You live in Porto. Paris is big. I think it is fine."
    assert texts(text, "assistant") == ["The assistant has updated the config to use port 9090."]
    assert texts("I live in Porto", "tool") == [] and texts("I live in Porto", "system") == []


def fact(text: str, **changes: object) -> ExtractedFact:
    made = ExtractedFact(FactType.STATE, About.USER, text, NOW, NOW, ("mem_1",), 0.2, method=Method.LLM)
    return replace(made, **changes)  # type: ignore[arg-type]


@every(
    ("text", "why"),
    [
        ("The user has 3 kids.", "the number 3 was not said"),
        ("The user has five kids.", "the number 5 was not said"),
        ("The user has two kids and pays 1,200 euros.", "the number 1200 was not said"),
        ("The user has two kids with Maria.", "the name Maria was not said"),
        ("The user has two kids since Monday.", "the name Monday was not said"),
        ("The user has two kids since last summer.", "the date word last was not said"),
        ("The user enjoys gardening, opera and expensive cars.", "it is not what was said"),
    ],
)
def test_what_was_invented_is_rejected(text: str, why: str) -> None:
    assert problem(fact(text), [turn("I have two kids and live in Porto")]) == why


@every("name", ["Maria", "Will", "O'Brien"])
def test_a_name_that_begins_a_sentence_must_have_been_said(name: str) -> None:
    text = f"{name} moved to Lisbon with kids and dog."
    statement = "I moved to Lisbon with my kids and my dog."
    assert problem(fact(text), [turn(statement)]) == f"the name {name} was not said"
    assert problem(fact(f"Lisbon is home. {text}"), [turn(statement)]) == f"the name {name} was not said"
    assert problem(fact(text), [turn(statement, speaker=name)]) is None
    assert problem(fact(text), [turn(f"{statement} {name} came too.")]) is None


@every(
    "begins", ["The user", "User", "They", "They've", "She", "Recently they", "Since then they", "Two kids and they"]
)
def test_a_common_word_that_begins_a_sentence_is_no_name(begins: str) -> None:
    turns = [turn("I moved to Lisbon with my two kids and my dog.")]
    assert problem(fact(f"{begins} moved to Lisbon with their dog."), turns) is None


def test_what_was_said_passes_whether_in_digits_or_words() -> None:
    turns = [turn("I have two kids, and pay 1200 euros of rent in Porto since the 3rd of May")]
    for text in (
        "The user has 2 kids.",
        "The user pays 1,200 euros of rent.",
        "The user lives... pays rent in Porto since May 3.",
    ):
        assert problem(fact(text), turns) is None, text


def test_a_fact_about_the_user_needs_a_turn_of_the_user() -> None:
    turns = [turn("You have two kids", "assistant")]
    assert problem(fact("The user has two kids."), turns) == "no turn of the user states it"
    assert problem(fact("The user has two kids.", evidence=("mem_9",)), [turn("I have two kids")]) is not None


def test_the_answer_of_a_language_model_is_read_line_by_line() -> None:
    turns = [turn("I have two kids", memory_id="mem_a"), turn("Nice", "assistant", memory_id="mem_b")]
    answer = (
        '```json\n{"type": "state", "text": "The user has two kids.", "turns": [1, 2, 9]}\n'
        '{"type": "opinion", "text": "x", "turns": [1]}\nnonsense\n{"type": "state", "text": "x", "turns": []}\n```'
    )
    found = asking.facts_of(answer, turns)
    assert found is not None
    [one] = found
    assert (one.text, one.evidence, one.method) == ("The user has two kids.", ("mem_a", "mem_b"), Method.LLM)
    assert asking.facts_of("I cannot help with that.", turns) is None, "not a list of facts"
    assert asking.facts_of("", turns) == [], "an empty list: nothing to record"


@every(
    ("sentence", "expected"),
    [
        ("I study and watch films", "Dana studies and watches films"),
        ("I have never been to my office", "Dana has never been to their office"),
        ("I do not eat meat", "Dana does not eat meat"),
        ("I do physical therapy", "Dana does physical therapy"),
        ("I do love films", "Dana does love films"),
        ("Our office is in Porto", "Dana and others' office is in Porto"),
        ("Our team meets on Mondays", "The team meets on Mondays"),
    ],
)
def test_the_first_person_becomes_the_third(sentence: str, expected: str) -> None:
    assert in_third_person(sentence, "Dana", "Dana and others") == expected
