"""Profiles: ordinary lines in the home's env file, which their owner may change, and which go again to the byte."""

from pathlib import Path

import pytest

from agentos import config
from agentos.interfaces.cli.doctor.installation import look_at_profile
from agentos.interfaces.cli.setup.profiles import NONE, PROFILES
from tests.places import ROOT
from tests.tables import every

from .test_setup import Bench

OWN = "# mine\nAGENTOS_BACKUP_KEEP=3\nAGENTOS_LOG_FORMAT='text'"


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    made = Bench(tmp_path)
    made.data.mkdir(mode=0o700)
    return made


@every("name", list(PROFILES))
def test_a_profile_s_settings_are_valid_and_documented(tmp_path: Path, name: str) -> None:
    values = {setting.lower(): value for setting, value in PROFILES[name].items()}
    chosen = config.load({}, home=tmp_path / "none", **values)
    usual = config.load({}, home=tmp_path / "none")
    assert all(getattr(chosen, setting) != getattr(usual, setting) for setting in values)
    page = (ROOT / "docs/builders/setup.md").read_text(encoding="utf-8")
    assert all(f"| `AGENTOS_{setting}` |" in page for setting in PROFILES[name])


def test_a_profile_is_written_counts_is_shown_and_goes_again(bench: Bench) -> None:
    path = bench.data / ".env"
    assert look_at_profile(bench.data).details["profile"] is None
    for own in ("", OWN):
        if own:
            path.write_text(own, encoding="utf-8")
        assert bench.run(profile="team", dry_run=True) == 0
        assert (path.read_text(encoding="utf-8") if path.exists() else "") == own
        assert bench.run(profile="team") == 0
        settings = config.load({}, home=bench.data)
        assert settings.redact_emails and settings.toolsets == ("approvals", "namespaces", "sessions")
        assert (settings.backup_keep, settings.log_format) == ((3, "text") if own else (30, "json"))
        finding = look_at_profile(bench.data)
        assert finding.details == {
            "profile": "team",
            "changed": ["AGENTOS_BACKUP_KEEP", "AGENTOS_LOG_FORMAT"] if own else [],
        }
        written = path.read_bytes()
        assert bench.run(profile="team") == 0
        assert path.read_bytes() == written, "the second run changes nothing"
        assert bench.run(profile="coding") == 0
        assert config.load({}, home=bench.data).redact_emails is False
        assert bench.run(profile=NONE) == 0
        assert (path.read_text(encoding="utf-8") if own else path.exists()) == (own or False)


def test_a_block_that_was_broken_by_hand_is_left_alone(bench: Bench) -> None:
    assert bench.run(profile="team") == 0
    path = bench.data / ".env"
    path.write_text(path.read_text(encoding="utf-8").replace("# end of agentos:profile", ""), encoding="utf-8")
    before = path.read_bytes()
    assert bench.run(profile="coding") == 3 and bench.run(profile=NONE) == 3
    assert path.read_bytes() == before
    assert "missing or has moved" in look_at_profile(bench.data).message
