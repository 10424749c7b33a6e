"""Checks of the clients on this machine: their entries and plugins start this installation. Starts nothing."""

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from .... import config
from ....modules.health.models import Check, Finding, Severity, info, ok
from ....modules.version import VERSION
from ..setup.clients import CLIENTS, Client, Machine, Plugin
from ..setup.documents import Unreadable
from ..setup.launch import is_fetched, launch_of
from ..setup.parts import Purpose
from ..setup.planning import EntryTarget, command_lines, elsewhere, targets

_WITH_COMMANDS: tuple[Purpose, ...] = ("server", "hooks", "status-line")
NO_HOME = "the clients cannot be checked: this user has no home folder"


def checks() -> list[Check]:
    """Return the checks of the clients, in order."""
    return [Check("clients.entries", look_at_entries), Check("clients.plugins", look_at_plugins)]


def look_at_entries() -> Finding:
    """Check that every AgentOS server and hook entry, for the user or in this folder, is of this installation."""
    machine = _machine()
    if machine is None:
        return info(NO_HOME)
    launch = launch_of(sys.executable, {})
    user = targets(CLIENTS, machine, "user", _WITH_COMMANDS)
    project = targets(CLIENTS, machine, "project", _WITH_COMMANDS)
    each = {(target.purpose, target.path): target for target in (*project, *user)}  # in the home they may be one file
    found = [(target, lines) for target in each.values() if (lines := _command_lines(target))]
    strange = [
        (target, words)
        for target, lines in found
        if (words := next((words for words in lines if not launch.is_started_by(words)), None)) is not None
    ]
    if not strange:
        titles = dict.fromkeys(target.client.title for target, _ in found)
        return ok(f"set up in {', '.join(titles)}" if found else "no client has an AgentOS entry")
    entries = ", ".join(f"{target.client.title}'s {target.purpose} by {_named(words)}" for target, words in strange)
    message = f"started by a program outside {Path(launch.commands[0]).parent}: {entries}"
    details = {"entries": [{"path": str(target.path), "purpose": target.purpose} for target, _ in strange]}
    return Finding(Severity.WARNING, message, _remedy([target for target, _ in strange]), details)


def look_at_plugins() -> Finding:
    """Check that the clients' copies of the plugin have this version: older ones fetch AgentOS by its name."""
    machine = _machine()
    if machine is None:
        return info(NO_HOME)
    found = [
        (client, client.plugin, version)
        for client in CLIENTS
        if client.plugin is not None and _has_plugin(client, machine) and (version := _version(client.plugin, machine))
    ]
    old = [(client, plugin, version) for client, plugin, version in found if version != VERSION]
    if not old:
        return ok(f"the plugins are of version {VERSION}" if found else "no client has the plugin")
    versions = ", ".join(f"{client.title}'s is of {version}" for client, _, version in old)
    remedy = " && ".join(plugin.update for _, plugin, _ in old)
    details = {"plugins": {client.key: version for client, _, version in old}}
    return Finding(Severity.WARNING, f"plugins of a different version from {VERSION}: {versions}", remedy, details)


def _machine() -> Machine | None:
    try:
        return Machine(sys.platform, Path.home(), config.places(), Path.cwd())
    except (RuntimeError, OSError):  # a user without a home, or a folder that was deleted
        return None


def _command_lines(target: EntryTarget) -> list[list[str]]:
    try:
        return command_lines(target)
    except Unreadable:  # setup says what is wrong with it
        return []


def _named(words: Sequence[str]) -> str:
    """Return the program that is started, without its arguments, which may hold keys."""
    if not words:
        return "no program"
    return f"{words[0]}, which downloads another project's program" if is_fetched(words) else words[0]


def _remedy(strange: Sequence[EntryTarget]) -> str:
    commands = []
    for scope, option in (("user", ""), ("project", " --scope project")):
        keys = dict.fromkeys(target.client.key for target in strange if target.scope == scope)
        if keys:
            commands.append(f"agentos setup{option} --client {','.join(keys)}")
    return " && ".join(commands)


def _has_plugin(client: Client, machine: Machine) -> bool:
    try:
        return elsewhere(client, machine) is not None
    except Unreadable:
        return False


def _version(plugin: Plugin, machine: Machine) -> str | None:
    """Return the newest of the copies' versions; None where no copy gives one."""
    versions = []
    for path in machine.path(plugin.copies).glob(plugin.manifest):
        try:
            versions.append(str(json.loads(path.read_bytes())["version"]))
        except (OSError, ValueError, KeyError, TypeError, RecursionError):  # the client says that itself
            continue
    return max(versions, key=lambda version: [int(part) for part in re.findall(r"\d+", version)], default=None)
