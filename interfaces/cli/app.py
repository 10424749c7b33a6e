"""The commands of `agentos`."""

from typing import Annotated

import typer

from ...modules.version import VERSION
from . import backup

app = typer.Typer(
    help="AgentOS: long-term memory, goals, reflection and context for AI agents.",
    no_args_is_help=True,
    add_completion=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"agentos {VERSION}")
        raise typer.Exit


@app.callback()
def agentos(
    version: bool = typer.Option(False, "--version", callback=_show_version, is_eager=True, help="Show the version."),
) -> None:
    """AgentOS: long-term memory, goals, reflection and context for AI agents."""


@app.command()
def demo(
    keep: bool = typer.Option(False, "--keep", help="Keep the temporary data folder and say where it is."),
) -> None:
    """Live through two sessions with a real server, a real model and the daemon's jobs, in a temporary folder."""
    from .demo import run

    raise typer.Exit(run(keep=keep))


bench = typer.Typer(help="Measure AgentOS beside others.", no_args_is_help=True)
app.add_typer(bench, name="bench")


@bench.command(
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
    add_help_option=False,  # its own parser, which is also that of a checkout without this command, explains itself
)
def retrieval(context: typer.Context) -> None:
    """How much of what answers a question is recalled, with figures, ablations and peers; --help says more."""
    from ...benchmarks.retrieval.command import main

    raise typer.Exit(main(context.args, "agentos bench retrieval"))


app.command()(backup.backup)
app.command()(backup.backups)
app.command()(backup.restore)
app.command()(backup.migrate)


@app.command()
def doctor(
    home: backup.Home = None,
    repair: bool = typer.Option(False, "--repair", help="Mend what can be mended without losing anything."),
    deep: bool = typer.Option(False, "--deep", help="Also read every page and file whole, and try the model."),
    as_json: backup.AsJson = False,
) -> None:
    """Look for everything that can be wrong. Exit code 0: nothing, 1: warnings, 2: errors."""
    from .doctor.command import run

    raise typer.Exit(run(home, as_json=as_json, repair=repair, deep=deep))


@app.command()
def status(home: backup.Home = None, as_json: backup.AsJson = False) -> None:
    """Show what the memory holds, how large it is, and who works on it."""
    from .status import run

    raise typer.Exit(run(home, as_json=as_json))


@app.command()
def explain(
    query: Annotated[str, typer.Argument(help="What an agent would ask.")],
    home: backup.Home = None,
    agent: Annotated[str | None, typer.Option("--agent", help="Whose memories; by default AGENTOS_AGENT_ID.")] = None,
    limit: Annotated[int, typer.Option("--limit", help="How many candidates, 1 to 200.")] = 10,
    as_json: backup.AsJson = False,
) -> None:
    """Show why a search finds what it finds, or nothing: every channel's share of each score, and the gate."""
    from .explain import run

    raise typer.Exit(run(query, home, agent, limit, as_json=as_json))
