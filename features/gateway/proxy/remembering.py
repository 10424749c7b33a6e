"""Memory around one request to a model: before it is sent, and after it was answered."""

import asyncio
import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, field
from functools import partial
from typing import Any, ParamSpec, TypeVar

from ....modules import recent
from ....modules.context.tokens import estimate
from ....modules.records import dataclass
from ....modules.rules import policy
from ....modules.rules.policy import PolicyFinding, RuleVerdict
from ....modules.usage.models import Tokens
from .. import block as blocks
from .. import bodies, requests
from ..block import Block
from ..block_cache import BlockCache
from ..constant_parts import ConstantParts
from ..modes import Wish
from ..reply import ReplyParts
from ..requests import Dialect, Request
from ..sessions import IDLE_S, ConversationTracker, StoredTurn, answer_key, turn_key
from ..side_requests import SideRequests
from ..windows import UNKNOWN_LOCAL_WINDOW, UNKNOWN_WINDOW, Windows, of_model
from . import coding as codings
from .access import ClientAccess
from .rules import UNKNOWN, Daemon, Rules

RECALL_WITHIN_S = 0.28
"""How long a request waits for memory: with all else less than 300 ms."""
READ_AT_ONCE_BYTES = 32 * 1024
"""The longest request that is read on the event loop."""
MAX_QUESTION_CHARS = 4_000
"""The part of a question that memories are looked for with; rules see all of it."""
MAX_TEXT_CHARS = 100_000
"""The most of each side of an exchange that is sent to memory, which cuts it further."""
MAX_LINE_BYTES = 900_000
ESTIMATED_CHARS = 50_000
POLICY = "x-memory-policy-decision"
MAX_SESSIONS = 10_000
SOUGHT_AT_ONCE = 16
"""How many blocks of earlier messages one answer of the daemon has room for."""
MOST_SOUGHT, MOST_MEMORIES = 512, 2_000
"""The most messages of a conversation that blocks are sought for, and memories of which it is asked whether they are
still there; a block with more than these is not put in again.
"""


P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class PreparedRequest:
    """A request with what memory adds: the body to send, the verdict of the rules, and the headers that say so.

    `unseen` is why the rules cannot be held against it, where there are any that may refuse it. `inserted` are the
    blocks in it. `side` is what a client asks for itself, "" for what a person says; `is_doubtful` where that shows
    later.
    """

    body: bytes
    request: Request | None = None
    finding: PolicyFinding = field(default_factory=PolicyFinding)
    confirmation: str = ""
    block: Block = field(default_factory=Block)
    session: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    unseen: str = ""
    inserted: tuple[str, ...] = ()
    side: str = ""
    is_doubtful: bool = False

    @property
    def is_changed(self) -> bool:
        """True if the body is no longer the client's."""
        return bool(self.inserted)

    @property
    def is_refused(self) -> bool:
        """True if the rules keep the request from being sent."""
        return bool(self.unseen) or self.finding.verdict in (RuleVerdict.CONFIRM, RuleVerdict.BLOCK)


