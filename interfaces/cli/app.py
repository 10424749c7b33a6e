"""The commands of `agentos`, in groups, beginning with a newcomer's first steps."""

from pathlib import Path
from typing import Annotated

import typer

from ...modules.version import SIGNATURE
from . import (
    access,
    approvals,
    audit,
    background,
    backup,
    batch,
    branches,
    bundle,
    contract,
    encrypting,
    erase,
    findings,
    forks,
    goals,
    identities,
    ingest,
    jobs,
    locking,
    memory,
    mirror,
    model,
    passports,
    plugins,
    portability,
    reembed,
    rules,
    scrub,
    service,
    sessions,
    signing,
    team,
    tiers,
    trust,
    usage,
)
from .groups import ALIASES, Commands
from .options import Agent, AsJson, Home, Yes
from .outcome import EXIT_CODES
from .terminal import say

START, REMEMBER, GOALS, REVIEW, CARRY, ACCESS, CLIENTS = (
    "Start here",
    "Remember and find",
    "Goals, and what was learned",
    "Review and tidy up",
    "Keep safe and carry away",
    "Who may ask",
    "For clients and measurements",
)
_EPILOG = "\n\n".join(
    [
        "Exit codes: " + "; ".join(f"{int(code)} {meaning}" for code, meaning in EXIT_CODES.items()) + ".",
        "Other names: " + ", ".join(f"{alias} = {name}" for alias, name in ALIASES.items()) + ".",
        "An id may be cut to its beginning: agentos show mem_1a2b3c4d. With --json errors are JSON too.",
    ]
)

_HELP = (
    "AgentOS: long-term memory, goals, reflection and context for AI agents.\n\n"
    "See it work: agentos demo. Give it to the agents on this machine: agentos setup. Use it by hand: agentos remember "
    '"Maria deploys on Tuesdays", then agentos recall "when do we deploy?". If something is wrong: agentos doctor.'
)

