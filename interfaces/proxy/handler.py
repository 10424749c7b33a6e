"""The daemon's side of the gateway: answers what the proxy asks at the daemon's socket, one line for one line."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

from ...modules import identifiers
from ...modules.agentos import AgentOS
from ...modules.errors import AgentOSError, InvalidInput
from ...modules.gateway.service import Exchange, Recalled
from ...modules.principals.acting import acting
from ...modules.principals.models import Door, local_owner
from ...modules.usage.models import Spending, Tokens
from ..stdio.host import Answer

RECALL_WITHIN_S = 5.0
LEARN_WITHIN_S = 120.0
"""How long learning may take: a language model may read the turn."""
MAX_TOLD = 64
"""The most replies, tool calls and memories of one exchange."""
MAX_ASKED_FOR = 2_000
"""The most memories of which it is asked whether they are still there."""

MAX_MODEL_CHARS, UNNAMED = 100, "unnamed"

log = logging.getLogger(__name__)

Opener = Callable[[], Awaitable[AgentOS]]


class GatewayHandler:
    """Answers the proxy. Implements `interfaces.stdio.host.Door`."""

    def __init__(self, opener: Opener) -> None:
        self._opener = opener

    async def answer(self, said: dict[str, Any]) -> Answer:
        """Return the answer to one request of the proxy; one that fails says why."""
        try:
            return await self._answered(said)
        except AgentOSError as error:
            return Answer({"accepted": False, "reason": str(error)})
        except TimeoutError:
            return Answer({"accepted": False, "reason": "it took too long"})
        except Exception:
            log.exception("a request of the gateway failed")
            return Answer({"accepted": False, "reason": "internal error; the details are in the daemon's log"})

    async def _answered(self, said: dict[str, Any]) -> Answer:
        agentos = await self._opener()
        namespace, client = _text(said, "namespace"), _text(said, "client")
        caller = local_owner(namespace, None, Door.HTTP, identifiers.new_id("req"))
        match said.get("what"):
            case "recall":
                async with asyncio.timeout(RECALL_WITHIN_S):
                    return await _recall(agentos, namespace, client, said)
            case "kept":
                kept = await agentos.gateway.stored_blocks(namespace, _texts(said, "digests"))
                return _accepted(
                    blocks={digest: {"block": one.text, "ids": list(one.ids)} for digest, one in kept.items()}
                )
            case "learn":
                async with asyncio.timeout(LEARN_WITHIN_S):
                    with acting(caller):
                        learnt = await agentos.gateway.learn(namespace, client, _exchange(said))
                return _accepted(turns=learnt.turns, facts=learnt.facts, reused=list(learnt.reused))
            case "spend":
                _spend(agentos, namespace, client, said)
                return _accepted()
        raise InvalidInput("what", "must be recall, kept, learn or spend")


async def _recall(agentos: AgentOS, namespace: str, client: str, said: dict[str, Any]) -> Answer:
    """Return the rules that hold, and the block for a question; nothing is looked for where none is asked."""
    session, digest = _text(said, "session", ""), _text(said, "digest", "")
    told = _texts(said, "told", MAX_ASKED_FOR)
    rules, recalled, gone, history = await asyncio.gather(
        agentos.gateway.rules(namespace),
        _recalled(agentos, namespace, said),
        agentos.gateway.gone(namespace, told),
        agentos.gateway.history(namespace, session),
    )
    content = _accepted(
        gone=gone,
        history=history,
        rules=[{"id": rule.id, "text": rule.text} for rule in rules],
        block=recalled.block.text,
        ids=list(recalled.block.ids),
        decision=recalled.decision,
    ).content
    return Answer(content, lambda: agentos.gateway.record_injected(namespace, client, recalled.block, digest))


async def _recalled(agentos: AgentOS, namespace: str, said: dict[str, Any]) -> Recalled:
    question = _text(said, "question", "")
    if not question:
        return Recalled()
    return await agentos.gateway.recall(
        namespace,
        question,
        _count(said, "max_tokens"),
        _text(said, "session", ""),
        _text(said, "project", "") or None,
        _moment(_text(said, "since", "")),
        _text(said, "tokenizer", ""),
    )


def _accepted(**content: Any) -> Answer:
    return Answer({"accepted": True, **content})


def _spend(agentos: AgentOS, namespace: str, client: str, said: dict[str, Any]) -> None:
    tokens = Tokens(*(_count(said, name) for name in ("uncached", "cached", "written", "output")))
    model = _text(said, "model", "")[:MAX_MODEL_CHARS] or UNNAMED
    told, replay = _count(said, "told"), _count(said, "replay")
    agentos.usage.spend(namespace, client, model, Spending(1, int(said.get("estimated") is True), tokens, told, replay))


def _exchange(said: dict[str, Any]) -> Exchange:
    return Exchange(
        session=_text(said, "session"),
        key=_text(said, "key"),
        prompt=_text(said, "said", ""),
        replies=_texts(said, "replies"),
        calls=_texts(said, "calls"),
        shown=_texts(said, "shown"),
        project=_text(said, "project", ""),
    )


def _text(said: dict[str, Any], name: str, otherwise: str | None = None) -> str:
    value = said.get(name, otherwise)
    if not isinstance(value, str) or (otherwise is None and not value):
        raise InvalidInput(name, "must be a text")
    return value


def _texts(said: dict[str, Any], name: str, most: int = MAX_TOLD) -> list[str]:
    value = said.get(name, [])
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise InvalidInput(name, "must be strings")
    return value[:most]


def _count(said: dict[str, Any], name: str) -> int:
    value = said.get(name)
    if not isinstance(value, int) or value < 0:
        raise InvalidInput(name, "must be a number, and not negative")
    return value


def _moment(text: str) -> datetime | None:
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise InvalidInput("since", "must be a date or a time in ISO 8601") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
