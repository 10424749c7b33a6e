"""All settings, read in this file alone; no other file reads the environment.

Settings come from `AGENTOS_*` environment variables, then from `<home>/.env`, then from the `.env` beside this file (a
checkout's), then from the defaults. The documented names without the prefix (DATABASE_URL, EMBEDDING_MODEL, …) count
only in those two files: agents start servers inside other people's projects, whose environment has a DATABASE_URL of
its own.
"""

import difflib
import ipaddress
import os
import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path, PurePath
from typing import Annotated, Any, Literal, get_args
from urllib.parse import parse_qs, unquote, urlsplit

import platformdirs
from pydantic import Field, IPvAnyNetwork, SecretStr, ValidationError, ValidationInfo, field_validator, model_validator
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from .env_files import PREFIX as PREFIX
from .env_files import SettingsError as SettingsError
from .env_files import is_private_folder, lines_of, read, said
from .features import NAMES

LogLevel = Literal["DEBUG", "INFO", "WARNING", "ERROR"]
SearchChannel = Literal[
    "text", "vectors", "late_interaction", "neighbours", "session", "speaker", "prior", "time", "identifiers", "slots",
]  # fmt: skip
"""The names in `modules.memory.ranking.CHANNELS`. Settings import no module of AgentOS: a test holds both equal."""
Toolset = Literal[
    "agent-memory", "agentmem", "agentos-1", "approvals", "ask", "attachments", "batch", "branches", "consolidation",
    "context", "editing", "graph", "jobs", "memoryos", "namespaces", "procedures", "profile", "questions", "sessions",
    "tiers", "turns",
]  # fmt: skip
"""The toolsets that the tools in `tools.catalog` may belong to; a test holds both equal."""
Connector = Literal["browser", "calendar", "documents", "editor", "incidents", "pull-requests", "terminal", "tickets"]
"""The names of the connectors in `features.connectors.catalog`; a test holds both equal."""
FEATURES = tuple(sorted(NAMES))
Feature = Annotated[str, Field(json_schema_extra={"enum": [*FEATURES]})]
Compatible = Literal["agentmem", "agent-memory", "memoryoss", "memoryos"]
"""The systems whose HTTP routes can be answered."""

HOST = r"(?:[\w-]+(?:\.[\w-]+)*|\[[0-9a-fA-F:]+\])"
HostName = Annotated[str, Field(pattern=f"^{HOST}$")]
BUNDLED = "bundled"
"""The name of the reranker that comes with AgentOS."""
OF_A_SESSION = frozenset("agent_id allowed_agents toolsets log_level log_format hooks folder views forms".split())
OF_A_PROCESS = frozenset(
    (
        "daemon daemon_linger_s daemon_log_level database_tenants hook_ask_to_keep hook_recall_first hook_skip_folders "
        "hook_skip_tools key url mirror mirror_namespace gateway_port gateway_mode gateway_client_control "
        "gateway_openai_url gateway_anthropic_url http http_allow http_base_path http_compat http_hosts http_key "
        "http_max_body_bytes http_proxies http_requests_per_minute http_resources http_sync_mib http_tls_certificate "
        "http_tls_client_ca http_tls_key http_without_tls oauth_issuer oauth_audience oauth_jwks_url "
        "oauth_introspection_url oauth_client_id oauth_client_secret sync_user sync_password"
    ).split()
)
LEAST_KEY_CHARS, LEAST_OWN_SECRET_CHARS, MOST_UNKNOWN = 24, 12, 50
HTTP_ADDRESS = "127.0.0.1:8420"
"""Where `agentos serve` listens unless it is told otherwise."""
_OF_A_MEMORY = ("AGENTOS_AGENT_ID", "AGENTOS_ALLOWED_AGENTS", "AGENTOS_DATABASE_URL", "AGENTOS_CHROMA_PERSIST_DIR")
_SERVERS = {
    "embedding_url": ("an embedding server", "/embeddings"),
    "llm_url": ("a language model's server", "/chat/completions", "/messages"),
    "llm_fallback_url": ("a language model's server", "/chat/completions", "/messages"),
    "gateway_openai_url": ("a provider", "/chat/completions", "/responses"),
    "gateway_anthropic_url": ("a provider", "/messages"),
}
_OF_POSTGRES = re.compile(r"postgres(?:ql)?://(?:(?:[^@/%]|%[0-9A-Fa-f]{2})*+@)?[^@?]*(?:\?\w+=.*)?", re.DOTALL)
_PLACES = (
    *("APPDATA", "CLAUDE_CONFIG_DIR", "CLINE_MCP_SETTINGS_PATH", "CODEX_HOME", "CONTINUE_GLOBAL_DIR"),
    *("GEMINI_CLI_HOME", "HERMES_HOME", "LOCALAPPDATA", "PATH", "XDG_CONFIG_HOME"),
)
_CHECKOUT = Path(__file__).resolve().parent


