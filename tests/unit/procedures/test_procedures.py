"""What habits and lessons are made of: classes of turns by cues, and counts that are a function of the evidence."""

import itertools
import re
from collections.abc import Sequence

from agentos.features.procedures import cues, mining
from agentos.features.procedures.models import Action, Attempt, ProcedureEvidence, SessionMoment, ToolUse, Trigger
from tests.tables import every

ASKED = {
    Trigger.BUG_REPORT: (
        "The export crashes when the file is empty.",
        "Login is broken since the last release",
        "I get a 500 error on checkout",
        "The page doesn't load on Safari",
        "The mobile menu won't open anymore",
    ),
    Trigger.FEATURE_REQUEST: (
        "Please add a dark mode to the settings page",
        "It would be nice to have keyboard shortcuts",
        "We need a way to filter by date",
        "Can we get an API for bulk deletes?",
    ),
    Trigger.QUESTION: (
        "What does the scheduler do at midnight?",
        "Which database design do we use?",
        "Tell me how the retry logic works",
    ),
    Trigger.CODE_REVIEW: (
        "Please review my pull request",
        "Can you look over this diff?",
        "What do you think of my implementation?",
    ),
    Trigger.DEBUGGING: (
        "Why is the job failing at night?",
        "Let's track down the race condition",
        "I can reproduce it only under load, what is the root cause?",
    ),
    Trigger.PLANNING: (
        "How should we approach the rewrite?",
        "Break this down into smaller tasks",
        "What are the next steps for the launch?",
    ),
    Trigger.CLARIFICATION: (
        "What do you mean by idempotent?",
        "I meant the staging server, not production",
        "You misunderstood, I want it per user",
    ),
    Trigger.GENERAL: ("Thanks, that looks great", "We had lunch at the harbour.", "ok"),
}

ANSWERED = {
    "I wrote a regression test for the empty file.": {Action.WRITE_TEST},
    "I looked at src/export.py to see how rows are written.": {Action.READ_CODE},
    "I ran the test suite: 214 passed.": {Action.RUN_TESTS},
    "Done. Fixed the off-by-one in the pager.": {Action.FIX},
    "Implemented the CSV export.": {Action.IMPLEMENT},
    "I refactored the handler into its own module.": {Action.REFACTOR},
    "It works by hashing the key.": {Action.EXPLAIN},
    "Which browser do you use?": {Action.ASK_BACK},
    "I searched my memory for earlier decisions.": {Action.SEARCH_MEMORY},
    "Here is the plan for the dump.": {Action.PLAN_STEPS},
    "I updated the README.": {Action.DOCUMENT},
    "Committed and pushed.": {Action.SHIP},
    "Blue is a nice colour.": set(),
}


def conversation(session: str, *texts: str) -> list[SessionMoment]:
    """Turns of a session, the user and the assistant in turn; each with the id of its memory."""
    return [
        SessionMoment(session, "assistant" if number % 2 else "user", text, f"mem_{session}_{number}")
        for number, text in enumerate(texts)
    ]


def habit_of(moments: Sequence[SessionMoment], trigger: Trigger, action: Action) -> mining.Habit | None:
    found = mining.habits(ProcedureEvidence(tuple(moments), ()), cues.CueReader())
    return next((habit for habit in found if (habit.trigger, habit.action) == (trigger, action)), None)


@every(("trigger", "text"), [(trigger, text) for trigger, texts in ASKED.items() for text in texts])
def test_a_turn_is_known_by_what_it_asks_for(trigger: Trigger, text: str) -> None:
    assert cues.trigger_of(text) is trigger
    assert cues.trigger_of(text.upper()) is trigger


@every(("text", "actions"), ANSWERED.items())
def test_an_answer_is_known_by_what_it_did(text: str, actions: set[Action]) -> None:
    assert cues.actions_in(text) == actions


def test_there_are_seven_triggers_beside_the_general_one_and_every_action_has_cues() -> None:
    assert len(Trigger) == 8
    for action in Action:
        assert any(action in actions for actions in ANSWERED.values()), action


