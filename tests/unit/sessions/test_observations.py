"""What stretches of sessions come down to, by rules alone."""

from datetime import UTC, datetime, timedelta
from typing import Any

from agentos.modules.memory.dialogue import split_speaker
from agentos.modules.sessions import commits
from agentos.modules.sessions.models import Concept, Event, EventType, ObservationType, Signal, ToolCall
from agentos.modules.sessions.observations import (
    MAX_TOOL_CALLS,
    _actions,
    action_name,
    derive,
    failures_in_a_row,
    render,
    split,
)
from agentos.modules.sessions.tool_calls import as_json, read
from tests.tables import every

NOW = datetime(2026, 3, 2, tzinfo=UTC)


def events(*items: Any) -> list[Event]:
    """Texts are the user's, ("assistant", text) the agent's; tool calls and signals as they are."""
    made = []
    for seq, one in enumerate(items, 1):
        at = NOW + timedelta(seconds=seq)
        if isinstance(one, ToolCall):
            made.append(Event(seq, f"e{seq}", EventType.TOOL_CALL, "", "", as_json(one), at))
        elif isinstance(one, Signal):
            made.append(Event(seq, f"e{seq}", EventType.SIGNAL, "", one, {}, at))
        else:
            role, text = one if isinstance(one, tuple) else ("user", one)
            made.append(Event(seq, f"e{seq}", EventType.TURN, role, text, {}, at))
    return made


def edit(*paths: str) -> ToolCall:
    return ToolCall("Edit", True, files_modified=paths)


def run(command: str, error: str = "") -> ToolCall:
    return ToolCall("Bash", not error, command=command, error=error)


def look(*paths: str) -> ToolCall:
    return ToolCall("Read", True, files_read=paths)


def seqs(stretches: Any) -> list[list[int]]:
    return [[event.seq for event in stretch] for stretch in stretches]


def test_a_stretch_ends_with_the_turn_with_a_commit_and_before_the_next_prompt() -> None:
    log = events("one", edit("a"), Signal.TURN_ENDED, "two", edit("b"), run("git commit -m x"), edit("c"), "three")
    assert seqs(split(log, closed=False)) == [[1, 2, 3], [4, 5, 6], [7]]
    assert seqs(split(log, closed=True))[-1] == [8]


def test_a_commit_that_failed_ends_nothing_and_a_long_row_of_tools_does() -> None:
    assert seqs(split(events("x", run("git commit -m x", "hook failed"), edit("a")), closed=False)) == []
    log = events("x", *[edit("a")] * (MAX_TOOL_CALLS + 1))
    assert [len(stretch) for stretch in split(log, closed=True)] == [MAX_TOOL_CALLS + 1, 1]


def test_a_bug_that_was_fixed_is_a_bugfix_with_all_that_led_to_it() -> None:
    found = derive(
        events(
            "Fix the crash in the login form. It fails since Monday.",
            look("src/form.py", "src/login.py"),
            run("pytest tests -q", "Exit code 1\nE   KeyError: 'user'"),
            edit("src/login.py"),
            run("pytest tests -q"),
            ("assistant", "The session had no user; it is asked for now."),
            Signal.TURN_ENDED,
        )
    )
    assert found is not None
    assert (found.type, found.title) == (ObservationType.BUGFIX, "Fix the crash in the login form.")
    assert (found.files_read, found.files_modified) == (("src/form.py",), ("src/login.py",))
    assert found.facts == ("pytest failed: E KeyError: 'user'",)
    assert found.concepts == (Concept.PROBLEM_SOLUTION, Concept.GOTCHA)
    assert [(a.name, a.success) for a in found.actions] == [("pytest", True)]
    text = render(found)
    assert "src/login.py" in text and "The session had no user" in text


@every(
    ("asked", "calls", "kind"),
    [
        ("Add a test for the crash", [edit("t.py")], ObservationType.FEATURE),
        ("Rename the helper", [edit("t.py")], ObservationType.REFACTOR),
        ("Bump the version", [edit("t.py")], ObservationType.CHANGE),
        ("How does login work?", [look("a.py", "b.py")], ObservationType.DISCOVERY),
        ("Let's use PostgreSQL instead of SQLite.", [], ObservationType.DECISION),
        ("do it", [edit("a"), run("git commit -m 'feat(api): add paging'")], ObservationType.FEATURE),
        ("add it", [edit("a"), run('git commit -am "docs: explain \\"x\\""')], ObservationType.CHANGE),
    ],
)
def test_the_type_follows_the_commit_then_the_first_verb(
    asked: str, calls: list[ToolCall], kind: ObservationType
) -> None:
    found = derive(events(asked, *calls))
    assert found is not None and found.type is kind


