"""The consolidation service: preview, consolidate, undo; and the daemon's own rounds."""

import hashlib
import logging
import math
from collections import OrderedDict
from collections.abc import Mapping, Sequence

from ...modules import inputs
from ...modules.clock import Clock
from ...modules.errors import Conflict
from ...modules.language.ports import LanguageModel, LanguageUnavailable
from ...modules.memory.text_vectors import TextVectors
from ...modules.records import dataclass
from .extracting import CountTokens
from .models import Consolidation, Done, Plan, SessionTurns, SourceShown, Summary, SummaryLevel
from .planning import Loose, Planner, Scope
from .rows import ConsolidationRows

WINDOW_TURNS = 20
"""Last turns of a session that form its working window, which is never consolidated automatically."""
MAX_KEEP = 10_000
MAX_SESSION_BYTES = 200
MAX_LIMIT = 200
VECTORS_WAIT_S = 30.0
LOOSE_MAX = 2_000
PLANS_REMEMBERED = 8
AT_ONCE = 10
"""Consolidations of one session in a daemon's round, each of the least salient of what is left."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ConsolidationSettings:
    """Settings: a session is due from a share of a context window, whose size is in tokens."""

    window_tokens: int = 128_000
    share: float = 0.70

    @property
    def due_tokens(self) -> int:
        """The tokens of uncovered turns from which a session is due."""
        return math.ceil(self.window_tokens * self.share)


class ConsolidationService:
    """The rules of consolidation over one store. Originals are never changed."""

    def __init__(
        self,
        repository: ConsolidationRows,
        encoder: TextVectors,
        tokens: CountTokens,
        model: LanguageModel | None,
        settings: ConsolidationSettings,
        clock: Clock,
    ) -> None:
        self._repository = repository
        self._encoder = encoder
        self._planner = Planner(encoder, tokens, model)
        self._settings = settings
        self._clock = clock
        self._plans: OrderedDict[str, Plan] = OrderedDict()

    async def preview(self, namespace: str, session: str, keep: int = WINDOW_TURNS) -> Plan:
        """Return what `consolidate` would do now; changes nothing. Raises InvalidInput, NotFound."""
        return await self._plan(namespace, session, Scope(inputs.count("keep", keep, 0, MAX_KEEP)))

    async def consolidate(self, namespace: str, session: str, keep: int = WINDOW_TURNS) -> Done:
        """Summarise all turns of a session but the last `keep`; turns already summarised are left as they are.

        Idempotent. Raises InvalidInput, NotFound, Conflict.
        """
        return await self.apply(namespace, await self.preview(namespace, session, keep))

    async def apply(self, namespace: str, plan: Plan) -> Done:
        """Store the drafts of a plan, as they are. Raises Conflict if its sources changed meanwhile."""
        if not plan.drafts:
            return Done(plan, None)
        consolidation, summaries = await self._repository.keep(namespace, plan, self._clock())
        self._plans = OrderedDict((key, known) for key, known in self._plans.items() if known is not plan)
        for summary in summaries:
            self._encoder.embed_soon(summary.id, summary.text)
        return Done(plan, consolidation, tuple(summaries))

    async def undo(self, namespace: str, consolidation_id: str) -> Consolidation:
        """Archive the summaries of a consolidation; its sources can be consolidated again, but not by the daemon.

        Raises InvalidInput, NotFound, or Conflict if it was already undone or later summaries are made of these.
        """
        inputs.text("consolidation_id", consolidation_id, 200)
        return await self._repository.undo(namespace, consolidation_id, self._clock())

    async def consolidations(self, namespace: str, session: str | None = None, limit: int = 20) -> list[Consolidation]:
        """List consolidations, newest first. Raises InvalidInput."""
        inputs.count("limit", limit, 1, MAX_LIMIT)
        return await self._repository.consolidations(namespace, session, limit)

    async def summaries(
        self, namespace: str, session: str | None = None, level: SummaryLevel | None = None, limit: int = 50
    ) -> list[Summary]:
        """List the current summaries, newest first, with the ids of their sources. Raises InvalidInput."""
        inputs.count("limit", limit, 1, MAX_LIMIT)
        return await self._repository.summaries(namespace, session, level, self._clock(), limit)

    async def evidence(self, namespace: str, summaries: Sequence[str]) -> Mapping[str, list[SourceShown]]:
        """Return, for each summary, its sources in order."""
        return await self._repository.evidence(namespace, summaries, self._clock())

    async def consolidate_due(self, namespace: str) -> list[Consolidation]:
        """Consolidate the sessions that are due: the least salient of their turns, until they are no longer due.

        While the language model does not answer, a session waits for it until its window is full; from then on rules
        write the summaries.
        """
        made: list[Consolidation] = []
        for session, tokens in await self._repository.due(namespace, self._settings.due_tokens, self._clock()):
            patient = tokens < self._settings.window_tokens
            try:
                made += await self._relieve(namespace, session, patient=patient)
            except LanguageUnavailable as error:
                log.warning("session %s waits to be consolidated: %s", session, error)
            except Conflict as error:  # another process was faster: the next round does the rest
                log.info("session %s: %s", session, error)
        return made

    async def _relieve(self, namespace: str, session: str, *, patient: bool) -> list[Consolidation]:
        made: list[Consolidation] = []
        scope = Scope(WINDOW_TURNS, least_salient=True, patient=patient)
        for _ in range(AT_ONCE):
            plan = await self._plan(namespace, session, scope)
            done = await self.apply(namespace, plan)
            if done.consolidation is None:
                if not plan.without_vector:  # else it is looked at again once they have one
                    await self._repository.note_seen(namespace, session)
                break
            made.append(done.consolidation)
            if not await self._repository.due(namespace, self._settings.due_tokens, self._clock(), session):
                break
        return made

    async def _plan(self, namespace: str, session: str, scope: Scope) -> Plan:
        inputs.text("session", session, MAX_SESSION_BYTES)
        generation = await self._encoder.generation()
        if generation is not None:
            await self._encoder.caught_up(VECTORS_WAIT_S)
        now = self._clock()
        state = await self._repository.session(namespace, session, generation, now)
        if generation is None:
            return Plan(
                session,
                (),
                without_vector=len(state.uncovered),
                session_before=state.tokens,
                session_after=state.tokens,
                reason=_NO_MODEL,
            )
        loose = Loose(
            await self._repository.loose(namespace, SummaryLevel.EPISODE, generation, now, LOOSE_MAX),
            await self._repository.loose(namespace, SummaryLevel.PATTERN, generation, now, LOOSE_MAX),
        )
        key = _fingerprint(namespace, state, loose, scope)
        if (known := self._plans.get(key)) is not None:
            return known  # the text that a language model wrote for the preview is the one stored
        plan = await self._planner.plan(state, loose, scope)
        if plan.drafts and not plan.without_vector:
            self._plans[key] = plan
            while len(self._plans) > PLANS_REMEMBERED:
                self._plans.popitem(last=False)
        return plan


_NO_MODEL = "there is no embedding model now, which consolidation needs; see agentos doctor"


def _fingerprint(namespace: str, state: SessionTurns, loose: Loose, scope: Scope) -> str:
    """Return a digest that differs whenever a plan might."""
    parts = [namespace, state.session, repr(scope), repr(state.places)]
    for source in (*state.uncovered, *state.episodes, *loose.episodes, *loose.patterns):
        parts.append(f"{source.id}.{source.version}.{len(source.vectors)}.{source.salience}.{source.refused}")
    return hashlib.sha256("\x00".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
