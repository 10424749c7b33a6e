"""Look-up of commands, also by names that people try; a group named alone lists its contents."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from importlib import import_module
from pathlib import Path
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
_VALUES: dict[Any, str] = {int: "NUMBER", float: "NUMBER", Path: "PATH"}
"""What the help calls the value of an option, by its type: TEXT for others."""


Place = str | Callable[[], Any]
Panels = Mapping[str, Mapping[str, Place]]


class Places(Mapping[str, Any]):
    """Commands by name, each imported and built when it is asked for: to run one needs none of the others.

    `places`: for each panel of the help, where its commands are: their name, and `module.attribute` in this package, or
    what imports it from elsewhere. `whole` returns the same with the commands of others, for what is not found there.
    """

    def __init__(self, places: Panels, whole: Callable[[], Panels] | None = None) -> None:
        self._places = _by_name(places)
        self._whole = whole
        self._built: dict[str, Any] = {}

    @cached_property
    def _all(self) -> Mapping[str, tuple[str, Place]]:
        return self._places if self._whole is None else _by_name(self._whole())

    def __getitem__(self, name: str) -> Any:
        panel, place = self._places.get(name) or self._all[name]
        if name not in self._built:
            found = _imported(place) if isinstance(place, str) else place()
            alone = typer.Typer(callback=lambda: None)
            if isinstance(found, typer.Typer):
                alone.add_typer(found, name=name, rich_help_panel=panel)
            else:
                alone.command(name, rich_help_panel=panel)(found)
            self._built[name] = typer.main.get_group(alone).commands[name]
            _word(self._built[name])
        return self._built[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)


def _by_name(places: Panels) -> Mapping[str, tuple[str, Place]]:
    return {name: (panel, place) for panel, named in places.items() for name, place in named.items()}


def _imported(place: str) -> Any:
    module, _, attribute = place.rpartition(".")
    return getattr(import_module(f".{module}", __package__), attribute)


def _word(command: Any) -> None:
    """Put a command's help, and that of commands in a group, into whole paragraphs; name what it reads."""
    for inner in getattr(command, "commands", {}).values():
        _word(inner)
    command.help = "\n\n".join(" ".join(part.split()) for part in (command.help or "").split("\n\n"))
    _name(command.params)
    _name(filter(None, [command.get_help_option(typer.Context(command))]))


def _name(given: Iterable[Any]) -> None:
    """Name arguments in capitals, and the values of options TEXT or NUMBER, not as Python does."""
    for one in given:
        if one.param_type_name == "argument":
            one.metavar = one.metavar or one.name.upper()
            one.display_type_rich = lambda ctx: None
        elif (kind := getattr(getattr(one, "type_descriptor", None), "annotation", None)) is not None:
            one.metavar = one.metavar or ("" if one.is_flag else _VALUES.get(kind, "TEXT"))


class Commands(TyperGroup):
    """Commands that are loaded when they are asked for, each under its own name and the others that people try."""

    places: ClassVar[Panels] = {}
    whole: ClassVar[Callable[[], Panels] | None] = None

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{**settings, "commands": Places(self.places, type(self).whole)})

    def get_params(self, ctx: Any) -> Any:
        """Return the options of `agentos` itself."""
        params = super().get_params(ctx)
        _name(params)
        return params

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of a name or of an alias; None where there is none."""
        return super().get_command(ctx, cmd_name) or super().get_command(ctx, ALIASES.get(cmd_name, ""))


class ListingGroup(TyperGroup):
    """A group of commands that lists where no command is named: `agentos goals --all` is `agentos goals list --all`."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of a name or of an alias; None where there is none."""
        return super().get_command(ctx, cmd_name) or super().get_command(ctx, ALIASES_IN_GROUPS.get(cmd_name, ""))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments of the group, with `list` before them where no command is named."""
        bare = not args or (args[0].startswith("-") and args[0] != "--help")
        return super().parse_args(ctx, [LIST, *args] if bare else args)
