"""What doctor says of the settings may be given to anybody: it lets nobody in."""

from pathlib import Path

import pytest

from agentos.interfaces.cli.doctor.installation import look_at_values
from agentos.modules.health.models import Severity
from tests.tables import every

PASSWORD = "S3cretOfTheDatabase"


@every(
    ("name", "value", "shown"),
    [
        ("DATABASE_URL", f"postgresql://ada:{PASSWORD}%40@db/team", "postgresql://**********"),
        ("DATABASE_DIRECT_URL", f"postgres://db/team?user=ada&password={PASSWORD}", "postgres://**********"),
        ("DATABASE_URL", "sqlite:///other.db", "sqlite:///other.db"),
    ],
)
def test_an_address_is_told_without_its_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, shown: str
) -> None:
    with monkeypatch.context() as environment:
        environment.setenv(f"AGENTOS_{name}", value)
        found = look_at_values(tmp_path)
    assert found.severity is Severity.OK and found.details[name.lower()] == shown and PASSWORD not in str(found)