@every("log", [[], ["thanks"], ["what is 2+2?", ("assistant", "4")], ["look", look("a.py")], ["x", run("ls -l")]])
def test_what_is_not_worth_keeping_is_not_kept(log: list[Any]) -> None:
    assert derive(events(*log)) is None


REPLY = (
    """The retry loop never slept: root cause found. """
    + "It took long to see. " * 30
    + """

**Next steps:**
- add a test for the backoff
- [ ] tell the on-call team

Nothing else was touched. The fix itself waits for the release freeze to end."""
)


def test_a_conclusion_and_what_is_next_are_kept_although_nothing_was_changed() -> None:
    found = derive(events("Why does the retry hammer the API?", ("assistant", REPLY), Signal.TURN_ENDED))
    assert found is not None
    assert found.next == ("add a test for the backoff", "tell the on-call team")
    assert found.subtitle == "The retry loop never slept: root cause found."
    text = render(found)
    assert "root cause found" in text and "release freeze to end." in text, "both ends of a long conclusion"
    assert "Next: add a test for the backoff; tell the on-call team" in text


@every(
    ("reply", "to_do"),
    [
        ("Done.\nNext: ship it", ("ship it",)),
        ("Done.\n## TODO\n1. ship it\n2. rest", ("ship it", "rest")),
        ("Remaining: the docs", ("the docs",)),
        ("The next time it rains", ()),
        ("I will do the next thing now", ()),
    ],
)
def test_what_is_next_is_what_the_agent_names_so(reply: str, to_do: tuple[str, ...]) -> None:
    found = derive(events("Fix it", edit("a.py"), ("assistant", reply)))
    assert found is not None and found.next == to_do


def test_a_stretch_cut_off_by_a_commit_still_knows_what_was_asked() -> None:
    found = derive(events(edit("a.py")), asked_before=["ok thanks", "Add paging to the API"])
    assert found is not None and found.title == "Add paging to the API"


def test_a_mere_yes_goes_on_with_what_was_asked_before() -> None:
    for reply in ("yes, go on", "ok", "sure, do it"):
        found = derive(events(reply, edit("a.py")), asked_before=["yes", "Add paging to the API"])
        assert found is not None and found.title == "Add paging to the API" and reply not in render(found)
    alone = derive(events("yes, go on", edit("a.py")))
    assert alone is not None and alone.title == "Changed a.py"


def test_the_text_of_an_observation_never_looks_as_if_somebody_spoke() -> None:
    found = derive(events("Claude: please do", edit("a.py")))
    assert found is not None and split_speaker(render(found))[0] is None


@every(
    ("command", "name"),
    [
        ("pytest -q tests", "pytest"),
        ("cd app && FOO=1 timeout 60 python -m pytest -q", "pytest"),
        ("git push --force origin main", "git push"),
        ("npm test", "npm test"),
        ("uv run ruff check .", "ruff"),
        ("./scripts/deploy.sh prod", "deploy.sh"),
        ("./export tapes", "export"),
        ("export A=1; bin/test", "test"),
        ("echo 1 > a && git add -A && git commit -m one", "git commit"),
        ("ls -la | grep x", ""),
        ("git status && git diff --stat", ""),
        ("git fetch; git rebase main", "git rebase"),
        ("cat a; head b", ""),
        ("", ""),
    ],
)
def test_a_command_has_the_same_name_each_time(command: str, name: str) -> None:
    assert action_name(command) == name


@every(
    ("command", "message"),
    [
        ("git add . && git commit -m 'one' ", "one"),
        ("git -c user.name=x commit --message=two", "two"),
        ("git commit -m \"$(cat <<'EOF'\nfix: three\n\nwhy\nEOF\n)\"", "fix: three\n\nwhy"),
        ("git commit --amend --no-edit", ""),
        ("git log -m", ""),
    ],
)
def test_the_message_of_a_commit_is_read_from_its_command(command: str, message: str) -> None:
    assert commits.message(command) == message


