"""`agentos demo`: three sessions of an agent's life, against the real server as a client sees it."""

import asyncio
import shutil
import sys
import tempfile
import time
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from rich.console import Console, Group
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from ... import config, model_files
from ...modules.installing import INSTALL_MODEL
from . import model

MEMORIES = (
    ("The team deploys to production on Tuesdays only, never before a holiday.", "procedural", 0.9),
    ("Maria reviews every change to the billing service; she prefers small pull requests.", "semantic", 0.7),
    ("The flaky checkout test was caused by a time zone in the fixture, fixed in commit 4f2a91c.", "episodic", 0.6),
    ("Staging runs PostgreSQL 16; production is still on 15 until March.", "semantic", 0.6),
)
QUESTION = "who has to approve a modification of the payment code?"
CHANGE = "The team deploys to production on Thursdays now."
WHEN = "when do we deploy?"
JUDGED_WITHIN_S, LOOK_EVERY_S = 20.0, 0.1
FAILING = ("run integration tests", "timeout: the staging database did not answer within 30 s")


class Demo:
    """One run of the demo over a temporary home."""

    def __init__(self, home: Path, console: Console) -> None:
        self._home = home
        self._console = console
        self._environment = config.environment_of(config.load(home=home, agent_id="demo"))
        model_files.lend_model(config.load(), home)
        self._has_model = model.is_here(config.load(home=home))

    async def run(self) -> None:
        """Run the sessions."""
        started = time.monotonic()
        self._console.print(
            Panel(
                "An agent forgets everything when its session ends. This one does not.\n"
                "[dim]A real agentos-server over stdio, a real embedding model, SQLite and ChromaDB; no network.[/dim]",
                title="[bold]AgentOS[/bold]",
                border_style="cyan",
            )
        )
        if not self._has_model:
            self._console.print(
                "[yellow]The embedding model is not installed, so this searches by words only; to install it: "
                f"{INSTALL_MODEL}"
            )
        async with self._session("Session 1 · Monday, project shop", "shop") as agent:
            await self._learn(agent)
            await self._ask(agent, QUESTION)
            await self._work(agent)
        await self._between_sessions()
        async with self._session("Session 2 · the next day, a new process, project shop", "shop") as agent:
            await self._remember(agent)
            await self._change(agent)
            await self._finish(agent)
        async with self._session("Session 3 · another project, blog", "blog") as agent:
            await self._stay_apart(agent)
        self._console.print(
            Panel(
                f"Done in {time.monotonic() - started:.1f} s. Register it in your agent:\n"
                f"[bold]{_program()} setup[/bold]",
                border_style="cyan",
            )
        )

    def _session(self, title: str, project: str) -> AbstractAsyncContextManager[Client]:
        self._console.print(Rule(f"[bold cyan]{title}", align="left"))
        folder = self._home.parent / project
        folder.mkdir(exist_ok=True)
        (folder / "pyproject.toml").touch()  # what marks a folder as a project
        server = StdioServerParameters(
            command=sys.executable,
            args=["-P", "-m", "agentos.server"],
            env=self._environment,
            cwd=str(folder),
        )
        return Client(server)

    async def _call(self, agent: Client, tool: str, **arguments: Any) -> tuple[dict[str, Any], str]:
        began = time.monotonic()
        result = await agent.call_tool(tool, arguments)
        milliseconds = (time.monotonic() - began) * 1000
        text = "\n".join(part.text for part in result.content if part.type == "text")
        if result.is_error or result.structured_content is None:
            raise RuntimeError(f"{tool}: {text}")
        structured: dict[str, Any] = result.structured_content
        return structured, f"[green]{tool}[/green] [dim]{milliseconds:.0f} ms[/dim]"

    async def _learn(self, agent: Client) -> None:
        table = Table(box=None, show_header=False, padding=(0, 1))
        for content, memory_type, importance in MEMORIES:
            stored, called = await self._call(
                agent, "memory_store", content=content, memory_type=memory_type, importance=importance
            )
            table.add_row(called, f"[magenta]{stored['id']}", content)
        self._console.print(Panel(table, title="The agent stores what it learns", title_align="left"))

    async def _ask(self, agent: Client, question: str) -> None:
        found, called = await self._call(agent, "memory_search", query=question, limit=1, detail="full")
        best = found["results"][0] if found["results"] else {"content": "nothing: not found by words alone"}
        shown = f"similarity {best['similarity']:.2f}" if "similarity" in best else "text index only"
        self._console.print(
            Panel(
                Group(
                    Text(f"? {question}", style="yellow"),
                    Text(f"→ {best['content']}", style="bold"),
                    Text.from_markup(f"{called} [dim]{found.get('mode', 'hybrid')}, {shown}[/dim]"),
                ),
                title="It finds a memory by meaning, not by its words",
                title_align="left",
            )
        )

    async def _work(self, agent: Client) -> None:
        lines = []
        goal, called = await self._call(
            agent,
            "goal_add",
            title="Move production to PostgreSQL 16",
            description="Upgrade, verify, switch over.",
            priority=0.9,
            deadline=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 36 * 3600)),
        )
        lines.append(f"{called} {goal['title']} [dim]due {goal['deadline']}[/dim]")
        goal, called = await self._call(
            agent, "goal_update_progress", goal_id=goal["id"], progress=0.4, notes="schema diff is clean"
        )
        lines.append(f"{called} {goal['progress']:.0%}")
        action, outcome = FAILING
        for _ in range(3):
            _, called = await self._call(agent, "reflection_log", action=action, outcome=outcome, success=False)
        lines.append(f"{called} [red]failed three times[/red] {action}")
        self._console.print(Panel("\n".join(lines), title="It sets a goal, and fails three times", title_align="left"))

    async def _between_sessions(self) -> None:
        self._console.print(Rule("[bold cyan]Overnight · the daemon works, no agent is running", align="left"))
        lines = []
        for job in ("reflection_analyzer", "goal_monitor"):
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "agentos.daemon",
                "--once",
                job,
                env=self._environment,
                cwd=self._home.parent,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
            )
            output, _ = await process.communicate()
            if process.returncode:
                raise RuntimeError(f"agentos-daemon --once {job}: {output.decode('utf-8', 'replace').strip()}")
            lines.append(f"[green]agentos-daemon --once {job}[/green]")
        self._console.print(Panel("\n".join(lines), title="Patterns and deadlines", title_align="left"))

    async def _remember(self, agent: Client) -> None:
        snapshot, called = await self._call(agent, "context_get_snapshot", query="database upgrade")
        table = Table(box=None, show_header=False, padding=(0, 1))
        table.add_column(no_wrap=True)
        for memory in snapshot["top_memories"]:
            table.add_row("[magenta]memory", memory["content"])
        for goal in snapshot["active_goals"]:
            table.add_row("[blue]goal", f"{goal['title']} ({goal.get('progress', 0):.0%}, due {goal['deadline'][:10]})")
        for task in snapshot["autonomous_tasks"][:1]:  # the others are about the same failure
            table.add_row("[cyan]task", task["text"])
        self._console.print(
            Panel(
                Group(Text.from_markup(called), table),
                title="One call, and it knows where it stands",
                title_align="left",
            )
        )

    async def _change(self, agent: Client) -> None:
        _, called = await self._call(agent, "memory_store", content=CHANGE)
        lines = [f"{called} {CHANGE}"]
        hits, called = await self._when_judged(agent)
        lines += [
            f"  [yellow]AgentOS asks: does this replace[/yellow] “{hit['content']}”[yellow]?[/yellow]"
            for hit in hits
            if "label" in hit
        ]
        lines.append(f"{called} [yellow]? {WHEN}[/yellow]")
        for hit in hits:
            label = f" [magenta]({hit['label']})[/magenta]" if "label" in hit else ""
            lines.append(f"→ [bold]{hit['content']}[/bold]{label}")
        title = "What may be outdated is asked, and labelled until somebody answers"
        self._console.print(Panel("\n".join(lines), title=title, title_align="left"))

    async def _when_judged(self, agent: Client) -> tuple[list[dict[str, Any]], str]:
        """Return the answers to WHEN once the new memory was compared with the old ones, which needs the model."""
        give_up_at = time.monotonic() + (JUDGED_WITHIN_S if self._has_model else 0.0)
        while True:
            found, called = await self._call(agent, "memory_search", query=WHEN, limit=2)
            hits: list[dict[str, Any]] = found["results"]
            if any("label" in hit for hit in hits) or time.monotonic() > give_up_at:
                return hits, called
            await asyncio.sleep(LOOK_EVERY_S)

    async def _stay_apart(self, agent: Client) -> None:
        found, called = await self._call(agent, "memory_search", query=WHEN)
        lines = [f"{called} [yellow]? {WHEN}[/yellow]", f"→ nothing here; {found['elsewhere']}"]
        self._console.print(Panel("\n".join(lines), title="Each project has its own memories", title_align="left"))

    async def _finish(self, agent: Client) -> None:
        lines = []
        goals, _ = await self._call(agent, "goal_get_active")
        goal_id = goals["results"][0]["id"]
        goal, called = await self._call(agent, "goal_update_progress", goal_id=goal_id, progress=1.0, notes="switched")
        lines.append(f"{called} {goal['title']}: [bold]{goal['status']}[/bold]")
        snapshot, called = await self._call(agent, "context_get_snapshot")
        [lesson] = [task for task in snapshot["autonomous_tasks"] if "taught" in task["text"]]
        lines.append(f"{called} [cyan]task[/cyan] {lesson['text']}")
        self._console.print(
            Panel("\n".join(lines), title="It finishes, and is asked what it learned", title_align="left")
        )


def _program() -> Path:
    """Return the path of `agentos`, short where it lies below the working directory."""
    program = Path(sys.executable).with_name("agentos")
    return program.relative_to(Path.cwd()) if program.is_relative_to(Path.cwd()) else program


def run(*, keep: bool) -> int:
    """Run the demo; return 0 when everything worked, else 1."""
    console = Console()
    folder = Path(tempfile.mkdtemp(prefix="agentos-demo-"))
    try:
        asyncio.run(Demo(folder / "home", console).run())
    except (RuntimeError, LookupError, ValueError, ExceptionGroup) as error:
        console.print(f"[red]The demo failed:[/red] {error}")
        return 1
    finally:
        if keep:
            console.print(f"[dim]The data is in {folder / 'home'}[/dim]")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    return 0
