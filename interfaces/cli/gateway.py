"""`agentos gateway`: a proxy that gives memory to every program that knows the address of a model."""

import asyncio
import signal
import socket
from pathlib import Path

from ..shutdown import SIGNALS
from .outcome import CommandFailure, ExitCode
from .terminal import say


def run(home: Path | None, host: str, port: int | None) -> None:
    """Serve until a signal. Raises CommandFailure where it cannot listen, and WrongSettings."""
    from ... import config
    from ...modules import log_lines
    from ...modules.gateway.modes import Mode
    from ...modules.version import VERSION
    from .. import telemetry
    from ..proxy.access import ClientTerms
    from ..proxy.server import GatewayListening, checked, serve
    from ..stdio.front import place

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
            asyncio.run(serve(listening, here, configuration, listener))
