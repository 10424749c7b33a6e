"""`agentos chat`: talk with the configured model, which remembers what was said before, here and elsewhere."""

import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ...modules.errors import AgentOSError
from .opened import with_store
from .outcome import CommandFailure, ExitCode
from .terminal import one_line, say

if TYPE_CHECKING:
    from ...modules.agentos import AgentOS
    from ...modules.gateway.chat import Chat, ChatAnswer

_HELP = "/why shows what was recalled, /forget ID forgets a memory, /quit or Ctrl-D ends."


def run(home: Path | None, agent: str | None, session: str) -> None:
    """Talk until the input ends. Raises CommandFailure without a language model."""

    async def talk(agentos: "AgentOS", own: str) -> None:
        from ...modules.gateway.chat import Chat

        if agentos.language is None:
            raise CommandFailure(
                "chat needs a language model: set AGENTOS_LLM_PROVIDER, AGENTOS_LLM_URL and AGENTOS_LLM_MODEL",
                ExitCode.UNAVAILABLE,
            )
        if agentos.language.problem is not None:
            raise CommandFailure(agentos.language.problem, ExitCode.UNAVAILABLE)
        namespace = agent or own
        conversation = Chat(agentos.gateway, agentos.turns, agentos.language, namespace, session)
        signal.signal(signal.SIGINT, signal.default_int_handler)  # else Ctrl-C would wait for the end of the line
        say(f"Talking with {agentos.language.name}. {_HELP}", err=True)
        last: ChatAnswer | None = None
        while (line := _line()) is not None:
            if line.startswith("/"):
                if line in ("/quit", "/exit"):
                    return
                await _command(agentos, namespace, line, last)
            elif line:
                last = await _exchange(conversation, line) or last

    with_store(home, talk)


def _line() -> str | None:
    """Return the next line of the user; None at the end of the input."""
    if sys.stdin.isatty():
        try:
            return input("> ").strip()
        except EOFError:
            return None
    line = sys.stdin.readline()
    return line.strip() if line else None


async def _exchange(conversation: "Chat", line: str) -> "ChatAnswer | None":
    try:
        spoken = await conversation.say(line)
    except AgentOSError as error:
        say(f"agentos: {error}", err=True)
        return None
    say(spoken.text)
    if spoken.recalled.block.ids:
        say(f"({len(spoken.recalled.block.ids)} recalled, {len(spoken.learnt.reused)} used: /why)", err=True)
    return spoken


async def _command(agentos: "AgentOS", namespace: str, line: str, last: "ChatAnswer | None") -> None:
    word, _, rest = line.partition(" ")
    if word == "/forget" and rest.strip():
        try:
            full_id = await agentos.abbreviations.expand(namespace, "memory_id", rest.strip())
            memory, change = await agentos.lifecycle.forget(namespace, full_id)
        except AgentOSError as error:
            say(f"agentos: {error}", err=True)
            return
        undo = "" if change is None else f"; agentos revert {change.id} restores it"
        say(f"forgotten: {memory.id} {one_line(memory.content)}{undo}")
    elif word == "/why" and last is not None:
        say(last.recalled.block.text or last.recalled.decision)
        for memory_id in last.learnt.reused:
            say(f"used in the answer: {memory_id}")
    elif word in ("/forget", "/why"):
        say("/forget needs an ID, as shown by /why." if word == "/forget" else "Nothing has been asked yet.", err=True)
    else:
        say(f"{word} is not a command. {_HELP}", err=True)
