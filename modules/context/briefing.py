"""Briefings for agents at the start of a session, with a prompt, and before a tool runs.

Each preset has a hard budget of tokens, repeats nothing that the session still has in its context, and frames what is
recalled as data. What looks like an instruction to the agent, what nobody has confirmed and what was rejected is
left out.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from datetime import datetime

from .. import offload
from ..abbreviations import Abbreviations
from ..framing import quote
from ..memory.lifecycle import TRUSTED
from ..memory.models import Memory, MemoryFilter, SearchHit, SearchResult
from ..memory.service import MemoryService
from ..memory.words import terms
from ..proving import LessonStanding
from ..reflection import patterns
from ..reflection.service import ReflectionService
from ..sessions import observations, tool_calls
from ..sessions import service as sessions
from ..sessions.models import Session
from ..suspicion import unsuspicious
from . import lessons
from .entries import Briefing, Group, KeyedLine, fitted
from .foremost import is_for
from .lines import ENTRY_TOKENS, Lines
from .opening import START_TOKENS, Opening
from .phrases import Phrases
from .prompts import query_of
from .replaced import Replaced
from .stretches import best_stretch
from .tokens import cut
from .unasked import Unasked

PROMPT_TOKENS = 600
TOOL_TOKENS = 300
RECALLED = 6
LEAST_SIMILARITY = 0.4
LEAST_WORDS = 2
SURE = 0.4
"""The least chance that a note answers a prompt for it to be shown unasked."""
LIKELY, NEAR = 0.1, 0.45
"""The least chance that is enough for a note that is as similar to the prompt as NEAR."""
MAX_RULES = 200
SHOWN_RULES = 3

Standings = Callable[[str], Awaitable[Mapping[str, LessonStanding]]]
"""Returns the lessons of a namespace that help, or are told less, by their ids."""

WENT = "went:"
"""The prefix of the entries of how a tool went before."""

RULE = "rule:"
"""The prefix of the entries of rules that were shown before a tool."""


class BriefingService:
    """Compiles briefings. Counts an access for each lesson that it shows; of other memories an answer counts it."""

    def __init__(
        self,
        memory: MemoryService,
        reflection: ReflectionService,
        opening: Opening,
        unasked: Unasked,
        replaced: Replaced,
        abbreviations: Abbreviations,
        lines: Lines,
        phrases: Phrases,
        standings: Standings | None = None,
    ) -> None:
        self._phrases = phrases
        self._standings = standings
        self._memory = memory
        self._reflection = reflection
        self._opening = opening
        self._unasked = unasked
        self._replaced = replaced
        self._abbreviations = abbreviations
        self._lines = lines

    async def at_start(
        self,
        session: Session,
        shown: Collection[str],
        *,
        since: datetime | None = None,
        after_compaction: bool = False,
        max_tokens: int = START_TOKENS,
    ) -> Briefing:
        """Return what a session should know when it starts: see `Opening`."""
        made = await self._opening(
            session, shown, since=since, after_compaction=after_compaction, max_tokens=max_tokens
        )
        await self._count(session.namespace, made)
        return made

    async def with_prompt(
        self, session: Session, prompt: str, shown: Collection[str], max_tokens: int = PROMPT_TOKENS
    ) -> Briefing:
        """Return what is known about a prompt, if anything is; nothing for a command or a mere yes."""
        query = query_of(prompt)
        if not query:
            return Briefing()
        where = MemoryFilter(working_in=session.project.names)
        found = await self._memory.recall(session.namespace, query, where, RECALLED)
        evident = [
            hit
            for hit in answering(found)
            if hit.memory.id not in shown
            and hit.memory.session != session.id
            and sessions.CHECKPOINT_TAG not in hit.memory.tags
            and _concerns(hit.memory, session)
        ]
        allowed = {memory.id for memory in await self._unasked(hit.memory for hit in evident)}
        hits = await unsuspicious((hit for hit in evident if hit.memory.id in allowed), lambda hit: hit.matched)
        memories = [hit.memory for hit in hits]
        told = await self._replaced(session.namespace, memories, session.project.names)
        words = terms(query)

        def made_of(hit: SearchHit) -> KeyedLine | None:
            one = told.get(hit.memory.id)
            if one is None or one.memory.id in shown:
                return None
            text = hit.matched if one.memory is hit.memory else one.memory.content
            return KeyedLine(one.memory.id, self._lines.told(one, best_stretch(text, words, ENTRY_TOKENS)))

        chars = offload.length(hit.matched for hit in hits)
        entries = await offload.read(chars, lambda: [entry for hit in hits if (entry := made_of(hit)) is not None])
        return await self._made(session, self._phrases.concerns, entries, max_tokens)

    async def before_tool(
        self,
        session: Session,
        tool: str,
        given: object,
        shown: Collection[str],
        failed: tuple[int, str] = (0, ""),
        max_tokens: int = TOOL_TOKENS,
    ) -> Briefing:
        """Return the lessons for a tool that is about to run with what it is given.

        First how it went before: that it has just `failed` (how often in a row, and why), or what helped when it did.

        Those that a person confirmed, and those from a source that is trusted, each with its source. Each showing is
        counted as an access.
        """
        confirmed = await self._rules(session)
        suggested = await self._suggested(session, {rule.id for rule in confirmed})
        matching = [
            (rule, sure)
            for rules, sure in ((confirmed, True), (suggested, False))
            for rule in rules
            if rule_key(rule.id) not in shown and lessons.applies(rule, tool, given)
        ]
        if matching and self._standings is not None:
            standings = await self._standings(session.namespace)
            matching = lessons.by_standing(matching, standings, session.id) if standings else matching
        entries = [
            KeyedLine(rule_key(one.id), self._lines.rule(one, sure=sure)) for one, sure in matching[:SHOWN_RULES]
        ]
        before = [entry for entry in await self._went_before(session, tool, given, failed) if entry.key not in shown]
        entries = [*before, *entries]
        return await self._made(session, self._phrases.kept.format(tool=quote(tool[:60])), entries, max_tokens)

    async def _made(self, session: Session, what: str, entries: Sequence[KeyedLine], max_tokens: int) -> Briefing:
        if not entries:
            return Briefing()
        lines = "\n".join(entry.line for entry in entries)
        short = (await self._abbreviations.in_text(session.namespace, lines)).split("\n")
        told = [KeyedLine(entry.key, line) for entry, line in zip(entries, short, strict=True)]
        made = fitted(f"# AgentOS: {what}", [Group("", told)], "", max_tokens)
        await self._count(session.namespace, made)
        return made

    async def _went_before(
        self, session: Session, tool: str, given: object, failed: tuple[int, str]
    ) -> list[KeyedLine]:
        command = tool_calls.command_of(given)
        action = observations.action_name(command) if command else tool
        tally = await self._reflection.tally(session.namespace, action) if action else None
        failures, reason = failed
        if tally is not None and tally.failing > failures:
            failures, reason = tally.failing, tally.last_failure or ""
        if failures >= patterns.RESOLVED_AFTER:
            line = self._phrases.failing.format(times=failures, reason=reason)
        elif tally is not None and tally.failures >= patterns.RESOLVED_AFTER and tally.remedy:
            line = self._phrases.failed_before.format(remedy=tally.remedy)
        else:
            return []
        entry = KeyedLine(
            f"{WENT}{action}:{failures}"[:200], f"- {quote(action[:60])} {quote(cut(line, ENTRY_TOKENS))}"
        )
        return await unsuspicious([entry], lambda one: one.line)

    async def _count(self, namespace: str, made: Briefing) -> None:
        rules = [key.removeprefix(RULE) for key in made.entries if key.startswith(RULE)]
        await self._memory.shown(namespace, rules, is_told=False)

    async def _rules(self, session: Session) -> list[Memory]:
        """Return the rules of this project that a person confirmed."""
        confirmed = await self._memory.vouched(session.namespace, lessons.TAG)
        allowed = await self._unasked(memory for memory in confirmed if _concerns(memory, session))
        return sorted(allowed, key=lessons.rank)

    async def _suggested(self, session: Session, confirmed: Collection[str]) -> list[Memory]:
        """Return the newest of the others, from sources that are trusted."""
        newest = await self._memory.newest(session.namespace, MemoryFilter(tags=(lessons.TAG,)), MAX_RULES)
        others = (one for one in newest if one.id not in confirmed and one.trust >= TRUSTED)
        allowed = await self._unasked(memory for memory in others if _concerns(memory, session))
        return sorted(allowed, key=lessons.rank)


def rule_key(memory_id: str) -> str:
    """Return the entry of a rule that was shown before a tool ran."""
    return RULE + memory_id


def answering(found: SearchResult) -> Sequence[SearchHit]:
    """Return the hits that are evidence; none where the gate is closed.

    Nobody asked, so that being the nearest there is is no reason. Where the gate alone has judged, it speaks for the
    first one. Before what is maybe outdated comes what may have replaced it.
    """
    judged = found.gate.answered and found.gate.threshold > 0
    by_id = {hit.memory.id: hit for hit in found.hits}
    answers: dict[str, SearchHit] = {}
    for place, hit in enumerate(found.hits):
        if (judged and place == 0 and hit.support is None) or _is_evidence(hit, found):
            newer = by_id.get(hit.memory.outdated_by or "")
            answers |= {one.memory.id: one for one in (newer, hit) if one is not None and one.memory.id not in answers}
    return list(answers.values())


def _is_evidence(hit: SearchHit, found: SearchResult) -> bool:
    text = hit.memory.content.lower()
    shared = sum(len(word) > 3 and word.lower() in text for word in found.reading.words)
    exact = any(term.lower() in text for term in found.reading.identifiers)
    if hit.support is not None:
        is_near = (hit.similarity or 0.0) >= NEAR and hit.support >= LIKELY
        return exact or is_near or hit.support >= SURE
    if hit.similarity is None:
        return exact or shared >= LEAST_WORDS
    return exact or hit.similarity >= LEAST_SIMILARITY


def _concerns(memory: Memory, session: Session) -> bool:
    """Return whether a memory may be shown here: it belongs to this project, or to none."""
    return is_for(memory, session.project.names)
