"""Memory around one request to a model: before it is sent, and after it was answered."""

import asyncio
import json
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from ...modules import offload
from ...modules.context.tokens import estimate
from ...modules.gateway import block as blocks
from ...modules.gateway import policy, requests
from ...modules.gateway.block import Block
from ...modules.gateway.kept_blocks import KeptBlocks
from ...modules.gateway.modes import Wish
from ...modules.gateway.policy import Finding, Rule, Verdict
from ...modules.gateway.replies import Reply
from ...modules.gateway.requests import Dialect, Request
from ...modules.usage.models import Tokens
from .access import Access

RECALL_WITHIN_S = 0.28
"""How long a request waits for memory: with all else less than 300 ms."""
RULES_FRESH_S = 5.0
"""How long rules are taken as they were, where nothing else is asked of memory."""
READ_AT_ONCE_BYTES = 32 * 1024
"""The longest request that is read on the event loop."""
MAX_QUESTION_CHARS = 4_000
"""The part of a question that memories are looked for with; rules see all of it."""
MAX_TOLD_CHARS = 100_000
"""What is kept of each side of an exchange; memory cuts it further."""
MAX_LINE_BYTES = 900_000
ESTIMATED_CHARS = 50_000
KEPT_RULES, KEPT_SESSIONS = 1_000, 10_000


class Daemon(Protocol):
    """Answers what the gateway asks of memory."""

    problem: str

    async def ask(self, fields: dict[str, Any], within_s: float) -> dict[str, Any] | None:
        """Return the answer; None where there is none in time, and why in `problem`."""


@dataclass(frozen=True)
class Prepared:
    """A request with what memory adds: the body to send, the verdict of the rules, and the headers that say so."""

    body: bytes
    request: Request | None = None
    finding: Finding = field(default_factory=Finding)
    confirmation: str = ""
    block: Block = field(default_factory=Block)
    session: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_refused(self) -> bool:
        """True if the rules keep the request from being sent."""
        return self.finding.verdict in (Verdict.CONFIRM, Verdict.BLOCK)


