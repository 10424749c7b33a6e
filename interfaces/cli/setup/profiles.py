"""The profiles: named sets of settings, written as ordinary lines into the home's env file, which people may change."""

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

from .... import config
from ....modules.records import dataclass
from .clients import Client
from .documents import ConfigDocument
from .launch import Launch
from .marked_block import MarkedBlock
from .planning import EntryTarget

BEGIN = "# agentos:profile (agentos setup --profile writes these lines; yours outside them count instead)"
END = "# end of agentos:profile"
NONE = "none"
"""The name that takes a profile out again."""
PROFILES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "personal": {
            "TOOLSETS": "profile,sessions",
            "STALE_DAYS": "180",
            "ARCHIVE_DAYS": "0",
            "FORGOTTEN_DAYS": "90",
            "BACKUP_KEEP": "14",
        },
        "coding": {
            "TOOLSETS": "context,procedures,sessions",
            "REFLECTION_LOOKBACK_DAYS": "14",
            "PATTERN_MIN_FREQUENCY": "2",
            "SNAPSHOT_MAX_TOKENS": "2000",
            "SESSION_EVENT_DAYS": "180",
        },
        "team": {
            "TOOLSETS": "approvals,namespaces,sessions",
            "REDACT_EMAILS": "true",
            "SESSION_EVENT_DAYS": "365",
            "BACKUP_KEEP": "30",
            "LOG_FORMAT": "json",
        },
    }
)
_NAMED = re.compile(r"^# profile (\w{1,40})$", re.M)
_SETTING = re.compile(rf"^[ \t]{{0,40}}+(?:export[ \t]{{1,40}}+)?{config.PREFIX}(\w{{1,60}})[ \t]{{0,40}}+=(.*)$", re.M)


@dataclass(frozen=True)
class FoundProfile:
    """The profile of a home, and the names of its settings that are no longer as the profile has them."""

    name: str
    changed: tuple[str, ...]


@dataclass(frozen=True)
class ProfileLines:
    """The lines of a profile in the env file of a home."""

    profile: str
    user: str
    project: str | None = None
    name: ClassVar[str] = "profile"

    def document(self, path: Path) -> ConfigDocument:
        return MarkedBlock("", BEGIN, END)

    def wanted(self, launch: Launch, path: Path) -> Any:
        """Return the lines, without what the file says outside them already. Raises Unreadable."""
        own = _settings(_others(_text(path)))
        lines = [f"# profile {self.profile}"]
        for name, value in PROFILES.get(self.profile, {}).items():
            line = f"{config.PREFIX}{name}={value}"
            lines.append(f"# {config.PREFIX}{name} is set outside" if name in own else line)
        return "\n".join(lines) + "\n"

    def is_ours(self, entry: Any) -> bool:
        return True  # it is between our marks


def target_of(home: Path, profile: str) -> EntryTarget:
    """Return where a profile is written."""
    lines = ProfileLines(profile, str(home / ".env"))
    title = "AgentOS" if profile == NONE else f"Profile {profile}"
    client = Client("agentos", title, (), None, (), profile=lines, after="run agentos restart, then start new sessions")
    return EntryTarget(client, "profile", home / ".env", "user")


def found_in(home: Path) -> FoundProfile | None:
    """Return the profile of a home; None where there is none. Raises Unreadable."""
    text = _text(home / ".env")
    entry = MarkedBlock("", BEGIN, END).entry(text)
    named = None if entry is None else _NAMED.search(entry)
    if named is None:
        return None
    have = _settings(text)
    wanted = PROFILES.get(named[1], {})
    return FoundProfile(named[1], tuple(name for name, value in wanted.items() if have.get(name) != value))


def _text(path: Path) -> str:
    from . import files

    return files.read(path).text


def _others(text: str) -> str:
    """Return what of an env file is not ours."""
    block = MarkedBlock("", BEGIN, END)
    return block.remove(text, {"separator": ""})


def _settings(text: str) -> dict[str, str]:
    return {name: value.strip().strip("'\"") for name, value in _SETTING.findall(text)}
