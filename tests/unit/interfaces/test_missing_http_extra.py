"""The dashboard without the extra `http`: refused with the remedy, before a running daemon is ended for it."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from agentos.interfaces.cli import background, dashboard
from agentos.interfaces.cli.outcome import Failure, Outcome


def test_opening_the_dashboard_without_its_packages_leaves_the_daemon_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[Any] = []
    monkeypatch.setattr(dashboard, "ended", ended.append)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(Failure, match=r"jinja2: pip install .*\[http\]") as refused:
        dashboard.run(tmp_path, browser=False)
    assert refused.value.outcome is Outcome.UNAVAILABLE and not ended


def test_without_an_address_no_package_of_the_extra_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    background.can_serve("")