class Remembering:
    """The memory of one gateway: its link to the daemon, the blocks it has put in, and the rules it knows."""

    def __init__(
        self,
        daemon: Daemon,
        windows: Windows,
        within_s: float = RECALL_WITHIN_S,
        tokenizers: Mapping[str, str] | None = None,
        cache: BlockCache | None = None,
        idle_s: float = IDLE_S,
    ) -> None:
        """Prepare for models with these windows, and these files of tokenizers, by the beginnings of their names."""
        self._daemon = daemon
        self._windows = windows
        self._tokenizers = tokenizers or {}
        self._within_s = within_s
        self._cache = cache or BlockCache()
        self.rules = Rules(daemon, within_s)
        self._sessions: OrderedDict[str, str] = OrderedDict()
        self._conversations = ConversationTracker(idle_s=idle_s)
        self._side_requests = SideRequests()
        self._constant_parts = ConstantParts()

    @property
    def state(self) -> str:
        """The state of memory: that it answers, or why it does not."""
        return self._daemon.problem or "attached"

    async def prepared(
        self,
        dialect: Dialect,
        body: bytes,
        coding: str,
        access: ClientAccess,
        wish: Wish,
        *,
        counts: bool,
        model: str = "",
        streams: bool = False,
    ) -> PreparedRequest:
        """Return the request to send; unchanged if memory has nothing, is unavailable or is turned off.

        The `model`, and whether an answer `streams`, are what a path says of them.
        """
        try:
            request = await _at_once_or_beside(body, coding, _read, dialect, body, coding, access.name, model, streams)
        except ValueError as error:
            if counts:
                return PreparedRequest(body, headers=_headers_of(wish, f"abstain; {error}", "allow"))
            return await self.unseen(body, str(error), access, wish)
        side = "" if counts else self._side_requests.kind(access.name, request)
        is_doubtful = not side and not counts and self._side_requests.is_doubtful(access.name, request)
        if not side and not counts and not is_doubtful:
            request = self._constant_parts.without(access.name, request)
            self._side_requests.hear(access.name, request)
        session = "" if side else wish.session or await self._session(request, access, request.thread or access.thread)
        question = "" if counts or side else request.question[:MAX_QUESTION_CHARS]
        order = () if counts else request.order
        earlier: dict[str, Block] = {}
        room = 0
        if wish.mode.recalls and not side:
            earlier, room = await self._earlier(request, question, access)
        answer: dict[str, Any] | None = {}
        if question or order or earlier:
            answer = await self._recalled(request, question, session, access, wish, earlier, room)
            self.rules.hear(access.namespace, answer)
        finding, state = await self.rules.judge(access.namespace, order)
        confirmation = policy.confirmation(finding, order) if finding.verdict is RuleVerdict.CONFIRM else ""
        if confirmation and wish.confirm == confirmation:
            finding, state = PolicyFinding(), f"confirmed; {finding.rule.id if finding.rule else ''}"
        if not wish.mode.recalls:
            headers = _headers_of(wish, "off", state)
            return PreparedRequest(
                body, request, finding, confirmation, Block(), session, headers, side=side, is_doubtful=is_doubtful
            )
        block = _block(answer)
        if gone := self._cache.without((answer or {}).get("gone") or ()):
            earlier = {digest: one for digest, one in earlier.items() if digest not in gone}
        left_out = 0
        if answer is not None:
            self._cache.checked(earlier)
        else:
            sure = self._cache.surely(earlier)
            left_out, earlier = len(earlier) - len(sure), sure
        if question and answer is not None and finding.verdict not in (RuleVerdict.CONFIRM, RuleVerdict.BLOCK):
            self._cache.put(request.turn.digest, block)
        texts = {digest: one.text for digest, one in earlier.items()}
        if block.text:
            texts[request.turn.digest] = block.text
        decision = f"abstain; a side request: {side}" if side else self._decision(answer, question, left_out)
        headers = _headers_of(wish, decision, state, len(block.ids), sum(len(one.ids) for one in earlier.values()))
        sent = request.with_blocks(texts).encode("utf-8", "surrogatepass") if texts else body
        inserted = (*texts.values(),)
        return PreparedRequest(
            sent, request, finding, confirmation, block, session, headers, "", inserted, side, is_doubtful
        )

    async def looked_at(self, body: bytes, coding: str, access: ClientAccess, wish: Wish) -> PreparedRequest:
        """Return a request that holds what users say in another form; rules alone look at it."""
        try:
            order = await _at_once_or_beside(body, coding, _spoken, body, coding)
        except ValueError as error:
            return await self.unseen(body, str(error), access, wish)
        if not order:
            return PreparedRequest(body)
        await self.rules.ask(access)
        finding, state = await self.rules.judge(access.namespace, order)
        confirmation = policy.confirmation(finding, order) if finding.verdict is RuleVerdict.CONFIRM else ""
        if confirmation and wish.confirm == confirmation:
            finding, state = PolicyFinding(), f"confirmed; {finding.rule.id if finding.rule else ''}"
        return PreparedRequest(body, None, finding, confirmation, headers={POLICY: state})

    async def unseen(self, body: bytes, why: str, access: ClientAccess, wish: Wish) -> PreparedRequest:
        """Return a request that cannot be read: as it came, unless a rule may refuse what it orders."""
        refuses = await self.rules.refuse_unseen(access)
        state = UNKNOWN if refuses is None else "unseen" if refuses else "allow"
        return PreparedRequest(
            body, headers=_headers_of(wish, f"abstain; {_one_line(why)}", state), unseen=why if refuses else ""
        )

    def exchange(
        self, prepared: PreparedRequest, access: ClientAccess, wish: Wish, reply: ReplyParts
    ) -> dict[str, Any] | None:
        """Return what an answered request leaves for memory, None if nothing; half an answer is not kept."""
        request = prepared.request
        if request is None:
            return None
        if prepared.is_doubtful:
            self._side_requests.note_doubtful(access.name, request, reply.choices)
        else:
            self._side_requests.note(access.name, request, reply.choices, is_side=bool(prepared.side))
        if prepared.side:
            self._constant_parts.note_summary(access.name, reply.choices)
            return None
        if reply.id:
            self._note_answer(access, reply.id, prepared.session)
        replies = reply.choices if reply.is_complete else []
        if not request.question and not replies:
            return None
        shown = prepared.block.ids or self._shown_before(request)
        fields = {
            "what": "learn",
            "namespace": access.namespace,
            "client": access.name,
            "session": prepared.session,
            "project": wish.project,
            "key": turn_key(request.turn.digest),
            "said": bodies.begun(request.question, MAX_TEXT_CHARS),
            "replies": [bodies.begun(text, MAX_TEXT_CHARS) for text in replies[:8]],
            "calls": [text[:2_000] for text in reply.tool_calls[:16]] if reply.is_complete else [],
            "shown": list(shown),
            "answer": reply.id if request.dialect is Dialect.RESPONSES else "",
        }
        return _bounded(fields)

    def doubt(self, prepared: PreparedRequest, access: ClientAccess) -> Callable[[], bool] | None:
        """Return what tells whether a doubtful request has shown to be its client's; None where there is no doubt."""
        if not prepared.is_doubtful or prepared.request is None:
            return None
        return partial(self._side_requests.is_repeated, access.name, prepared.request)

    def spent(self, prepared: PreparedRequest, access: ClientAccess, reply: ReplyParts) -> dict[str, Any]:
        """Return what a call cost; where the provider does not tell, it is estimated, which takes a while."""
        tokens = reply.tokens or Tokens(
            uncached=_estimated(prepared.request.text if prepared.request else ""),
            output=_estimated("\n".join([*reply.choices, *reply.tool_calls])),
        )
        fields = {"what": "spend", "namespace": access.namespace, "client": access.name, "side": prepared.side}
        model = prepared.request.model if prepared.request else ""
        told = sum(map(_estimated, prepared.inserted))
        memory = {"told": told, "replay": max(0, tokens.asked - told)}
        return {**fields, "model": model, "estimated": reply.tokens is None, **asdict(tokens), **memory}

    def _shown_before(self, request: Request) -> tuple[str, ...]:
        """Return the memories shown with the last question of a conversation, if this call continues it."""
        asked = [one.digest for one in request.messages if one.role == "user" and one.words][-1:]
        return next((one.ids for one in self._cache.of(asked).values()), ())

    async def _session(self, request: Request, access: ClientAccess, named: str) -> str:
        """Return the session of a conversation: the client's, its earlier answer's, or by what was said."""
        if not named and request.continues and (session := await self._continued(request.continues, access)):
            return session
        thread = hashlib.sha256(f"{access.name}:{named}".encode()).hexdigest()[:20] if named else ""
        if unknown := self._conversations.unknown(request, thread):
            asked = {"what": "turns", "namespace": access.namespace, "client": access.name, "digests": unknown}
            answer = await self._daemon.ask(asked, self._within_s)
            self._conversations.restore([StoredTurn(**one) for one in (answer or {}).get("turns") or ()], thread)
        return self._conversations.of(request, thread)

    async def _continued(self, answer_id: str, access: ClientAccess) -> str:
        """Return the session of an answer to this client, also by a gateway before this one; "" where unknown."""
        known = self._sessions.get(answer_key(access.name, answer_id))
        if known is not None:
            return known
        asked = {"what": "continued", "namespace": access.namespace, "client": access.name, "answer": answer_id}
        answer = await self._daemon.ask(asked, self._within_s)
        if answer is None:
            return ""
        return self._note_answer(access, answer_id, str(answer.get("session") or ""))

    def _note_answer(self, access: ClientAccess, answer_id: str, session: str) -> str:
        return recent.put(self._sessions, answer_key(access.name, answer_id), session, MAX_SESSIONS)

    async def _earlier(self, request: Request, question: str, access: ClientAccess) -> tuple[dict[str, Block], int]:
        """Return the blocks that earlier messages keep, without the last, which is asked anew; and the room left."""
        spoken = [one.digest for one in request.messages if one.slot is not None and one.words]
        digests = [one for one in spoken if not question or one != request.turn.digest]
        if unknown := self._cache.unknown(digests[-MOST_SOUGHT:]):
            parts = [unknown[at : at + SOUGHT_AT_ONCE] for at in range(0, len(unknown), SOUGHT_AT_ONCE)]
            await asyncio.gather(*(self._seek(access, part) for part in parts))
        share = blocks.share(self._window(request))
        if (window := self._known_window(request)) is not None:
            share = min(share, blocks.room_of(window, _estimated(request.text), request.envelope.room))
        kept, room = blocks.fitting(spoken, self._cache.of(digests), share, estimate)
        return _askable(kept), room

    def _known_window(self, request: Request) -> int | None:
        return request.envelope.window or self._windows.known(request.model)

    def _window(self, request: Request) -> int:
        """Return how many tokens the model of a request reads, so little where that is not known."""
        is_ollamas = request.dialect in (Dialect.OLLAMA, Dialect.GENERATE)
        return self._known_window(request) or (UNKNOWN_LOCAL_WINDOW if is_ollamas else UNKNOWN_WINDOW)

    async def _seek(self, access: ClientAccess, digests: Sequence[str]) -> None:
        """Learn from the daemon which blocks a gateway before this one has put in."""
        asked = {"what": "kept", "namespace": access.namespace, "client": access.name, "digests": list(digests)}
        answer = await self._daemon.ask(asked, self._within_s)
        if answer is not None:
            found = answer.get("blocks") or {}
            for digest in digests:
                self._cache.put(digest, _block(found.get(digest)))

    async def _recalled(
        self,
        request: Request,
        question: str,
        session: str,
        access: ClientAccess,
        wish: Wish,
        earlier: Mapping[str, Block],
        room: int,
    ) -> dict[str, Any] | None:
        memory_ids = dict.fromkeys(memory for one in earlier.values() for memory in one.ids)
        if not (question and wish.mode.recalls) and not memory_ids and self.rules.are_fresh(access.namespace):
            return {}
        return await self._daemon.ask(
            {
                "what": "recall",
                "namespace": access.namespace,
                "client": access.name,
                "question": question if wish.mode.recalls else "",
                "max_tokens": min(room, blocks.budget(self._window(request))),
                "tokenizer": of_model(request.model, self._tokenizers) or "",
                "session": session,
                "project": wish.project,
                "since": wish.after,
                "digest": request.turn.digest if question and wish.mode.stores else "",
                "told": list(memory_ids),
                "told_texts": sorted({text for one in earlier.values() for text in one.digests}),
            },
            self._within_s,
        )

    def _decision(self, answer: dict[str, Any] | None, question: str, left_out: int) -> str:
        if answer is None and (question or left_out):
            unsure = f"; left out, as it may be forgotten: {left_out}" if left_out else ""
            return f"unavailable; {_one_line(self._daemon.problem)}{unsure}"
        if not question:
            return "abstain; the user says nothing new"
        return _one_line(str((answer or {}).get("decision")))


