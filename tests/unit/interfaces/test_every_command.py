"""Every command: it has help, and says in a line, or in JSON, what was wrong with its words."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from agentos.interfaces.cli import running
from agentos.interfaces.cli.app import app
from agentos.interfaces.cli.outcome import CommandFailure, ExitCode
from tests.tables import every

PYTHON = re.compile(r"<(?:str|bool|int|float|Path|list)\b")
OF_OTHERS = ("bench", "hook")
"""They read their words by themselves; a hook never fails."""


def commands(command: Any, *words: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command and group under one, with its words."""
    for name, one in getattr(command, "commands", {}).items():
        if name not in OF_OTHERS:
            yield (*words, name), one
            yield from commands(one, *words, name)


@every(
    ("words", "message", "told"),
    [
        ("projects rename", "--project: there is none", "PROJECT: there is none"),
        ("recall", "--project: there is none", "--project: there is none"),
        ("goals list", "status: must be 'active'", "--status: must be 'active'"),
        ("goals set", "status: must be 'active'", "STATUS: must be 'active'"),
        ("sessions open", "--session: is empty", "session: is empty"),
        ("verify", "--key: is not a key", "--key: is not a key"),
        ("show", "there is no memory 'x: y'", "there is no memory 'x: y'"),
    ],
)
def test_an_error_names_what_is_wrong_as_the_command_has_it(
    words: str, message: str, told: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = typer.main.get_command(app)
    command = root
    for word in words.split():
        command = command.get_command(typer.Context(command), word)  # type: ignore[attr-defined]

    def refuse(**_: Any) -> None:
        raise CommandFailure(message, ExitCode.WRONG_USE)

    monkeypatch.setattr(command, "callback", refuse)
    monkeypatch.setattr(running, "app", root)
    needed = [one for one in command.params if one.param_type_name == "argument" and one.required]
    assert running.run([*words.split(), *("1" for _ in needed)]) == 2
    assert capsys.readouterr().err == f"agentos: {told}\n"


def test_every_command_has_help_and_says_what_is_wrong_with_its_words(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AGENTOS_HOME", str(tmp_path / "home"))
    root = typer.main.get_command(app)
    monkeypatch.setattr(running, "app", root)  # made once
    known = dict(commands(root))
    assert len(known) > 150
    for words, command in known.items():
        assert running.run([*words, "--help"]) == 0
        out, err = capsys.readouterr()
        assert f"agentos {' '.join(words)}" in out and not err
        assert not PYTHON.search(out), "a help names no types of Python"
        assert running.run([*words, "--nonsense"]) == 2
        out, err = capsys.readouterr()
        assert not out and err.startswith("agentos: ") and "--nonsense" in err and len(err.splitlines()) == 2
        assert running.run([*words, "--nonsense", "--json"]) == 2
        out, err = capsys.readouterr()
        error = json.loads(out)["error"]
        assert (error["code"], error["exit_code"]) == ("wrong_use", 2) and not err
        for path in (one for one in command.params if "Path" in str(one.get_help_record(typer.Context(command)))):
            given = ["", "x", "x"] if path.param_type_name == "argument" else [path.opts[0], ""]
            assert running.run([*words, *given]) == 2, "a path that is empty is not the current folder"
            capsys.readouterr()
    assert not (tmp_path / "home").exists()
