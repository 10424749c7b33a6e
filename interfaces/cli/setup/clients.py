"""The clients: where each keeps its MCP servers on Linux, macOS and Windows, and in which form. Pure data and paths."""

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ...hooks.registration import hooks_of
from .documents import Document
from .hook_entries import HookEntries, stated
from .jsonc import JsonMember
from .launch import Launch
from .toml_table import TomlTable

NAME = "agentos"
Scope = Literal["user", "project"]


@dataclass(frozen=True)
class Machine:
    """The facts that paths depend on: `sys.platform`, the user's home, the variables, the project."""

    platform: str
    home: Path
    variables: Mapping[str, str]
    project: Path

    @property
    def folders(self) -> dict[str, Path]:
        """The folders that the names in braces in the table stand for."""
        dot_config = Path(self.variables.get("XDG_CONFIG_HOME") or self.home / ".config")
        roaming = Path(self.variables.get("APPDATA") or self.home / "AppData" / "Roaming")
        mac = self.home / "Library" / "Application Support"
        windows, apple = self.platform == "win32", self.platform == "darwin"
        return {
            "home": self.home,
            "project": self.project,
            "apps": roaming if windows else mac if apple else dot_config,
            "zed": roaming / "Zed" if windows else (self.home / ".config" if apple else dot_config) / "zed",
            "claude": self._given("CLAUDE_CONFIG_DIR", self.home),
            "claude_memory": self._given("CLAUDE_CONFIG_DIR", self.home / ".claude"),
            "codex": self._given("CODEX_HOME", self.home / ".codex"),
            "gemini": self._given("GEMINI_CLI_HOME", self.home) / ".gemini",
            "continue": self._given("CONTINUE_GLOBAL_DIR", self.home / ".continue"),
            "cline": self._given("CLINE_MCP_SETTINGS_PATH", self.home / ".cline/data/settings/cline_mcp_settings.json"),
        }

    def path(self, template: str) -> Path:
        """Return the path that a template of the table stands for here."""
        return Path(os.path.abspath(template.format(**self.folders)))

    def has_program(self, name: str) -> bool:
        """Return whether a program is on the PATH."""
        return shutil.which(name, path=self.variables.get("PATH", "")) is not None

    def _given(self, variable: str, otherwise: Path) -> Path:
        return Path(self.variables.get(variable) or otherwise)


@dataclass(frozen=True)
class Place:
    """A file that a client reads, and a trace: a path that exists where the client is installed."""

    file: str
    trace: str


@dataclass(frozen=True)
class Elsewhere:
    """Another file of a client, and a pattern in it that shows AgentOS is there already: two show every tool twice."""

    file: str
    pattern: str


@dataclass(frozen=True)
class Plugin:
    """The folder of a client's copies of our plugin, the pattern of their manifests, and the command to update one."""

    copies: str
    manifest: str
    update: str


@dataclass(frozen=True)
class Instructions:
    """The files of a client's standing instructions, of user and project; `header` begins a file of our own."""

    user: str | None
    project: str | None
    header: str = ""

    def header_of(self, path: Path) -> str:
        """Return the beginning of this file when it is created."""
        return self.header if path.stem == NAME else ""


@dataclass(frozen=True)
class Hooks:
    """The files of a client's hooks, of user and project, and the name of the client in `agentos hook`."""

    client: str
    user: str
    project: str
    beside: Mapping[str, Any] = field(default_factory=dict)

    @property
    def document(self) -> Document:
        """Our entries in such a file."""
        return HookEntries(self.beside)

    def entries(self, launch: Launch) -> dict[str, Any]:
        """Return our entry at each event."""
        named = {"--home": "AGENTOS_HOME", "--agent": "AGENTOS_AGENT_ID"}
        given = {option: launch.environment.get(variable) for option, variable in named.items()}
        options = [word for option, value in given.items() if value for word in (option, value)]
        by_event = hooks_of(self.client, launch.commands, options)
        return {event: stated(entries[0]) for event, entries in by_event.items()}


