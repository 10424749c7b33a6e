"""The commands of `agentos`, in groups, beginning with a newcomer's first steps."""

from collections.abc import Mapping
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any

import typer

from ...features import NAMES, registered
from ...modules.installing import switched_off
from ...modules.plugins.feature import with_brought
from ...modules.version import SIGNATURE
from .groups import ALIASES, Commands, Panels, Place
from .options import named_home
from .outcome import EXIT_CODES, CommandFailure, ExitCode
from .terminal import say

COMMANDS: Mapping[str, Mapping[str, str]] = {
    "Start here": {
        "setup": "deferred.setup",
        "demo": "deferred.demo",
        "status": "deferred.status",
        "doctor": "deferred.doctor",
        "update": "deferred.update",
        "hud": "deferred.hud",
        "model": "model.model",
    },
    "Remember and find": {
        "remember": "memory.remember",
        "remember-all": "batch.remember_all",
        "recall": "memory.recall",
        "list": "memory.list_memories",
        "show": "memory.show",
        "edit": "memory.edit",
        "forget": "memory.forget",
        "sessions": "sessions.sessions",
        "timeline": "sessions.timeline",
        "projects": "projects.projects",
        "snapshot": "findings.snapshot",
        "explain": "deferred.explain",
    },
    "Goals and lessons": {
        "goals": "goals.goals",
        "reflect": "findings.reflect",
        "patterns": "findings.patterns",
        "insights": "findings.insights",
        "tasks": "findings.tasks",
        "answer": "findings.answer",
    },
    "Review and tidy up": {
        "rules": "rules.rules",
        "approvals": "approvals.approvals",
        "feedback": "memory.feedback",
        "revert": "memory.revert",
        "scrub": "scrub.scrub",
        "usage": "usage.usage",
        "jobs": "jobs.jobs",
        "consolidate": "deferred.consolidate",
        "rollback": "deferred.rollback",
    },
    "Back up, export and protect": {
        "export": "portability.export",
        "import": "portability.import_",
        "bundle": "bundle.bundle",
        "passport": "passports.passport",
        "history": "passports.history",
        "fork": "forks.fork",
        "merge": "forks.merge",
        "access": "access.access",
        "erase": "erase.erase",
        "lock": "locking.lock",
        "unlock": "locking.unlock",
        "encrypt": "encrypting.encrypt",
        "decrypt": "encrypting.decrypt",
        "rotate-key": "encrypting.rotate_key",
        "contract": "contract.contract",
        "sign": "signing.sign",
        "verify": "signing.verify",
        "trust-keys": "signing.trust_keys",
        "backup": "backup.backup",
        "backups": "backup.backups",
        "restore": "backup.restore",
        "migrate": "backup.migrate",
        "reembed": "reembed.reembed",
    },
    "Access and teams": {
        "keys": "identities.keys",
        "grants": "identities.grants",
        "namespaces": "identities.namespaces",
        "audit": "audit.audit",
        "trust": "trust.trust",
        "tenants": "tenants.tenants",
        "branch": "branches.branch",
    },
    "Servers, clients and benchmarks": {
        "hook": "deferred.hook",
        "serve": "deferred.serve",
        "service": "service.service",
        "start": "background.start",
        "stop": "background.stop",
        "restart": "background.restart",
        "plugins": "plugins.plugins",
        "status-line": "deferred.status_line",
        "bench": "deferred.bench",
    },
}
"""By the panel of the help and the name of the command: its module here, and its function or group in there.

Those of features are listed among them.
"""
_EPILOG = "\n\n".join(
    [
        "Exit codes: " + "; ".join(f"{int(code)} {meaning}" for code, meaning in EXIT_CODES.items()) + ".",
        "Other names: " + ", ".join(f"{alias} = {name}" for alias, name in ALIASES.items()) + ".",
        "The first characters of an id are enough: agentos show mem_1a2b3c4d. With --json errors are JSON too.",
    ]
)

_HELP = (
    "AgentOS: long-term memory, goals, reflection and context for AI agents.\n\n"
    "See it work: agentos demo. Connect the agents on this machine: agentos setup. Use it from the "
    "shell: agentos remember "
    '"Maria deploys on Tuesdays", then agentos recall "when do we deploy?". If something is wrong: agentos doctor.'
)


NAMED_HOME = "agentos.home"
"""Where the context has the home that the arguments of a command name."""


def of_features() -> dict[str, str]:
    """Return the features that commands belong to: they are there where these are on."""
    named = (feature for feature in registered() if feature.name in NAMES)
    return {command: feature.name for feature in named for command in feature.commands}


def _with_features() -> Panels:
    """Return where all commands are, those of features among AgentOS's own."""
    return {panel: _panel(own) for panel, own in COMMANDS.items()}


def _panel(own: Mapping[str, str]) -> dict[str, Place]:
    listed: list[tuple[str, Place]] = [*own.items()]
    brought: list[tuple[str, tuple[str, Place]]] = [
        (command.behind, (name, partial(feature.load, command.place)))
        for feature in registered()
        for name, command in feature.commands.items()
        if command.behind in own
    ]
    return dict(with_brought(listed, brought, itemgetter(0)))


class _AgentOS(Commands):
    """`agentos`, whose commands are those above; where it is none of them, those of features are looked at."""

    places = COMMANDS
    whole = staticmethod(_with_features)

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands that are there."""
        on, of = _features(None), of_features()
        return [name for name in super().list_commands(ctx) if of.get(name, "") in on]

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return a command with its arguments, once it is noted which home they name."""
        ctx.meta[NAMED_HOME] = named_home(args)
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command. Raises CommandFailure for one of a feature that is off in the home that is named."""
        is_own = any(cmd_name in own for own in COMMANDS.values())
        feature = "" if is_own else of_features().get(cmd_name, "")
        if feature and feature not in _features(ctx.meta.get(NAMED_HOME)):
            raise CommandFailure(switched_off(feature), ExitCode.REFUSED)
        return super().get_command(ctx, cmd_name)


def _features(home: Path | None) -> set[str]:
    """Return what is on in a home, with "" for what belongs to no feature; all where its settings cannot be read."""
    from ... import config

    try:
        return {"", *config.of_home(home).features}
    except config.SettingsError:  # whoever runs a command is told then
        return {"", *of_features().values()}


app = typer.Typer(
    cls=_AgentOS,
    help=_HELP,
    epilog=_EPILOG,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        say(SIGNATURE)
        raise typer.Exit


@app.callback()
def agentos(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", callback=_show_version, is_eager=True, help="Show the version."),
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
