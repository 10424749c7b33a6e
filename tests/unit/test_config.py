"""Settings: where they come from, and where they must never come from."""

import os
import re
from pathlib import Path
from typing import Any, get_args

import pytest

from agentos import config
from agentos.env_files import UNPREFIXED
from agentos.interfaces.stdio.front import place
from agentos.modules.memory import ranking
from agentos.tools.catalog import all_tools


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An environment without settings, a checkout without a .env, and a foreign project as working directory."""
    for name in list(os.environ):
        if name.startswith("AGENTOS_") or name in UNPREFIXED:
            monkeypatch.delenv(name)
    (tmp_path / "checkout").mkdir()
    (tmp_path / "checkout" / "pyproject.toml").touch()
    (tmp_path / "project").mkdir()
    monkeypatch.setattr(config, "_CHECKOUT", tmp_path / "checkout")
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("AGENTOS_HOME", str(tmp_path / "home"))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def test_a_variable_with_the_prefix_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTOS_MEMORY_DECAY_RATE", "0.25")
    monkeypatch.setenv("AGENTOS_LOG_LEVEL", "debug")
    assert config.load().memory_decay_rate == 0.25
    assert config.load().log_level == "DEBUG"


def test_channels_of_search_are_left_out_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    assert get_args(config.SearchChannel) == ranking.CHANNELS
    monkeypatch.setenv("AGENTOS_SEARCH_WITHOUT", "vectors, late_interaction,")
    assert config.load().search_without == ("vectors", "late_interaction")
    monkeypatch.setenv("AGENTOS_SEARCH_WITHOUT", "smell")
    with pytest.raises(config.SettingsError, match=r"AGENTOS_SEARCH_WITHOUT.*'text', 'vectors'"):
        config.load()


def test_a_toolset_that_there_is_not_is_refused_with_those_that_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    assert {tool.toolset for tool in all_tools(None)} - {None} <= set(get_args(config.Toolset))
    monkeypatch.setenv("AGENTOS_TOOLSETS", "sessions, approvals,")
    assert config.load().toolsets == ("sessions", "approvals")
    assert config.load().differences(config.load(toolsets="")) == [], "each session has its own"
    monkeypatch.setenv("AGENTOS_TOOLSETS", "approvals,sesions")
    with pytest.raises(config.SettingsError, match="AGENTOS_TOOLSETS") as refused:
        config.load()
    assert all(name in str(refused.value) for name in get_args(config.Toolset))
    monkeypatch.setenv("AGENTOS_TOOLSETS", "")
    monkeypatch.setenv("AGENTOS_HTTP_COMPAT", "memoryoss,agent-memori")
    with pytest.raises(config.SettingsError, match=r"AGENTOS_HTTP_COMPAT.*did you mean agent-memory\?"):
        config.load()


@pytest.mark.parametrize("name", sorted(UNPREFIXED))
def test_a_name_without_the_prefix_never_counts_in_the_process_environment(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = config.load()
    monkeypatch.setenv(name, "postgres://somebody/else")
    assert config.load() == before


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        ("MEMORY_DECAY_RATE=0.5", "memory_decay_rate", 0.5),
        ("AGENTOS_MEMORY_DECAY_RATE=0.5", "memory_decay_rate", 0.5),
        ("REFLECTION_LOOKBACK_DAYS=30", "reflection_lookback_days", 30),
        ("PATTERN_MIN_FREQUENCY=5", "pattern_min_frequency", 5),
        ("EMBEDDING_MODEL=none", "embedding_model", "none"),
        ("LOG_LEVEL=error", "log_level", "ERROR"),
        ("AGENTOS_AGENT_ID=ada", "agent_id", "ada"),
        ("CHROMA_PERSIST_DIR=vectors", "chroma_persist_dir", "vectors"),
    ],
)
def test_the_homes_env_file_counts_with_and_without_the_prefix(home: Path, line: str, field: str, value: Any) -> None:
    (home / ".env").write_text(f"{line}\nUNKNOWN=1\nAGENT_ID=nobody\n", encoding="utf-8")
    assert getattr(config.load(), field) == value


def test_the_working_directorys_env_file_never_counts(tmp_path: Path) -> None:
    (tmp_path / "project" / ".env").write_text("AGENTOS_AGENT_ID=stranger\nDATABASE_URL=postgres://x\n")
    assert config.load().agent_id == "default"
    assert config.load().database == tmp_path / "home" / "agentos.db"


def test_a_checkouts_env_file_counts_only_in_a_checkout(tmp_path: Path) -> None:
    (tmp_path / "checkout" / ".env").write_text("AGENTOS_AGENT_ID=developer\nPATTERN_MIN_FREQUENCY=9\n")
    assert config.load().agent_id == "developer"
    assert config.load().pattern_min_frequency == 9
    (tmp_path / "checkout" / "pyproject.toml").unlink()
    assert config.load().agent_id == "default"


def test_argument_then_environment_then_home_then_checkout_then_default(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert config.load().agent_id == "default"
    (tmp_path / "checkout" / ".env").write_text("AGENTOS_AGENT_ID=checkout\n")
    assert config.load().agent_id == "checkout"
    (home / ".env").write_text("AGENTOS_AGENT_ID=home\n")
    assert config.load().agent_id == "home"
    monkeypatch.setenv("AGENTOS_AGENT_ID", "environment")
    assert config.load().agent_id == "environment"
    assert config.load(agent_id="argument").agent_id == "argument"


def test_the_prefixed_name_wins_within_a_file(home: Path) -> None:
    for lines in (
        "MEMORY_DECAY_RATE=0.1\nAGENTOS_MEMORY_DECAY_RATE=0.2\n",
        "AGENTOS_MEMORY_DECAY_RATE=0.2\nMEMORY_DECAY_RATE=0.1\n",
    ):
        (home / ".env").write_text(lines)
        assert config.load().memory_decay_rate == 0.2


def test_a_checkout_may_name_the_home_but_a_home_may_not(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / ".env").write_text(f"AGENTOS_HOME={tmp_path / 'elsewhere'}\n")
    assert config.load().home == home
    monkeypatch.delenv("AGENTOS_HOME")
    (tmp_path / "checkout" / ".env").write_text(f"AGENTOS_HOME={home}\n")
    (home / ".env").write_text("AGENTOS_AGENT_ID=ada\n")
    assert (config.load().home, config.load().agent_id) == (home, "ada")


def test_the_default_home_is_the_users_data_folder_wherever_we_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AGENTOS_HOME")
    first = config.load().home
    monkeypatch.chdir("/")
    assert config.load().home == first
    assert first.is_absolute()


REFUSED = [
    ("AGENTOS_HOME", "relative/folder"),
    ("AGENTOS_HOME", "."),
    ("AGENTOS_HOME", "~nobody-of-this-name/agentos"),
    ("AGENTOS_MEMORY_DECAY_RATE", "fast"),
    ("AGENTOS_MEMORY_DECAY_RATE", "-1"),
    ("AGENTOS_MEMORY_DECAY_RATE", "nan"),
    ("AGENTOS_DATABASE_URL", "mysql://db/agentos"),
    ("AGENTOS_DATABASE_SCHEMA", "Robert; DROP"),
    ("AGENTOS_LOG_LEVEL", "loud"),
    ("AGENTOS_PATTERN_MIN_FREQUENCY", "1"),
    ("AGENTOS_AGENT_ID", "a\nb"),
    ("AGENTOS_AGENT_ID", " padded "),
    ("AGENTOS_SNAPSHOT_MAX_TOKENS", "10"),
    ("AGENTOS_OFFLINE", "perhaps"),
]


@pytest.mark.parametrize(("name", "value"), REFUSED)
def test_a_setting_that_is_not_acceptable_is_named(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(config.SettingsError, match=name):
        config.load()


@pytest.mark.parametrize("content", [b"AGENTOS_AGENT_ID=\xff\xfe\n", b"\xff\xfeA\x00G\x00"])
def test_an_unreadable_env_file_is_a_settings_error(home: Path, content: bytes) -> None:
    (home / ".env").write_bytes(content)
    with pytest.raises(config.SettingsError, match="env"):
        config.load()


def test_an_env_file_is_as_large_as_a_person_writes_it_and_its_unknown_names_are_not_all_told(home: Path) -> None:
    (home / ".env").write_text("".join(f"AGENTOS_NO_{number}=1\n" for number in range(1_000)))
    assert config.load().agent_id and len(config.unknown_names(home)) == config.MOST_UNKNOWN
    (home / ".env").write_text("# no more than a remark\n" * 4_000 + "AGENTOS_NO_1=1\n")
    with pytest.raises(config.SettingsError, match=r"\.env is larger than 64 KiB"):
        config.load()
    assert config.unknown_names(home) == []


def test_a_byte_order_mark_does_not_hide_the_first_setting(home: Path) -> None:
    (home / ".env").write_bytes(b"\xef\xbb\xbfAGENTOS_AGENT_ID=ada\n")
    assert config.load().agent_id == "ada"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("", "home/agentos.db"),
        ("sqlite:///my.db", "home/my.db"),
        ("sqlite:///sub/my.db", "home/sub/my.db"),
    ],
)
def test_a_relative_database_lies_in_the_home(
    url: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENTOS_DATABASE_URL", url)
    assert config.load().database == tmp_path / expected


def test_an_absolute_database_lies_where_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTOS_DATABASE_URL", f"sqlite:///{tmp_path}/other/my.db")
    assert config.load().database == tmp_path / "other" / "my.db"


def test_allowed_agents_are_any_or_a_list_with_our_own() -> None:
    assert config.load().agents is None
    assert config.load(allowed_agents="ada, bob,").agents == {"ada", "bob", "default"}
    assert config.load(allowed_agents="").agents == {"default"}


def test_settings_do_not_change() -> None:
    with pytest.raises(ValueError, match="frozen"):
        config.load().agent_id = "other"  # type: ignore[misc]


def test_an_empty_variable_is_no_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hosts write empty strings for what a user left out."""
    monkeypatch.setenv("AGENTOS_AGENT_ID", "")
    monkeypatch.setenv("AGENTOS_EMBEDDING_WAIT_S", "")
    assert config.load().agent_id == "default"