def default_home() -> Path:
    """Return the home used where none is named. Raises SettingsError if the user has no home folder."""
    try:
        folder = Path(platformdirs.user_data_dir("agentos", appauthor=False))
    except RuntimeError:
        folder = Path()
    if not folder.is_absolute():  # HOME is not set, and the system knows no user of this number
        raise SettingsError("AGENTOS_HOME: this user has no home folder; set AGENTOS_HOME to an absolute path")
    return Path(os.path.realpath(folder))


def shared_models() -> Path:
    """Return the folder through which homes of one user lend each other models. Raises SettingsError."""
    return default_home().with_name("agentos-models")


class Settings(BaseSettings):
    """The settings, named as their variables without the prefix `AGENTOS_`."""

    model_config = SettingsConfigDict(extra="ignore", frozen=True)

    home: Path = Field(default_factory=default_home)
    agent_id: str = Field("default", min_length=1, max_length=100)
    allowed_agents: str = "*"
    folder: str = Field("", max_length=4096)
    toolsets: tuple[Toolset, ...] = ()
    connectors: tuple[Connector, ...] = ()
    features: tuple[Feature, ...] = FEATURES
    views: bool = True
    forms: bool = True
    database_url: str = ""
    database_direct_url: str = ""
    database_replica_url: str = ""
    database_replica_lag_s: float = Field(5.0, ge=0, le=3600)
    database_schema: str = Field("agentos", pattern=r"^[a-z_][a-z0-9_]{0,40}$")
    database_tenant: str = Field("default", min_length=1, max_length=100)
    database_tenants: int = Field(0, ge=0, le=1000)
    chroma_persist_dir: str = ""
    chroma_url: str = ""
    chroma_token: SecretStr = SecretStr("")
    embedding_model: str = "all-MiniLM-L6-v2"
    embedding_url: str = ""
    embedding_api_key: SecretStr = SecretStr("")
    embedding_wait_s: float = Field(1.5, ge=0, le=60)
    late_interaction: bool = True
    offline: bool = True
    search_consistency: Literal["strong", "eventual"] = "strong"
    search_profile: Literal["default", "weighted", "rrf", "agentos"] = "default"
    search_weights: tuple[float, float, float, float] = (0.30, 0.30, 0.25, 0.15)
    search_gate: float = Field(0.3, ge=0, le=1)
    search_without: tuple[SearchChannel, ...] = ()
    reranker_model: str = BUNDLED
    reranker_depth: int = Field(10, ge=2, le=200)
    reranker_weight: float = Field(2.0, gt=0, le=100)
    reranker_wait_s: float = Field(1.0, gt=0, le=60)
    llm_provider: Literal["none", "openai", "anthropic"] = "none"
    llm_url: str = ""
    llm_model: str = ""
    llm_api_key: SecretStr = SecretStr("")
    llm_fallback_provider: Literal["none", "openai", "anthropic"] = "none"
    llm_fallback_url: str = ""
    llm_fallback_model: str = ""
    llm_fallback_api_key: SecretStr = SecretStr("")
    llm_timeout_s: float = Field(60.0, gt=0, le=600)
    llm_graph: bool = False
    memory_decay_rate: float = Field(0.01, ge=0, le=1)
    working_memory_hours: float = Field(24.0, gt=0, le=24 * 365)
    stale_days: float = Field(90.0, ge=0, le=36_500)
    archive_days: float = Field(180.0, ge=0, le=36_500)
    forgotten_days: float = Field(30.0, ge=0, le=36_500)
    session_event_days: float = Field(0.0, ge=0, le=36_500)
    ask_what_is_replaced: bool = True
    second_opinion: bool = True
    memories_per_namespace: int = Field(0, ge=0, le=100_000_000)
    short_term_pages: int = Field(10, ge=1, le=1000)
    mid_term_segments: int = Field(2000, ge=1, le=100_000)
    knowledge_per_side: int = Field(100, ge=1, le=100_000)
    max_content_bytes: int = Field(64 * 1024, ge=1024, le=1024 * 1024)
    redact_secrets: bool = True
    redact_emails: bool = False
    consolidation_window_tokens: int = Field(128_000, ge=1_000, le=10_000_000)
    consolidation_share: float = Field(0.70, gt=0, le=1)
    reflection_lookback_days: int = Field(7, ge=1, le=3650)
    pattern_min_frequency: int = Field(3, ge=2, le=1000)
    snapshot_max_tokens: int = Field(1500, ge=600, le=20_000)
    briefing_language: Literal["en", "de"] = "en"
    approval_webhook: SecretStr = SecretStr("")
    backup_keep: int = Field(7, ge=0, le=1000)
    sync_user: str = Field("agentos", pattern=r"^[^:]{1,200}$")
    sync_password: SecretStr = SecretStr("")
    mirror: str = ""
    mirror_namespace: str = Field("default", min_length=1, max_length=100)
    allow_network_home: bool = False
    daemon: Literal["auto", "off"] = "auto"
    daemon_linger_s: float = Field(0.0, ge=0, le=7 * 24 * 3600)
    log_level: LogLevel = "WARNING"
    daemon_log_level: LogLevel = "INFO"
    log_format: Literal["text", "json"] = "text"
    hooks: Literal["on", "off"] = "on"
    hook_skip_tools: str = ""
    hook_skip_folders: str = ""
    hook_recall_first: bool = False
    hook_ask_to_keep: bool = False
    hook_statements: bool = True
    event_webhook: SecretStr = SecretStr("")
    event_webhook_secret: SecretStr = SecretStr("")
    http: str = ""
    http_key: SecretStr = SecretStr("")
    http_hosts: tuple[HostName, ...] = ()
    http_proxies: tuple[IPvAnyNetwork, ...] = ()
    http_allow: tuple[IPvAnyNetwork, ...] = ()
    http_base_path: str = Field("", pattern=r"^(/[A-Za-z0-9_.-]+)*$")
    http_compat: tuple[Compatible, ...] = ()
    http_resources: bool = False
    http_sync_mib: int = Field(0, ge=0, le=10_000_000)
    http_requests_per_minute: int = Field(1200, ge=1, le=1_000_000)
    http_max_body_bytes: int = Field(4 * 2**20, ge=1024, le=64 * 2**20)
    http_tls_certificate: str = ""
    http_tls_key: str = ""
    http_tls_client_ca: str = ""
    http_without_tls: bool = False
    oauth_issuer: str = ""
    oauth_audience: str = ""
    oauth_jwks_url: str = ""
    oauth_introspection_url: str = ""
    oauth_client_id: str = ""
    oauth_client_secret: SecretStr = SecretStr("")
    url: str = ""
    key: SecretStr = SecretStr("")
    gateway_port: int = Field(8377, ge=0, le=65_535)
    gateway_mode: Literal["full", "readonly", "off"] = "full"
    gateway_client_control: bool = False
    gateway_openai_url: str = "https://api.openai.com/v1"
    gateway_anthropic_url: str = "https://api.anthropic.com/v1"

    @field_validator("log_level", "daemon_log_level", mode="before")
    @classmethod
    def _upper(cls, value: object) -> object:
        return value.upper() if isinstance(value, str) else value

    @field_validator(*"daemon hooks llm_provider llm_fallback_provider gateway_mode log_format".split(), mode="before")
    @classmethod
    def _lower(cls, value: object) -> object:
        return value.lower() if isinstance(value, str) else value

    @field_validator("*", mode="before")
    @classmethod
    def _printed(cls, value: object) -> object:
        if isinstance(value, str) and "\0" in value:
            raise ValueError("must not contain a NUL character")
        return value

    @field_validator("toolsets", "connectors", "features", "http_compat", mode="before")
    @classmethod
    def _names(cls, value: object, info: ValidationInfo) -> object:
        names = tuple(re.split(r"[,;\s]+", value.strip().lower())) if isinstance(value, str) else value
        if not isinstance(names, tuple | list):
            return value
        kinds = {"toolsets": get_args(Toolset), "connectors": get_args(Connector), "features": FEATURES}
        known = kinds.get(str(info.field_name), get_args(Compatible))
        what = str(info.field_name).removesuffix("s") if info.field_name in kinds else "system"
        for name in names:
            if name and name not in (*known, "none"):
                near = difflib.get_close_matches(str(name), known, 1)
                meant = f"did you mean {near[0]}? There are" if near else "there are"
                raise ValueError(f"{name!r} is no {what}; {meant} {', '.join(known)}")
        is_all = info.field_name == "features" and isinstance(value, str) and not any(names)  # "none" is none
        return FEATURES if is_all else tuple(one for one in names if one and one != "none")

    @field_validator(*("search_without", "search_weights", "http_hosts", "http_proxies", "http_allow"), mode="before")
    @classmethod
    def _list(cls, value: object) -> object:
        return tuple(filter(None, map(str.strip, value.split(",")))) if isinstance(value, str) else value

    @field_validator("search_weights")
    @classmethod
    def _weights(cls, value: tuple[float, ...]) -> tuple[float, ...]:
        if min(value) < 0 or not sum(value) < float("inf") or sum(value) == 0:
            raise ValueError("must be four numbers (vectors, text, exact terms, recency), none negative, not all 0")
        return value

    @field_validator("home")
    @classmethod
    def _absolute(cls, value: Path) -> Path:
        try:
            expanded = value.expanduser()
        except RuntimeError as error:
            raise ValueError("names a user that does not exist") from error
        if not expanded.is_absolute():
            raise ValueError("must be an absolute path: agents start servers in any folder")
        return Path(os.path.realpath(expanded))  # so that one folder has one daemon, by whichever path it is named

    @field_validator("mirror")
    @classmethod
    def _mirrored(cls, value: str, info: ValidationInfo) -> str:
        folder = os.path.realpath(os.path.expanduser(value)) if value.startswith(("/", "~")) or not value else ""
        if value and (not os.path.isabs(folder) or Path(info.data.get("home", "")).is_relative_to(folder)):
            raise ValueError("must be the absolute path of a folder that does not contain the home")
        return folder if value else ""

    @field_validator("agent_id")
    @classmethod
    def _printable(cls, value: str) -> str:
        if value != value.strip() or not value.isprintable():
            raise ValueError("must be printable characters without spaces at the ends")
        if value == "global":
            raise ValueError("must not be global, which is reserved for what agents have promoted")
        return value

    @field_validator("database_url", "database_direct_url", "database_replica_url")
    @classmethod
    def _engine_url(cls, value: str, info: ValidationInfo) -> str:
        kinds = ("postgresql://", "postgres://", *(["sqlite:///"] if info.field_name == "database_url" else []))
        if value and not value.startswith(kinds):
            raise ValueError("only sqlite:///absolute/path.db and postgresql://… are supported")
        if value.startswith("postgres") and not _OF_POSTGRES.fullmatch(value):
            raise ValueError("write @ / % in the user and password as %40 %2F %25")
        return value

    @field_validator("embedding_url", "llm_url", "llm_fallback_url", "gateway_openai_url", "gateway_anthropic_url")
    @classmethod
    def _base_url(cls, value: str, info: ValidationInfo) -> str:
        if not value:
            return value
        kind, *endpoints = _SERVERS[str(info.field_name)]
        try:
            parts = urlsplit(value)
            sound = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:
            sound = False
        if not sound or not value.isprintable() or " " in value or parts.query or parts.fragment:
            raise ValueError(f"must be the base URL of {kind}, such as http://127.0.0.1:11434/v1")
        if parts.username is not None or parts.password is not None:
            named = str(info.field_name).removesuffix("_url")
            place = "gateway.toml" if named.startswith("gateway") else f"{PREFIX}{named.upper()}_API_KEY"
            raise ValueError(f"must not contain a password; put a key into {place}")
        base = value.rstrip("/")
        for endpoint in endpoints:
            base = base.removesuffix(endpoint)
        return base

    @field_validator("http")
    @classmethod
    def _address(cls, value: str) -> str:
        found = re.fullmatch(rf"{HOST}:(\d{{1,5}})", value, re.ASCII)
        if value and not (found and int(found[1]) < 65_536):
            raise ValueError("must be host:port, such as 127.0.0.1:8420")
        return value

    @field_validator("http_key", "event_webhook_secret")
    @classmethod
    def _long(cls, value: SecretStr) -> SecretStr:
        if 0 < len(value.get_secret_value()) < LEAST_KEY_CHARS:
            raise ValueError(f"must have at least {LEAST_KEY_CHARS} characters; `openssl rand -hex 32` makes one")
        return value

    @field_validator("url", "chroma_url", "oauth_issuer", "oauth_jwks_url", "oauth_introspection_url")
    @classmethod
    def _server(cls, value: str, info: ValidationInfo) -> str:
        is_provider = str(info.field_name).startswith("oauth")
        try:
            parts = urlsplit(value)
            sound = parts.hostname and parts.port != 0 and parts.username is None and not parts.fragment
            private = _is_private(parts.scheme, parts.hostname or "") or parts.scheme == "https"
            sound = sound and private and (is_provider or not parts.query)
        except ValueError:
            sound = False
        if value and not (sound and value.isprintable() and " " not in value):
            of_provider = "an https address of the identity provider, or one of this machine"
            of_server = "the https address of a server, such as https://memory.example.com"
            raise ValueError(f"must be {of_provider if is_provider else of_server}")
        return value if is_provider else value.rstrip("/").removesuffix("/mcp")

    @model_validator(mode="after")
    def _complete_provider(self) -> "Settings":
        named = self.oauth_jwks_url or self.oauth_introspection_url
        if (self.oauth_issuer or named) and not (self.oauth_issuer and self.oauth_audience and named):
            raise ValueError("AGENTOS_OAUTH_ISSUER, _AUDIENCE and _JWKS_URL or _INTROSPECTION_URL must be set together")
        return self

    @field_validator("approval_webhook", "event_webhook")
    @classmethod
    def _safe_webhook(cls, value: SecretStr) -> SecretStr:
        url = value.get_secret_value()
        try:
            parts = urlsplit(url)
            host = parts.hostname or ""
            sound = bool(host) and parts.port != 0 and parts.username is None and not parts.fragment
        except ValueError:
            sound = False
        if url and not (sound and url.isprintable() and " " not in url and _is_private(parts.scheme, host)):
            raise ValueError("must be a public https address, or one of this machine, without a user in it")
        return value

    @field_validator("embedding_api_key", "llm_api_key", "llm_fallback_api_key", "http_key", "key", "chroma_token")
    @classmethod
    def _of_one_line(cls, value: SecretStr) -> SecretStr:
        key = value.get_secret_value()
        if not (key.isascii() and key.isprintable()) or " " in key:
            raise ValueError("must be ASCII characters without spaces")
        return value

    @property
    def uses_postgres(self) -> bool:
        """Return whether the store lies in a PostgreSQL database, and in the home only what belongs to it alone."""
        return self.database_url.startswith(("postgresql://", "postgres://"))

    @property
    def replica(self) -> tuple[str, float]:
        """The standby that answers reads, "" where there is none, and how many seconds it may be behind."""
        return self.database_replica_url, self.database_replica_lag_s

    @cached_property
    def database(self) -> Path:
        """The SQLite file itself: beside it, not beside a link to it, lie its log and what its processes share."""
        named = self.home / "agentos.db"
        if self.database_url and not self.uses_postgres:
            named = self._inside_home(self.database_url.removeprefix("sqlite:///"))
        return Path(os.path.realpath(named))

    @cached_property
    def chroma(self) -> Path:
        """The folder of the vector index."""
        return self._inside_home(self.chroma_persist_dir) if self.chroma_persist_dir else self.home / "chroma"

    def _inside_home(self, value: str) -> Path:
        # `sqlite:////abs/x.db` leaves an absolute path; a relative one is meant from the home, never the cwd.
        return self.home / Path(value).expanduser()

    def own_secrets(self) -> list[str]:
        """The values that no text may keep; a short one, as `ollama`, is a word of texts and no secret."""
        values = [value.get_secret_value() for _, value in self if isinstance(value, SecretStr)]
        for url in (self.database_url, self.database_direct_url, self.database_replica_url):
            in_front = unquote(url.partition("://")[2].rpartition("@")[0].partition(":")[2])
            values += [in_front, *parse_qs(url.partition("?")[2]).get("password", [])]
        return [value for value in values if len(value) >= LEAST_OWN_SECRET_CHARS]

    @property
    def sync_login(self) -> tuple[str, str]:
        """The user and password for a server that carries what is synced."""
        return self.sync_user, self.sync_password.get_secret_value()

    @property
    def http_address(self) -> tuple[str, int]:
        """The host and the port of the HTTP server; "" and 0 where none is wanted."""
        host, _, port = self.http.rpartition(":")
        return host.strip("[]"), int(port or 0)

    @property
    def has_default_embedder(self) -> bool:
        """Whether the embedding model is the default one, by its name: what was fitted to that suits no other."""
        default = str(type(self).model_fields["embedding_model"].default)
        return not self.embedding_url and PurePath(self.embedding_model).name == default

    @property
    def has_bundled_reranker(self) -> bool:
        """Whether the bundled model reranks searches: what is English alone with another embedding model than ours."""
        return self.reranker_model == BUNDLED and self.embedding_model != "none"

    @property
    def agents(self) -> frozenset[str] | None:
        """The namespaces that a caller may name; None means any."""
        names = frozenset(name.strip() for name in self.allowed_agents.split(",") if name.strip())
        return None if "*" in names else names | {self.agent_id}

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, EnvFiles(settings_cls)  # `load` hands over the environment

    def differences(self, other: "Settings") -> list[str]:
        """Return the names of the settings that two sessions on one daemon must share, and that differ here."""
        shared = sorted(set(type(self).model_fields) - OF_A_SESSION - OF_A_PROCESS)
        return [f"{PREFIX}{name.upper()}" for name in shared if getattr(self, name) != getattr(other, name)]


