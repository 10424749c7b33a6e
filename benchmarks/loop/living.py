"""Homes in which scripted tasks are lived through, by the library's tools and the commands of people."""

import contextlib
import io
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentos import config, model_files
from agentos.interfaces.cli.running import run
from agentos.library import AgentOS

from .tasks import Learnt

CONVERSATION = "conversation"
"""What was said in earlier sessions: a tier of its own, as each thing was said before it was kept."""
TOKENS = 600
"""What a compiled context may take."""
WAIT_S = 60.0
"""Searches wait so long for vectors that are still to be made: what is found is measured, not how soon."""


@dataclass(frozen=True)
class Place:
    """Where homes are made, and with which model: a name, `none` for the text index alone, "" for the default."""

    folder: Path
    model: str = ""

    def home(self, name: str) -> Path:
        """Return the folder of a home, which has the model of whoever measures."""
        home = self.folder / name
        if not home.exists():
            home.mkdir(mode=0o700, parents=True)
            model_files.lend_model(config.load(), home)
        return home

    def memory(self, home: str, agent: str) -> AgentOS:
        """Return an agent's memory in a home, not yet open."""
        more = {"embedding_model": self.model} if self.model else {}
        return AgentOS(self.home(home), agent, daemon="off", embedding_wait_s=WAIT_S, **more)

    def command(self, home: str, *words: str | Path) -> tuple[int, Any]:
        """Run a command of `agentos` on a home; return its exit code, and its output, read as JSON where it is."""
        own = {"AGENTOS_DAEMON": "off", **({"AGENTOS_EMBEDDING_MODEL": self.model} if self.model else {})}
        out = io.StringIO()
        with _environment(own), contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            code = run([*map(str, words), "--home", str(self.home(home))])
        text = out.getvalue()
        return code, json.loads(text) if text.startswith("{") else text

    def must(self, home: str, *words: str | Path) -> Any:
        """Run a command of `agentos` that must work. Raises RuntimeError."""
        code, output = self.command(home, *words)
        if code != 0:
            raise RuntimeError(f"agentos {words[0]} ended with {code}: {str(output)[-500:]}")
        return output


async def learn(memory: AgentOS, things: Sequence[Learnt], left_out: frozenset[str] = frozenset()) -> None:
    """Live through tasks: each thing is said in a session, then kept by its kind; some tiers may be left out."""
    for one in things:
        if one.kind == "working":
            if "working" not in left_out:
                await memory.call("turn_add", session=session_of(one), content=one.text, answer="I will keep to that.")
            continue
        if CONVERSATION not in left_out:
            await memory.call("turn_add", session=f"{one.system}, earlier", content=one.text, answer="Noted.")
        if one.kind in left_out:
            continue
        if one.kind == "goal":
            await memory.goal_add(title=one.text, description=f"for {one.system}")
        else:
            await memory.store(content=one.text, memory_type=one.kind)


def session_of(one: Learnt) -> str:
    """Return the session in which a system is worked on now."""
    return f"{one.system}, today"


async def context_for(memory: AgentOS, one: Learnt) -> str:
    """Return what an agent is told for a question: the compiled context, and its active goals."""
    context = await memory.call("context_compile", query=one.question, session=session_of(one), max_tokens=TOKENS)
    goals = await memory.goal_get_active(limit=50) if one.kind == "goal" else None
    return context.as_text() + (f"\n{goals.as_text()}" if goals is not None else "")


@contextlib.contextmanager
def _environment(own: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in own}
    os.environ.update(own)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