def test_what_is_quoted_is_not_said() -> None:
    log = "```\nTraceback: the build is broken\n```"
    assert cues.trigger_of(f"Please add a button for this:\n{log}") is Trigger.FEATURE_REQUEST
    assert cues.actions_in("> I ran the tests\nNice weather.") == frozenset()


def test_a_cue_within_a_word_is_none() -> None:
    assert cues.trigger_of("The ladybugs in the garden") is Trigger.GENERAL
    assert cues.trigger_of("The debugs-bugs") is Trigger.DEBUGGING


@every(
    ("use", "trigger", "actions"),
    [
        (
            ToolUse("Bash", "cd app && uv run pytest -q | tail -3"),
            Trigger.GENERAL,
            {Action.RUN_TESTS, Action.READ_CODE},
        ),
        (ToolUse("Bash", "git commit -m x; git push"), Trigger.GENERAL, {Action.SHIP}),
        (ToolUse("Bash", "lsof -i"), Trigger.GENERAL, set()),
        (ToolUse("Edit", files_modified=("src/a.py",)), Trigger.BUG_REPORT, {Action.FIX}),
        (ToolUse("Edit", files_modified=("src/a.py",)), Trigger.FEATURE_REQUEST, {Action.IMPLEMENT}),
        (ToolUse("Write", files_modified=("tests/test_a.py",)), Trigger.BUG_REPORT, {Action.WRITE_TEST}),
        (ToolUse("Write", files_modified=("src/a.test.ts",)), Trigger.BUG_REPORT, {Action.WRITE_TEST}),
        (ToolUse("Write", files_modified=("docs/a.md",)), Trigger.BUG_REPORT, {Action.DOCUMENT}),
        (ToolUse("Grep"), Trigger.GENERAL, {Action.READ_CODE}),
        (ToolUse("mcp__agentos__memory_search"), Trigger.QUESTION, {Action.SEARCH_MEMORY}),
        (ToolUse("WebFetch"), Trigger.GENERAL, set()),
    ],
)
def test_a_tool_is_known_by_what_it_does(use: ToolUse, trigger: Trigger, actions: set[Action]) -> None:
    assert cues.actions_of(use, trigger) == actions


BUG, TEST = "The export crashes.", "I wrote a regression test."


def test_a_habit_needs_four_turns_and_two_exchanges() -> None:
    once = conversation("a", BUG, TEST, "Thanks", "You are welcome")
    assert habit_of(once, Trigger.BUG_REPORT, Action.WRITE_TEST) is None
    three = [*conversation("a", BUG, TEST), conversation("b", BUG)[0]]
    assert mining.habits(ProcedureEvidence(tuple(three), ()), cues.CueReader()) == []
    twice = conversation("a", BUG, TEST, "The import crashes.", TEST)
    habit = habit_of(twice, Trigger.BUG_REPORT, Action.WRITE_TEST)
    assert habit is not None and habit.support == 2
    assert set(habit.evidence) == {moment.memory_id for moment in twice}


def test_confidence_is_the_share_of_exchanges_and_grows_with_each_session_up_to_95_percent() -> None:
    half = conversation("a", BUG, TEST, BUG, TEST, BUG, "Hm.", BUG, "Hm.")
    habit = habit_of(half, Trigger.BUG_REPORT, Action.WRITE_TEST)
    assert habit is not None and (habit.support, habit.pairs, habit.confidence) == (2, 4, 0.5)
    again = habit_of([*half, *conversation("b", BUG, TEST, BUG, "Hm.")], Trigger.BUG_REPORT, Action.WRITE_TEST)
    assert again is not None and (again.support, again.pairs, again.confidence) == (3, 6, 0.55)
    always = habit_of(conversation("a", BUG, TEST, BUG, TEST), Trigger.BUG_REPORT, Action.WRITE_TEST)
    assert always is not None and always.confidence == 0.95


