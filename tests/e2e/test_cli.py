"""The command line as a person or a script uses it: every command against a real server on a home of its own.

Some of the first test's commands, and what needs a console of its own, are processes; the others run in this one.
"""

import contextlib
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.commands import ran, ran_at_terminal
from tests.e2e.conftest import DEADLINE_S, daemon_pid, end_daemon, environment
from tests.terminal import attended

MAIN = "from agentos.interfaces.cli import main; main()"

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def home(file_home: Path) -> Path:
    return file_home


def settings_of(home: Path) -> dict[str, str]:
    return {**environment(home), "AGENTOS_DAEMON_LINGER_S": "3600", "NO_COLOR": "1"}


@pytest.fixture
def run(home: Path) -> Run:
    return lambda *words, given="": ran(words, settings_of(home), given)


@pytest.fixture
def program(home: Path) -> Run:
    """The same as a process."""

    def command(*words: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
        started = (sys.executable, "-c", MAIN, *words)
        return subprocess.run(started, capture_output=True, text=True, input=given, timeout=120, env=settings_of(home))

    return command


def data(answer: subprocess.CompletedProcess[str]) -> Any:
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)


def test_what_is_remembered_is_recalled_listed_shown_corrected_and_forgotten(program: Run, run: Run) -> None:
    stored = data(program("remember", "Maria", "deploys on Tuesdays", "--tag", "deploy", "--json"))
    memory = data(run("show", stored["id"], "--json"))
    assert memory["content"] == "Maria deploys on Tuesdays" and memory["memory_type"] == "semantic"
    found = program("recall", "when are deployments?")
    assert found.returncode == 0 and stored["id"] in found.stdout and "#deploy" in found.stdout
    assert data(run("recall", "deploys", "--json"))["results"][0]["id"] == stored["id"]
    assert stored["id"] in run("list").stdout
    changed = data(run("edit", stored["id"], "--content", "Maria deploys on Wednesdays", "--json"))
    assert changed["version"] == 2
    shown = run("show", stored["id"])
    assert "Wednesdays" in shown.stdout and "Tuesdays" in shown.stdout, "the old text is in the history"
    assert program("forget", stored["id"]).returncode == 0
    assert program("recall", "deploys").returncode == 1
    assert data(run("list", "--json"))["total"] == 0


def test_what_begins_later_says_so(run: Run) -> None:
    plan = data(run("remember", "From 1 June 2099 Noor's city is Rome.", "--json"))
    assert data(run("show", plan["id"], "--json"))["upcoming"] is True
    assert "from 2099-0" in run("list").stdout
    data(run("forget", plan["id"], "--json"))


def test_a_text_comes_from_standard_input_and_cannot_steer_a_terminal(run: Run) -> None:
    data(run("remember", "-", "--json", given="the [bold]vault[/bold] \x1b[31mopens at nine\n"))
    answer = run("recall", "when does the vault open")
    assert "[bold]vault[/bold]" in answer.stdout and "\x1b" not in answer.stdout


def test_refusals_have_an_exit_code_and_say_why(run: Run) -> None:
    unknown = run("show", "mem_nothing")
    assert (unknown.returncode, unknown.stdout) == (1, "") and "agentos list" in unknown.stderr
    wrong = run("remember", "x", "--type", "nonsense")
    assert wrong.returncode == 2 and "--type" in wrong.stderr
    unasked = run("forget", "--tag", "x", "--erase")
    assert unasked.returncode == 3 and "--yes" in unasked.stderr
    typed = run("recal", "x")
    assert typed.returncode == 2 and "'recall'" in typed.stderr
    closed = run("list", "--home", "/dev/null/x")
    assert closed.returncode == 4 and closed.stdout == ""