@dataclass(frozen=True)
class Client:
    """An agent's host: the places of its MCP servers, and the form of an entry."""

    key: str
    title: str
    user: tuple[Place, ...]
    project: str | None
    container: tuple[str, ...]
    form: Literal["json", "toml"] = "json"
    extra: Mapping[str, Any] | None = None
    programs: tuple[str, ...] = ()
    instructions: Instructions | None = None
    hooks: Hooks | None = None
    after: str = "start a new session"
    elsewhere: tuple[Elsewhere, ...] = ()
    plugin: Plugin | None = None
    remote: Mapping[str, Any] | None = None
    """An entry for a server by its address, at {url}; None for a client that keeps keys in its files only."""

    @property
    def document(self) -> Document:
        """Our entry in this client's files."""
        path = (*self.container, NAME)
        return TomlTable(path) if self.form == "toml" else JsonMember(path)

    def entry(self, launch: Launch) -> dict[str, Any]:
        """Return the entry that starts the server, or that calls the one on another machine."""
        if launch.url:
            return {name: _filled(value, launch.url) for name, value in (self.remote or {}).items()}
        entry = {**(self.extra or {}), "command": launch.command, "args": list(launch.args)}
        return {**entry, "env": dict(launch.environment)} if launch.environment else entry

    def files(self, machine: Machine, scope: Scope) -> list[Path]:
        """Return the files to write: of the installed variants, else of the first; none where it has no such scope."""
        if scope == "project":
            return [] if self.project is None else [machine.path(self.project)]
        found = [place for place in self.user if machine.path(place.trace).exists()]
        return [machine.path(place.file) for place in found or self.user[:1]]

    def all_files(self, machine: Machine, scope: Scope) -> list[Path]:
        """Return the files in which an entry may be."""
        if scope == "project":
            return self.files(machine, scope)
        return [machine.path(place.file) for place in self.user]

    def is_installed(self, machine: Machine) -> bool:
        """Return whether there is a trace of it on this machine."""
        return any(machine.path(place.trace).exists() for place in self.user) or any(
            map(machine.has_program, self.programs)
        )


def _filled(value: Any, url: str) -> Any:
    return value.replace("{url}", url) if isinstance(value, str) else value


def _bearer(reference: str) -> Mapping[str, str]:
    return {"Authorization": f"Bearer {reference}"}


def _variants(template: str, trace: str) -> tuple[Place, ...]:
    """Return the places of VS Code and those built from it, each with a folder of its own."""
    return tuple(
        Place(template.format(code=code), trace.format(code=code)) for code in ("Code", "Code - Insiders", "VSCodium")
    )


_CURSOR_RULE = "---\ndescription: Long-term memory with AgentOS\nalwaysApply: true\n---\n\n"
_WINDSURF_RULE = "---\ntrigger: always_on\n---\n\n"
_CONTINUE_RULE = "---\nname: AgentOS\nalwaysApply: true\n---\n\n"

