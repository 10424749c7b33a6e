"""`agentos setup` on real files: golden files of every client, taken back to the byte, and what it must not touch."""

import json
import os
import stat
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agentos.interfaces.cli.setup.clients import CLIENTS, Client, Machine, by_key
from agentos.interfaces.cli.setup.command import Setup, SetupOptions
from agentos.interfaces.cli.setup.documents import Unreadable
from agentos.interfaces.cli.setup.launch import Launch, is_fetched, is_passing, launch_of, starts_agentos
from agentos.interfaces.cli.setup.receipts import Receipts
from tests.tables import every

ROOT = Path(__file__).resolve().parents[3]
GOLDEN = Path(__file__).parent / "clients"
LAUNCH = Launch(
    "/opt/agentos/bin/agentos-server",
    (),
    {"AGENTOS_HOME": "/data/agentos"},
    ("/opt/agentos/bin/agentos",),
    gateway="http://127.0.0.1:8377/proxy/openai/v1",
)
NEW = Launch("/new/bin/agentos-server", ("--x",), {"AGENTOS_HOME": "/new"}, gateway="http://[::1]:1/proxy/openai/v1")
MOMENT = datetime(2026, 11, 22, 12, tzinfo=UTC)
EVERY_CLIENT = pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.key)
WITH_HOOKS = pytest.mark.parametrize("client", [one for one in CLIENTS if one.hooks], ids=lambda client: client.key)


class Bench:
    """A home with nothing in it, and setup run in it."""

    def __init__(self, folder: Path, platform: str = "linux") -> None:
        self.home = folder / "home"
        self.project = folder / "project"
        self.data = folder / "data"
        self.machine = Machine(platform, self.home, {}, self.project)
        self.home.mkdir()
        self.project.mkdir()

    def run(self, *clients: str, launch: Launch = LAUNCH, **options: bool | str) -> int:
        setup = Setup(self.machine, launch, Receipts(self.data), lambda: MOMENT)
        return setup.run(SetupOptions(clients, **{"yes": True, **options}))  # type: ignore[arg-type]

    def file(self, client: Client) -> Path:
        return client.files(self.machine, "user")[0]

    def hooks(self, client: Client) -> Path:
        assert client.hooks is not None
        return self.machine.path(client.hooks.user)

    def place(self, client: Client, data: bytes) -> Path:
        path = self.file(client)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def everything(self) -> dict[str, tuple[int, bytes | None]]:
        """Every file and folder of the user with its mode and content."""
        roots = (self.home, self.project)
        return {
            str(path): (path.stat().st_mode, path.read_bytes() if path.is_file() else None)
            for root in roots
            for path in sorted(root.rglob("*"))
        }


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@EVERY_CLIENT
def test_where_nothing_is_a_file_is_made_and_goes_again(bench: Bench, client: Client) -> None:
    before = bench.everything()
    assert bench.run(client.key) == 0
    path = bench.file(client)
    assert path.read_bytes() == (GOLDEN / client.key / "empty.after").read_bytes()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert bench.run(client.key, uninstall=True) == 0
    assert bench.everything() == before


@EVERY_CLIENT
@pytest.mark.parametrize("mode", [0o600, 0o644])
def test_what_is_there_stays_to_the_byte(bench: Bench, client: Client, mode: int) -> None:
    golden = GOLDEN / client.key
    path = bench.place(client, (golden / "existing.before").read_bytes())
    path.chmod(mode)
    before = bench.everything()
    assert bench.run(client.key) == 0
    assert path.read_bytes() == (golden / "existing.after").read_bytes()
    assert stat.S_IMODE(path.stat().st_mode) == mode
    installed = bench.everything()
    assert bench.run(client.key) == 0
    assert bench.everything() == installed, "the second run changes nothing"
    assert len(list((bench.data / "setup" / "backups").iterdir())) == 1
    assert bench.run(client.key, uninstall=True) == 0
    assert bench.everything() == before


@EVERY_CLIENT
def test_an_outdated_entry_is_renewed_and_keeps_what_its_owner_added(bench: Bench, client: Client) -> None:
    golden = GOLDEN / client.key
    path = bench.place(client, (golden / "outdated.before").read_bytes())
    assert bench.run(client.key) == 0
    assert path.read_bytes() == (golden / "outdated.after").read_bytes()
    path_text = path.read_text(encoding="utf-8")
    assert bench.run(client.key, uninstall=True) == 0
    left = path.read_text(encoding="utf-8")
    assert client.document.entry(left) is None
    assert ('"z"' in left) == ('"z"' in path_text), "other entries stay"


