"""Look-up of commands, also by names that people try; a group named alone lists its contents."""

from typing import Any

from typer.core import TyperGroup

ALIASES = {
    "add": "remember",
    "store": "remember",
    "save": "remember",
    "search": "recall",
    "find": "recall",
    "query": "recall",
    "ls": "list",
    "get": "show",
    "cat": "show",
    "delete": "forget",
    "remove": "forget",
    "rm": "forget",
    "init": "setup",
    "check": "doctor",
    "goal": "goals",
    "approval": "approvals",
    "session": "sessions",
    "insight": "insights",
    "task": "tasks",
    "job": "jobs",
    "statusline": "status-line",
}
"""Other names of commands, as in other programs."""
ALIASES_IN_GROUPS = {"ls": "list", "new": "add", "create": "add", "update": "edit", "get": "show"}
LIST = "list"


class Commands(TyperGroup):
    """The commands of `agentos`, each under its own name and the others that people try."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of a name or of an alias; None where there is none."""
        return super().get_command(ctx, cmd_name) or super().get_command(ctx, ALIASES.get(cmd_name, ""))


class Listing(TyperGroup):
    """A group of commands that lists where no command is named: `agentos goals --all` is `agentos goals list --all`."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of a name or of an alias; None where there is none."""
        return super().get_command(ctx, cmd_name) or super().get_command(ctx, ALIASES_IN_GROUPS.get(cmd_name, ""))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments of the group, with `list` before them where no command is named."""
        bare = not args or (args[0].startswith("-") and args[0] != "--help")
        return super().parse_args(ctx, [LIST, *args] if bare else args)