@pytest.mark.parametrize(
    "url", ["127.0.0.1:11434", "ftp://host/v1", "http://", "http://a b/v1", "http://host/v1?x=1", "http://[::1/v1"]
)
def test_an_embedding_url_must_be_one(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("AGENTOS_EMBEDDING_URL", url)
    with pytest.raises(config.SettingsError, match=r"AGENTOS_EMBEDDING_URL: must be the base URL"):
        config.load()


def test_an_embedding_url_is_given_with_or_without_its_last_part(monkeypatch: pytest.MonkeyPatch) -> None:
    for url in ("http://127.0.0.1:1/v1", "http://127.0.0.1:1/v1/", "http://127.0.0.1:1/v1/embeddings"):
        monkeypatch.setenv("AGENTOS_EMBEDDING_URL", url)
        assert config.load().embedding_url == "http://127.0.0.1:1/v1"


def test_secrets_are_in_no_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTOS_EMBEDDING_API_KEY", "sk-secret")
    settings = config.load()
    assert settings.embedding_api_key.get_secret_value() == "sk-secret"
    assert "sk-secret" not in f"{settings!r} {settings} {settings.model_dump(mode='json')} {settings.model_dump_json()}"
    assert "AGENTOS_EMBEDDING_API_KEY" not in config.index_environment()
    monkeypatch.setenv("AGENTOS_EMBEDDING_API_KEY", "sk secret\r\nX: y")
    with pytest.raises(config.SettingsError, match="AGENTOS_EMBEDDING_API_KEY") as raised:
        config.load()
    assert "secret" not in str(raised.value)
    monkeypatch.delenv("AGENTOS_EMBEDDING_API_KEY")
    monkeypatch.setenv("AGENTOS_EMBEDDING_URL", "https://ada:secret@host/v1")
    with pytest.raises(config.SettingsError, match="must not contain a password") as raised:
        config.load()
    assert "ada" not in str(raised.value)


def test_who_has_no_home_folder_is_told_to_name_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def nobody(_: int) -> None:
        raise KeyError("no such user")

    monkeypatch.setattr("pwd.getpwuid", nobody)
    for name in ("HOME", "XDG_DATA_HOME", "AGENTOS_HOME"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(config.SettingsError, match="set AGENTOS_HOME"):
        config.load()
    assert not place.of_environment().home.is_absolute() and not place.of_environment().hooks
    assert config.load(home=tmp_path).home == tmp_path


def test_a_setting_with_a_nul_is_refused_by_its_name(tmp_path: Path) -> None:
    for name in ("AGENTOS_HOME", "AGENTOS_CHROMA_PERSIST_DIR"):
        given = {"AGENTOS_HOME": str(tmp_path), name: f"{tmp_path}\0x"}
        with pytest.raises(config.SettingsError, match=f"{name}: must not contain a NUL"):
            config.load(given)


def test_a_password_within_an_address_of_a_database_is_a_secret_wherever_it_stands(tmp_path: Path) -> None:
    url = "postgresql://ann:horse%2Fbattery1@db.example.com/memory?password=staple-battery-2"
    assert config.load(home=tmp_path, database_url=url).own_secrets() == ["horse/battery1", "staple-battery-2"]


def test_a_wrong_value_of_any_setting_is_told_without_the_words_of_a_library(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told = []
    for name in config.Settings.model_fields:
        for value in ("zzz", "-5"):
            with monkeypatch.context() as one:
                one.setenv("AGENTOS_HOME", str(tmp_path))
                one.setenv(f"AGENTOS_{name.upper()}", value)
                try:
                    config.load()
                except config.SettingsError as error:
                    told.append(str(error))
    assert len(told) > 100
    assert not [
        text for text in told if re.search(r"Input|String|[Ff]ield required|valid (?:bool|int)|parse|Tuple", text)
    ]
