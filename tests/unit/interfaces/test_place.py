"""The front finds the same home as the settings, without their library."""

from pathlib import Path

import pytest

from agentos import config
from agentos.interfaces.stdio.front import place
from agentos.modules.system import door


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "checkout"
    folder.mkdir()
    (folder / "pyproject.toml").touch()
    for module in (config, place):
        monkeypatch.setattr(module, "_CHECKOUT", folder)
    for name in ("AGENTOS_HOME", "AGENTOS_DAEMON", "AGENTOS_TOOLSETS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    return folder


def same() -> tuple[Path, bool]:
    here, settings = place.of_environment(), config.load()
    assert (here.home, here.daemon) == (settings.home, settings.daemon == "auto")
    assert here.toolsets == frozenset(settings.toolsets)
    assert here.resources is settings.http_resources
    return here.home, here.daemon


def test_hooks_are_on_unless_they_are_switched_off(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for value, wanted in (("", True), ("on", True), ("OFF", False)):
        monkeypatch.setenv("AGENTOS_HOOKS", value)
        assert place.of_environment().hooks is (config.load().hooks == "on") is wanted


def test_resources_are_offered_where_the_setting_says_so(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for value, offered in (("", False), ("TRUE", True), ("yes", True), ("1", True), ("off", False)):
        monkeypatch.setenv("AGENTOS_HTTP_RESOURCES", value)
        assert place.of_environment().resources is config.load().http_resources is offered


def test_what_a_command_line_names_counts_more_than_the_environment(checkout: Path, tmp_path: Path) -> None:
    here = place.of_environment({"AGENTOS_HOME": str(tmp_path / "named")})
    assert here.home == tmp_path / "named" and here.settings["AGENTOS_HOME"] == str(tmp_path / "named")


def test_the_default_home(checkout: Path, tmp_path: Path) -> None:
    assert same() == (tmp_path / "data" / "agentos", True)


@pytest.mark.parametrize("value", ["/srv/memory", "~/memory"])
def test_a_home_in_the_environment(checkout: Path, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("AGENTOS_HOME", value)
    assert same()[0] == Path(value).expanduser()


def test_an_empty_variable_is_none(checkout: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AGENTOS_HOME", "")
    monkeypatch.setenv("AGENTOS_DAEMON", "")
    assert same() == (tmp_path / "data" / "agentos", True)


def test_a_checkout_may_name_home_and_wish(checkout: Path, tmp_path: Path) -> None:
    (checkout / ".env").write_text(f"AGENTOS_HOME={tmp_path / 'elsewhere'}\nAGENTOS_DAEMON=OFF\n")
    assert same() == (tmp_path / "elsewhere", False)
    (checkout / "pyproject.toml").unlink()
    assert same() == (tmp_path / "data" / "agentos", True)


def test_the_homes_file_wins_over_the_checkouts_and_the_environment_over_both(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "data" / "agentos"
    home.mkdir(parents=True)
    (checkout / ".env").write_text("AGENTOS_DAEMON=auto\n")
    (home / ".env").write_text("AGENTOS_DAEMON=off\nAGENTOS_HOME=/nowhere\n")
    assert same() == (home, False)
    monkeypatch.setenv("AGENTOS_DAEMON", "auto")
    assert same() == (home, True)


def test_the_toolsets_of_a_session(checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "data" / "agentos"
    home.mkdir(parents=True)
    same()
    assert place.of_environment().toolsets == frozenset()
    (checkout / ".env").write_text("AGENTOS_TOOLSETS=approvals\n")
    same()
    assert place.of_environment().toolsets == {"approvals"}
    (home / ".env").write_text("AGENTOS_TOOLSETS=\n")
    same()
    assert place.of_environment().toolsets == frozenset(), "none there is more than one in the checkout"
    monkeypatch.setenv("AGENTOS_TOOLSETS", " sessions,approvals, ")
    same()
    assert place.of_environment().toolsets == {"approvals", "sessions"}


def test_the_socket_of_a_deep_home_has_a_short_name(tmp_path: Path) -> None:
    assert place.socket_path(Path("/srv/memory")) == Path("/srv/memory/daemon.sock")
    deep = Path("/srv") / ("x" * 100)
    short = place.socket_path(deep)
    assert len(str(short)) <= door.MAX_SOCKET_PATH_BYTES
    assert short != place.socket_path(deep / "y")


def test_a_home_that_is_a_link_is_the_folder_itself(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "disk")
    monkeypatch.setenv("AGENTOS_HOME", str(tmp_path / "link"))
    assert same()[0] == tmp_path / "disk"
    monkeypatch.delenv("AGENTOS_HOME")
    (tmp_path / "data").symlink_to(tmp_path / "disk")
    assert same()[0] == tmp_path / "disk" / "agentos"


def test_a_relative_home_gets_no_daemon(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTOS_HOME", "memory")
    assert not place.of_environment().daemon
    with pytest.raises(config.SettingsError, match="absolute"):
        config.load()


def test_the_database_is_the_file_that_a_link_leads_to(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real.db").touch()
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "agentos.db").symlink_to(tmp_path / "real.db")
    assert config.load({"AGENTOS_HOME": str(tmp_path / "home")}).database == tmp_path / "real.db"


def test_features_are_those_of_the_settings_and_views_are_there_with_theirs(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "data" / "agentos"
    home.mkdir(parents=True)
    for value, there in (("", True), (" ", True), ("none", False), ("Apps", True), ("sync; anchors", False)):
        (home / ".env").write_text(f"AGENTOS_FEATURES='{value}'\n")
        here, on = place.of_environment(), config.load().features
        assert here.views is ("apps" in on) is there
        assert {name for name in config.FEATURES if here.features is None or name in here.features} == {*on}
