"""Checks of the installation and of the settings: Python, packages, commands, SQLite, and the environment."""

import re
import shutil
import sqlite3
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

from .... import config
from ....features import registered
from ....modules import private_files, update_lock
from ....modules.health.models import Check, Finding, Severity, info, ok
from ....modules.installing import INSTALL
from ....modules.version import OLDEST_PYTHON, VERSION
from ...stdio.front import place

DISTRIBUTION = "agentos-mcp"
WAL_FAULT_MENDED = (3, 51, 3)
COMMANDS = ("agentos-server", "agentos-daemon", "agentos")


def checks(home: Path | None) -> list[Check]:
    """Return the checks of what is installed and of the settings, in order; `home` is the one named, if any."""
    return [
        Check("installation.python", look_at_python),
        Check("installation.packages", look_at_packages),
        Check("installation.commands", look_at_commands),
        Check("installation.sqlite", look_at_sqlite),
        Check("installation.plugins", look_at_plugins),
        Check("installation.update", lambda: look_at_update(home)),
        Check("settings.values", lambda: look_at_values(home)),
        Check("settings.names", lambda: look_at_names(home)),
        Check("settings.profile", lambda: look_at_profile(home)),
    ]


def settings_or_defaults(home: Path | None) -> config.Settings | None:
    """Return the settings; if they cannot be loaded the defaults of the home; None where not even that is known."""
    try:
        return config.load() if home is None else config.load(home=home)
    except (config.SettingsError, OSError):
        named = home or home_of_environment()
        return config.defaults(named) if named is not None and named.is_absolute() else None


def home_of_environment() -> Path | None:
    """Return the home that a server would use; None where its env file cannot even be looked for."""
    try:
        return place.of_environment().home
    except OSError:
        return None


def look_at_python() -> Finding:
    """Check that Python is new enough."""
    version = ".".join(map(str, sys.version_info[:3]))
    if tuple(sys.version_info) < OLDEST_PYTHON:
        wanted = ".".join(map(str, OLDEST_PYTHON))
        return Finding(Severity.ERROR, f"Python {version} is too old", f"install Python {wanted} or newer")
    return ok(f"Python {version} at {sys.executable}", version=version, executable=sys.executable)


def look_at_plugins() -> Finding:
    """Check that what other distributions bring can be used; their code is imported."""
    from .... import plugins

    brought, problems = plugins.found()
    if problems:
        message = "; ".join(str(problem) for problem in problems)
        return Finding(Severity.WARNING, message, "update or uninstall the plugin's distribution")
    names = sorted({plugin for plugin, _, _ in brought})
    return ok(f"plugins: {', '.join(names)}" if names else "no plugins are installed", plugins=names)


def look_at_update(home: Path | None) -> Finding:
    """Check that no update was interrupted halfway."""
    from ..update import journal

    named = home or home_of_environment()
    left = None if named is None else journal.found(named)
    if named is None or left is None or update_lock.updater(named) is not None:
        return ok("no update was interrupted")
    message = f"an update from {left.before} to {left.wanted} was interrupted at the step {left.step}"
    remedy = f"run agentos update to complete it; if that fails: sh '{left.script}'"
    return Finding(Severity.WARNING, message, remedy, {"backup": left.backup, "step": left.step})


def look_at_packages() -> Finding:
    """Check that the packages that AgentOS needs are installed, in versions that it can use."""
    try:
        needed = metadata.requires(DISTRIBUTION) or []
        installed = metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return info("agentos-mcp is not installed: this runs from a checkout", version=VERSION)
    from packaging.requirements import Requirement

    versions: dict[str, str | None] = {}
    wrong = []
    for requirement in map(Requirement, needed):
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        try:
            found = versions[requirement.name] = metadata.version(requirement.name)
        except metadata.PackageNotFoundError:
            versions[requirement.name] = None
            wrong.append(f"{requirement.name} is missing")
            continue
        if not requirement.specifier.contains(found, prereleases=True):
            wrong.append(f"{requirement.name} {found} is not {requirement.specifier}")
    details = {"version": VERSION, "packages": versions}
    if wrong:
        message = f"incompatible packages: {'; '.join(wrong)}"
        return Finding(Severity.ERROR, message, INSTALL, details)
    if installed != VERSION:
        message = f"agentos-mcp {installed} is installed, but the running code is {VERSION}"
        return Finding(Severity.WARNING, message, INSTALL, details)
    return ok(f"agentos-mcp {VERSION}, with {len(versions)} packages that fit", **details)


def look_at_commands() -> Finding:
    """Check that the commands that a shell finds are those of this installation."""
    ours = Path(sys.executable).parent
    found = {name: shutil.which(name) for name in COMMANDS}
    strange = {name: path for name, path in found.items() if path is not None and not _is_in(Path(path), ours)}
    details = {"commands": found}
    if strange:
        name, path = next(iter(strange.items()))
        message = f"{name} is {path}, from a different installation than this one in {ours}"
        return Finding(Severity.WARNING, message, f"put {ours} first in PATH, or uninstall the other", details)
    if found["agentos-server"] is None:
        known = (ours / "agentos-server").exists()
        message = "agentos-server is not in PATH"
        return info(f"{message}; clients need {ours / 'agentos-server'}" if known else message, **details)
    return ok(f"the commands belong to {ours}", **details)


def _is_in(command: Path, folder: Path) -> bool:
    """Return whether a command is in a folder, or is a link to one there."""
    return folder in (command.parent, command.resolve().parent) or command.parent.resolve() == folder.resolve()


