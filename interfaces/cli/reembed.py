"""`agentos reembed`: give every memory its vector of the model that is set now, with a bar; or stop that."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from .opened import with_store
from .options import AsJson, Home
from .outcome import CommandFailure, ExitCode
from .terminal import progress, say, say_json

if TYPE_CHECKING:
    from ...modules.agentos import AgentOS
    from ...modules.memory.embedding import EmbeddingProgress

MODEL_WAIT_S = 60.0


def reembed(
    home: Home = None,
    cancel: Annotated[
        bool, typer.Option("--cancel", help="Stop it, here and in the daemon, until you run this again.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Compute missing vectors. It can be interrupted and resumed; --cancel also stops it in the daemon."""

    async def work(agentos: "AgentOS", _: str) -> "EmbeddingProgress | None":
        if not await agentos.embedding.ready(MODEL_WAIT_S):
            return None
        begun = await agentos.embedding.stop(stopped=cancel)
        if begun is None or cancel:
            return begun
        return await _embedded(agentos, begun, quiet=as_json)

    reached = with_store(home, work)
    if reached is None:
        raise CommandFailure("there is no embedding model; agentos doctor says why", ExitCode.UNAVAILABLE)
    if as_json:
        say_json({"stopped": cancel, **asdict(reached)})
    else:
        state = "stopped: " if cancel else ""
        say(f"{state}{reached.done:,} of {reached.total:,} memories have a vector")


async def _embedded(agentos: "AgentOS", begun: "EmbeddingProgress", *, quiet: bool) -> "EmbeddingProgress":
    """Embed all memories without a vector, with a bar; return the progress then."""
    done = begun.done
    with progress(quiet=quiet) as report:
        while dealt_with := await agentos.embedding.embed_pending():
            done += dealt_with
            report("memories", done, begun.total)
    reached = await agentos.embedding.stop(stopped=False)
    assert reached is not None
    return reached
