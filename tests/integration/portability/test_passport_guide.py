"""The guide to passports: its commands work one after another, in a home of their own."""

import re
import shlex
from pathlib import Path

import pytest

from agentos.interfaces.cli import running
from tests.places import ROOT

pytestmark = pytest.mark.sqlite("commands open the home of a person")
BLOCKS = re.findall(r"```bash\n(.*?)```", (ROOT / "docs/builders/passports.md").read_text(encoding="utf-8"), re.S)


def test_a_passport_is_carried_and_an_export_signed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], at_a_terminal: None
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value in {"HOME": str(tmp_path / "home"), "DAEMON": "off", "EMBEDDING_MODEL": "none"}.items():
        monkeypatch.setenv(f"AGENTOS_{name}", value)
    lines = ["agentos remember 'Deploys go out on Tuesdays.' --agent ann --tag team", *"".join(BLOCKS).splitlines()]
    output = ""
    for line in lines:
        words = shlex.split(line.partition(" > ")[0], comments=True)
        assert running.run(words[1:]) == 0, line
        output += capsys.readouterr().out
    assert output.count("Deploys go out on Tuesdays.") and "ann" in output and (tmp_path / "signed.jsonl").exists()
