"""`agentos open` where the usual address is taken: any free port, unless the settings name the address."""

from pathlib import Path

import pytest

from agentos.features.dashboard import commands


@pytest.mark.parametrize("set_address", ["", "127.0.0.1:8421"])
def test_a_second_home_opens_at_a_free_port_unless_its_settings_name_one(
    set_address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AGENTOS_HTTP", set_address)
    asked: list[str] = []

    def taken(settings: object, address: str) -> None:
        raise OSError(f"cannot listen at {address}")

    def started(settings: object, address: str) -> dict[str, str]:
        asked.append(address)
        return {"http": "http://127.0.0.1:50123"}

    monkeypatch.setattr(commands, "can_serve", taken)
    monkeypatch.setattr(commands, "started", started)
    if set_address:
        with pytest.raises(OSError, match=set_address):
            commands.open_(browser=False, home=tmp_path)
    else:
        commands.open_(browser=False, home=tmp_path)
        assert capsys.readouterr().out.startswith("http://127.0.0.1:50123/dashboard/enter#")
    assert asked == ([] if set_address else ["127.0.0.1:0"])