def _is_private(scheme: str, host: str) -> bool:
    """Return whether nobody on the way can read what is sent there, and it is no address of a private network."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
        loopback, outside = address.is_loopback, address.is_global
    except ValueError:
        loopback, outside = host == "localhost", True  # a name is looked up when it is called
    return (scheme == "https" and (loopback or outside)) or (scheme == "http" and loopback)


class EnvFiles(PydanticBaseSettingsSource):
    """AgentOS's own env files: `<home>/.env` over the checkout's `.env`; never one of the working directory."""

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        raise NotImplementedError("values are read for all fields at once")

    def __call__(self) -> dict[str, Any]:
        checkout = read(_CHECKOUT / ".env", Settings.model_fields) if (_CHECKOUT / "pyproject.toml").exists() else {}
        home = (
            self.current_state.get("home")
            or checkout.get("home")
            or Settings.model_fields["home"].get_default(call_default_factory=True, validated_data={})
        )
        if "\0" in str(home):  # the check of the setting itself names it
            return checkout
        try:
            folder = Path(home).expanduser()
            is_private = is_private_folder(folder)  # opening another one is refused later
            own = read(folder / ".env", Settings.model_fields) if is_private else {}
        except RuntimeError:  # `~nobody`: the check of the setting itself names it
            return checkout
        own.pop("home", None)  # a home cannot name another home
        return {**checkout, **own}


def load(environment: Mapping[str, str] | None = None, **overrides: Any) -> Settings:
    """Return the settings of this process, or of one with another environment.

    Raises SettingsError, naming each variable that is not acceptable.
    """
    given = os.environ if environment is None else environment
    values = {name: given[variable] for name in Settings.model_fields if given.get(variable := PREFIX + name.upper())}
    try:
        return Settings(**{**values, **overrides})
    except ValidationError as error:
        lines = [
            f"{PREFIX}{_named(problem['loc'])}: {said(problem)}"
            for problem in error.errors(include_url=False, include_input=False)
        ]
        raise SettingsError("\n".join(lines)) from error


def _named(place: tuple[int | str, ...]) -> str:
    """The variable that a place in the settings belongs to, without its prefix, and which entry of a list."""
    name, *entries = (str(part + 1) if isinstance(part, int) else part.upper() for part in place)
    return f"{name}, entry {' '.join(entries)}" if entries else name


def of_home(home: Path | None) -> Settings:
    """Return the settings of this process, or of the home that a command names. Raises SettingsError."""
    if home is None:
        return load()
    try:
        return load(home=home.expanduser().absolute())
    except RuntimeError as error:
        raise SettingsError(f"{home}: names a user that does not exist or has no home folder") from error


def environment_of(settings: Settings) -> dict[str, str]:
    """Return the environment that starts another process of ours with the same home and agent."""
    return {**os.environ, "AGENTOS_HOME": str(settings.home), "AGENTOS_AGENT_ID": settings.agent_id}


_ARITHMETIC = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def use_one_thread_for_arithmetic() -> None:
    """Let numpy compare vectors in one thread, unless the environment says otherwise. Call it before numpy is loaded.

    A search multiplies small matrices: more threads spend as much on waiting for each other, and no time is won.
    """
    for name in _ARITHMETIC:
        if name not in os.environ:
            os.putenv(name, "1")  # for this process's libraries; child processes have their own environment


def index_environment() -> dict[str, str]:
    """Return the environment of the vector index's process: ours, few threads, no keys, no settings of Chroma's."""
    secrets = [PREFIX + name.upper() for name, field in Settings.model_fields.items() if field.annotation is SecretStr]
    unwanted = ("CHROMA_", *(f"{PREFIX}DATABASE_{one}URL" for one in ("", "DIRECT_", "REPLICA_")), *secrets)
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(unwanted)}
    few_threads = dict.fromkeys((*_ARITHMETIC, "RAYON_NUM_THREADS", "TOKIO_WORKER_THREADS"), "1")
    silent = {"ANONYMIZED_TELEMETRY": "False", "ORT_DISABLE_TELEMETRY": "1"}
    return {"MALLOC_ARENA_MAX": "2", **inherited, **few_threads, **silent}


def traces_endpoint() -> str:
    """Return where OpenTelemetry's own variables send traces; "" for nowhere."""
    return os.environ.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") or os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT") or ""