app = typer.Typer(
    cls=Commands,
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


@app.command(rich_help_panel=START)
def setup(
    client: Annotated[
        list[str] | None, typer.Option("--client", "-c", help="A client, as claude-code; may be given several times.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every client found on this machine.")] = False,
    scope: Annotated[str, typer.Option("--scope", help="user: all projects; project: this folder only.")] = "user",
    hooks: Annotated[
        bool,
        typer.Option("--hooks/--no-hooks", help="Add hooks too, where the client supports them."),
    ] = True,
    instructions: Annotated[
        bool, typer.Option("--instructions", help="Also tell the agent in CLAUDE.md, AGENTS.md, … when to remember.")
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


@app.command(rich_help_panel=START)
def demo(
    keep: bool = typer.Option(False, "--keep", help="Keep the temporary data folder and say where it is."),
) -> None:
    """Live through two sessions with a real server, a real model and the daemon's jobs, in a temporary folder."""
    from .demo import run

    raise typer.Exit(run(keep=keep))


@app.command(rich_help_panel=START)
def status(home: Home = None, as_json: AsJson = False) -> None:
    """Show what the memory holds, how large it is, and who works on it."""
    from .status import run

    raise typer.Exit(run(home, as_json=as_json))


@app.command(rich_help_panel=START)
def doctor(
    home: Home = None,
    repair: bool = typer.Option(False, "--repair", help="Mend what can be mended without losing anything."),
    deep: bool = typer.Option(False, "--deep", help="Also read every page and file whole, and try the model."),
    as_json: AsJson = False,
) -> None:
    """Check everything that can go wrong. Exit code 0: all is well; 1: warnings; 2: errors."""
    from .doctor.command import run

    raise typer.Exit(run(home, as_json=as_json, repair=repair, deep=deep))


@app.command(rich_help_panel=START)
def update(
    source: Annotated[
        Path | None, typer.Option("--from", help="A wheel or a folder of wheels; without it the index is asked.")
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Only say whether there is a newer version.")] = False,
    pre: Annotated[bool, typer.Option("--pre", help="Include pre-releases.")] = False,
    no_backup: Annotated[bool, typer.Option("--no-backup", help="Do not back the memory up, nor restore it.")] = False,
    home: Home = None,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Install a newer version, let its doctor check the home, and go back if that finds errors. Backs up before.

    Without --from the index is asked, where AGENTOS_OFFLINE is false. Exit code 3: it was taken back.
    """
    from .update.command import Request, run

    raise typer.Exit(run(Request(source, check, pre, not no_backup, yes, as_json), home))


@app.command(rich_help_panel=START)
def hud(
    home: Home = None,
    every: float = typer.Option(2.0, "--every", min=0.2, help="Seconds between two looks."),
) -> None:
    """Watch the memory live: what it holds, who works on it, what its jobs do. Ends with Ctrl-C."""
    from .hud import run

    run(home, every)


app.command(rich_help_panel=REMEMBER)(memory.remember)
app.command(rich_help_panel=REMEMBER)(batch.remember_all)
app.command(rich_help_panel=REMEMBER)(memory.recall)
app.command("list", rich_help_panel=REMEMBER)(memory.list_memories)
app.command(rich_help_panel=REMEMBER)(memory.show)
app.command(rich_help_panel=REMEMBER)(memory.edit)
app.command(rich_help_panel=REMEMBER)(memory.forget)
app.add_typer(sessions.sessions, name="sessions", rich_help_panel=REMEMBER)
app.command(rich_help_panel=REMEMBER)(sessions.timeline)
app.command(rich_help_panel=REMEMBER)(findings.snapshot)


@app.command(rich_help_panel=REMEMBER)
def explain(
    query: Annotated[str, typer.Argument(help="What an agent would ask.")],
    home: Home = None,
    agent: Annotated[str | None, typer.Option("--agent", help="Whose memories; by default AGENTOS_AGENT_ID.")] = None,
    limit: Annotated[int, typer.Option("--limit", help="How many candidates, 1 to 200.")] = 10,
    as_of: Annotated[str | None, typer.Option("--as-of", help="Answer as of this date; ISO 8601.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show why a search finds what it finds, or nothing: every channel's share of each score, and the gate."""
    from .explain import run

    run(query, home, agent, limit, as_of, as_json=as_json)


app.add_typer(goals.goals, name="goals", rich_help_panel=GOALS)
app.command(rich_help_panel=GOALS)(findings.reflect)
app.command(rich_help_panel=GOALS)(findings.patterns)
app.add_typer(findings.insights, name="insights", rich_help_panel=GOALS)
app.add_typer(findings.tasks, name="tasks", rich_help_panel=GOALS)
app.command(rich_help_panel=GOALS)(findings.answer)

app.add_typer(rules.rules, name="rules", rich_help_panel=REVIEW)
app.add_typer(approvals.approvals, name="approvals", rich_help_panel=REVIEW)
app.command(rich_help_panel=REVIEW)(memory.feedback)
app.command(rich_help_panel=REVIEW)(memory.revert)
app.add_typer(tiers.tiers, name="tiers", rich_help_panel=REVIEW)
app.command(rich_help_panel=REVIEW)(scrub.scrub)
app.command(rich_help_panel=REVIEW)(usage.usage)
app.add_typer(jobs.jobs, name="jobs", rich_help_panel=REVIEW)

app.add_typer(identities.keys, name="keys", rich_help_panel=ACCESS)
app.add_typer(identities.grants, name="grants", rich_help_panel=ACCESS)
app.add_typer(identities.namespaces, name="namespaces", rich_help_panel=ACCESS)

app.add_typer(audit.audit, name="audit", rich_help_panel=ACCESS)
app.command(rich_help_panel=ACCESS)(trust.trust)

app.command("export", rich_help_panel=CARRY)(portability.export)
app.command("import", rich_help_panel=CARRY)(portability.import_)
app.command("ingest", rich_help_panel=REMEMBER)(ingest.ingest)
app.add_typer(mirror.mirror, name="mirror", rich_help_panel=CARRY)
app.add_typer(bundle.bundle, name="bundle", rich_help_panel=CARRY)
app.command(rich_help_panel=CARRY)(passports.passport)
app.add_typer(passports.history, name="history", rich_help_panel=CARRY)
app.command(rich_help_panel=CARRY)(forks.fork)
app.command(rich_help_panel=CARRY)(forks.merge)
app.add_typer(team.team, name="team", rich_help_panel=ACCESS)
app.add_typer(branches.branch, name="branch", rich_help_panel=ACCESS)
app.command(rich_help_panel=CARRY)(access.access)
app.command(rich_help_panel=CARRY)(erase.erase)
app.command(rich_help_panel=CARRY)(locking.lock)
app.command(rich_help_panel=CARRY)(locking.unlock)
app.command(rich_help_panel=CARRY)(encrypting.encrypt)
app.command(rich_help_panel=CARRY)(encrypting.decrypt)
app.command("rotate-key", rich_help_panel=CARRY)(encrypting.rotate_key)
app.command(rich_help_panel=CARRY)(contract.contract)
app.command(rich_help_panel=CARRY)(signing.sign)
app.command(rich_help_panel=CARRY)(signing.verify)
app.add_typer(signing.trust_keys, name="trust-keys", rich_help_panel=CARRY)
app.command(rich_help_panel=CARRY)(backup.backup)
app.add_typer(backup.backups, name="backups", rich_help_panel=CARRY)
app.command(rich_help_panel=CARRY)(backup.restore)
app.command(rich_help_panel=CARRY)(backup.migrate)
app.add_typer(model.model, name="model", rich_help_panel=START)
app.command(rich_help_panel=CARRY)(reembed.reembed)


@app.command(rich_help_panel=REVIEW)
def consolidate(
    home: Home = None,
    agent: str | None = typer.Option(None, "--agent", help="Whose memories; by default AGENTOS_AGENT_ID."),
    apply: bool = typer.Option(False, "--apply", help="Archive one of each pair; --undo brings it back."),
    similar: bool = typer.Option(False, "--similar", help="Show pairs that say nearly the same in other words."),
    undo: str | None = typer.Option(None, "--undo", metavar="CHANGE", help="Undo a step, or a consolidation."),
    session: str | None = typer.Option(None, "--session", metavar="NAME", help="Summarise a conversation instead."),
    keep: int = typer.Option(20, "--keep", help="With --session: how many of the latest turns to leave out."),
    as_json: AsJson = False,
) -> None:
    """Show near duplicates, or the summaries of a --session; with --apply, archive the newer of each, or keep them."""
    from .consolidate import of_session, run

    if apply and undo is not None:
        raise typer.BadParameter("give either --apply or --undo")
    if session is not None or (undo or "").startswith("con_"):
        of_session(home, agent, session, undo, keep, apply=apply, as_json=as_json)
    else:
        run(home, agent, undo, apply=apply, similar=similar, as_json=as_json)


@app.command(rich_help_panel=REVIEW)
def rollback(
    source: Annotated[str | None, typer.Option("--source", help="All memories from this source.")] = None,
    session: Annotated[str | None, typer.Option("--session", help="All memories from this session.")] = None,
    since: Annotated[str | None, typer.Option("--since", help="Only what was stored then or later; ISO 8601.")] = None,
    undo: Annotated[
        str | None, typer.Option("--undo", metavar="CHANGE", help="Undo a rollback, by its change.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    yes: Yes = False,
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """Archive all memories of one source or session; what they had replaced holds again. Can be undone."""
    from .rollback import Request, run

    if [source, session, undo].count(None) != 2:
        raise typer.BadParameter("give one of --source, --session and --undo")
    run(Request(source, session, since, undo, dry_run, yes, as_json), home, agent)


@app.command(rich_help_panel=CLIENTS)
def hook(
    event: Annotated[
        str,
        typer.Argument(help="session-start, prompt, pre-tool, post-tool, pre-compact, stop or session-end"),
    ],
    client: Annotated[
        str, typer.Option("--client", help="The client that sends the JSON: claude-code, codex, gemini-cli or cursor.")
    ] = "claude-code",
    home: Annotated[str, typer.Option("--home", help="The data folder, if it is not that of AGENTOS_HOME.")] = "",
    agent: Annotated[str, typer.Option("--agent", help="Whose memories, if not AGENTOS_AGENT_ID's.")] = "",
) -> None:
    """Answer a client's hook: JSON in, JSON out, always code 0. See docs/hooks.md."""
    from ..hooks.program import main as run_hook

    run_hook([event, "--client", client, "--home", home, "--agent", agent])


@app.command(rich_help_panel=REMEMBER)
def chat(
    home: Home = None,
    agent: Agent = None,
    session: Annotated[str, typer.Option("--session", help="The conversation to go on with, or to begin.")] = "chat",
) -> None:
    """Talk with the configured language model, with memory; /why shows what was recalled, /forget takes it away."""
    from .chat import run

    run(home, agent, session)


@app.command(rich_help_panel=CLIENTS)
def gateway(
    home: Home = None,
    host: Annotated[
        str, typer.Option("--host", help="Where to listen; beyond this machine only with keys.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None, typer.Option("--port", min=0, max=65_535, help="By default AGENTOS_GATEWAY_PORT.")
    ] = None,
) -> None:
    """Serve as a proxy before OpenAI's and Anthropic's interfaces, with memory. See docs/gateway.md."""
    from .gateway import run

    run(home, host, port)


@app.command(rich_help_panel=CLIENTS)
def serve(
    listen: Annotated[
        str | None, typer.Option("--listen", metavar="HOST:PORT", help="By default AGENTOS_HTTP, or 127.0.0.1:8420.")
    ] = None,
    home: Home = None,
) -> None:
    """Serve this memory over HTTP, MCP at /mcp and REST at /api/v1, until it is stopped. See docs/http.md."""
    from .serve import run

    run(home, listen)


@app.command("open", rich_help_panel=START)
def open_(
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open it; else only print the link.")] = True,
    home: Home = None,
) -> None:
    """Open the dashboard in a browser, signed in by a link that works once. Starts the server if none runs."""
    from .dashboard import run

    run(home, browser=browser)


app.add_typer(service.service, name="service", rich_help_panel=CLIENTS)
app.command("start", rich_help_panel=CLIENTS)(background.start)
app.command("stop", rich_help_panel=CLIENTS)(background.stop)
app.command("restart", rich_help_panel=CLIENTS)(background.restart)
app.command("plugins", rich_help_panel=CLIENTS)(plugins.plugins)


@app.command("status-line", rich_help_panel=CLIENTS)
def status_line(home: Home = None) -> None:
    """Print one line for an agent's status bar: whether the daemon runs. Always code 0. See docs/hooks.md."""
    from ..hooks import status_line as bar

    say(bar.status_line(home))


bench = typer.Typer(help="Measure AgentOS beside others.", no_args_is_help=True)
app.add_typer(bench, name="bench", rich_help_panel=CLIENTS)


@bench.command(
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
    add_help_option=False,  # its own parser, also used in a checkout without this command, has the help
)
def retrieval(context: typer.Context) -> None:
    """Measure recall beside other systems, with ablations; --help says more."""
    from ...benchmarks.retrieval.command import main

    raise typer.Exit(main(context.args, "agentos bench retrieval"))


@bench.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True}, add_help_option=False)
def loop(context: typer.Context) -> None:
    """Prove the loop: what is learnt is there in the next task and in another home; --help says more."""
    from ...benchmarks.loop.command import main

    raise typer.Exit(main(context.args, "agentos bench loop"))