WRONG: tuple[tuple[tuple[str, ...], int, str], ...] = (
    (("revert", "mem_nothing"), 1, "there is no memory 'mem_nothing'; agentos list"),
    (("sessions", "show", "nothing"), 1, "there is no session or memory 'nothing'; agentos sessions"),
    (("show", "mem_902"), 2, "mem_902 is too short; give at least four digits"),
    (("import", "{nowhere}"), 2, "there is no {nowhere}"),
    (("import", "{notes}", "--from", "nothing"), 2, "--from: is unknown; give one of agentos-1"),
    (("bundle", "open", "{notes}"), 1, "line 1 is no JSON object"),
    (("usage", "--days", "0"), 2, "must be greater than or equal to 1"),
    (("import", "{notes}", "--from", "mem0"), 3, "add --yes"),
    (("import", "{notes}", "--from", "mem0", "--yes"), 3, ""),
    (("import", "{notes}", "--from", "mem0", "--dry-run"), 0, ""),
    (("team", "show", "{notes}"), 4, "is not a signed document"),
    (("setup", "--remote", "nowhere", "--dry-run"), 2, "--remote: must be the https address of a server"),
    (("serve", "--listen", "nowhere"), 2, "--listen: must be host:port"),
    (("restore", "{nowhere}"), 1, "there is no backup {nowhere}"),
    (("list", "--since", "2026-03-02", "--until", "2026-03-01"), 2, "--until: 2026-03-01 is before 2026-03-02"),
)


def test_a_failure_has_its_exit_code_and_message(run: Run, tmp_path: Path) -> None:
    notes = tmp_path / "notes.json"
    notes.write_text('[{"memory": ""}]')
    names = {"nowhere": str(tmp_path / "nowhere"), "notes": str(notes)}
    data(run("remember", "there is a memory", "--json"))
    for words, code, message in WRONG:
        answer = run(*(word.format(**names) for word in words))
        assert answer.returncode == code, (words, answer.stderr)
        assert message.format(**names) in answer.stderr, words


def test_what_was_judged_is_shown_in_lines(run: Run) -> None:
    slot = ("--subject", "pond", "--attribute", "depth")
    first, second = (
        data(run("remember", f"the pond is {depth} m deep", *slot, "--value", depth, "--json"))["id"] for depth in "23"
    )
    shown = {name: run("show", name).stdout for name in (first, second)}
    assert f"supersedes {first}" in " ".join(shown[second].split())
    assert f"superseded by {second}" in " ".join(shown[first].split())
    assert all("judged" in one and "{" not in one for one in shown.values())


def test_errors_are_json_where_json_is_asked_for(run: Run) -> None:
    for words, code, exit_code in (
        (("show", "mem_nothing"), "not_found", 1),
        (("goals", "progress", "goal_nothing", "3"), "not_found", 1),
        (("remember", "x", "--type", "nonsense"), "invalid_input", 2),
        (("forget",), "wrong_use", 2),
        (("forget", "--tag", "x", "--erase"), "refused", 3),
    ):
        answer = run(*words, "--json")
        error = json.loads(answer.stdout)["error"]
        assert (error["code"], error["exit_code"], answer.returncode) == (code, exit_code, exit_code) and error[
            "message"
        ]
        assert answer.stderr == ""


def test_what_options_match_is_only_erased_and_never_asked_about_in_vain(run: Run) -> None:
    remaining, gone = (data(run("remember", text, "--tag", text, "--json"))["id"] for text in ("kept", "gone"))
    for mode in ((), ("--archive",), ("--yes",)):
        refused = run("forget", "--tag", "gone", *mode)
        assert refused.returncode == 2 and "--erase" in refused.stderr
    assert run("forget", "--erase").returncode == run("forget", remaining, "--erase", "--tag", "gone").returncode == 2
    assert data(run("forget", "--tag", "gone", "--erase", "--yes", "--json")) == {"deleted": 1, "mode": "erase"}
    assert gone not in run("list").stdout
    assert data(run("forget", remaining, "--archive", "--json"))["mode"] == "archive"


def test_goals_and_reflections_by_hand(run: Run) -> None:
    goal = data(run("goals", "add", "Ship it", "-d", "the release", "--deadline", "2030-12-24", "--json"))
    assert goal["title"] == "Ship it"
    assert data(run("goals", "progress", goal["id"], "0.5", "--note", "half", "--json"))["progress"] == 0.5
    assert "50%" in run("goals").stdout
    assert data(run("goals", "set", goal["id"], "paused", "--json"))["status"] == "paused"
    assert data(run("goals", "--status", "paused", "--json"))["total"] == 1
    for _ in range(3):
        assert run("reflect", "run tests", "timeout", "--failed").returncode == 0
    assert "run tests" in run("patterns").stdout
    assert isinstance(data(run("insights", "--json")), list)
    assert isinstance(data(run("tasks", "--json")), list)
    assert data(run("snapshot", "--json"))["active_goals"] == [], "the one that there is is paused"
    assert run("snapshot").stdout.startswith("# Context")


