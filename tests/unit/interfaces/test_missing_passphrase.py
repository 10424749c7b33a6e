"""A passphrase without a terminal: refused with the remedy, and nothing is read or written."""

import io
import sys
from pathlib import Path

import pytest

from agentos.interfaces.cli.outcome import ExitCode
from agentos.interfaces.cli.running import run
from tests.tables import every


@every("words", [["lock"], ["unlock"]])
def test_a_passphrase_is_asked_for_at_a_terminal_alone(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file, output = tmp_path / "file", tmp_path / "output"
    file.write_text("something", encoding="utf-8")
    piped = io.StringIO("word\nword\n")
    monkeypatch.setattr(sys, "stdin", piped)
    assert run([*words, str(file), "-o", str(output)]) == ExitCode.REFUSED
    assert "--passphrase-file" in capsys.readouterr().err
    assert not output.exists() and piped.tell() == 0