def look_at_sqlite() -> Finding:
    """Check that SQLite has the features used; report its checkpoint bug, which AgentOS avoids."""
    version = sqlite3.sqlite_version
    connection = sqlite3.connect(":memory:")
    missing = []
    for feature, statement in {
        "FTS5": "CREATE VIRTUAL TABLE t USING fts5 (x)",
        "JSON": "SELECT count(*) FROM json_each('[1]')",
        "STRICT tables": "CREATE TABLE s (x TEXT) STRICT",
    }.items():
        try:
            connection.execute(statement)
        except sqlite3.Error:
            missing.append(feature)
    connection.close()
    if missing:
        message = f"this Python's SQLite {version} lacks {', '.join(missing)}"
        return Finding(Severity.ERROR, message, "use a Python with SQLite 3.37 or newer", {"version": version})
    if sqlite3.sqlite_version_info < WAL_FAULT_MENDED:
        message = f"SQLite {version} has a rare bug with concurrent checkpoints; AgentOS never runs two at once"
        return info(message, version=version)
    return ok(f"SQLite {version}", version=version)


def look_at_values(home: Path | None) -> Finding:
    """Check that every setting has an acceptable value."""
    try:
        settings = config.load() if home is None else config.load(home=home)
    except (config.SettingsError, OSError) as error:
        lines = str(error).splitlines()
        message = f"{'; '.join(lines)}; the rest was checked with the defaults"
        name, command = re.match(r"AGENTOS_\w+", lines[0]), re.search(r"chmod 600 '[^']+'", lines[0])
        if command is not None:
            return Finding(Severity.ERROR, message, command[0], {"problems": lines})
        remedy = f"unset {name[0]}, or correct it (also in <home>/.env)" if name else "correct the env file"
        return Finding(Severity.ERROR, message, remedy, {"problems": lines})
    tls_key = Path(settings.http_tls_key or settings.http_tls_certificate)
    if tls_key.name and tls_key.is_file() and private_files.strangers_can_read(tls_key):
        message = f"others can read the key of AGENTOS_HTTP_TLS_KEY, {tls_key}: agentos serve refuses it"
        return Finding(Severity.ERROR, message, f"chmod 600 '{tls_key}'", {"path": str(tls_key)})
    values = settings.model_dump(mode="json")
    return ok("all settings are valid", **{name: _without_password(value) for name, value in values.items()})


def _without_password(value: Any) -> Any:
    """Return a setting's value; of an address that may hold a password, as that of a database, only its kind."""
    may_hold_one = isinstance(value, str) and re.match(r"postgres\w*://|[\w+.-]+://[^/]*@", value)
    return f"{value.partition('://')[0]}://{'*' * 10}" if may_hold_one else value


def look_at_names(home: Path | None) -> Finding:
    """Check that all AGENTOS_* variables are known settings; others are silently ignored."""
    unknown = config.unknown_names(home or home_of_environment())
    if not unknown:
        return ok("all AGENTOS_* variables are known settings")
    descriptions = [
        f"{name}{f' in {path}' if path else ''}{f' (did you mean {nearest}?)' if nearest else ''}"
        for name, path, nearest in unknown
    ]
    name, _, nearest = unknown[0]
    remedy = f"rename {name} to {nearest}" if nearest else f"remove {name}; .env.example lists every setting"
    message = f"unknown variables: {', '.join(descriptions)}"
    details = {
        "unknown": [{"name": name, "file": path and str(path), "nearest": nearest} for name, path, nearest in unknown]
    }
    return Finding(Severity.WARNING, message, remedy, details)


def look_at_features(settings: config.Settings) -> Finding:
    """Check that no setting is made for a feature that is off, where nothing reads it."""
    on = {one.name for one in registered(settings.features)}
    off = [one for one in registered() if one.name not in on]
    defaults = {name: one.get_default(call_default_factory=True) for name, one in config.Settings.model_fields.items()}
    unread = {
        f"{config.PREFIX}{name.upper()}": one.name
        for one in off
        for name in one.settings
        if getattr(settings, name) != defaults[name]
    }
    toolsets = {tool.toolset: one.name for one in off for _, tool in one.brought("tools")}
    unread |= {f"{config.PREFIX}TOOLSETS={name}": toolsets[name] for name in settings.toolsets if name in toolsets}
    if not unread:
        return ok("no setting is made for a feature that is off")
    named = ", ".join(f"{variable} (feature {feature})" for variable, feature in unread.items())
    first, feature = next(iter(unread.items()))
    remedy = f"add {feature} to AGENTOS_FEATURES, or remove {first}"
    return Finding(Severity.WARNING, f"nothing reads these settings, whose features are off: {named}", remedy)


def look_at_profile(home: Path | None) -> Finding:
    """Tell which profile the home's settings follow, and which of its settings somebody has changed."""
    from ..setup import profiles
    from ..setup.documents import Unreadable

    named = home or home_of_environment()
    try:
        found = None if named is None else profiles.found_in(named)
    except Unreadable as error:
        return Finding(Severity.WARNING, f"{named}/.env: {error}", "agentos setup --profile none, or fix it by hand")
    if found is None:
        return ok("no profile: the defaults and the env file's changes", profile=None)
    changed = [f"{config.PREFIX}{name}" for name in found.changed]
    exceptions = f", except {', '.join(changed)}" if changed else ""
    return ok(f"the settings of the profile {found.name}{exceptions}", profile=found.name, changed=changed)
