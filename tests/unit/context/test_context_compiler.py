"""What the compiler decides without a store: intents, sorts of statements, diversity, and who gets how much."""

import random

from agentos.modules.context.allotment import allot
from agentos.modules.context.diversity import diverse, similarities
from agentos.modules.context.intent import Intent, intent_of
from agentos.modules.context.task_state import Sort, is_decision, is_preference, sort_of, statements
from agentos.modules.memory.models import Kind
from tests.tables import every


@every(
    "query",
    [
        "Who did I meet in Lisbon?",
        "When was the last deploy?",
        "Did I tell you about my dentist?",
        "What was the port of the staging database?",
        "Do you remember the name of my dog?",
        "Remind me what we agreed on about the licence",
        "Where did Maria park the car?",
        "How long ago did we switch to Postgres?",
        "What did we decide last week?",
    ],
)
def test_a_question_about_the_past_is_recall(query: str) -> None:
    assert intent_of(query) is Intent.RECALL


@every(
    "query",
    [
        "Can you recommend a restaurant for tonight?",
        "What should I cook for dinner?",
        "Any suggestions for a weekend trip?",
        "Suggest a laptop for my work",
        "Should we use Redis or Memcached?",
        "What would you choose for the logging library?",
        "Help me pick a present for my sister",
        "Which films would I enjoy?",
        "I need some advice on pensions",
        "Plan a trip to Japan",
        "What would be a good framework for me to learn?",
    ],
)
def test_a_request_for_what_would_suit_is_advice(query: str) -> None:
    assert intent_of(query) is Intent.ADVICE


@every(
    "query",
    [
        "deploy the billing service",
        "Fix the failing test in parser.py",
        "Summarise this document",
        "the port of the staging database",
        "Write a function that adds two numbers",
        "Translate this into French",
    ],
)
def test_a_task_is_neither(query: str) -> None:
    assert intent_of(query) is Intent.OTHER


def test_a_recommendation_that_was_made_is_recalled() -> None:
    assert intent_of("What was the restaurant you recommended?") is Intent.RECALL


@every(
    ("statement", "sort"),
    [
        ("The billing service runs on Kubernetes in eu-west-1.", Sort.FACTS),
        ("Billing is owned by the payments team.", Sort.FACTS),
        ("Deploys must be approved by two people.", Sort.CONSTRAINTS),
        ("Never deploy on a Friday.", Sort.CONSTRAINTS),
        ("Releases need approval from the platform team.", Sort.CONSTRAINTS),
        ("Run make release, then push the tag.", Sort.ACTIONS),
        ("We need to rotate the certificates first.", Sort.ACTIONS),
        ("TODO: update the changelog", Sort.ACTIONS),
        ("Is the migration safe to run twice?", Sort.QUESTIONS),
        ("It is unclear whether the cache survives a restart.", Sort.QUESTIONS),
        ("The last deploy failed with exit code 137.", Sort.EVIDENCE),
        ("The logs show a timeout of the gateway.", Sort.EVIDENCE),
    ],
)
def test_a_statement_is_sorted_by_its_words(statement: str, sort: Sort) -> None:
    assert sort_of(statement) is sort


def test_what_a_memory_is_decides_where_its_words_say_nothing() -> None:
    plain = "The blue build pipeline"
    assert sort_of(plain, Kind.PROCEDURE) is Sort.ACTIONS
    assert sort_of(plain, Kind.RULE) is Sort.CONSTRAINTS
    assert sort_of(plain, Kind.OBSERVATION) is Sort.EVIDENCE
    assert sort_of("Is it done?", Kind.PROCEDURE) is Sort.QUESTIONS


def test_what_was_settled_is_a_decision() -> None:
    assert is_decision("We decided to keep Postgres.")
    assert is_decision("Decision: no feature flags")
    assert is_decision("The team agreed on two reviewers.")
    assert not is_decision("Postgres is a database.")


@every(
    "statement",
    [
        "The user prefers short answers with code.",
        "I am allergic to walnuts.",
        "My editor of choice is Helix.",
        "Ana can't stand loud places.",
        "Bob never eats meat.",
    ],
)
def test_what_somebody_likes_is_a_preference(statement: str) -> None:
    assert is_preference(statement)
    assert not is_preference("The gateway listens on port 7000.")


def test_a_text_is_read_by_sentences_and_lines_without_its_speaker() -> None:
    text = 'Maria: We run v2.3 of it. "Is that wise?" she asked.\n- the second line has no stop\nno'
    assert statements(text) == ["We run v2.3 of it.", '"Is that wise?"', "- the second line has no stop"]


def test_of_what_says_the_same_one_is_taken() -> None:
    alike = [[1.0, 0.99, 0.1, 0.0], [0.99, 1.0, 0.1, 0.0], [0.1, 0.1, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
    assert diverse([0.9, 0.89, 0.6, 0.1], alike, 2, 0.5) == [0, 2]
    assert diverse([0.9, 0.89, 0.6, 0.1], alike, 2, 1.0) == [0, 1]
    assert diverse([0.9, 0.89, 0.6, 0.1], alike, 9, 0.3) == [0, 2, 3], "what only repeats is not taken at all"
    assert diverse([0.5, 0.5], [[1.0, 0.0], [0.0, 1.0]], 5, 0.5) == [0, 1]
    assert diverse([], [], 5, 0.5) == []


def test_texts_without_vectors_are_alike_by_their_words() -> None:
    alike = similarities(["the deploys failed", "a deploy fails", "lunch at noon"], [None, None, None])
    assert alike[0][1] == 1.0 and alike[0][2] == 0.0 and alike[1][0] == 1.0


def test_shares_are_kept_and_what_is_not_used_flows_to_the_others() -> None:
    assert allot([[10] * 9, [10] * 9], [50, 50], 100) == [5, 5]
    assert allot([[10] * 20, []], [50, 50], 100) == [10, 0]
    assert allot([[10] * 20, [10]], [20, 80], 100) == [9, 1]
    assert allot([[10] * 20, [10] * 20], [20, 80], 100) == [2, 8]
    assert allot([[10], [10] * 20], [0, 80], 100) == [0, 10]
    assert allot([[10], [10] * 2], [0, 80], 100) == [1, 2]
    assert allot([[90], [90]], [50, 50], 100) in ([1, 0], [0, 1])
    assert allot([[5]], [10], 0) == [0]


@every("seed", range(200))
def test_an_allotment_never_costs_more_than_the_budget_and_leaves_no_room_for_a_next_entry(seed: int) -> None:
    chance = random.Random(seed)
    prices = [[chance.randint(1, 80) for _ in range(chance.randint(0, 12))] for _ in range(chance.randint(0, 7))]
    shares = [chance.choice([0, 3, 5, 20, 40]) for _ in prices]
    budget = chance.randint(0, 600)
    taken = allot(prices, [float(share) for share in shares], budget)
    spent = sum(sum(queue[:count]) for queue, count in zip(prices, taken, strict=True))
    assert spent <= budget
    waiting = [queue[count] for queue, count in zip(prices, taken, strict=True) if count < len(queue)]
    assert all(price > budget - spent for price in waiting)
