"""Options that many commands share, each under one name."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from .outcome import CommandFailure, ExitCode


def path_of(given: str | Path) -> Path:
    """Return a path that was given; a person's must not be empty, which would mean the current folder."""
    if not str(given).strip():
        raise typer.BadParameter("it is empty; . is the current folder")
    return Path(given)


Home = Annotated[Path | None, typer.Option("--home", help="The data folder; by default AGENTOS_HOME.", parser=path_of)]
Agent = Annotated[str | None, typer.Option("--agent", help="Whose memory; by default AGENTOS_AGENT_ID.")]
AsJson = Annotated[bool, typer.Option("--json", help="Answer in JSON, errors too.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
Type = Annotated[str | None, typer.Option("--type", help="episodic, semantic, procedural or working.")]
Tags = Annotated[list[str] | None, typer.Option("--tag", help="A tag; repeatable.")]
Since = Annotated[str | None, typer.Option("--since", help="ISO 8601, or a word such as yesterday.")]
Until = Annotated[str | None, typer.Option("--until", help="ISO 8601.")]
Session = Annotated[str | None, typer.Option("--session", help="A conversation's id.")]
Project = Annotated[str | None, typer.Option("--project", help="Only this project, by name or id.")]
Limit = Annotated[int, typer.Option("--limit", "-n", help="The most to list.")]


def named_home(arguments: Sequence[str]) -> Path | None:
    """Return the home that the arguments of a command name, before anything else of them is read; None for none."""
    home = ""
    for at, one in enumerate(arguments):
        if one == "--":
            break
        name, given, value = one.partition("=")
        if name == "--home":
            home = value if given else "".join(arguments[at + 1 : at + 2])
    return Path(home) if home.strip() else None


@contextmanager
def told_as(option: str, variable: str) -> Iterator[None]:
    """Tell what is wrong with the value of an option by its name, not by that of the setting. Raises CommandFailure."""
    from ...config import SettingsError

    try:
        yield
    except SettingsError as error:
        if f"{variable}: " not in str(error):
            raise
        raise CommandFailure(str(error).replace(f"{variable}: ", f"{option}: "), ExitCode.WRONG_USE) from error


def expanded(path: Path) -> Path:
    """Return a path that a person gave, absolute. Raises CommandFailure where its ~ means nobody."""
    try:
        return path.expanduser().absolute()
    except RuntimeError as error:
        raise CommandFailure(
            f"{path}: names a user that does not exist or has no home folder", ExitCode.WRONG_USE
        ) from error
