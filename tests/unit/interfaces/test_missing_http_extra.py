"""The dashboard without the extra `http`: refused with the remedy, before a running daemon is ended for it."""

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from agentos import config
from agentos.interfaces.cli import background, dashboard
from agentos.interfaces.cli.outcome import Failure, Outcome
from agentos.interfaces.cli.running import run
from agentos.modules.installing import INSTALL_HTTP_EXTRA
from tests.tables import every


def test_opening_the_dashboard_without_its_packages_leaves_the_daemon_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[Any] = []
    monkeypatch.setattr(dashboard, "ended", ended.append)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(Failure, match=r"jinja2: pip install .*\[http\]") as refused:
        dashboard.run(tmp_path, browser=False)
    assert refused.value.outcome is Outcome.UNAVAILABLE and not ended


@every("words", [["open", "--no-browser"], ["serve"], ["start", "--listen", "127.0.0.1:0"]])
def test_commands_name_what_installs_the_extra(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    asked = [*words, "--home", str(tmp_path)]
    assert run(asked) == Outcome.UNAVAILABLE
    assert INSTALL_HTTP_EXTRA in capsys.readouterr().err
    assert run([*asked, "--json"]) == Outcome.UNAVAILABLE
    error = json.loads(capsys.readouterr().out)["error"]
    assert (error["code"], error["exit_code"]) == ("unavailable", 4) and INSTALL_HTTP_EXTRA in error["message"]


def test_without_an_address_no_package_of_the_extra_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    background.can_serve(config.Settings(), "")
