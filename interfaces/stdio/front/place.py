"""The home, and whether a daemon is wanted, without the cost of the settings' library.

A test holds it equal to `config.load()`. Besides `config.py` the only reader of the environment.
"""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ....modules import foreign_files
from ....modules.system import door, users

PREFIX = "AGENTOS_"
_YES = ("1", "on", "t", "true", "y", "yes")
_LINGER = "AGENTOS_DAEMON_LINGER_S"
MAX_ENV_BYTES = 64 * 1024
_CHECKOUT = Path(__file__).resolve().parents[3]
_FEATURES = _CHECKOUT / "features"
"""Where the feature is that has views: what has no folder is not offered."""


class Place(NamedTuple):
    """A home folder, whether a daemon is wanted, the settings in this process's environment, the toolsets, the server
    that commands call, if it is not one of this machine, whether MCP has resources and views, and the features that are
    on, None for all.
    """

    home: Path
    daemon: bool
    settings: dict[str, str]
    toolsets: frozenset[str] = frozenset()
    hooks: bool = True
    is_private: bool = True
    url: str = ""
    resources: bool = False
    views: bool = True
    features: frozenset[str] | None = None

    @property
    def socket(self) -> Path:
        """The daemon's socket: in the home, or under a short name in the folder for temporary files."""
        return socket_path(self.home)


def of_environment(instead: Mapping[str, str] | None = None) -> Place:
    """Return the place that this process was started for; variables in `instead` override the environment's."""
    settings = {name: value for name, value in os.environ.items() if name.startswith(PREFIX) and value}
    settings.update(instead or {})
    settings.setdefault("AGENTOS_FOLDER", os.environ.get("CLAUDE_PROJECT_DIR") or _working_folder())
    checkout = _env_file(_CHECKOUT / ".env") if (_CHECKOUT / "pyproject.toml").exists() else {}
    named = settings.get("AGENTOS_HOME") or checkout.get("AGENTOS_HOME")
    home = Path(os.path.expanduser(named)) if named else _default_home()
    if not home.is_absolute():  # the session in this process reports what is wrong
        return Place(home, False, settings, hooks=False)
    home = Path(os.path.realpath(home))  # so that one folder has one daemon, by whichever path it is named
    is_private = private(home)
    given = {**checkout, **(_env_file(home / ".env") if is_private else {}), **settings}
    wants_daemon = given.get("AGENTOS_DAEMON", "auto").lower() != "off"
    hooks = given.get("AGENTOS_HOOKS", "on").lower() != "off"
    toolsets = _names(given.get("AGENTOS_TOOLSETS", ""))
    url = given.get("AGENTOS_URL", "")
    resources = given.get("AGENTOS_HTTP_RESOURCES", "").lower() in _YES
    views = (given.get("AGENTOS_VIEWS") or "true").lower() in _YES
    features = _names(given.get("AGENTOS_FEATURES", "")) or None
    views = views and (features is None or "apps" in features) and has_feature("apps")
    daemon = wants_daemon and is_private
    return Place(home, daemon, settings, toolsets, hooks, is_private, url, resources, views, features)


def has_feature(name: str) -> bool:
    """Return whether a feature's folder is there."""
    return (_FEATURES / name / "feature.py").exists()


def private(home: Path) -> bool:
    """Return whether nobody else can have put anything into a home, by its folder; True if there is none yet.

    A home that is not private is neither read nor written: whoever opens it says why.
    """
    try:
        status = home.lstat()
    except OSError:
        return True
    return stat.S_ISDIR(status.st_mode) and users.is_closed_to_others(status)


def _working_folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # it was removed
        return ""


def _names(value: str) -> frozenset[str]:
    return frozenset(value.lower().replace(";", ",").replace(",", " ").split())


def environment_for(
    home: Path | None, agent: str | None, toolsets: Sequence[str] = (), linger_s: float | None = None
) -> dict[str, str]:
    """Return the environment that starts a server for this home (absolute) and agent; None: as this process would.

    With `toolsets` it shows their tools beside those always shown. A daemon that it starts waits `linger_s` seconds for
    the next session, unless a setting says how long.
    """
    folder = None if home is None else str(home)
    here = of_environment({} if folder is None else {"AGENTOS_HOME": folder}).home
    own = _env_file(here / ".env") if here.is_absolute() else {}
    lingers = linger_s is not None and _LINGER not in os.environ and _LINGER not in own
    named = {
        "AGENTOS_HOME": folder,
        "AGENTOS_AGENT_ID": agent,
        "AGENTOS_TOOLSETS": ",".join(toolsets) or None,
        _LINGER: str(linger_s) if lingers else None,
    }
    return {**os.environ, **{name: value for name, value in named.items() if value is not None}}


def socket_path(home: Path) -> Path:
    """Return the path at which the daemon of a home listens."""
    return door.path_in(home)


def _env_file(path: Path) -> dict[str, str]:
    try:
        if not path.is_file():
            return {}
    except PermissionError:
        return {}  # the folder is closed to us: whoever opens it says so
    from dotenv import dotenv_values

    try:
        lines = io.StringIO(foreign_files.read(path, MAX_ENV_BYTES).decode())
        return {
            name: value for name, value in dotenv_values(stream=lines, interpolate=False).items() if value is not None
        }
    except (OSError, UnicodeDecodeError):
        return {}  # the settings themselves name the file when they are loaded, right after this


def _default_home() -> Path:
    import platformdirs

    try:
        return Path(platformdirs.user_data_dir("agentos", appauthor=False))
    except RuntimeError:
        return Path()  # a user without a home folder, which the session in this process reports