@EVERY_CLIENT
def test_a_broken_file_is_left_alone(bench: Bench, client: Client, capsys: pytest.CaptureFixture[str]) -> None:
    content = (GOLDEN / client.key / "existing.after").read_bytes()
    path = bench.place(client, content[: len(content) // 2] + b' = {\n"[:')
    before = bench.everything()
    assert bench.run(client.key) == 3
    assert bench.run(client.key, uninstall=True) == 3
    assert bench.everything() == before
    assert str(path) in capsys.readouterr().out


@EVERY_CLIENT
def test_an_update_can_be_taken_back_too(bench: Bench, client: Client) -> None:
    bench.place(client, (GOLDEN / client.key / "existing.before").read_bytes())
    before = bench.everything()
    assert bench.run(client.key) == 0
    assert bench.run(client.key, launch=NEW) == 0
    assert bench.everything() != before
    assert bench.run(uninstall=True) == 0, "every client that has a receipt"
    assert bench.everything() == before


@WITH_HOOKS
@pytest.mark.parametrize("case", ["empty", "existing", "ours", "outdated"])
def test_hooks_join_those_of_others_and_leave_them_as_they_were(bench: Bench, client: Client, case: str) -> None:
    golden = GOLDEN / client.key / "hooks"
    path = bench.hooks(client)
    given = golden / f"{case}.before"
    if given.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(given.read_bytes())
    before = bench.everything()
    assert bench.run(client.key, hooks=True) == 0
    assert path.read_bytes() == (golden / f"{case}.after").read_bytes()
    installed = bench.everything()
    assert bench.run(client.key, hooks=True) == 0
    assert bench.everything() == installed, "the second run changes nothing"
    assert bench.run(client.key, uninstall=True) == 0
    if case in ("empty", "existing"):
        assert bench.everything() == before
    else:
        left = json.loads(path.read_bytes())
        assert "agentos" not in json.dumps(left) and left.get("mine") == json.loads(given.read_bytes()).get("mine")


@WITH_HOOKS
def test_hooks_are_updated_in_place_and_go_whatever_was_added_around_them(bench: Bench, client: Client) -> None:
    path = bench.hooks(client)
    assert client.hooks is not None
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes((GOLDEN / client.key / "hooks" / "existing.before").read_bytes())
    before = bench.everything()
    assert bench.run(client.key, hooks=True) == 0
    moved = Launch("/new/agentos-server", (), {"AGENTOS_AGENT_ID": "ada"}, ("/new folder/agentos",))
    assert bench.run(client.key, hooks=True, launch=moved) == 0
    text = path.read_text(encoding="utf-8")
    assert "/opt/agentos" not in text.replace("/opt/agentos/bin/agentos-server", "") and "ada" in text
    assert len(client.hooks.document(path).entry(text) or ()) == len(client.hooks.wanted(moved, path))
    assert bench.run(client.key, uninstall=True) == 0
    assert bench.everything() == before


def test_a_hook_that_was_put_beside_ours_stays_when_ours_is_renewed_and_when_it_goes(bench: Bench) -> None:
    client = by_key("claude-code")
    path = bench.hooks(client)
    assert bench.run(client.key, hooks=True) == 0
    settings = json.loads(path.read_bytes())
    [entry] = settings["hooks"]["Stop"]
    entry["hooks"].append({"type": "command", "command": "mine"})
    entry["hooks"][0]["statusMessage"] = "remembering"
    settings["hooks"]["SessionStart"][0]["matcher"] = "startup"
    path.write_text(json.dumps(settings), encoding="utf-8")
    assert bench.run(client.key, hooks=True) == 0
    renewed = json.loads(path.read_bytes())
    assert renewed["hooks"]["Stop"] == settings["hooks"]["Stop"], "what its owner added is nothing that ours lacks"
    assert renewed["hooks"]["SessionStart"][0]["matcher"] != "startup"
    assert bench.run(client.key, uninstall=True) == 0
    assert json.loads(path.read_bytes()) == {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}}


def test_a_list_of_hooks_with_nothing_in_it_stays_and_what_is_no_list_is_refused(bench: Bench) -> None:
    client = by_key("claude-code")
    path = bench.hooks(client)
    path.parent.mkdir(parents=True)
    for text in (
        '{"hooks": {"Stop": [ ]}}',
        '{"hooks": {}}',
        "{ // mine\n}\n",
        "{}",
        '{"hooks":{"Stop":[{"hooks":[]}]}}',
    ):
        path.write_text(text, encoding="utf-8")
        assert bench.run(client.key, hooks=True) == 0
        assert bench.run(client.key, uninstall=True) == 0
        assert path.read_text(encoding="utf-8") == text
    for text in ('{"hooks": []}', '{"hooks": {"Stop": {}}}', '{"hooks": {"Stop": 1}'):
        path.write_text(text, encoding="utf-8")
        assert bench.run(client.key, hooks=True) == 3
        assert path.read_text(encoding="utf-8") == text


@WITH_HOOKS
def test_hooks_made_by_hand_are_found_and_go_and_a_list_shows_them(
    bench: Bench, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    def state() -> str:
        capsys.readouterr()
        assert bench.run(client.key, hooks=True, only_list=True, as_json=True) == 0
        rows = json.loads(capsys.readouterr().out)["clients"]
        return next(str(row["state"]) for row in rows if row["purpose"] == "hooks")

    assert state() == "absent"
    path = bench.hooks(client)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes((GOLDEN / client.key / "hooks" / "empty.after").read_bytes())
    assert state() == "registered"
    path.write_bytes((GOLDEN / client.key / "hooks" / "outdated.before").read_bytes())
    assert state() == "outdated"
    assert bench.run(client.key, uninstall=True) == 0
    assert state() == "absent"


def test_where_hooks_are_not_wanted_none_are_made(bench: Bench) -> None:
    assert bench.run("claude-code", "codex") == 0
    assert {path.name for path in bench.home.rglob("*") if path.is_file()} == {".claude.json", "config.toml"}


@pytest.mark.parametrize("key", ["claude-code", "cursor"])
def test_a_status_line_is_shown_if_it_is_asked_for_and_somebody_s_own_stays(bench: Bench, key: str) -> None:
    client = by_key(key)
    assert client.status_line is not None
    path = bench.machine.path(client.status_line.user)
    assert bench.run(key, hooks=True) == 0
    assert not path.exists() or "statusLine" not in path.read_text(encoding="utf-8")
    before = bench.everything()
    assert bench.run(key, hooks=True, status_line=True) == 0
    shown = json.loads(path.read_bytes())["statusLine"]
    assert shown == {"type": "command", "command": "/opt/agentos/bin/agentos status-line --home /data/agentos"}
    installed = bench.everything()
    assert bench.run(key, hooks=True, status_line=True) == 0
    assert bench.everything() == installed, "the second run changes nothing"
    assert bench.run(key, uninstall=True) == 0
    assert bench.run(key, hooks=True) == 0
    assert bench.everything() == before
    path.write_text('{"statusLine": {"type": "command", "command": "~/mine.sh agentos"}}', encoding="utf-8")
    assert bench.run(key, status_line=True) == 3
    assert bench.run(key, uninstall=True) == 0
    assert json.loads(path.read_bytes())["statusLine"]["command"] == "~/mine.sh agentos"


@every(
    ("before", "after"),
    [
        ("", 'openai-api-base: "{base}"\n\nread: ["{file}"]\n'),
        ("read: a.md # mine\n", 'read: ["a.md", "{file}"]\n\nopenai-api-base: "{base}"\n'),
        ("read:\n- a.md\n- b.md", 'read: ["a.md", "b.md", "{file}"]\n\nopenai-api-base: "{base}"\n'),
    ],
)
def test_aider_reads_instructions_beside_what_it_reads_already(bench: Bench, before: str, after: str) -> None:
    path = bench.place(by_key("aider"), before.encode()) if before else bench.file(by_key("aider"))
    known = bench.everything()
    assert bench.run("aider", instructions=True) == 0
    file = bench.home / ".aider.agentos.md"
    assert file.is_file() and path.read_text(encoding="utf-8") == after.format(base=LAUNCH.gateway, file=file)
    assert bench.run("aider", uninstall=True) == 0
    assert bench.everything() == known
    path.unlink(missing_ok=True)


def test_aider_is_set_up_only_if_it_is_named_and_an_address_of_another_stays(bench: Bench) -> None:
    path = bench.place(by_key("aider"), b"dark-mode: true\n")
    before = bench.everything()
    assert bench.run(everything=True) == 0
    assert bench.everything() == before
    path.write_bytes(b"openai-api-base: https://models.example.com/v1\n")
    assert bench.run("aider") == 3
    assert bench.run("aider", uninstall=True) == 0
    assert path.read_bytes() == b"openai-api-base: https://models.example.com/v1\n"


def test_aider_is_not_led_to_a_gateway_that_is_off(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.place(by_key("aider"), b"dark-mode: true\n")
    before = bench.everything()
    assert bench.run("aider", launch=replace(LAUNCH, gateway="")) == 3
    assert "AGENTOS_FEATURES" in capsys.readouterr().err and bench.everything() == before


REMOTE = replace(LAUNCH, url="https://memory.example.com/mcp")


@EVERY_CLIENT
def test_a_server_elsewhere_is_called_by_its_address_with_a_key_from_the_environment(
    bench: Bench, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    before = bench.everything()
    code = bench.run(client.key, launch=REMOTE, url=REMOTE.url)
    if client.remote is None:
        assert code == 3 and bench.everything() == before
        output = capsys.readouterr().err
        assert "stores the key" in output or (client.through_gateway and "does not support MCP" in output)
        return
    assert code == 0
    path = bench.file(client)
    entry = client.document.entry(path.read_text(encoding="utf-8"))
    assert entry is not None and REMOTE.url in entry.values() and "AGENTOS_KEY" in str(entry) and "command" not in entry
    assert "agentos keys create" in capsys.readouterr().out
    installed = bench.everything()
    assert bench.run(client.key, launch=REMOTE, url=REMOTE.url) == 0
    assert bench.run(client.key) == 3, "what starts a server does not replace what calls one"
    assert bench.everything() == installed
    assert bench.run(client.key, uninstall=True) == 0
    assert bench.everything() == before


def test_a_foreign_entry_of_our_name_is_neither_changed_nor_removed(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.place(by_key("cursor"), b'{"mcpServers": {"agentos": {"command": "/usr/bin/another"}}}')
    before = bench.everything()
    assert bench.run("cursor") == 3
    assert "rename or remove that one first" in capsys.readouterr().err
    assert bench.run("cursor", uninstall=True) == 0
    assert bench.everything() == before


@pytest.mark.parametrize(
    ("key", "path", "text"),
    [
        ("continue", ".continue/config.yaml", "mcpServers:\n  - name: agentos\n    command: agentos-server\n"),
        ("claude-code", ".claude/settings.json", '{"enabledPlugins": {"agentos@agentos": true}}'),
        ("codex", ".codex/config.toml", '[plugins."agentos@agentos"]\nenabled = true\n'),
        ("gemini", ".gemini/extensions/agentos/gemini-extension.json", '{"name": "agentos"}'),
    ],
)
def test_what_a_plugin_brings_already_is_not_registered_twice(bench: Bench, key: str, path: str, text: str) -> None:
    other = bench.home / path
    other.parent.mkdir(parents=True)
    other.write_text(text, encoding="utf-8")
    before = bench.everything()
    assert bench.run(key, hooks=True) == 3
    assert bench.everything() == before
    other.write_text(text.replace("agentos", "other"), encoding="utf-8")
    assert bench.run(key) == 0


def test_an_extension_that_is_linked_is_one_too(bench: Bench) -> None:
    link = bench.home / ".gemini/extensions/agentos/.gemini-extension-install.json"
    link.parent.mkdir(parents=True)
    link.write_text('{"source": "/checkout/plugin/gemini", "type": "link"}', encoding="utf-8")
    assert bench.run("gemini", hooks=True) == 3
    link.unlink()
    assert bench.run("gemini", hooks=True) == 0


def test_a_link_stays_a_link_and_its_file_is_changed(bench: Bench) -> None:
    dotfiles = bench.home / "dotfiles" / "mcp.json"
    dotfiles.parent.mkdir()
    dotfiles.write_text("{}\n", encoding="utf-8")
    link = bench.home / ".cursor" / "mcp.json"
    link.parent.mkdir()
    link.symlink_to("../dotfiles/mcp.json")
    assert bench.run("cursor") == 0
    assert link.is_symlink() and "agentos-server" in dotfiles.read_text(encoding="utf-8")
    assert bench.run("cursor", uninstall=True) == 0
    assert link.is_symlink() and dotfiles.read_text(encoding="utf-8") == "{}\n"


@pytest.mark.parametrize("kind", ["circle", "folder", "latin-1", "pipe"])
def test_what_is_not_a_text_file_of_the_user_is_refused(bench: Bench, kind: str) -> None:
    path = bench.home / ".cursor" / "mcp.json"
    path.parent.mkdir()
    if kind == "circle":
        path.symlink_to(path.name)
    elif kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.write_bytes('{"é": 1}'.encode("latin-1"))
    assert bench.run("cursor") == 3


def test_a_byte_order_mark_stays(bench: Bench) -> None:
    path = bench.place(by_key("cursor"), b"\xef\xbb\xbf{}")
    assert bench.run("cursor") == 0
    assert path.read_bytes().startswith(b"\xef\xbb\xbf{")
    assert bench.run("cursor", uninstall=True) == 0
    assert path.read_bytes() == b"\xef\xbb\xbf{}"


def test_a_dry_run_shows_and_writes_nothing(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.place(by_key("gemini"), b'{\n  "theme": "x"\n}\n')
    before = bench.everything()
    assert bench.run("gemini", "codex", dry_run=True, yes=False) == 0
    assert bench.everything() == before and not bench.data.exists()
    shown = capsys.readouterr().out
    assert "+[mcp_servers.agentos]" in shown and '+    "agentos": {' in shown and "would be added" in shown


def test_nothing_is_written_unasked(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    before = bench.everything()
    assert bench.run("codex", yes=False, as_json=True) == 3
    assert bench.everything() == before
    change = json.loads(capsys.readouterr().out)["changes"][0]
    assert change["action"] == "skipped" and "--yes" in change["problem"] and "+command" in change["diff"]


def test_the_clients_of_this_machine_are_found(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    (bench.home / ".cursor").mkdir()
    (bench.home / ".config" / "Code - Insiders" / "User").mkdir(parents=True)
    assert bench.run(only_list=True, as_json=True) == 0
    rows = {row["client"]: row for row in json.loads(capsys.readouterr().out)["clients"]}
    assert {key for key, row in rows.items() if row["installed"]} == {"cursor", "vscode"}
    assert rows["vscode"]["path"].endswith("Code - Insiders/User/mcp.json")
    assert bench.run() == 0
    capsys.readouterr()
    assert bench.run(only_list=True, as_json=True) == 0
    states = {row["client"]: row["state"] for row in json.loads(capsys.readouterr().out)["clients"]}
    assert {key for key, state in states.items() if state == "registered"} == {"cursor", "vscode"}


@EVERY_CLIENT
def test_a_project_has_files_of_its_own_and_gets_them_back(bench: Bench, client: Client) -> None:
    before = bench.everything()
    assert bench.run(client.key, scope="project", hooks=True, instructions=True) == 0
    made = set(bench.everything()) - set(before)
    assert all(path.startswith(str(bench.project)) for path in made)
    assert bool(made) == bool(client.project or client.instructions)
    assert bench.run(client.key, uninstall=True) == 0, "the receipts know it without --scope"
    assert bench.everything() == before


def test_what_was_made_for_another_client_stays(bench: Bench) -> None:
    assert bench.run("codex", "zed", scope="project", instructions=True) == 0
    assert bench.run("zed", scope="project", uninstall=True) == 0
    assert "memory_search" in (bench.project / "AGENTS.md").read_text(encoding="utf-8")
    assert not (bench.project / ".zed").exists()
    assert bench.run(uninstall=True) == 0
    assert not list(bench.project.iterdir())


@pytest.mark.parametrize(
    "key", ["claude-code", "codex", "gemini", "windsurf", "cline", "continue", "opencode", "goose", "aider"]
)
def test_instructions_join_those_that_are_there(bench: Bench, key: str) -> None:
    client = by_key(key)
    assert client.instructions is not None and client.instructions.user is not None
    path = bench.machine.path(client.instructions.user)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("# Mine\n\nBe brief.", encoding="utf-8")
    bench.place(client, (GOLDEN / client.key / "existing.before").read_bytes())
    before = bench.everything()
    assert bench.run(client.key, instructions=True) == 0
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# Mine\n\nBe brief.\n\n<!-- agentos:begin")
    assert ("agentos recall" if client.through_gateway else "memory_search") in text
    installed = bench.everything()
    assert bench.run(client.key, instructions=True) == 0
    assert bench.everything() == installed
    assert bench.run(client.key, uninstall=True) == 0
    assert bench.everything() == before


@pytest.mark.parametrize(
    ("platform", "expected"),
    [
        (
            "linux",
            {
                "claude-desktop": ".config/Claude",
                "zed": ".config/zed",
                "vscode": ".config/Code/User",
                "goose": ".config/goose",
            },
        ),
        (
            "darwin",
            {
                "claude-desktop": "Library/Application Support/Claude",
                "zed": ".config/zed",
                "vscode": "Library/Application Support/Code/User",
            },
        ),
        (
            "win32",
            {
                "claude-desktop": "AppData/Roaming/Claude",
                "zed": "AppData/Roaming/Zed",
                "goose": "AppData/Roaming/Block/goose/config",
                "hermes": "AppData/Local/hermes",
                "vscode": "AppData/Roaming/Code/User",
            },
        ),
    ],
)
def test_paths_follow_the_platform(tmp_path: Path, platform: str, expected: dict[str, str]) -> None:
    bench = Bench(tmp_path, platform)
    for key, folder in expected.items():
        assert bench.file(by_key(key)).parent == bench.home / folder


def test_variables_move_the_files(tmp_path: Path) -> None:
    variables = {
        "CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "/x", "XDG_CONFIG_HOME": "/cfg", "GEMINI_CLI_HOME": "/g",
        "CONTINUE_GLOBAL_DIR": "/n", "HERMES_HOME": "/h", "CLINE_MCP_SETTINGS_PATH": "/l/s.json",
    }  # fmt: skip
    machine = Machine("linux", tmp_path, variables, tmp_path)
    named = {key: str(by_key(key).all_files(machine, "user")[0]) for key in ("claude-code", "codex", "zed", "gemini")}
    named |= {key: str(by_key(key).all_files(machine, "user")[0]) for key in ("continue", "cline", "hermes")}
    assert named == {
        "claude-code": "/c/.claude.json",
        "codex": "/x/config.toml",
        "zed": "/cfg/zed/settings.json",
        "gemini": "/g/.gemini/settings.json",
        "continue": "/n/mcpServers/agentos.json",
        "cline": "/l/s.json",
        "hermes": "/h/config.yaml",
    }


@pytest.fixture
def environments(tmp_path: Path) -> Iterator[Path]:
    for folder in ("venv/bin", "uv/archive-v0/abc/bin", "bare/bin", "another/bin"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "python").touch()
        if not folder.startswith("bare"):
            package = "server" if folder.startswith("another") else "agentos.server"
            (tmp_path / folder / "agentos-server").write_text(f"from {package} import main\n", encoding="utf-8")
    yield tmp_path


def test_the_command_is_the_absolute_path_of_our_own_program(environments: Path) -> None:
    def launch(folder: str) -> list[str]:
        found = launch_of(str(environments / folder / "bin/python"), {})
        return [found.command, *found.args]

    assert launch("venv") == [str(environments / "venv/bin/agentos-server")]
    for folder in ("bare", "another"):
        assert launch(folder) == [str(environments / folder / "bin/python"), "-P", "-m", "agentos.server"]
    assert is_passing(str(environments / "uv/archive-v0/abc/bin/python"))
    assert not is_passing(str(environments / "venv/bin/python"))


def test_an_entry_starts_this_installation_by_whatever_path(environments: Path, tmp_path: Path) -> None:
    ours = launch_of(str(environments / "venv/bin/python"), {})
    without_scripts = launch_of(str(environments / "bare/bin/python"), {})
    (tmp_path / "link").symlink_to(environments / "venv/bin/agentos-server")
    (tmp_path / "interpreter").symlink_to(environments / "bare/bin/python")
    for launch, words, expected in (
        (ours, [ours.command], True),
        (ours, [ours.command, "--more"], True),
        (ours, [str(tmp_path / "link")], True),
        (ours, [*ours.commands, "hook", "prompt"], True),
        (ours, ["/usr/bin/python3", str(ROOT / "server.py")], True),
        (ours, [str(environments / "uv/archive-v0/abc/bin/agentos-server")], False),
        (ours, ["agentos-server-of-nobody"], False),
        (ours, ["uvx", "agentos-mcp"], False),
        (ours, [], False),
        (without_scripts, [without_scripts.command, "-m", "agentos.server"], True),
        (without_scripts, [without_scripts.command, "-m", "http.server"], False),
        (without_scripts, [str(tmp_path / "interpreter"), "-m", "agentos.server"], False),
    ):
        assert launch.is_started_by(words) is expected, words


def test_a_registry_s_program_is_told_from_a_file() -> None:
    for line, expected in (
        ("uvx agentos-mcp", True),
        ("/usr/bin/uvx --from agentos-mcp[offline] agentos-server", True),
        ("npx -y agentos-mcp", True),
        ("pipx run agentos-mcp", True),
        ("uvx --from ./agentos_mcp-2.0.0-py3-none-any.whl agentos-server", False),
        ("uvx --from /src/agentos agentos-server", False),
        ("/opt/bin/agentos-server", False),
    ):
        assert is_fetched(line.split()) is expected, line


PYTHON = "/old/python"
OF_01 = [
    Launch(command, args, LAUNCH.environment, commands, gateway="http://localhost:1/proxy/openai/v1")
    for command, args, commands in (
        ("/old/venv/bin/agentos-server", (), ("/old/venv/bin/agentos",)),
        (PYTHON, ("-m", "agentos.server"), (PYTHON, "-m", "agentos.interfaces.cli")),
        (
            "/bin/uvx",
            ("--from", "agentos-mcp[offline]", "agentos-server"),
            ("/bin/uvx", "--from", "agentos-mcp", "agentos"),
        ),
    )
]
"""How 0.1 had clients start it."""


@EVERY_CLIENT
def test_what_0_1_wrote_is_renewed_and_taken_out(bench: Bench, client: Client) -> None:
    before = bench.everything()
    assert bench.run(client.key, hooks=True) == 0
    fresh = bench.everything()
    assert bench.run(client.key, uninstall=True) == 0
    for old in OF_01:
        assert bench.run(client.key, hooks=True, launch=old) == 0
        assert bench.everything() != fresh
        assert bench.run(client.key, hooks=True) == 0
        assert bench.everything() == fresh, "as if 0.1 had never been"
        assert bench.run(client.key, uninstall=True) == 0
        assert bench.everything() == before
        assert bench.run(client.key, hooks=True, launch=old) == 0
        assert bench.run(client.key, uninstall=True) == 0
        assert bench.everything() == before


@EVERY_CLIENT
def test_what_0_1_wrote_goes_without_its_receipt(bench: Bench, client: Client) -> None:
    for old in OF_01:
        assert bench.run(client.key, hooks=True, launch=old) == 0
        (bench.data / "setup" / "receipts.json").unlink()
        assert bench.run(client.key, uninstall=True) == 0
        left = b"".join(data for _, data in bench.everything().values() if data)
        assert b"agentos.server" not in left and b"uvx" not in left and b"/old/" not in left


@every(
    ("command", "args", "ours"),
    [
        ("/opt/bin/agentos-server", [], True),
        ("C:\\x\\Scripts\\agentos-server.exe", [], True),
        ("agentos-mcp", [], True),
        ("uvx", ["agentos-mcp"], True),
        ("/usr/bin/uvx", ["--from", "agentos-mcp[offline]==0.1.0", "agentos-server"], True),
        ("python", ["-m", "agentos.server"], True),
        ("npx", ["-y", "agentos-server-of-someone-else"], False),
        ("node", ["/srv/agentos/index.js"], False),
    ],
)
def test_our_entry_is_known_by_what_it_starts(command: str, args: list[str], ours: bool) -> None:
    assert starts_agentos({"command": command, "args": args}) is ours


def test_backups_and_receipts_are_private(bench: Bench) -> None:
    bench.place(by_key("claude-code"), b'{"secret": "x"}')
    assert bench.run("claude-code") == 0
    files = [path for path in (bench.data / "setup").rglob("*") if path.is_file()]
    assert len(files) == 2 and all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in files)
    assert stat.S_IMODE((bench.data / "setup").stat().st_mode) == 0o700
    (bench.data / "setup" / "receipts.json").write_text("{", encoding="utf-8")
    with pytest.raises(Unreadable, match="move it away"):
        bench.run("claude-code", uninstall=True)
