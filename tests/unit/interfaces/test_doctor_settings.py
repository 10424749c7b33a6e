"""What doctor says of the settings may be given to anybody: it lets nobody in."""

from pathlib import Path

import pytest

from agentos import config
from agentos.features import registered
from agentos.interfaces.cli.doctor.installation import look_at_features, look_at_values
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
def test_an_address_is_shown_without_its_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, shown: str
) -> None:
    with monkeypatch.context() as environment:
        environment.setenv(f"AGENTOS_{name}", value)
        found = look_at_values(tmp_path)
    assert found.severity is Severity.OK and found.details[name.lower()] == shown and PASSWORD not in str(found)


def test_a_setting_that_only_a_feature_reads_is_told_where_the_feature_is_off(tmp_path: Path) -> None:
    read_by = {"AGENTOS_HTTP_COMPAT": "memoryos", "AGENTOS_GATEWAY_PORT": "8390"}
    on = config.load(read_by, home=tmp_path)
    off = config.load({**read_by, "AGENTOS_FEATURES": "gateway,ask"}, home=tmp_path)
    assert look_at_features(on).severity is Severity.OK
    told = look_at_features(off)
    assert told.severity is Severity.WARNING and "AGENTOS_HTTP_COMPAT (feature compat)" in told.message
    assert "GATEWAY_PORT" not in told.message
    assert told.remedy == "add compat to AGENTOS_FEATURES, or remove AGENTOS_HTTP_COMPAT"
    defaults = {"AGENTOS_HTTP_COMPAT": "", "AGENTOS_CONNECTORS": "none", "AGENTOS_FEATURES": "none"}
    assert look_at_features(config.load(defaults, home=tmp_path)).severity is Severity.OK
    toolset = {"AGENTOS_TOOLSETS": "tiers,graph", "AGENTOS_VIEWS": "false", "AGENTOS_FEATURES": "ask"}
    told = look_at_features(config.load(toolset, home=tmp_path))
    assert "AGENTOS_VIEWS (feature apps), AGENTOS_TOOLSETS=tiers (feature tiers)" in told.message


def test_features_name_settings_that_exist() -> None:
    named = [name for one in registered() for name in one.settings]
    assert set(named) <= set(config.Settings.model_fields) and len(named) == len(set(named))
