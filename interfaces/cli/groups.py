"""Look-up of commands, also by names that people try; a group named alone lists its contents."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, ClassVar

import typer
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


class Places(Mapping[str, Any]):
    """Commands by name, each imported and built when it is asked for: to run one needs none of the others.

    `places`: for each panel of the help, where its commands are: their name, and `module.attribute` in this package.
    """

    def __init__(self, places: Mapping[str, Mapping[str, str]]) -> None:
        self._places = {name: (panel, place) for panel, named in places.items() for name, place in named.items()}
        self._built: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        panel, place = self._places[name]
        if name not in self._built:
            module, _, attribute = place.rpartition(".")
            found = getattr(import_module(f".{module}", __package__), attribute)
            alone = typer.Typer(callback=lambda: None)
            if isinstance(found, typer.Typer):
                alone.add_typer(found, name=name, rich_help_panel=panel)
            else:
                alone.command(name, rich_help_panel=panel)(found)
            self._built[name] = typer.main.get_group(alone).commands[name]
        return self._built[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class Commands(TyperGroup):
    """Commands that are loaded when they are asked for, each under its own name and the others that people try."""

    places: ClassVar[Mapping[str, Mapping[str, str]]] = {}

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{**settings, "commands": Places(self.places)})

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
