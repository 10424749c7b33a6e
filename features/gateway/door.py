"""The daemon's side of the gateway: answers what the proxy asks at the daemon's socket, one line for one line."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from ...interfaces.stdio.doors import HostAnswer, HostDoor
from ...modules import identifiers
from ...modules.agentos import AgentOS
from ...modules.errors import AgentOSError, InvalidInput, unforeseen
from ...modules.principals.acting import acting
from ...modules.principals.models import Door, local_owner
from ...modules.usage.models import Spending, Tokens
from .exchange import Exchange
from .service import SIDE_REQUESTS, GatewayService, RecalledBlock
from .wiring import service_of

RECALL_WITHIN_S = 5.0
LEARN_WITHIN_S = 120.0
"""How long learning may take: a language model may read the turn."""
MAX_TEXTS = 64
"""The most replies, tool calls and memories of one exchange."""
MAX_ASKED_FOR = 2_000
"""The most memories of which it is asked whether they are still there."""

MAX_MODEL_CHARS, UNNAMED, MAX_DAYS = 100, "unnamed", 400

log = logging.getLogger(__name__)

Opener = Callable[[], Awaitable[AgentOS]]


def doors(opener: Opener) -> Mapping[str, HostDoor]:
    """Return what answers at the daemon's socket, by what is asked for."""
    return {"gateway": GatewayHandler(opener)}


class GatewayHandler:
    """Answers the proxy. Implements `interfaces.stdio.doors.HostDoor`."""

    def __init__(self, opener: Opener) -> None:
        self._opener = opener

    async def answer(self, fields: dict[str, Any]) -> HostAnswer:
        """Return the answer to one request of the proxy; one that fails says why."""
        try:
            return await self._answered(fields)
        except AgentOSError as error:
            return HostAnswer({"accepted": False, "reason": str(error)})
        except TimeoutError:
            return HostAnswer({"accepted": False, "reason": "it took too long"})
        except Exception as error:
            log.exception("a request of the gateway failed")
            return HostAnswer({"accepted": False, "reason": unforeseen(error)})

    async def _answered(self, fields: dict[str, Any]) -> HostAnswer:
        agentos = await self._opener()
        gateway = service_of(agentos)
        namespace, client = _text(fields, "namespace"), _text(fields, "client")
        caller = local_owner(namespace, None, Door.HTTP, identifiers.new_id("req"))
        match fields.get("what"):
            case "recall":
                async with asyncio.timeout(RECALL_WITHIN_S):
                    return await _recall(agentos, namespace, client, fields)
            case "kept":
                blocks = await gateway.stored_blocks(namespace, _texts(fields, "digests"))
                return _accepted(
                    blocks={digest: {"block": one.text, "ids": list(one.ids)} for digest, one in blocks.items()}
                )
            case "turns":
                turns = await gateway.stored_turns(namespace, _texts(fields, "digests"))
                return _accepted(turns=[asdict(one) for one in turns])
            case "continued":
                return _accepted(session=await gateway.session_of(namespace, client, _text(fields, "answer")))
            case "hold":
                await gateway.hold(namespace, client, _exchange(fields))
                return _accepted()
            case "withdraw":
                await gateway.withdraw(namespace, _text(fields, "session"), _text(fields, "key"))
                return _accepted()
            case "learn":
                async with asyncio.timeout(LEARN_WITHIN_S):
                    with acting(caller):
                        learnt = await gateway.learn(namespace, client, _exchange(fields))
                return _accepted(turns=learnt.turns, facts=learnt.facts, reused=list(learnt.reused))
            case "spend":
                _spend(agentos, namespace, client, fields)
                await agentos.usage.flush()
                return _accepted()
            case "spent":
                spent = await agentos.usage.spending(max(1, min(MAX_DAYS, _count(fields, "days"))))
                own = [(key, one) for key, one in spent.items() if key.client == client]
                return _accepted(spent=[{"model": key.model, **asdict(one.tokens)} for key, one in own])
        raise InvalidInput("what", "must be recall, kept, turns, continued, hold, withdraw, learn, spend or spent")


async def _recall(agentos: AgentOS, namespace: str, client: str, fields: dict[str, Any]) -> HostAnswer:
    """Return the rules that hold, and the block for a question; nothing is looked for where none is asked."""
    gateway, digest = service_of(agentos), _text(fields, "digest", "")
    memory_ids = _texts(fields, "told", MAX_ASKED_FOR)
    rules, recalled, gone = await asyncio.gather(
        agentos.rules.confirmed(namespace),
        _recalled(gateway, namespace, fields),
        gateway.gone(namespace, memory_ids),
    )
    content = _accepted(
        gone=gone,
        rules=[{"id": rule.id, "text": rule.text} for rule in rules],
        block=recalled.block.text,
        ids=list(recalled.block.ids),
        decision=recalled.decision,
    ).content
    return HostAnswer(content, lambda: gateway.record_injected(namespace, client, recalled.block, digest))


async def _recalled(gateway: GatewayService, namespace: str, fields: dict[str, Any]) -> RecalledBlock:
    question = _text(fields, "question", "")
    if not question:
        return RecalledBlock()
    return await gateway.recall(
        namespace,
        question,
        _count(fields, "max_tokens"),
        _text(fields, "session", ""),
        _text(fields, "project", "") or None,
        _moment(_text(fields, "since", "")),
        _text(fields, "tokenizer", ""),
        frozenset(_texts(fields, "told_texts", MAX_ASKED_FOR)),
    )


def _accepted(**content: Any) -> HostAnswer:
    return HostAnswer({"accepted": True, **content})


def _spend(agentos: AgentOS, namespace: str, client: str, fields: dict[str, Any]) -> None:
    tokens = Tokens(*(_count(fields, name) for name in ("uncached", "cached", "written", "output")))
    model = _text(fields, "model", "")[:MAX_MODEL_CHARS] or UNNAMED
    if _text(fields, "side", ""):
        agentos.usage.note(namespace, client, SIDE_REQUESTS)
    injected, replay = _count(fields, "told"), _count(fields, "replay")
    agentos.usage.spend(
        namespace, client, model, Spending(1, int(fields.get("estimated") is True), tokens, injected, replay)
    )


def _exchange(fields: dict[str, Any]) -> Exchange:
    return Exchange(
        session=_text(fields, "session"),
        key=_text(fields, "key"),
        prompt=_text(fields, "said", ""),
        replies=_texts(fields, "replies"),
        calls=_texts(fields, "calls"),
        shown=_texts(fields, "shown"),
        project=_text(fields, "project", ""),
        answer_id=_text(fields, "answer", ""),
    )


def _text(fields: dict[str, Any], name: str, otherwise: str | None = None) -> str:
    value = fields.get(name, otherwise)
    if not isinstance(value, str) or (otherwise is None and not value):
        raise InvalidInput(name, "must be text")
    return value


def _texts(fields: dict[str, Any], name: str, most: int = MAX_TEXTS) -> list[str]:
    value = fields.get(name, [])
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise InvalidInput(name, "must be strings")
    return value[:most]


def _count(fields: dict[str, Any], name: str) -> int:
    value = fields.get(name)
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
