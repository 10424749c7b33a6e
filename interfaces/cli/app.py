"""The commands of `agentos`."""

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


app.command()(backup.backup)
app.command()(backup.backups)
app.command()(backup.restore)
app.command()(backup.migrate)
