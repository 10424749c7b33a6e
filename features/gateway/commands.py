"""`agentos gateway`, memory for programs that know the address of a model, and `agentos chat`, to talk with one."""

import asyncio
import signal
import socket
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from ...interfaces.cli.opened import with_store
from ...interfaces.cli.options import Agent, Home
from ...interfaces.cli.outcome import CommandFailure, ExitCode
from ...interfaces.cli.terminal import one_line, say
from ...interfaces.shutdown import SIGNALS
from ...modules.errors import AgentOSError

if TYPE_CHECKING:
    from ...modules.agentos import AgentOS
    from .chat import Chat, ChatAnswer

_HELP = "/why shows what was recalled, /forget ID forgets a memory, /quit or Ctrl-D ends."


def chat(
    home: Home = None,
    agent: Agent = None,
    session: Annotated[str, typer.Option("--session", help="The conversation to continue or start.")] = "chat",
) -> None:
    """Chat with the configured language model, with memory; /why shows what was recalled, /forget forgets it."""

    async def talk(agentos: "AgentOS", own: str) -> None:
        from .chat import Chat
        from .wiring import service_of

        if agentos.language is None:
            raise CommandFailure(
                "chat needs a language model: set AGENTOS_LLM_PROVIDER, AGENTOS_LLM_URL and AGENTOS_LLM_MODEL",
                ExitCode.UNAVAILABLE,
            )
        if agentos.language.problem is not None:
            raise CommandFailure(agentos.language.problem, ExitCode.UNAVAILABLE)
        namespace = agent or own
        conversation = Chat(service_of(agentos), agentos.turns, agentos.language, namespace, session)
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


def gateway(
    home: Home = None,
    host: Annotated[
        str, typer.Option("--host", help="Where to listen; other addresses than 127.0.0.1 need keys.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None, typer.Option("--port", min=0, max=65_535, help="By default AGENTOS_GATEWAY_PORT.")
    ] = None,
) -> None:
    """Run a proxy with memory in front of OpenAI's and Anthropic's APIs. See docs/gateway.md."""
    from ... import config
    from ...interfaces import telemetry
    from ...interfaces.stdio.front import place
    from ...modules import log_lines
    from ...modules.version import VERSION
    from .modes import Mode
    from .proxy.access import ClientTerms
    from .proxy.daemon_link import DaemonLink
    from .proxy.server import GatewayListening, checked, serve

    settings = config.of_home(home)
    here = place.of_environment({"AGENTOS_HOME": str(settings.home)})
    if not here.daemon:
        raise CommandFailure("the gateway needs the daemon, but AGENTOS_DAEMON is off", ExitCode.REFUSED)
    listening = GatewayListening(
        settings.home,
        host,
        settings.gateway_openai_url,
        settings.gateway_anthropic_url,
        ClientTerms(settings.agent_id, Mode(settings.gateway_mode), settings.gateway_client_control),
    )
    configuration = checked(listening)
    log_lines.to_stderr(settings.log_format)
    for number in SIGNALS:  # the server takes them over, closes, and raises them again
        signal.signal(number, lambda *_: None)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, settings.gateway_port if port is None else port), family=family) as listener:
        address = f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}/proxy"
        say(f"OPENAI_BASE_URL={address}/openai/v1", err=True)
        say(f"ANTHROPIC_BASE_URL={address}/anthropic", err=True)
        say(f"GOOGLE_GEMINI_BASE_URL={address}/gemini", err=True)
        say(f"OLLAMA_HOST={address}/ollama", err=True)
        with telemetry.exported(config.traces_endpoint(), "agentos-gateway", VERSION):
            asyncio.run(serve(listening, DaemonLink(here), configuration, listener))


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