def places() -> dict[str, str]:
    """Return the variables that say where other programs keep their settings."""
    return {name: os.environ[name] for name in _PLACES if os.environ.get(name)}


def to_register(settings: Settings) -> dict[str, str]:
    """Return the variables that an MCP client must hand to the server to open this process's memory: as few as needed.

    Other settings belong in `<home>/.env`; keys are never written into another program's files.
    """
    carried = {name: os.environ[name] for name in _OF_A_MEMORY if os.environ.get(name)}
    moved = any(os.environ.get(name) for name in ("AGENTOS_HOME", "XDG_DATA_HOME"))  # clients hand down neither
    return {"AGENTOS_HOME": str(settings.home), **carried} if moved else carried


def defaults(home: Path) -> Settings:
    """Return the defaults for a home, unvalidated, for callers that must go on although `load` fails."""
    return Settings.model_construct(home=home)


def unknown_names(home: Path | None) -> list[tuple[str, Path | None, str | None]]:
    """Return the AGENTOS_* variables that are set but unknown: name, env file (None: the environment), nearest name."""
    files = [] if home is None else [home / ".env"]
    if (_CHECKOUT / "pyproject.toml").exists():
        files.append(_CHECKOUT / ".env")
    known = [PREFIX + name.upper() for name in Settings.model_fields]
    given: list[tuple[str, Path | None]] = [(name, None) for name in os.environ]
    for path in files:
        try:
            given += [(name, path) for name in lines_of(path)[0]]
        except SettingsError:
            continue  # `load` names it
    unknown = [(name, path) for name, path in given if name.startswith(PREFIX) and name not in known]
    return [
        (name, path, next(iter(difflib.get_close_matches(name, known, 1)), None))
        for name, path in unknown[:MOST_UNKNOWN]
    ]