async def _at_once_or_beside(body: bytes, coding: str, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what `work` reads in a body: at once, or in a thread if the body is long or compressed."""
    if len(body) <= READ_AT_ONCE_BYTES and not coding:
        return work(*args, **kwargs)
    return await asyncio.to_thread(work, *args, **kwargs)


def _read(dialect: Dialect, body: bytes, coding: str, seed: str, model: str, streams: bool) -> Request:
    return requests.read(dialect, codings.plain(body, coding), seed, model, streams=streams)


def _spoken(body: bytes, coding: str) -> tuple[str, ...]:
    return bodies.spoken(codings.plain(body, coding))


def _estimated(text: str) -> int:
    """Return about how many tokens a text has; of a long one by its beginning."""
    head = text[:ESTIMATED_CHARS]
    return estimate(head) * len(text) // max(1, len(head))


def _askable(blocks: Mapping[str, Block]) -> dict[str, Block]:
    """Return the first of some blocks, as many as it can be asked of whether their memories are still there."""
    found: dict[str, Block] = {}
    memory_ids: set[str] = set()
    for digest, block in blocks.items():
        memory_ids.update(block.ids)
        if len(memory_ids) > MOST_MEMORIES:
            break
        found[digest] = block
    return found


def _block(answer: dict[str, Any] | None) -> Block:
    text = (answer or {}).get("block")
    ids = (answer or {}).get("ids")
    return Block(text, tuple(ids)) if isinstance(text, str) and text and isinstance(ids, list) else Block()


def _headers_of(wish: Wish, decision: str, state: str, injected: int = 0, again: int = 0) -> dict[str, str]:
    """Return the headers of an answer: what was injected, and why not, and what the rules say."""
    return {
        "x-memory-mode": wish.mode,
        "x-memory-injected-count": str(injected),
        "x-memory-reinserted-count": str(again),
        "x-memory-gate-decision": decision,
        POLICY: state,
    }


def _one_line(text: str) -> str:
    return "".join(sign if " " <= sign <= "~" else "?" for sign in text)[:200]


def _bounded(fields: dict[str, Any]) -> dict[str, Any]:
    """Return an exchange that fits into a line: as JSON a character may take twelve bytes."""
    if len(json.dumps(fields)) <= MAX_LINE_BYTES:
        return fields
    most = MAX_LINE_BYTES // 12 // (len(fields["replies"]) + 2)
    replies = [bodies.begun(text, most) for text in fields["replies"]]
    return {**fields, "said": bodies.begun(fields["said"], most), "replies": replies, "calls": []}
