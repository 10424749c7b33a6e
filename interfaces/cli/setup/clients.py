"""The clients: where each keeps its MCP servers on Linux, macOS and Windows, and in which form. Pure data and paths."""

import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from ....modules.records import dataclass
from .documents import ConfigDocument
from .instructions import BY_COMMANDS
from .jsonc import JsonMember
from .launch import Launch, is_gateway, is_remote, starts_agentos
from .parts import NAME, ClientPart, HookFiles, Instructions, Purpose, ReadAtStart, Scope, StatusLine
from .toml_table import TomlTable
from .yaml_member import YamlMember


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
            "config": dot_config,
            "goose": roaming / "Block/goose/config" if windows else dot_config / "goose",
            "hermes": self._given("HERMES_HOME", self._local / "hermes" if windows else self.home / ".hermes"),
            "apps": roaming if windows else mac if apple else dot_config,
            "zed": roaming / "Zed" if windows else (self.home / ".config" if apple else dot_config) / "zed",
            "claude": self._given("CLAUDE_CONFIG_DIR", self.home),
            "claude_memory": self._given("CLAUDE_CONFIG_DIR", self.home / ".claude"),
            "codex": self._given("CODEX_HOME", self.home / ".codex"),
            "gemini": self._given("GEMINI_CLI_HOME", self.home) / ".gemini",
            "continue": self._given("CONTINUE_GLOBAL_DIR", self.home / ".continue"),
            "cline": self._given("CLINE_MCP_SETTINGS_PATH", self.home / ".cline/data/settings/cline_mcp_settings.json"),
        }

    @property
    def _local(self) -> Path:
        return Path(self.variables.get("LOCALAPPDATA") or self.home / "AppData" / "Local")

    def path(self, template: str) -> Path:
        """Return the path that a template of the table stands for here."""
        return Path(os.path.abspath(template.format(**self.folders)))

    def has_program(self, name: str) -> bool:
        """Return whether a program is on the PATH."""
        return shutil.which(name, path=self.variables.get("PATH", "")) is not None

    def _given(self, variable: str, otherwise: Path) -> Path:
        return Path(self.variables.get(variable) or otherwise)


@dataclass(frozen=True)
class ClientFile:
    """A file that a client reads, and a trace: a path that exists where the client is installed."""

    file: str
    trace: str


@dataclass(frozen=True)
class OtherFile:
    """Another file of a client, and a pattern in it that shows that AgentOS is already registered there."""

    file: str
    pattern: str


@dataclass(frozen=True)
class Plugin:
    """The folder of a client's copies of our plugin, the pattern of their manifests, and the command to update one."""

    copies: str
    manifest: str
    update: str


@dataclass(frozen=True)
class Client:
    """An agent's host: the places of its MCP servers, and the form of an entry."""

    key: str
    title: str
    user: tuple[ClientFile, ...]
    project: str | None
    container: tuple[str, ...]
    form: Literal["json", "toml", "yaml"] = "json"
    extra: Mapping[str, Any] | None = None
    words: tuple[str, str, str] = ("command", "args", "env")
    """The names of the command, its arguments and its variables; without the second, the command is a list of both."""
    programs: tuple[str, ...] = ()
    instructions: Instructions | None = None
    hooks: HookFiles | None = None
    status_line: StatusLine | None = None
    reading: ReadAtStart | None = None
    profile: ClientPart | None = None
    after: str = "start a new session"
    elsewhere: tuple[OtherFile, ...] = ()
    plugin: Plugin | None = None
    remote: Mapping[str, Any] | None = None
    """An entry for a server by its address, at {url}; None for a client that keeps keys in its files only."""
    through_gateway: str = ""
    """The setting that names a model's address, in a client without MCP; such a client is set up only if it is named.

    Without a running gateway it would reach no model."""

    @property
    def name(self) -> str:
        """The name of our entry."""
        return self.through_gateway or NAME

    @property
    def document(self) -> ConfigDocument:
        """Our entry in this client's files."""
        path = (*self.container, self.name)
        forms: dict[str, Callable[[tuple[str, ...]], ConfigDocument]] = {
            "json": JsonMember,
            "toml": TomlTable,
            "yaml": YamlMember,
        }
        return forms[self.form](path)

    @property
    def parts(self) -> dict[Purpose, ClientPart]:
        """Parts that it can have beside the entry, in the order in which it is written."""
        known: dict[Purpose, ClientPart | None] = {
            "hooks": self.hooks,
            "status-line": self.status_line,
            "instructions": self.instructions,
            "reading": self.reading,
            "profile": self.profile,
        }
        return {purpose: part for purpose, part in known.items() if part is not None}

    def entry(self, launch: Launch) -> Any:
        """Return the entry that starts the server, or that calls one on another machine, or the gateway's address."""
        if self.through_gateway:
            return launch.gateway
        if launch.url:
            return {name: _filled(value, launch.url) for name, value in (self.remote or {}).items()}
        command, args, variables = self.words
        if args:
            entry = {**(self.extra or {}), command: launch.command, args: list(launch.args)}
        else:
            entry = {**(self.extra or {}), command: [launch.command, *launch.args]}
        return {**entry, variables: dict(launch.environment)} if launch.environment else entry

    def is_ours(self, entry: Any, launch: Launch | None = None) -> bool:
        """Return whether an entry is ours; for a `launch`, also whether it is of its kind: a start or an address."""
        if self.through_gateway:
            return is_gateway(entry)
        starts, calls = starts_agentos(entry), is_remote(entry)
        return starts or calls if launch is None else calls if launch.url else starts

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


