"""The gateway's side of memory: what is known for a question, and what a turn has taught."""

import logging
from collections.abc import Collection, Sequence
from dataclasses import field, replace
from datetime import datetime, timedelta

from ...modules.agentos import AgentOS
from ...modules.context.briefing import answering
from ...modules.context.prompts import query_of
from ...modules.context.tokens import estimate
from ...modules.errors import AgentOSError
from ...modules.extraction.service import SOURCE as EXTRACTION
from ...modules.memory.asking import is_repeated, only_asks
from ...modules.memory.models import Kind, MemoryFilter, SearchHit, Status
from ...modules.memory.outdated import alone
from ...modules.model_gateway import BLOCK_LIFETIME, HELD_AT_LONGEST
from ...modules.records import dataclass
from ...modules.redactor import part_of
from ...modules.suspicion import unsuspicious
from ...modules.views.labels import Labels, suspicious_among
from ...storage.engine.ports import Engine
from .block import Block, BlockEntry, framed, text_digest
from .exchange import Exchange, Held, Learnt
from .reuse import is_reused
from .rows import HeldRows, ToldBlockRows
from .sessions import StoredTurn, answer_key, is_of, turn_key
from .token_counting import FileTokenCounters

RECALLED, MAX_INJECTED = (20, 100), 8
"""How many memories are looked at, the second number where a conversation's own turns are all of the first."""
MAX_BLOCKS = 20_000
"""How many injected blocks are stored, of all conversations."""
HELD_FOR, MOST_HELD_AT_ONCE = timedelta(minutes=2), 200
"""How long an exchange is held of which nobody tells any more whose it is, and how many are learnt at once."""
MOST_SESSIONS = 300
"""The latest conversations in which a message is sought that a gateway before this one has kept."""
TOOL, SIDE_REQUESTS = "gateway", "side requests"
"""The names under which blocks are counted in usage, and what clients ask for themselves."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class RecalledBlock:
    """A block for a question, and why there is one, or none: `inject`, or `abstain` and the reason."""

    block: Block = field(default_factory=Block)
    decision: str = "abstain; nothing to search for"


class GatewayService:
    """Recalls for requests to models, and learns from their answers."""

    def __init__(self, engine: Engine, agentos: AgentOS) -> None:
        self._memory = agentos.memory
        self._lifecycle = agentos.lifecycle
        self._turns = agentos.turns
        self._extraction = agentos.extraction
        self._usage = agentos.usage
        self._unasked = agentos.unasked
        self._blocks = ToldBlockRows(engine)
        self._held = HeldRows(engine)
        self._redactor = agentos.redactor
        self._counters = FileTokenCounters()
        self._clock = agentos.clock

    async def recall(
        self,
        namespace: str,
        question: str,
        max_tokens: int,
        session: str = "",
        project: str | None = None,
        since: datetime | None = None,
        tokenizer: str = "",
        told: Collection[str] = (),
    ) -> RecalledBlock:
        """Return what is known for a question, in at most `max_tokens`; nothing that the conversation itself said.

        Nobody asked for it, so only what passes the gate is injected, nothing that looks like an instruction, and what
        was only found in conversations with its label. `told` are the digests of the texts that earlier blocks of the
        conversation tell: they are still there, and not told twice. Tokens are counted by the model's own `tokenizer`,
        a file, where there is one and it is loaded; else they are estimated.
        """
        query = query_of(question)
        if not query:
            return RecalledBlock()
        where = MemoryFilter(since=since, projects=(project,) if project else ())
        hits_to_inject: list[SearchHit] = []
        for limit in RECALLED:
            found = await self._memory.recall(namespace, query, where, limit)
            answers = [hit for hit in answering(found) if not _is_from_session(hit, session)]
            hits = [hit for hit in answers if not _only_asks(hit, question)]
            allowed = await self._injectable(hits)
            hits_to_inject = [hit for hit in allowed if text_digest(hit.matched) not in told]
            if allowed and not hits_to_inject:
                return RecalledBlock(decision="abstain; the conversation was told it before")
            if hits_to_inject or sum(1 + len(hit.also) for hit in found.hits) < limit:
                break
        if not hits_to_inject:
            return RecalledBlock(
                decision=f"abstain; {'nothing that may be told' if hits else 'nothing known answers it'}"
            )
        labels = Labels(
            self._clock(), suspicious=await suspicious_among(hit.memory for hit in hits_to_inject[:MAX_INJECTED])
        )
        shown = await self._with_news(hits_to_inject[:MAX_INJECTED], told)
        entries = [_entry(hit, labels.of_hit(hit)) for hit in alone(shown)]
        own = self._counters.counter(tokenizer) if tokenizer else None
        block = framed(entries, max_tokens, own or estimate)
        if not block.ids:
            return RecalledBlock(decision="abstain; no room")
        return RecalledBlock(block, "inject")

    async def record_injected(self, namespace: str, client: str, block: Block, digest: str = "") -> None:
        """Count a block as sent to the model: an access of each memory in it, and its size.

        With the `digest` of its message it is stored, to be put in again when the conversation goes on.
        """
        if digest:
            await self._blocks.put(namespace, digest, block, self._clock())
        if block.ids:
            self._usage.note(namespace, client, TOOL, text=block.text, shown=block.ids)
            await self._memory.shown(namespace, block.ids)

    async def stored_blocks(self, namespace: str, digests: Sequence[str]) -> dict[str, Block]:
        """Return the blocks of messages, without those that contain a deleted memory."""
        return await self._blocks.find(namespace, digests)

    async def session_of(self, namespace: str, client: str, answer_id: str) -> str:
        """Return the session of an answer that its provider keeps; "" where it is not known, or is another client's."""
        key = answer_key(client, answer_id)
        found = await self._blocks.find(namespace, [key])
        return found[key].text if key in found else ""

    async def stored_turns(self, namespace: str, digests: Sequence[str]) -> list[StoredTurn]:
        """Return what is stored of users' messages, by their digests; the latest session last."""
        return await self._blocks.turns(
            namespace, {turn_key(one): one for one in digests}, MOST_SESSIONS, self._clock()
        )

    async def gone(self, namespace: str, memory_ids: Sequence[str]) -> list[str]:
        """Return those of some memories that are forgotten or erased, and so are never shown again."""
        return await self._blocks.gone(namespace, memory_ids) if memory_ids else []

    async def tidy_up(self) -> None:
        """Learn what has been held for long enough, and delete blocks that are too old or too many."""
        for one in await self._held.before_everywhere(self._clock() - HELD_FOR, MOST_HELD_AT_ONCE):
            await self._settle(one)
        await self._blocks.drop_before_everywhere(self._clock() - BLOCK_LIFETIME, MAX_BLOCKS)

    async def hold(self, namespace: str, client: str, exchange: Exchange) -> None:
        """Keep an exchange that may be the client's own, until it is learnt or withdrawn, or for long enough."""
        clean = replace(
            exchange,
            session=await self._redactor.text(exchange.session),
            prompt=await self._fitting(exchange.prompt),
            replies=[await self._fitting(text) for text in exchange.replies],
            calls=[await self._fitting(text) for text in exchange.calls],
            project=await self._redactor.text(exchange.project),
        )
        await self._held.put(Held(namespace, client, clean, self._clock()))

    async def withdraw(self, namespace: str, session: str, key: str) -> None:
        """Drop a held exchange, which was the client's own."""
        await self._held.drop(namespace, await self._redactor.text(session), [key])

    async def learn(self, namespace: str, client: str, exchange: Exchange) -> Learnt:
        """Store the turns of an exchange, each once, and the facts in them as candidates; count what was reused.

        What is held of its session goes before it: the conversation has gone on. Raises AgentOSError.
        """
        session = await self._redactor.text(exchange.session)
        held = {one.exchange.key: one for one in await self._held.of(namespace, session)}
        own = held.pop(exchange.key, None)
        for one in held.values():
            await self._settle(one)
        learnt = await self._learnt(namespace, client, exchange, own.at if own else None)
        if own:
            await self._held.drop(namespace, session, [exchange.key])
        return learnt

    async def _settle(self, held: Held) -> None:
        """Learn an exchange that is held; one that cannot be stored is tried again for a day."""
        exchange = held.exchange
        try:
            await self._learnt(held.namespace, held.client, exchange, held.at)
        except AgentOSError as error:
            log.warning("a held exchange is not stored: %s", error)
            if self._clock() - held.at < HELD_AT_LONGEST:
                return
        await self._held.drop(held.namespace, exchange.session, [exchange.key])

    async def _learnt(self, namespace: str, client: str, exchange: Exchange, at: datetime | None) -> Learnt:
        ids, new = await self._stored(namespace, client, exchange, at.isoformat() if at else None)
        if exchange.answer_id and ids:
            known = Block(exchange.session, (ids[-1],))
            await self._blocks.put(namespace, answer_key(client, exchange.answer_id), known, self._clock())
        facts = await self._extraction.read(namespace, ids)
        answer = "\n".join([*exchange.replies, *exchange.calls])
        reused = [one for one in exchange.shown if answer and await self._is_reused(namespace, one, exchange, answer)]
        for memory_id in reused:
            self._usage.used(namespace, client, memory_id)
        return Learnt(new, facts.new, tuple(reused))

    async def _injectable(self, hits: Sequence[SearchHit]) -> list[SearchHit]:
        believed = {memory.id for memory in await self._unasked(hit.memory for hit in hits)}
        allowed = [hit for hit in hits if hit.memory.id in believed or _is_found(hit)]
        once: dict[str, SearchHit] = {}
        for hit in allowed:
            once.setdefault(text_digest(hit.matched), hit)
        return await unsuspicious([*once.values()], lambda hit: hit.matched)

    async def _with_news(self, hits: Sequence[SearchHit], told: Collection[str]) -> list[SearchHit]:
        """Return hits that keep what may have replaced them where it may be told, and was not told before."""
        news = await self._unasked(hit.newer for hit in hits if hit.newer is not None)
        fresh = {memory.id for memory in news if text_digest(memory.content) not in told}
        return [hit if hit.newer is None or hit.newer.id in fresh else replace(hit, newer=None) for hit in hits]

    async def _stored(self, namespace: str, client: str, exchange: Exchange, at: str | None) -> tuple[list[str], int]:
        """Store the turns; return the ids of those of this exchange, and how many are new."""
        source = f"{TOOL}:{client}"
        answers = [await self._fitting(text) for text in exchange.replies]
        ids: list[str] = []
        new = 0
        if exchange.prompt:
            added = await self._turns.add(
                namespace,
                exchange.session,
                "user",
                await self._fitting(exchange.prompt),
                answer=answers.pop(0) if answers else None,
                occurred_at=at,
                key=exchange.key,
                source=source,
                project=exchange.project,
            )
            ids += [turn.memory_id for turn in added.turns]
            new += added.new
        for number, text in enumerate(answers):
            key = f"{exchange.key}/answer/{number}"
            added = await self._turns.add(
                namespace,
                exchange.session,
                "assistant",
                text,
                occurred_at=at,
                key=key,
                source=source,
                project=exchange.project,
            )
            ids += [turn.memory_id for turn in added.turns]
            new += added.new
        return ids, new

    async def _fitting(self, text: str) -> str:
        """Return as much of a text as a memory may have, without its secrets: half of one would not be known for it."""
        clean = await self._redactor.text(text.encode("utf-8", "replace").decode().replace("\x00", ""))
        encoded, most = clean.encode(), self._memory.max_content_bytes
        return part_of(clean, encoded[:most].decode("utf-8", "ignore")) if len(encoded) > most else clean

    async def _is_reused(self, namespace: str, memory_id: str, exchange: Exchange, answer: str) -> bool:
        """Return whether an answer was built on a memory; what was found in it and is in the answer is surer then."""
        try:
            memory, _ = await self._memory.get(namespace, memory_id)
            if not is_reused(memory.content, exchange.prompt, answer):
                return False
            found = await self._extraction.analyse(namespace, [memory_id]) if memory.kind is Kind.EPISODE else []
            for one in [memory, *[(await self._memory.get(namespace, fact))[0] for fact in found]]:
                if one.status is Status.CANDIDATE and is_reused(one.content, exchange.prompt, answer):
                    await self._lifecycle.reused(namespace, one.id)
        except AgentOSError as error:  # it was forgotten meanwhile
            log.info("%s is not counted as reused: %s", memory_id, error)
            return False
        return True


def _is_from_session(hit: SearchHit, session: str) -> bool:
    return bool(session) and hit.memory.session is not None and is_of(session, hit.memory.session)


def _only_asks(hit: SearchHit, question: str) -> bool:
    """Return whether a turn is nothing but questions, or what is asked now: it answers none."""
    if hit.memory.kind is not Kind.EPISODE:
        return False
    return only_asks(hit.memory.content) or is_repeated(hit.memory.content, question)


def _is_found(hit: SearchHit) -> bool:
    """Return whether a memory is what was found in a conversation, and nobody has confirmed or rejected yet."""
    memory = hit.memory
    return memory.status is Status.CANDIDATE and memory.source.startswith(f"{EXTRACTION}:") and not memory.rejections


def _entry(hit: SearchHit, label: str) -> BlockEntry:
    memory = hit.memory
    head = f"{memory.id} {memory.occurred_at:%Y-%m-%d}{f', {label}' if label else ''}"
    return BlockEntry(memory.id, head, hit.matched)
