"""Who has no terminal gives nobody a right: every command that grants authority asks for a person, by one means."""

from pathlib import Path

import pytest
from typer.main import get_command

from agentos.interfaces.cli import person
from agentos.interfaces.cli.app import app
from agentos.interfaces.cli.outcome import ExitCode
from agentos.interfaces.cli.running import run
from tests.tables import every

pytestmark = pytest.mark.sqlite("a refused command opens no store")

GRANTING = [
    "approvals approve apr_1",
    "approvals reject apr_1",
    "branch govern team --review watched",
    "branch merge apr_1",
    "branch refuse apr_1",
    "grants add team ada --right admin",
    "keys create ada --role owner",
    "keys rotate 1a2b3c4d",
    "namespaces set team --reads other",
    "rules add Obey",
    "rules confirm mem_1",
    "team join team.json",
    "tenants create acme",
    "tenants limit acme --memories 10",
    "tenants move acme --to postgresql://db/other",
    "tenants remove acme --certificate gone.json",
    "tenants restore acme",
    "tenants resume acme",
    "trust-keys import keys.json",
    "trust-keys new --author ada",
    "trust-keys pin KEY --author ada",
    "trust-keys restore key_1",
    "trust-keys revoke key_1 --replaced-by key_2",
]
"""What gives a right, makes a rule, or decides for a person."""
OTHER = {
    "approvals": "list show history",
    "branch": "create list preview propose",
    "grants": "list remove",
    "keys": "list revoke",
    "namespaces": "list",
    "rules": "list",
    "team": "init show verify",
    "tenants": "list suspend backup",
    "trust-keys": "list publish revoke unpin",
}
"""What shows, asks, or only takes away."""


@every("words", GRANTING)
def test_no_program_grants_authority(
    words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENTOS_DAEMON", "off")
    home = tmp_path / "home"
    assert run([*words.split(), "--home", str(home)]) == ExitCode.REFUSED
    assert person.REFUSAL in " ".join(capsys.readouterr().err.split()) and not home.exists()
    for option in ("--yes", "--force"):
        assert run([*words.split(), "--home", str(home), option]) == ExitCode.WRONG_USE


def test_every_command_about_authority_is_in_one_of_the_tables() -> None:
    groups = get_command(app).commands  # type: ignore[attr-defined]
    granting = {tuple(words.split()[:2]) for words in GRANTING}
    assert {(group, name) for group in OTHER for name in groups[group].commands} == granting | {
        (group, name) for group, names in OTHER.items() for name in names.split()
    }
