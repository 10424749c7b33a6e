"""Commands whose work needs much of AgentOS: each is declared here, and what it needs is imported when it runs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from .options import Agent, AsJson, Home, Yes, path_of
from .outcome import CommandFailure, ExitCode
from .terminal import say

if TYPE_CHECKING:
    from ...benchmarks.usage import Command


def setup(
    client: Annotated[
        list[str] | None, typer.Option("--client", "-c", help="A client, such as claude-code; repeatable.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every client found on this machine.")] = False,
    scope: Annotated[str, typer.Option("--scope", help="user: all projects; project: this folder only.")] = "user",
    hooks: Annotated[
        bool,
        typer.Option("--hooks/--no-hooks", help="Add hooks too, where the client supports them."),
    ] = True,
    instructions: Annotated[
        bool,
        typer.Option("--instructions", help="Also add instructions on when to remember to CLAUDE.md, AGENTS.md, …"),
    ] = False,
    status_line: Annotated[
        bool, typer.Option("--status-line", help="Also show the memory's state in the client's status line.")
    ] = False,
    profile: Annotated[
        str | None, typer.Option("--profile", help="Settings for personal, coding or team use; none removes them.")
    ] = None,
    remote: Annotated[
        str | None, typer.Option("--remote", metavar="URL", help="A server on another machine; its key: AGENTOS_KEY.")
    ] = None,
    uninstall: Annotated[bool, typer.Option("--uninstall", help="Remove everything that AgentOS added.")] = False,
    only_list: Annotated[bool, typer.Option("--list", help="Show the clients found here, and their state.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Register AgentOS's server and hooks in the agents on this machine: shows each change, asks, keeps a backup."""
    from .setup import command

    flags = (hooks, instructions, status_line, uninstall, only_list, dry_run, yes, as_json)
    request = command.options(client, everything, scope, *flags, remote, profile)
    raise typer.Exit(command.run(request))


def demo(
    keep: bool = typer.Option(False, "--keep", help="Keep the temporary data folder and print its path."),
) -> None:
    """Run three demo sessions with a real server, a real model and the daemon's jobs, in a temporary folder."""
    from .demo import run

    raise typer.Exit(run(keep=keep))


def status(home: Home = None, as_json: AsJson = False) -> None:
    """Show what is stored, how large it is, and who is connected."""
    from .status import run

    raise typer.Exit(run(home, as_json=as_json))


def doctor(
    home: Home = None,
    repair: bool = typer.Option(False, "--repair", help="Fix what can be fixed without losing anything."),
    deep: bool = typer.Option(False, "--deep", help="Also read every page and file in full, and try the model."),
    as_json: AsJson = False,
) -> None:
    """Check everything that can go wrong. Exit code 0: no problem; 1: warnings; 2: errors."""
    from .doctor.command import run

    raise typer.Exit(run(home, as_json=as_json, repair=repair, deep=deep))


