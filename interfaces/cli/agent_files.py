"""`agentos export --to`: what agents should know, in a section of a file that they read at each start."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ...modules.records import dataclass
from .opened import with_store
from .options import expanded
from .outcome import CommandFailure, ExitCode
from .setup import files
from .setup.documents import Unreadable
from .setup.marked_block import MarkedBlock
from .terminal import ask, can_ask, say, say_json

if TYPE_CHECKING:
    from ...modules.agentos import AgentOS
    from ...modules.portability.agent_files import Section

TOKENS = 1_500
BEGIN = "<!-- agentos-memory:begin (agentos export --to writes this section anew; the rest of the file is yours) -->"
END = "<!-- agentos-memory:end -->"
CURSOR_RULE = "---\ndescription: What AgentOS remembers\nalwaysApply: true\n---\n\n"
TARGETS = {
    "claude-md": ("CLAUDE.md", ""),
    "agents-md": ("AGENTS.md", ""),
    "cursor-rules": (".cursor/rules/agentos-memory.mdc", CURSOR_RULE),
    "claude-project": ("agentos-memory.md", ""),
}
"""By name: the file in the working folder, and how it begins where there is none yet."""


@dataclass(frozen=True)
class FileRequest:
    """The kind of file that a person asked for, another place for it, whose memories, and how much."""

    to: str
    file: Path | None
    agent: str | None
    tokens: int
    dry_run: bool
    yes: bool
    as_json: bool


def run(request: FileRequest, home: Path | None) -> None:
    """Show the section, ask, and put it into its file. Raises CommandFailure where the file cannot be edited safely."""
    if request.to not in TARGETS:
        raise typer.BadParameter(f"must be one of {', '.join(TARGETS)}", param_hint="--to")
    name, header = TARGETS[request.to]
    target = expanded(request.file or Path(name))

    async def read(agentos: "AgentOS", default: str) -> "Section":
        return await agentos.portability.standing(request.agent or default, request.tokens)

    section = with_store(home, read)
    block = MarkedBlock(header, BEGIN, END)
    try:
        file = files.read(target)
        old = file.text
        new = block.put(old, section.text).text if section.text else block.remove(old, {})
        if new != old and not request.dry_run:
            _agree(request, section.text)
            files.replace(file, file.encoded(new))
    except Unreadable as error:
        raise CommandFailure(f"{target}: {error}", ExitCode.REFUSED) from error
    counts = {"rules": section.rules, "memories": section.memories, "left_out": section.left_out}
    if request.as_json:
        facts = {"file": str(target), "dry_run": request.dry_run, "changed": new != old, **counts}
        say_json({**facts, "tokens": section.tokens, "section": section.text})
        return
    if request.dry_run and section.text:
        say(section.text)
    if not section.text:
        say("there is nothing to write that every session should know", err=True)
    state = "is as it should be" if new == old else "would change" if request.dry_run else "written"
    about = ", ".join(f"{count} {what.replace('_', ' ')}" for what, count in counts.items())
    say(f"{target}: {state}; {about}, about {section.tokens} tokens")


def _agree(request: FileRequest, text: str) -> None:
    """Return where a person agrees. Raises CommandFailure."""
    if request.yes:
        return
    if not can_ask():
        raise CommandFailure("nothing was changed; add --yes to write it, or --dry-run to preview", ExitCode.REFUSED)
    say(text or "the section was removed: there is nothing to write")
    if not ask("Write this?"):
        raise CommandFailure("nothing was changed", ExitCode.REFUSED)