def _variants(template: str, trace: str) -> tuple[ClientFile, ...]:
    """Return the places of VS Code and those built from it, each with a folder of its own."""
    return tuple(
        ClientFile(template.format(code=code), trace.format(code=code))
        for code in ("Code", "Code - Insiders", "VSCodium")
    )


_CURSOR_RULE = "---\ndescription: Long-term memory with AgentOS\nalwaysApply: true\n---\n\n"
_WINDSURF_RULE = "---\ntrigger: always_on\n---\n\n"
_CONTINUE_RULE = "---\nname: AgentOS\nalwaysApply: true\n---\n\n"

_ABOUT = "Long-term memory, goals, reflection and context"
_OF_GOOSE = {"enabled": True, "name": NAME, "description": _ABOUT}

CLIENTS: tuple[Client, ...] = (
    Client(
        "claude-code",
        "Claude Code",
        (
            ClientFile("{claude}/.claude.json", "{claude}/.claude.json"),
            ClientFile("{claude}/.claude.json", "{claude_memory}"),
        ),
        "{project}/.mcp.json",
        ("mcpServers",),
        extra={"type": "stdio"},
        programs=("claude",),
        instructions=Instructions("{claude_memory}/CLAUDE.md", "{project}/CLAUDE.md"),
        hooks=HookFiles("claude-code", "{claude_memory}/settings.json", "{project}/.claude/settings.local.json"),
        status_line=StatusLine("{claude_memory}/settings.json", "{project}/.claude/settings.local.json"),
        elsewhere=(OtherFile("{claude_memory}/settings.json", r'"agentos@[\w.-]+"\s*:\s*true'),),
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
        (ClientFile("{apps}/Claude/claude_desktop_config.json", "{apps}/Claude"),),
        None,
        ("mcpServers",),
        after="quit it and start it again",
    ),
    Client(
        "cursor",
        "Cursor",
        (ClientFile("{home}/.cursor/mcp.json", "{home}/.cursor"),),
        "{project}/.cursor/mcp.json",
        ("mcpServers",),
        programs=("cursor",),
        instructions=Instructions(None, "{project}/.cursor/rules/agentos.mdc", _CURSOR_RULE),
        hooks=HookFiles("cursor", "{home}/.cursor/hooks.json", "{project}/.cursor/hooks.json", {"version": 1}),
        status_line=StatusLine("{home}/.cursor/cli-config.json"),
        after="enable it in Settings → MCP if it asks",
        remote={"url": "{url}", "headers": _bearer("${env:AGENTOS_KEY}")},
    ),
    Client(
        "codex",
        "Codex",
        (ClientFile("{codex}/config.toml", "{codex}"),),
        "{project}/.codex/config.toml",
        ("mcp_servers",),
        form="toml",
        programs=("codex",),
        instructions=Instructions("{codex}/AGENTS.md", "{project}/AGENTS.md"),
        hooks=HookFiles("codex", "{codex}/hooks.json", "{project}/.codex/hooks.json"),
        after="start a new session and review the hooks on its screen; until then, and in `codex exec`, none runs",
        elsewhere=(
            OtherFile("{codex}/config.toml", r'^\[plugins\."agentos@[\w.-]+"\][ \t]*\r?\n\s*enabled\s*=\s*true'),
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
        (ClientFile("{gemini}/settings.json", "{gemini}"),),
        "{project}/.gemini/settings.json",
        ("mcpServers",),
        programs=("gemini",),
        instructions=Instructions("{gemini}/GEMINI.md", "{project}/GEMINI.md"),
        hooks=HookFiles("gemini-cli", "{gemini}/settings.json", "{project}/.gemini/settings.json"),
        after="start a new session in a trusted folder",
        elsewhere=(
            OtherFile("{gemini}/extensions/agentos/gemini-extension.json", '"agentos"'),
            OtherFile("{gemini}/extensions/agentos/.gemini-extension-install.json", '"type"'),  # if it is linked
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
        (ClientFile("{home}/.codeium/windsurf/mcp_config.json", "{home}/.codeium/windsurf"),),
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
        (ClientFile("{zed}/settings.json", "{zed}"),),
        "{project}/.zed/settings.json",
        ("context_servers",),
        programs=("zed", "zeditor"),
        instructions=Instructions(None, "{project}/AGENTS.md"),
    ),
    Client(
        "cline",
        "Cline",
        (
            ClientFile("{cline}", "{home}/.cline"),
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
        (ClientFile("{continue}/mcpServers/agentos.json", "{continue}"),),
        "{project}/.continue/mcpServers/agentos.json",
        ("mcpServers",),
        programs=("cn",),
        instructions=Instructions(
            "{continue}/rules/agentos.md", "{project}/.continue/rules/agentos.md", _CONTINUE_RULE
        ),
        after="use its agent mode",
        elsewhere=(OtherFile("{continue}/config.yaml", r"""^\s*(?:-\s+)?name:\s*["']?agentos["']?\s*$"""),),
    ),
    Client(
        "opencode",
        "OpenCode",
        (
            ClientFile("{config}/opencode/opencode.json", "{config}/opencode/opencode.json"),
            ClientFile("{config}/opencode/opencode.jsonc", "{config}/opencode/opencode.jsonc"),
        ),
        "{project}/opencode.json",
        ("mcp",),
        extra={"type": "local"},
        words=("command", "", "environment"),
        programs=("opencode",),
        instructions=Instructions("{config}/opencode/AGENTS.md", "{project}/AGENTS.md"),
        remote={"type": "remote", "url": "{url}", "headers": _bearer("{env:AGENTOS_KEY}"), "oauth": False},
    ),
    Client(
        "goose",
        "Goose",
        (ClientFile("{goose}/config.yaml", "{goose}"),),
        None,
        ("extensions",),
        form="yaml",
        extra={**_OF_GOOSE, "type": "stdio"},
        words=("cmd", "args", "envs"),
        programs=("goose",),
        instructions=Instructions("{goose}/.goosehints", "{project}/AGENTS.md"),
        remote={
            **_OF_GOOSE,
            "type": "streamable_http",
            "uri": "{url}",
            "headers": _bearer("${AGENTOS_KEY}"),
            "env_keys": ["AGENTOS_KEY"],
        },
    ),
    Client(
        "hermes",
        "Hermes Agent",
        (ClientFile("{hermes}/config.yaml", "{hermes}"),),
        None,
        ("mcp_servers",),
        form="yaml",
        programs=("hermes",),
        instructions=Instructions(None, "{project}/AGENTS.md"),
        after="start a new session, or run /reload-mcp in this one",
        remote={"url": "{url}", "headers": _bearer("${AGENTOS_KEY}")},
    ),
    Client(
        "aider",
        "Aider",
        (
            ClientFile("{home}/.aider.conf.yml", "{home}/.aider.conf.yml"),
            ClientFile("{home}/.aider.conf.yml", "{home}/.aider"),
        ),
        "{project}/.aider.conf.yml",
        (),
        form="yaml",
        programs=("aider",),
        instructions=Instructions("{home}/.aider.agentos.md", "{project}/.aider.agentos.md", text=BY_COMMANDS),
        reading=ReadAtStart("{home}/.aider.conf.yml", "{project}/.aider.conf.yml"),
        after="it does not support MCP, but reaches OpenAI's models through `agentos gateway`, which must be running",
        through_gateway="openai-api-base",
    ),
)
KEYS: tuple[str, ...] = tuple(client.key for client in CLIENTS)


def by_key(key: str) -> Client:
    """Return the client of a key. Raises KeyError."""
    return {client.key: client for client in CLIENTS}[key]
