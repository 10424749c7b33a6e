"""The gateway's own file, `gateway.toml` in the home: keys, providers, windows of models and prices.

[[keys]]                     # who may use the gateway; with none, whoever reaches it on this machine
name = "aider"
key = "a long random text"   # what the client sends as its API key
openai_key = "sk-…"          # what the provider is sent instead
namespace = "work"
budget = 20.0                # a month (budget_period), then a warning (over_budget = "stop" refuses)

[openai]
retries = 2
fallback_url = "http://127.0.0.1:11434/v1"
fallback_model = "qwen3"

[ollama]                     # also gemini, openai, anthropic
url = "http://10.0.0.5:11434"

[sessions]
idle_hours = 12              # what is said later is another session

[windows]
"qwen3" = 32768

[tokenizers]                 # counts a block's tokens; estimated without one
"qwen3" = "~/models/qwen3/tokenizer.json"

[costs]
currency = "EUR"             # of the prices, and of a key's budget

[prices."gpt-4o"]            # a million tokens
input = 2.5
cached = 1.25
output = 10.0
"""

import hmac
import os
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator

from ....modules import foreign_files, identifiers
from ....modules.errors import WrongSettings
from ....modules.records import dataclass
from ....modules.usage.prices import Price
from ..modes import Mode
from ..sessions import IDLE_S

FILE = "gateway.toml"
MAX_BYTES = 256 * 1024
OPENAI, ANTHROPIC, GEMINI, OLLAMA = "openai", "anthropic", "gemini", "ollama"
URLS = {GEMINI: "https://generativelanguage.googleapis.com", OLLAMA: "http://127.0.0.1:11434"}
"""Where providers are that no environment variable names."""

_Url = Annotated[str, Field(pattern=r"^https?://[^\s?#@]{1,500}$")]
_Key = Annotated[SecretStr, Field(min_length=1, max_length=1000)]


class Period(StrEnum):
    """What a budget is for: a calendar day or month, in UTC."""

    DAY = "day"
    MONTH = "month"


class OverBudget(StrEnum):
    """What happens to requests once a budget is spent."""

    WARN = "warn"
    STOP = "stop"


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ProxyKey(_Table):
    """A client of the gateway: the key that it sends, and what holds for it."""

    name: str = Field(min_length=1, max_length=60, pattern=r"^[\w.-]+$")
    key: Annotated[SecretStr, Field(min_length=16, max_length=1000)]
    openai_key: _Key | None = None
    anthropic_key: _Key | None = None
    gemini_key: _Key | None = None
    ollama_key: _Key | None = None
    namespace: str | None = None
    mode: Mode | None = None
    after: str = ""
    client_control: bool | None = None
    session_header: str | None = Field(None, pattern=r"^[A-Za-z][\w-]{0,99}$")
    budget: float | None = Field(None, ge=0)
    budget_period: Period = Period.MONTH
    over_budget: OverBudget = OverBudget.WARN

    @field_validator("namespace")
    @classmethod
    def _namespace(cls, value: str | None) -> str | None:
        return value if value is None else identifiers.agent("namespace", value)

    def upstream_key(self, provider: str) -> str | None:
        """Return the key that a provider is sent for this client; None where it has none. Ollama needs none."""
        key: SecretStr | None = getattr(self, f"{provider}_key")
        if key is None:
            return "" if provider == OLLAMA else None
        return key.get_secret_value()


class Provider(_Table):
    """A provider: its address, how often it is asked again, and who is asked where it fails."""

    url: _Url | None = None
    retries: int = Field(0, ge=0, le=5)
    fallback_url: _Url | None = None
    fallback_key: _Key | None = None
    fallback_model: str | None = Field(None, min_length=1, max_length=200)


class _Price(_Table):
    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached: float | None = Field(None, ge=0)
    written: float | None = Field(None, ge=0)


class _Costs(_Table):
    currency: str = Field("", max_length=10, pattern=r"^\S*$")


class _Sessions(_Table):
    idle_hours: float = Field(IDLE_S / 3600, gt=0, le=10_000)


class _File(_Table):
    sessions: _Sessions = _Sessions()
    costs: _Costs = _Costs()
    keys: tuple[ProxyKey, ...] = ()
    openai: Provider = Provider()
    anthropic: Provider = Provider()
    gemini: Provider = Provider()
    ollama: Provider = Provider()
    windows: dict[str, Annotated[int, Field(ge=256, le=100_000_000)]] = {}
    tokenizers: dict[str, Path] = {}
    prices: dict[str, _Price] = {}


@dataclass(frozen=True)
class Configuration:
    """The settings of `gateway.toml`."""

    keys: tuple[ProxyKey, ...] = ()
    providers: Mapping[str, Provider] = field(default_factory=dict)
    windows: Mapping[str, int] = field(default_factory=dict)
    tokenizers: Mapping[str, str] = field(default_factory=dict)
    prices: Mapping[str, Price] = field(default_factory=dict)
    idle_s: float = IDLE_S
    currency: str = ""

    def key(self, presented: str) -> ProxyKey | None:
        """Return the client whose key this is; every key is compared, each in constant time."""
        sent = presented.encode("utf-8", "replace")
        found = None
        for one in self.keys:
            if hmac.compare_digest(one.key.get_secret_value().encode(), sent):
                found = one
        return found

    def urls(self, openai: str, anthropic: str) -> dict[str, str]:
        """Return the address of each provider: the file's, else the one given, else the usual one."""
        usual = {OPENAI: openai, ANTHROPIC: anthropic, **URLS}
        return {name: self.provider(name).url or url for name, url in usual.items()}

    def provider(self, name: str) -> Provider:
        """Return what is said of a provider."""
        return self.providers.get(name, Provider())


def read(home: Path) -> Configuration:
    """Return what the gateway's file in a home says; without one, nothing. Raises WrongSettings, naming the entry."""
    path = home / FILE
    if not path.exists():
        return Configuration()
    try:
        content = foreign_files.read(path, MAX_BYTES, home)
        if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise WrongSettings(f"{path}: it contains keys and others can read it: chmod 600 {path}")
        parsed = _File.model_validate(tomllib.loads(content.decode("utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise WrongSettings(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    except ValidationError as error:
        problems = error.errors(include_url=False, include_input=False)
        lines = [f"{path}: {'.'.join(map(str, one['loc']))}: {one['msg']}" for one in problems[:3]]
        raise WrongSettings("\n".join(lines)) from error
    names = [one.name for one in parsed.keys]
    if len({*names}) < len(names) or len({one.key.get_secret_value() for one in parsed.keys}) < len(names):
        raise WrongSettings(f"{path}: keys: two entries have the same name or key")
    tokenizers = {name: str((home / one.expanduser()).resolve()) for name, one in parsed.tokenizers.items()}
    for name, one in tokenizers.items():
        if not Path(one).is_file():
            raise WrongSettings(f"{path}: tokenizers.{name}: there is no file {one}")
    return Configuration(
        parsed.keys,
        {name: getattr(parsed, name) for name in (OPENAI, ANTHROPIC, GEMINI, OLLAMA)},
        parsed.windows,
        tokenizers,
        {name: Price(one.input, one.output, one.cached, one.written) for name, one in parsed.prices.items()},
        parsed.sessions.idle_hours * 3600,
        parsed.costs.currency,
    )
