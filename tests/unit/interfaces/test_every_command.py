"""Every command: it has help, and says in a line, or in JSON, what was wrong with its words."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from agentos.interfaces.cli import running
from agentos.interfaces.cli.app import app

OF_OTHERS = ("bench", "hook")
"""They read their words by themselves; a hook never fails."""


def commands(command: Any, *words: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command and group under one, with its words."""
    for name, one in getattr(command, "commands", {}).items():
        if name not in OF_OTHERS:
            yield (*words, name), one
            yield from commands(one, *words, name)


def test_every_command_has_help_and_says_what_is_wrong_with_its_words(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AGENTOS_HOME", str(tmp_path / "home"))
    root = typer.main.get_command(app)
    monkeypatch.setattr(running, "app", root)  # made once
    every = dict(commands(root))
    assert len(every) > 150
    for words, command in every.items():
        assert running.run([*words, "--help"]) == 0
        out, err = capsys.readouterr()
        assert f"agentos {' '.join(words)}" in out and not err
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