def update(
    source: Annotated[
        Path | None,
        typer.Option("--from", help="A wheel or a folder of wheels; by default the package index.", parser=path_of),
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Only check for a newer version.")] = False,
    pre: Annotated[bool, typer.Option("--pre", help="Include pre-releases.")] = False,
    no_backup: Annotated[bool, typer.Option("--no-backup", help="Do not back up or restore the memory.")] = False,
    home: Home = None,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Install a newer version, check the home with its doctor, and roll back on errors. Backs up first.

    Without --from, and with AGENTOS_OFFLINE=false, the package index is used. Exit code 3: rolled back.
    """
    from .update.command import UpdateOptions, run

    raise typer.Exit(run(UpdateOptions(source, check, pre, not no_backup, yes, as_json), home))


def hud(
    home: Home = None,
    interval_s: float = typer.Option(2.0, "--every", min=0.2, help="Seconds between updates."),
) -> None:
    """Watch the memory live: its contents, who is connected, and its jobs. Stop with Ctrl-C."""
    from .hud import run

    run(home, interval_s)


def explain(
    query: Annotated[str, typer.Argument(help="What an agent would ask.")],
    home: Home = None,
    agent: Annotated[str | None, typer.Option("--agent", help="Whose memories; by default AGENTOS_AGENT_ID.")] = None,
    limit: Annotated[int, typer.Option("--limit", help="How many candidates, 1 to 200.")] = 10,
    as_of: Annotated[str | None, typer.Option("--as-of", help="Answer as of this date; ISO 8601.")] = None,
    as_json: AsJson = False,
) -> None:
    """Explain a search's results, or why there are none: each part of each score, and what a hit must reach."""
    from .explain import run

    run(query, home, agent, limit, as_of, as_json=as_json)


def consolidate(
    home: Home = None,
    agent: str | None = typer.Option(None, "--agent", help="Whose memories; by default AGENTOS_AGENT_ID."),
    apply: bool = typer.Option(False, "--apply", help="Archive one of each pair; --undo restores it."),
    similar: bool = typer.Option(False, "--similar", help="Show pairs with similar meaning."),
    undo: str | None = typer.Option(None, "--undo", metavar="CHANGE", help="Undo a step, or a consolidation."),
    session: str | None = typer.Option(None, "--session", metavar="NAME", help="Summarise a conversation instead."),
    keep: int = typer.Option(20, "--keep", help="With --session: how many of the last turns to leave out."),
    as_json: AsJson = False,
) -> None:
    """Show near duplicates, or a --session's summaries. --apply archives the newer ones, or stores them."""
    from .consolidate import of_session, run

    if apply and undo is not None:
        raise typer.BadParameter("give either --apply or --undo")
    if session is not None or (undo or "").startswith("con_"):
        of_session(home, agent, session, undo, keep, apply=apply, as_json=as_json)
    else:
        run(home, agent, undo, apply=apply, similar=similar, as_json=as_json)


def rollback(
    source: Annotated[str | None, typer.Option("--source", help="All memories from this source.")] = None,
    session: Annotated[str | None, typer.Option("--session", help="All memories from this session.")] = None,
    since: Annotated[
        str | None, typer.Option("--since", help="Only memories stored since this time; ISO 8601.")
    ] = None,
    undo: Annotated[
        str | None, typer.Option("--undo", metavar="CHANGE", help="Undo a rollback, by its change id.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    yes: Yes = False,
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """Archive all memories of one source or session; what they replaced becomes current again. Can be undone."""
    from .rollback import RollbackOptions, run

    if [source, session, undo].count(None) != 2:
        raise typer.BadParameter("give one of --source, --session and --undo")
    run(RollbackOptions(source, session, since, undo, dry_run, yes, as_json), home, agent)


def hook(
    event: Annotated[
        str,
        typer.Argument(help="session-start, prompt, pre-tool, post-tool, pre-compact, stop or session-end."),
    ],
    client: Annotated[
        str, typer.Option("--client", help="The client that sends the JSON: claude-code, codex, gemini-cli or cursor.")
    ] = "claude-code",
    home: Annotated[str, typer.Option("--home", help="The data folder, if not AGENTOS_HOME.")] = "",
    agent: Annotated[str, typer.Option("--agent", help="Whose memories, if not AGENTOS_AGENT_ID's.")] = "",
) -> None:
    """Answer a client's hook: JSON in, JSON out, always exit code 0. See docs/hooks.md."""
    from ..hooks.program import main as run_hook

    run_hook([event, "--client", client, "--home", home, "--agent", agent])


def serve(
    listen: Annotated[
        str | None, typer.Option("--listen", metavar="HOST:PORT", help="By default AGENTOS_HTTP, or 127.0.0.1:8420.")
    ] = None,
    home: Home = None,
    as_json: Annotated[bool, typer.Option("--json", help="Say in JSON why it cannot serve.")] = False,
) -> None:
    """Serve this memory over HTTP, MCP at /mcp and REST at /api/v1, until it is stopped. See docs/http.md."""
    from .serve import run

    run(home, listen)


def status_line(home: Home = None) -> None:
    """Print the daemon's state as one line for an agent's status bar. Always exits with 0. See docs/hooks.md."""
    from ..hooks import status_line as bar

    say(bar.status_line(home))


bench = typer.Typer(help="Compare AgentOS with other systems.", no_args_is_help=True)


@bench.command(
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
    add_help_option=False,  # its own parser, also used in a checkout without this command, has the help
)
def retrieval(context: typer.Context) -> None:
    """Measure recall against other systems, with ablations. --help lists the options."""
    from ...benchmarks.retrieval.command import command

    _measure(command, context)


@bench.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True}, add_help_option=False)
def loop(context: typer.Context) -> None:
    """Measure whether knowledge reaches the next task and another home. --help lists the options."""
    from ...benchmarks.loop.command import command

    _measure(command, context)


def _measure(command: "Command", context: typer.Context) -> NoReturn:
    from ...benchmarks.usage import UsageError

    name = f"agentos bench {context.info_name}"
    try:
        code = command(context.args, name)
    except UsageError as error:
        raise CommandFailure(f"{error}\nTry: {name} --help", ExitCode.WRONG_USE) from error
    raise typer.Exit(code)