def test_what_is_shown_fits_a_terminal_of_eighty_columns_and_a_beginning_of_an_id_is_enough(
    run: Run, home: Path
) -> None:
    mine = ("--agent", "narrow")
    stored = data(
        run("add", "The alarms are looked at by whoever is on call, " * 9, "--tag", "alarms", *mine, "--json")
    )
    data(run("goals", "add", "Move everything that is in the cellar to the attic " * 4, *mine, "--json"))
    shown = {
        words: on_terminal(home, *words)
        for words in (("list", *mine), ("goals", *mine), ("explain", "alarms", *mine), ("status",), ("backups",))
    }
    wide = {words: line for words, lines in shown.items() for line in lines if len(line) > 80}
    assert not wide
    [beginning] = {word for line in shown["list", *mine] for word in line.split() if word.startswith("mem_")}
    assert stored["id"].startswith(beginning) and len(beginning) < len(stored["id"])
    assert data(run("show", beginning, *mine, "--json"))["id"] == stored["id"]


def on_terminal(home: Path, *words: str) -> list[str]:
    """The lines that a command shows on a terminal of 80 columns, without their styles."""
    settings = {**environment(home), "AGENTOS_DAEMON_LINGER_S": "3600", "COLUMNS": "80", "TERM": "xterm"}
    _, shown = ran_at_terminal(words, settings)
    return [line.rstrip("\r") for line in re.sub(r"\x1b\[[\d;]*m", "", shown).split("\n")]