CLIENTS: tuple[Client, ...] = (
    Client(
        "claude-code",
        "Claude Code",
        (Place("{claude}/.claude.json", "{claude}/.claude.json"), Place("{claude}/.claude.json", "{claude_memory}")),
        "{project}/.mcp.json",
        ("mcpServers",),
        extra={"type": "stdio"},
        programs=("claude",),
        instructions=Instructions("{claude_memory}/CLAUDE.md", "{project}/CLAUDE.md"),
        hooks=Hooks("claude-code", "{claude_memory}/settings.json", "{project}/.claude/settings.local.json"),
        elsewhere=(Elsewhere("{claude_memory}/settings.json", r'"agentos@[\w.-]+"\s*:\s*true'),),
        plugin=Plugin(
            "{claude_memory}/plugins/cache",
            "*/agentos/*/.claude-plugin/plugin.json",
            "claude plugin update agentos@agentos",
        ),
        remote={"type": "http", "url": "{url}", "headers": _bearer("${AGENTOS_KEY}")},
    ),
    Client(
        "claude-desktop",
        "Claude Desktop",
        (Place("{apps}/Claude/claude_desktop_config.json", "{apps}/Claude"),),
        None,
        ("mcpServers",),
        after="quit it and start it again",
    ),
    Client(
        "cursor",
        "Cursor",
        (Place("{home}/.cursor/mcp.json", "{home}/.cursor"),),
        "{project}/.cursor/mcp.json",
        ("mcpServers",),
        programs=("cursor",),
        instructions=Instructions(None, "{project}/.cursor/rules/agentos.mdc", _CURSOR_RULE),
        hooks=Hooks("cursor", "{home}/.cursor/hooks.json", "{project}/.cursor/hooks.json", {"version": 1}),
        after="enable it in Settings → MCP if it asks",
        remote={"url": "{url}", "headers": _bearer("${env:AGENTOS_KEY}")},
    ),
    Client(
        "codex",
        "Codex",
        (Place("{codex}/config.toml", "{codex}"),),
        "{project}/.codex/config.toml",
        ("mcp_servers",),
        form="toml",
        programs=("codex",),
        instructions=Instructions("{codex}/AGENTS.md", "{project}/AGENTS.md"),
        hooks=Hooks("codex", "{codex}/hooks.json", "{project}/.codex/hooks.json"),
        elsewhere=(
            Elsewhere("{codex}/config.toml", r'^\[plugins\."agentos@[\w.-]+"\][ \t]*\r?\n\s*enabled\s*=\s*true'),
        ),
        plugin=Plugin(
            "{codex}/plugins/cache",
            "*/agentos/*/.codex-plugin/plugin.json",
            "codex plugin add agentos@agentos",
        ),
        remote={"url": "{url}", "bearer_token_env_var": "AGENTOS_KEY"},
    ),
    Client(
        "gemini",
        "Gemini CLI",
        (Place("{gemini}/settings.json", "{gemini}"),),
        "{project}/.gemini/settings.json",
        ("mcpServers",),
        programs=("gemini",),
        instructions=Instructions("{gemini}/GEMINI.md", "{project}/GEMINI.md"),
        hooks=Hooks("gemini-cli", "{gemini}/settings.json", "{project}/.gemini/settings.json"),
        after="start a new session in a trusted folder",
        elsewhere=(
            Elsewhere("{gemini}/extensions/agentos/gemini-extension.json", '"agentos"'),
            Elsewhere("{gemini}/extensions/agentos/.gemini-extension-install.json", '"type"'),  # if it is linked
        ),
        plugin=Plugin("{gemini}/extensions", "agentos/gemini-extension.json", "gemini extensions update agentos"),
        remote={"httpUrl": "{url}", "headers": _bearer("$AGENTOS_KEY")},
    ),
    Client(
        "vscode",
        "VS Code (Copilot)",
        _variants("{{apps}}/{code}/User/mcp.json", "{{apps}}/{code}/User"),
        "{project}/.vscode/mcp.json",
        ("servers",),
        extra={"type": "stdio"},
        programs=("code", "code-insiders", "codium"),
        instructions=Instructions(None, "{project}/.github/copilot-instructions.md"),
        after="start the server with MCP: List Servers",
        remote={"type": "http", "url": "{url}", "headers": _bearer("${env:AGENTOS_KEY}")},
    ),
    Client(
        "windsurf",
        "Windsurf",
        (Place("{home}/.codeium/windsurf/mcp_config.json", "{home}/.codeium/windsurf"),),
        None,
        ("mcpServers",),
        programs=("windsurf",),
        instructions=Instructions(
            "{home}/.codeium/windsurf/memories/global_rules.md",
            "{project}/.windsurf/rules/agentos.md",
            _WINDSURF_RULE,
        ),
        after="press Refresh in its MCP panel",
        remote={"serverUrl": "{url}", "headers": _bearer("${env:AGENTOS_KEY}")},
    ),
    Client(
        "zed",
        "Zed",
        (Place("{zed}/settings.json", "{zed}"),),
        "{project}/.zed/settings.json",
        ("context_servers",),
        programs=("zed", "zeditor"),
        instructions=Instructions(None, "{project}/AGENTS.md"),
    ),
    Client(
        "cline",
        "Cline",
        (
            Place("{cline}", "{home}/.cline"),
            *_variants(
                "{{apps}}/{code}/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
                "{{apps}}/{code}/User/globalStorage/saoudrizwan.claude-dev",
            ),
        ),
        None,
        ("mcpServers",),
        programs=("cline",),
        instructions=Instructions("{home}/.cline/rules/agentos.md", "{project}/.clinerules/agentos.md"),
        after="it reads the change by itself",
    ),
    Client(
        "continue",
        "Continue",
        (Place("{continue}/mcpServers/agentos.json", "{continue}"),),
        "{project}/.continue/mcpServers/agentos.json",
        ("mcpServers",),
        programs=("cn",),
        instructions=Instructions(
            "{continue}/rules/agentos.md", "{project}/.continue/rules/agentos.md", _CONTINUE_RULE
        ),
        after="use its agent mode",
        elsewhere=(Elsewhere("{continue}/config.yaml", r"""^\s*(?:-\s+)?name:\s*["']?agentos["']?\s*$"""),),
    ),
)
KEYS: tuple[str, ...] = tuple(client.key for client in CLIENTS)


def by_key(key: str) -> Client:
    """Return the client of a key. Raises KeyError."""
    return {client.key: client for client in CLIENTS}[key]