def test_a_question_without_an_answer_counts_for_nothing() -> None:
    moments = [*conversation("a", BUG, TEST, BUG, TEST), *conversation("b", BUG), *conversation("c", BUG)]
    habit = habit_of(moments, Trigger.BUG_REPORT, Action.WRITE_TEST)
    assert habit is not None and (habit.support, habit.pairs) == (2, 2)


def test_what_tools_did_counts_as_what_was_answered() -> None:
    moments = [
        moment
        for session in ("a", "b")
        for moment in (
            *conversation(session, BUG, "On it."),
            SessionMoment(session, "", "", f"mem_{session}_seen", ToolUse("Bash", "pytest -q")),
        )
    ]
    habit = habit_of(moments, Trigger.BUG_REPORT, Action.RUN_TESTS)
    assert habit is not None and habit.support == 2 and "mem_a_seen" in habit.evidence


def test_the_same_evidence_in_any_order_of_sessions_gives_the_same_habits() -> None:
    parts = [conversation(name, BUG, TEST, "What is the limit?", "It is 5, because of the cache.") for name in "abc"]
    numbers = {
        frozenset(
            (h.trigger, h.action, h.support, h.confidence)
            for h in mining.habits(ProcedureEvidence(tuple(itertools.chain(*order)), ()), cues.CueReader())
        )
        for order in itertools.permutations(parts)
    }
    assert len(numbers) == 1


def test_a_procedure_is_one_stable_sentence_for_each_pair_of_classes() -> None:
    texts = {mining.sentence(trigger, action) for trigger in Trigger for action in Action}
    assert len(texts) == len(Trigger) * len(Action)
    assert all(re.fullmatch(r"[A-Z][a-z ]+, the habit is to [a-z ]+\.", text) for text in texts)


def attempts(action: str, *outcomes: tuple[bool, str], context: str = "") -> list[Attempt]:
    return [
        Attempt(f"act_{action}_{number}", action, success, outcome, context, f"mem_{action}_{number}")
        for number, (success, outcome) in enumerate(outcomes)
    ]


FAILED, WORKED = (False, "rejected: no upstream branch"), (True, "pushed with --set-upstream")


def test_a_lesson_needs_three_failures_and_then_a_success() -> None:
    assert mining.lessons(attempts("git push", FAILED, FAILED, WORKED)) == []
    assert mining.lessons(attempts("git push", FAILED, FAILED, FAILED)) == []
    assert mining.lessons(attempts("git push", FAILED, FAILED, WORKED, FAILED, WORKED)) == []
    [lesson] = mining.lessons(attempts("git push", FAILED, FAILED, FAILED, WORKED))
    assert lesson.failures == 3 and len(lesson.evidence) == 4
    text = mining.lesson_text(lesson)
    assert text == ("'git push' kept failing: rejected: no upstream branch. What worked: pushed with --set-upstream")


def test_a_lesson_stays_what_it_was_whatever_happens_later() -> None:
    first = attempts("git push", FAILED, FAILED, FAILED, WORKED)
    later = attempts("git push", (False, "x"), (False, "x"), (False, "x"), (True, "y"), FAILED)
    [before], [after] = mining.lessons(first), mining.lessons([*first, *later])
    assert mining.lesson_text(before) == mining.lesson_text(after)


def test_the_most_frequent_failure_is_named() -> None:
    [lesson] = mining.lessons(
        attempts("build", (False, "out of memory"), (False, "disk full"), (False, "disk full"), WORKED)
    )
    assert lesson.failure == "disk full"


@every(
    ("action", "query", "spoken_of"),
    [
        ("git push", "How do I do a git push here?", True),
        ("git push", "I am pushing with git", True),
        ("git push", "push the button", False),
        ("run tests", "before running the tests", True),
        ("deploy", "the deployment of the site", True),
        ("x", "x", False),
    ],
)
def test_a_query_speaks_of_an_action_when_it_has_all_its_words(action: str, query: str, spoken_of: bool) -> None:
    assert mining.names(action, query) is spoken_of