def test_a_console_that_knows_no_such_letters_breaks_no_command(program: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    stored = data(program("add", "サーバー → 東京 🗼", "--agent", "far", "--json"))
    for words in (("list",), ("snapshot",), ("explain", "サーバー")):
        answer = program(*words, "--agent", "far")
        assert (answer.returncode, answer.stdout.isascii()) == (0, True) and "Traceback" not in answer.stderr
    assert data(program("show", stored["id"], "--agent", "far", "--json"))["content"] == "サーバー → 東京 🗼"
    assert "->" in program("doctor").stdout


@pytest.mark.sqlite("PostgreSQL restores all stores of a schema at once: test_postgres.py")
def test_the_daemon_that_a_command_left_behind_makes_room_for_a_restore(run: Run, tmp_path: Path) -> None:
    there = ("--home", str(tmp_path / "restored"))
    memory_id = data(run("add", "The archive is in the cellar", *there, "--json"))["id"]
    assert run("backup", *there).returncode == 0
    data(run("add", "The archive burned down", *there, "--json"))
    assert daemon_pid(tmp_path / "restored")
    assert run("restore", "--yes", *there).returncode == 0
    assert [one["id"] for one in data(run("list", *there, "--json"))["results"]] == [memory_id]
    end_daemon(tmp_path / "restored")


def test_goals_are_edited_and_drawn_as_a_tree(run: Run) -> None:
    mine = ("--agent", "planner", "--json")
    house, roof = (data(run("goals", "new", title, *mine))["id"] for title in ("House", "Roof"))
    assert data(run("goals", "edit", roof[:10], "--title", "The roof", "--parent", house, *mine))["title"] == "The roof"
    circle = run("goals", "edit", house, "--parent", roof, *mine)
    assert circle.returncode == 3 and json.loads(circle.stdout)["error"]["code"] == "conflict"
    lines = run("goals", "tree", "--agent", "planner").stdout.splitlines()
    assert "House" in lines[1] and "└─ The roof" in lines[2]
    data(run("goals", "edit", roof, "--priority", "1", "--parent", "none", *mine))
    listed = data(run("goals", "list", *mine))
    assert [goal["title"] for goal in listed["results"]] == ["The roof", "House"], "sorted by the score that is shown"
    assert data(run("goals", *mine)) == data(run("goal", "ls", *mine)) == listed


def test_a_topic_is_forgotten_once_it_was_shown(run: Run) -> None:
    mine = ("--agent", "topics")
    for text in ("The vault's code name is Heron.", "The vault opens at nine.", "Rosa likes plums."):
        data(run("add", text, *mine, "--json"))
    asked = run("forget", "--about", "when does the vault open", *mine)
    assert asked.returncode == 3 and "opens at nine" in asked.stdout and "--yes" in asked.stderr
    looked = run("forget", "--about", "when does the vault open", *mine, "--json")
    would = json.loads(looked.stdout)["would_forget"]
    assert looked.returncode == 3 and data(run("list", *mine, "--json"))["total"] == 3
    gone = data(run("delete", "--about", "when does the vault open", *mine, "--yes", "--json"))
    left = [one["content"] for one in data(run("list", *mine, "--json"))["results"]]
    assert gone["deleted"] == len(would) == 3 - len(left)
    assert "Rosa likes plums." in left and "The vault opens at nine." not in left
    assert run("revert", would[0]["id"][:12], *mine).returncode == 0
    assert run("forget", "--about", "quantum chromodynamics", *mine, "--yes").returncode == 1


def test_what_was_written_in_an_editor_survives_it(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stored = data(run("remember", "Ivo has a cat", "--agent", "editor", "--json"))["id"]

    def edited(script: str) -> subprocess.CompletedProcess[str]:
        editor = tmp_path / "editor"
        editor.write_text(f"#!/bin/sh\n{script}\n")
        editor.chmod(0o755)
        monkeypatch.setenv("EDITOR", str(editor))
        monkeypatch.setenv("VISUAL", str(editor))
        return run("edit", stored[:10], "--agent", "editor")

    assert edited("true").returncode == 0
    for script, is_saved in (("exit 3", False), ("echo draft > $1; exit 3", True), ("printf '\\377' > $1", True)):
        failed = edited(script)
        assert failed.returncode == 4 and "nothing was changed" in failed.stderr
        assert ("your text is kept in" in failed.stderr) is is_saved
    refused = edited("head -c 70000 /dev/zero | tr '\\0' x > $1")
    draft = Path(refused.stderr.strip().rpartition(" ")[2])
    assert refused.returncode == 2 and draft.stat().st_size >= 70_000
    draft.unlink()
    assert edited("echo 'Ivo has two cats' > $1").returncode == 0
    assert data(run("show", stored, "--agent", "editor", "--json"))["content"] == "Ivo has two cats"


def test_agents_have_memories_of_their_own(run: Run) -> None:
    data(run("remember", "a secret of bob", "--agent", "bob", "--json"))
    assert data(run("list", "--agent", "bob", "--json"))["total"] == 1
    assert all(one["content"] != "a secret of bob" for one in data(run("list", "--json"))["results"])


@pytest.mark.sqlite("both its homes would have one store")
def test_a_memory_is_carried_to_another_home(run: Run, tmp_path: Path) -> None:
    file, other = tmp_path / "all.jsonl", tmp_path / "other"
    made = data(run("export", str(file), "--json"))
    unasked = run("import", str(file), "--home", str(other))
    assert unasked.returncode == 3 and "--yes" in unasked.stderr
    looked = data(run("import", str(file), "--dry-run", "--home", str(other), "--json"))
    assert looked["new"] == made["rows"]
    assert data(run("import", str(file), "--yes", "--home", str(other), "--json"))["new"] == made["rows"]
    again = data(run("export", str(tmp_path / "again.jsonl"), "--home", str(other), "--json"))
    assert again["canonical_hash"] == made["canonical_hash"]


@pytest.mark.sqlite("all its homes would have one store")
def test_an_import_shows_on_a_terminal_how_far_it_is_and_in_a_pipe_nothing(run: Run, tmp_path: Path) -> None:
    file, notes = tmp_path / "all.jsonl", tmp_path / "notes.json"
    data(run("remember", "Rosa keeps goats", "--json"))
    data(run("export", str(file), "--json"))
    notes.write_text('[{"memory": "Rosa keeps bees"}]', encoding="utf-8")
    for number, (source, bars) in enumerate([(file, ("bytes", "rows")), (notes, ("entries",))]):
        home = tmp_path / str(number)
        piped = run("import", str(source), "--yes", "--home", str(tmp_path / "piped" / str(number)))
        assert piped.returncode == 0 and piped.stderr == ""
        terminal, side = pty.openpty()
        command = (sys.executable, "-c", MAIN, "import", str(source), "--yes", "--home", str(home))
        settings = {**os.environ, "TERM": "xterm"}
        with (
            ThreadPoolExecutor(1) as person,  # looks on: a slow machine draws more than the terminal keeps
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=side, env=settings, text=True) as process,
        ):
            os.close(side)
            shown = person.submit(attended, terminal, "")
            printed, _ = process.communicate(timeout=120)
        drawn = shown.result()
        assert process.returncode == 0 and all(bar in drawn for bar in bars) and "100%" in drawn
        assert printed == piped.stdout, "standard output is for what it did"


def test_everything_from_a_source_is_put_away_and_comes_back(run: Run) -> None:
    agent = ("--agent", "rollback")
    old = data(run("remember", "Rita drinks tea", "--source", "me", *agent, "--json"))["id"]
    bad = data(run("remember", "Rita drinks petrol", "--source", "colleague", "--supersedes", old, *agent, "--json"))[
        "id"
    ]
    looked = data(run("rollback", "--source", "colleague", "--dry-run", *agent, "--json"))
    assert (looked["archived"], looked["restored"], looked["change"]) == ([bad], [old], None)
    unasked = run("rollback", "--source", "colleague", *agent)
    assert unasked.returncode == 3 and "--yes" in unasked.stderr and bad in unasked.stdout
    done = data(run("rollback", "--source", "colleague", "--yes", *agent, "--json"))
    assert data(run("show", old, *agent, "--json")).get("valid_to") is None
    assert data(run("show", bad, *agent, "--json"))["status"] == "archived"
    assert set(data(run("rollback", "--undo", done["change"], *agent, "--json"))["memories"]) == {old, bad}
    assert data(run("show", bad, *agent, "--json"))["status"] == "active"
    nothing = run("rollback", "--source", "nobody", "--yes", *agent)
    assert nothing.returncode == 1 and "no visible memory has the source 'nobody'" in nothing.stderr
    assert run("rollback", *agent).returncode == run("rollback", "--source", "a", "--undo", "b").returncode == 2
    assert run("rollback", "--source", "colleague", "--since", "soon", "--yes", *agent).returncode == 2


def test_a_search_is_explained_as_of_a_day(run: Run) -> None:
    agent = ("--agent", "explained")
    slot = ("--subject", "Rita", "--attribute", "city")
    first = run(
        "remember", "Rita lives in Ghent", *slot, "--value", "Ghent", "--occurred-at", "2024-01-01", *agent, "--json"
    )
    then = run(
        "remember", "Rita lives in Oslo", *slot, "--value", "Oslo", "--occurred-at", "2025-01-01", *agent, "--json"
    )
    old, new = data(first)["id"], data(then)["id"]

    def ids(*options: str) -> set[str]:
        found = data(run("explain", "where does Rita live", *options, *agent, "--json"))
        return {hit["id"] for hit in found["answers"] + found["nearest_misses"]}

    assert ids() == {new} and ids("--as-of", "2024-06-01") == {old} and ids("--as-of", "June 2024") == {old}
    told = run("explain", "where does Rita live", *agent).stdout.splitlines()[0]
    assert told.startswith("First of 1, found by ") and '"Rita lives in Oslo"' in told
    goal = ("Paint the shed", "--description", "green", "--deadline", "tomorrow")
    assert run("goals", "add", *goal, *agent).returncode == 0
    due = datetime.now(UTC) + timedelta(days=1)
    assert f"{due:%Y-%m-%d}" in run("goals", "--json", *agent).stdout
    assert run("explain", "where", "--as-of", "then", *agent).returncode == 2


def test_sessions_are_shown_and_what_was_done_in_them(run: Run, program: Run, tmp_path: Path) -> None:
    assert "No sessions" in run("sessions").stdout
    for event, more in (
        ("session-start", {}),
        ("prompt", {"prompt": "Mend the parser of dates"}),
        ("post-tool", {"tool_name": "Edit", "tool_input": {"file_path": f"{tmp_path}/dates.py"}, "tool_use_id": "t1"}),
        ("stop", {"last_assistant_message": "Mended."}),
        ("session-end", {}),
    ):
        payload = {"session_id": "s1", "cwd": str(tmp_path), **more}
        assert program("hook", event, given=json.dumps(payload)).returncode == 0
    found: list[Any] = []
    while not found or not found[0]["title"].endswith("dates"):  # the spool waits for a daemon
        found = data(run("sessions", "--json"))["results"]
    session = found[0]["id"]
    assert session in run("sessions").stdout
    entries: list[Any] = []
    while not any(one["id"].startswith("mem_") for one in entries):  # it is observed in the background
        entries = data(run("timeline", session, "--json"))["results"]
    assert [one["id"].partition("_")[0] for one in entries] == ["ses", "evt", "mem"], (
        "what was asked, and what was done"
    )
    assert "dates" in run("timeline", entries[2]["id"], "--before", "0").stdout
    assert run("timeline", "ses_none").returncode == 1


def test_sessions_and_jobs_are_objects_by_command(run: Run, tmp_path: Path) -> None:
    made = data(run("sessions", "open", "release", "--folder", str(tmp_path), "--title", "Release 2.0", "--json"))
    assert (made["state"], made["title"]) == ("active", "Release 2.0")
    assert data(run("sessions", "end", made["id"][:12], "--failed", "--json"))["state"] == "failed"
    assert data(run("sessions", "rename", made["id"], "Release 2.1", "--json"))["title"] == "Release 2.1"
    found = data(run("sessions", "list", "--state", "failed", "--project", made["project"], "--json"))["results"]
    assert [one["title"] for one in found] == ["Release 2.1"]
    assert data(run("sessions", "resume", made["id"], "--json"))["state"] == "active"
    jobs = {one["id"]: one for one in data(run("jobs", "--json"))["results"]}
    assert jobs["backup"]["state"] in ("waiting", "running")
    assert data(run("jobs", "run", "backup", "--json"))["due_at"] < jobs["backup"]["due_at"]
    assert run("jobs", "cancel", "nothing").returncode == run("jobs", "retry", "task_none").returncode == 1


def test_the_live_view_needs_a_terminal_and_ends_on_request(run: Run, home: Path) -> None:
    assert run("remember", "the tide turns at noon").returncode == 0
    assert run("hud").returncode == 2
    terminal, wire = pty.openpty()
    process = subprocess.Popen(
        (sys.executable, "-c", MAIN, "hud", "--every", "0.2"),
        stdin=wire,
        stdout=wire,
        stderr=wire,
        env={**environment(home), "TERM": "xterm", "COLUMNS": "120", "LINES": "40"},
        start_new_session=True,
    )
    os.close(wire)
    seen = b""
    while b"memories" not in seen:
        seen += os.read(terminal, 4096)
    process.send_signal(signal.SIGINT)
    until = time.monotonic() + DEADLINE_S
    with contextlib.suppress(OSError):
        while process.poll() is None and time.monotonic() < until:
            if select.select([terminal], [], [], 0.1)[0]:
                os.read(terminal, 4096)
    assert process.wait(DEADLINE_S) == 0
    os.close(terminal)


def test_nothing_that_is_printed_can_steer_a_terminal(run: Run, tmp_path: Path) -> None:
    hostile = "owl \x1b[31m \x9b31m \u202e night"
    added = data(run("remember", "-", "--agent", "eve", "--json", given=hostile))
    stored = run("show", added["id"], "--agent", "eve", "--json")
    assert data(stored)["content"] == hostile, "as data it is the same"
    run("goals", "add", hostile, "--agent", "eve")
    outputs = [
        stored.stdout,
        *(run(*words, "--agent", "eve").stdout for words in (("recall", "owl"), ("list",), ("goals",), ("snapshot",))),
        *(run(*words, "--agent", "eve", "--json").stdout for words in (("list",), ("explain", "owl"), ("snapshot",))),
        run("show", hostile).stderr,
        run("import", str(tmp_path / hostile), "--yes").stderr,
    ]
    assert all(outputs)
    assert sum("owl" in output for output in outputs) >= 8, "a snapshot may leave out what is suspicious"
    assert not [one for output in outputs for one in output if one != "\n" and not one.isprintable()]
