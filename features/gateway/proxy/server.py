"""The gateway as a process: it listens, stays attached to the daemon, and ends at a signal."""

import asyncio
import contextlib
import logging
import socket
from pathlib import Path

from ....modules.errors import WrongSettings
from ....modules.records import dataclass
from ..windows import Windows
from .access import ClientTerms
from .app import Gateway
from .budgets import Budgets
from .configuration import Configuration, read
from .daemon_link import DaemonLink
from .learning import Learning
from .model_list import ModelList
from .remembering import Remembering
from .revocation import Revocation
from .upstream import Upstream, is_local

LEAVE_WITHIN_S = 5
LEARN_LAST_WITHIN_S = 5.0
"""How long the daemon has for what was said last, when the gateway ends."""
MOST_AT_ONCE = 2_000
"""The most connections; more are told to come again."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class GatewayListening:
    """A gateway's address, upstreams and client settings."""

    home: Path
    host: str
    openai_url: str
    anthropic_url: str
    standing: ClientTerms


def checked(listening: GatewayListening) -> Configuration:
    """Return the configuration of a gateway that may listen so. Raises WrongSettings."""
    configuration = read(listening.home)
    if not is_local(listening.host) and not configuration.keys:
        raise WrongSettings(
            f"--host {listening.host}: other machines would reach the memory without a key; "
            "add [[keys]] to gateway.toml, or listen on 127.0.0.1"
        )
    return configuration


async def serve(
    listening: GatewayListening, link: DaemonLink, configuration: Configuration, listener: socket.socket
) -> None:
    """Serve on a listening socket until a signal."""
    import uvicorn

    learning, costs = Learning(link), Learning(link)
    upstream = Upstream(configuration.urls(listening.openai_url, listening.anthropic_url), configuration)
    windows = Windows(configuration.windows)
    model_list = ModelList(upstream, windows)
    remembering = Remembering(link, windows, tokenizers=configuration.tokenizers, idle_s=configuration.idle_s)
    gateway = Gateway(
        remembering,
        learning,
        upstream,
        configuration,
        listening.standing,
        is_local_only=is_local(listening.host),
        model_list=model_list,
        costs=costs,
        budgets=Budgets(link, configuration),
        revocation=Revocation(listening.home, configuration),
    )
    server = uvicorn.Server(
        uvicorn.Config(
            gateway,
            interface="asgi3",
            lifespan="off",
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            limit_concurrency=MOST_AT_ONCE,
            timeout_graceful_shutdown=LEAVE_WITHIN_S,
        )
    )
    namespaces = {listening.standing.namespace, *(key.namespace for key in configuration.keys if key.namespace)}
    running = (link.stay_attached(), learning.run(), costs.run(), remembering.rules.keep_known(namespaces))
    beside = [asyncio.create_task(one) for one in running]
    try:
        await server.serve(sockets=[listener])
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.gather(costs.emptied(), learning.emptied()), LEARN_LAST_WITHIN_S)
    finally:
        if lost := learning.waiting + costs.waiting:
            log.error("%d exchanges or costs are not kept: the daemon took too long", lost)
        for task in beside:
            task.cancel()
        await asyncio.gather(*beside, return_exceptions=True)
        await model_list.close()
        await upstream.close()