@every(
    ("error", "reason"),
    [
        (
            "Exit code 2\nmake: *** No rule to make target 'all'.  Stop.",
            "make: *** No rule to make target 'all'. Stop.",
        ),
        ("exit code 1: cc a.c\na.c:1: error: no such thing\nmake: *** [all] Error 1", "a.c:1: error: no such thing"),
        ("exit code 3: ", "exit code 3:"),
        (
            "exit code 1: === FAILURES ===\n> assert f(2) == 3\nt.py:9: AssertionError\nFAILED t.py::f - assert 2 == 3",
            "FAILED t.py::f - assert 2 == 3",
        ),
        (
            "exit code 1: lint: 0 errors found\nsending\ncurl: (6) Could not resolve host: a.b",
            "curl: (6) Could not resolve host: a.b",
        ),
        ("exit code 1: Erreur : config.yml est introuvable\nFin.", "Erreur : config.yml est introuvable"),
        (
            "Exit code 127\n/bin/bash: Zeile 1: kubctl: Kommando nicht gefunden.",
            "/bin/bash: Zeile 1: kubctl: Kommando nicht gefunden.",
        ),
    ],
)
def test_a_failure_is_told_by_the_line_that_says_why(error: str, reason: str) -> None:
    found = derive(events("Run it", run("make all", error)))
    assert found is not None and found.actions[0].outcome == reason


def test_a_command_that_may_have_failed_is_not_told_as_passed() -> None:
    found = derive(events("Run it", ToolCall("Bash", None, "make all")))
    assert found is not None and "passed" not in render(found) and "unknown" in render(found)


def test_a_prompt_and_all_that_ends_its_work_are_one_observation() -> None:
    said = "Float rounding was it; totals use Decimal now. Next: the tax report."
    closing = (("assistant", said), Signal.TURN_ENDED, Signal.SESSION_ENDED)
    for work in ((), (edit("a"),), (edit("a"), run("git commit -m x"))):
        log = events("Fix the sums, let's use Decimal", *work, *closing)
        [found] = [made for part in split(log, closed=True) if (made := derive(part, ["Fix it, let's use Decimal"]))]
        assert said in found.narrative and found.next == ("the tax report.",)


def test_failures_in_a_row_are_those_since_the_last_success() -> None:
    log = events("x", run("make a", "no"), run("make a"), run("make a", "no"), run("ls"), run("make a", "no rule"))
    assert failures_in_a_row(log, "Bash", "make a") == (2, "no rule")
    assert failures_in_a_row(log, "Bash", "make b") == (0, "")


def test_what_a_subagent_found_is_a_fact_under_its_name() -> None:
    given = {"description": "Look", "prompt": "Where is it?", "subagent_type": "Explore"}
    answer = {"status": "completed", "content": [{"type": "text", "text": "The limit is in src/limits.py."}]}
    found = derive(events("Where is the limit?", read("Task", given, answer, "", "/w/app")))
    assert found is not None and "Explore found: The limit is in src/limits.py." in found.facts
    ended = read("Agent", {"subagent_type": "Explore"}, "The limit is in src/limits.py.", "", "/w/app")
    running = read("Task", given, {"status": "async_launched", "content": "Launched."}, "", "/w/app")
    for told in ((running, ended), (read("Task", given, answer, "", "/w/app"), ended)):
        found = derive(events("Where is the limit?", *told))
        assert found is not None and found.facts == ("Explore found: The limit is in src/limits.py.",)


@every(
    ("said", "to_do"),
    [
        ("I finished half. The next step is to migrate the users table.", ("migrate the users table.",)),
        ("Remaining work:\n- tests\n- docs", ("tests", "docs")),
        ("Erledigt. Nächster Schritt: Dokumentation.", ("Dokumentation.",)),
        ("Hecho.\n\n**Próximos pasos:**\n1. Publicar", ("Publicar",)),
    ],
)
def test_the_next_step_is_found_however_it_is_said(said: str, to_do: tuple[str, ...]) -> None:
    found = derive(events("Do it", edit("a"), ("assistant", said)))
    assert found is not None and found.next == to_do


def test_a_success_is_told_in_the_words_that_name_it() -> None:
    make = ToolCall("Bash", True, command="make bundle")
    said = ("assistant", "All done. The bundle needed the rule of the other Makefile. Next: ship it.")
    found, silent = derive(events("Build it", make, said)), derive(events("Build it", make, ("assistant", "Done.")))
    assert found is not None and silent is not None
    assert found.actions[0].outcome == "The bundle needed the rule of the other Makefile."
    assert silent.actions[0].outcome == "ok"


@every(
    ("command", "reply", "helped"),
    [
        ("npm ci", "I decided nothing.", "ok"),
        ("git rm a.py", "I can confirm it.", "ok"),
        ("go", "All good, go on.", "ok"),
        ("npm ci", "Then `npm ci` passed with the lock file.", "Then `npm ci` passed with the lock file."),
    ],
)
def test_what_helped_is_said_by_a_sentence_with_the_whole_name(command: str, reply: str, helped: str) -> None:
    run = ToolCall("Bash", True, command)
    assert [action.outcome for action in _actions([run], reply)] == [helped]