class Remembering:
    """The memory of one gateway: its link to the daemon, the blocks it has put in, and the rules it knows."""

    def __init__(self, daemon: Daemon, windows: Mapping[str, int], within_s: float = RECALL_WITHIN_S) -> None:
        self._daemon = daemon
        self._windows = windows
        self._within_s = within_s
        self._kept = KeptBlocks()
        self._rules: OrderedDict[str, tuple[float, tuple[Rule, ...]]] = OrderedDict()
        self._sessions: OrderedDict[str, str] = OrderedDict()

    @property
    def state(self) -> str:
        """The state of memory: that it answers, or why it does not."""
        return self._daemon.problem or "attached"

    async def prepared(self, dialect: Dialect, body: bytes, access: Access, wish: Wish, *, counts: bool) -> Prepared:
        """Return a request as it is to be sent; as it came, where memory knows nothing, is out or is not wanted."""
        try:
            request = await self._read(dialect, body, access.name)
        except ValueError as error:
            return Prepared(body, headers=_told(wish, f"abstain; {error}", "unknown"))
        session = wish.session or self._session(request)
        question = "" if counts else request.question[:MAX_QUESTION_CHARS]
        order = () if counts else request.order
        answer = await self._recalled(request, question, session, access, wish) if question or order else {}
        finding, state = await self._judged(access.namespace, order, answer)
        confirmation = policy.confirmation(finding, order) if finding.verdict is Verdict.CONFIRM else ""
        if confirmation and wish.confirm == confirmation:
            finding, state = Finding(), f"confirmed; {finding.rule.id if finding.rule else ''}"
        if not wish.mode.recalls:
            return Prepared(body, request, finding, confirmation, Block(), session, _told(wish, "off", state))
        block = _block(answer)
        earlier = self._kept.of([one.digest for one in request.messages])
        if question:
            earlier.pop(request.messages[-1].digest, None)
            if answer is not None and finding.verdict not in (Verdict.CONFIRM, Verdict.BLOCK):
                self._kept.put(request.messages[-1].digest, block)
        texts = {digest: one.text for digest, one in earlier.items()}
        if block.text:
            texts[request.messages[-1].digest] = block.text
        decision = self._decision(answer, question)
        headers = _told(wish, decision, state, len(block.ids), sum(len(one.ids) for one in earlier.values()))
        sent = request.with_blocks(texts).encode("utf-8", "surrogatepass") if texts else body
        return Prepared(sent, request, finding, confirmation, block, session, headers)

    def exchange(self, prepared: Prepared, access: Access, wish: Wish, reply: Reply) -> dict[str, Any] | None:
        """Return what an answered request leaves for memory, None if nothing; half an answer is not kept."""
        request = prepared.request
        if request is None:
            return None
        if reply.id:
            self._sessions[reply.id] = prepared.session
            while len(self._sessions) > KEPT_SESSIONS:
                self._sessions.popitem(last=False)
        replies = reply.choices if reply.is_whole else []
        if not request.question and not replies:
            return None
        shown = prepared.block.ids or self._shown_before(request)
        told = {
            "what": "learn",
            "namespace": access.namespace,
            "client": access.name,
            "session": prepared.session,
            "project": wish.project,
            "key": f"gateway:{request.messages[-1].digest}",
            "said": request.question[:MAX_TOLD_CHARS],
            "replies": [text[:MAX_TOLD_CHARS] for text in replies[:8]],
            "calls": [text[:2_000] for text in reply.tool_calls[:16]] if reply.is_whole else [],
            "shown": list(shown),
        }
        return _bounded(told)

    def spent(self, prepared: Prepared, access: Access, reply: Reply) -> dict[str, Any]:
        """Return what a call cost; where the provider does not tell, it is estimated, which takes a while."""
        tokens = reply.tokens or Tokens(
            uncached=_estimated(prepared.body.decode("utf-8", "replace")),
            output=_estimated("\n".join([*reply.choices, *reply.tool_calls])),
        )
        told = {"what": "spend", "namespace": access.namespace, "client": access.name}
        model = prepared.request.model if prepared.request else ""
        return {**told, "model": model, "estimated": reply.tokens is None, **asdict(tokens)}

    def _shown_before(self, request: Request) -> tuple[str, ...]:
        """Return the memories that the last question of a conversation was told of, where this call goes on with it."""
        asked = [one.digest for one in request.messages if one.role == "user" and one.words][-1:]
        return next((one.ids for one in self._kept.of(asked).values()), ())

    async def _read(self, dialect: Dialect, body: bytes, seed: str) -> Request:
        if len(body) <= READ_AT_ONCE_BYTES:
            return requests.read(dialect, body, seed)
        return await asyncio.to_thread(requests.read, dialect, body, seed)

    def _session(self, request: Request) -> str:
        """Return the session of a conversation: that of the answer it follows, else one named after how it began."""
        return (
            self._sessions.get(request.continues) or f"gateway-{(request.opening or request.messages[0].digest)[:20]}"
        )

    async def _recalled(
        self, request: Request, question: str, session: str, access: Access, wish: Wish
    ) -> dict[str, Any] | None:
        if not (question and wish.mode.recalls) and self._knows_rules(access.namespace):
            return {}
        return await self._daemon.ask(
            {
                "what": "recall",
                "namespace": access.namespace,
                "client": access.name,
                "question": question if wish.mode.recalls else "",
                "max_tokens": blocks.budget(request.model, self._windows),
                "session": session,
                "project": wish.project,
                "since": wish.after,
            },
            self._within_s,
        )

    def _knows_rules(self, namespace: str) -> bool:
        known_at, rules = self._rules.get(namespace, (0.0, None))
        return rules is not None and time.monotonic() - known_at < RULES_FRESH_S

    async def _judged(self, namespace: str, order: Sequence[str], answer: dict[str, Any] | None) -> tuple[Finding, str]:
        """Return the verdict of the rules, those known last where memory is out, and how they stand, in words."""
        if not order:
            return Finding(), "allow"
        if answer:
            told = tuple(Rule(one["id"], one["text"]) for one in answer.get("rules") or ())
            self._rules[namespace] = time.monotonic(), told
            self._rules.move_to_end(namespace)
            if len(self._rules) > KEPT_RULES:
                self._rules.popitem(last=False)
        _, rules = self._rules.get(namespace, (0.0, None))
        if rules is None:
            return Finding(), "unknown"
        finding = await offload.read(offload.length(order), policy.judged, order, rules)
        about = f"; {finding.action} {finding.rule.id}" if finding.rule else ""
        return finding, f"{finding.verdict}{about}"

    def _decision(self, answer: dict[str, Any] | None, question: str) -> str:
        if not question:
            return "abstain; the user says nothing new"
        if answer is None:
            return f"unavailable; {_one_line(self._daemon.problem)}"
        return _one_line(str(answer.get("decision")))


def _estimated(text: str) -> int:
    """Return about how many tokens a text has; of a long one by its beginning."""
    head = text[:ESTIMATED_CHARS]
    return estimate(head) * len(text) // max(1, len(head))


def _block(answer: dict[str, Any] | None) -> Block:
    text = (answer or {}).get("block")
    ids = (answer or {}).get("ids")
    return Block(text, tuple(ids)) if isinstance(text, str) and text and isinstance(ids, list) else Block()


def _told(wish: Wish, decision: str, state: str, injected: int = 0, again: int = 0) -> dict[str, str]:
    """Return the headers of an answer: what was injected, and why not, and what the rules say."""
    return {
        "x-memory-mode": wish.mode,
        "x-memory-injected-count": str(injected),
        "x-memory-reinserted-count": str(again),
        "x-memory-gate-decision": decision,
        "x-memory-policy-decision": state,
    }


def _one_line(text: str) -> str:
    return "".join(sign if " " <= sign <= "~" else "?" for sign in text)[:200]


def _bounded(told: dict[str, Any]) -> dict[str, Any]:
    """Return an exchange that fits into a line: as JSON a character may take twelve bytes."""
    if len(json.dumps(told)) <= MAX_LINE_BYTES:
        return told
    most = MAX_LINE_BYTES // 12 // (len(told["replies"]) + 2)
    return {**told, "said": told["said"][:most], "replies": [text[:most] for text in told["replies"]], "calls": []}
