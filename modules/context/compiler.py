"""The compiler: a context for a query, of parts that share a budget of tokens, by one of three presets.

`prompt` is what a model should have before it answers; `compact` what to keep when a client empties its context;
`task_state` five lists about a task. All is recalled by rules, and quoted as data. What changes least comes first, so
that a client's prompt cache holds as long as it can.
"""

import asyncio
import dataclasses
import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from .. import inputs, offload
from ..clock import Clock
from ..errors import InvalidInput
from ..framing import NOTICE, quote
from ..goals.service import GoalService
from ..memory.exact_terms import exact_terms
from ..memory.lifecycle import BELIEVED, is_believed
from ..memory.models import Kind, Memory, MemoryFilter, SearchHit, SearchResult
from ..memory.near_duplicates import plain
from ..memory.outdated import alone
from ..memory.service import MAX_LIMIT, MemoryService
from ..memory.words import stem, terms, tokens
from ..records import dataclass
from ..stop_words import STOP_WORDS
from ..suspicion import unsuspicious
from ..text.replies import is_mere_reply
from ..views.contexts import Context, hints
from ..views.labels import Labels, source_of
from . import lessons
from .context_fitting import FittedPart, fitted, without_copies
from .diversity import diverse, similarities
from .intent import Intent, intent_of
from .models import CompiledContext
from .phrases import phrases
from .ports import About, Material, Sources
from .stretches import best_stretch
from .task_state import Sort, is_decision, is_preference, sort_of, statements, without_speaker
from .tokens import cut

if TYPE_CHECKING:
    from ...storage.repositories.surroundings import SurroundingsRepository
    from ..memory.embedding import MemoryEmbedding
    from ..turns.models import Turn

DEFAULT_TOKENS = 2_000
MIN_TOKENS, MAX_TOKENS = 300, 100_000
RECENT_TURNS = 20
SEMANTIC = 12
"""The most hits of the semantic part; three times as many are fetched for the choice among them."""
FETCHED = 3
MMR_WEIGHT = 0.7
"""The weight of relevance; novelty has the rest. At .5 contexts of 2,000 tokens lose three points of the evidence in
real conversations, at .7 none."""
A_LIST = 2
"""The default number of entries in a list of the task state."""
MAX_A_LIST = 20
RULES, PROFILE, PROCEDURES, RELATIONS, PREFERENCES = 5, 12, 3, 8, 8
EVIDENCE = 2
"""The number of sources that are shown with a summary."""
SOURCE_TOKENS = 10
MAX_CANDIDATES = 40
"""The number of memories of each sort that `compact` looks at."""
GOALS = 10
ENTRY_TOKENS = 150
ENTRIES_A_BUDGET = 10
"""An entry is cut to ENTRY_TOKENS and to the budget divided by this: no long record may push out all others."""
HINT_BYTES = 500
QUERY_BYTES = 64 * 1024
ABOUT_CHARS = 2_000
"""The characters of a long query that other services are asked about; memory itself searches all of it, by parts."""
STATED = (Kind.FACT, Kind.PREFERENCE, Kind.ATTRIBUTE, Kind.KNOWLEDGE)
LIKING = "prefers likes favourite dislikes allergic"
"""Query words that find preferences."""

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")

DECISION = "decision"
"""The tag of memories that record a decision."""


class Preset(StrEnum):
    """The purpose of a context."""

    PROMPT = "prompt"
    COMPACT = "compact"
    TASK_STATE = "task_state"


@dataclass(frozen=True)
class _Asked:
    """The request for a context; `stems` are the content words of the query, `words` those that excerpts are chosen by,
    `entry` the most tokens of one entry.

    Of the sessions that its own branched off from `unseen` has the places behind which it sees nothing.
    """

    namespace: str
    query: str
    session: str | None
    intent: Intent
    stems: frozenset[str]
    words: Sequence[str]
    entry: int
    a_list: int
    now: datetime
    unseen: Mapping[str, int]


class ContextCompiler:
    """Compiles contexts for queries. Counts an access for each memory that it shows."""

    def __init__(
        self,
        memory: MemoryService,
        vectors: "SurroundingsRepository",
        generations: "MemoryEmbedding",
        goals: GoalService,
        sources: Sources,
        clock: Clock,
    ) -> None:
        self._memory = memory
        self._vectors = vectors
        self._generations = generations
        self._goals = goals
        self._sources = sources
        self._clock = clock

    async def compile(
        self,
        namespace: str,
        query: str = "",
        preset: str = Preset.PROMPT,
        max_tokens: int = DEFAULT_TOKENS,
        session: str | None = None,
        style: str = "",
        relationship: str = "",
        a_list: int = A_LIST,
    ) -> CompiledContext:
        """Compile the context of a preset for a query; it never costs more than `max_tokens`, as text or as JSON.

        `session` names the conversation whose turns are recent; `style` and `relationship` are hints for the answer,
        passed on as they are; `a_list` is how many entries each list of the task state has. Raises InvalidInput.
        """
        chosen = inputs.choice("preset", preset, Preset)
        inputs.count("max_tokens", max_tokens, MIN_TOKENS, MAX_TOKENS)
        inputs.count("entries", a_list, 1, MAX_A_LIST)
        inputs.text("query", query, QUERY_BYTES, allow_empty=True)
        for field, hint in (("style", style), ("relationship", relationship)):
            inputs.text(field, hint, HINT_BYTES, allow_empty=True)
        if not query.strip() and chosen is not Preset.COMPACT:
            raise InvalidInput("query", "is empty; say what the context is for")
        read = await offload.read(len(query), lambda: (intent_of(query), _stems(query), terms(query)))
        asked = _Asked(
            namespace,
            query,
            session,
            *read,
            min(ENTRY_TOKENS, max_tokens // ENTRIES_A_BUDGET),
            a_list,
            self._clock(),
            await self._unseen(namespace, session),
        )
        compilers: Mapping[Preset, Callable[[_Asked], Awaitable[tuple[list[FittedPart], tuple[str, ...]]]]] = {
            Preset.PROMPT: self._prompt,
            Preset.COMPACT: self._compact,
            Preset.TASK_STATE: self._task_state,
        }
        parts, notes = await compilers[chosen](asked)
        empty = Context(NOTICE, (), hints(style, relationship), 0, tuple(notes))
        keeps_lists = chosen is Preset.TASK_STATE
        context, tokens = await asyncio.to_thread(fitted, empty, without_copies(parts), max_tokens, keeps_lists)
        shown = [entry.id for part in context.parts for entry in part.entries if entry.id]
        await self._memory.shown(namespace, shown)
        return CompiledContext(chosen.value, asked.intent.value, "rules", tokens, context)

    async def _unseen(self, namespace: str, session: str | None) -> Mapping[str, int]:
        if self._sources.lineage is None or session is None:
            return {}
        lineage = await self._sources.lineage(namespace, session)
        return {stretch.session: stretch.until for stretch in lineage if stretch.until is not None}

    async def _prompt(self, asked: _Asked) -> tuple[list[FittedPart], tuple[str, ...]]:
        """Return the parts for a prompt, and notes on what is degraded.

        Profile and rules, what the branch inherited and went on with, recent turns, the graph, procedures, what was
        found.
        """
        recent, inherited, topics, rules, preferences = await asyncio.gather(
            self._recent(asked),
            self._inherited(asked),
            self._topics(asked),
            self._rules(asked),
            self._preferences(asked),
        )
        profile, graph, procedures = await asyncio.gather(
            self._about(self._sources.profile, asked, PROFILE),
            self._about(self._sources.graph, asked, RELATIONS),
            self._about(self._sources.procedures, asked, PROCEDURES),
        )
        found = await self._found(asked, FETCHED * SEMANTIC)
        if asked.intent is Intent.RECALL:  # it asks what happened, not who asks: the profile only where it answers
            profile = [one for one in profile if asked.stems & _stems(one.text)]
        preferred = {one.id for one in preferences}
        shown = {one.id for one in [*recent, *inherited, *rules, *profile, *preferences] if one.id}
        texts = {plain(one.text) for one in [*recent, *inherited, *rules, *profile, *preferences]}
        semantic = await self._diverse(asked, [hit for hit in _once(found.hits, texts) if hit.memory.id not in shown])
        advised = asked.intent is Intent.ADVICE
        parts = [
            FittedPart("rules", 5, rules),
            FittedPart(
                "profile", 15 if advised else 5, [one for one in profile if one.id is None or one.id not in preferred]
            ),
            FittedPart("preferences", 30, preferences),
            FittedPart("branch", 25, inherited),
            FittedPart("topics", 5, topics),
            FittedPart("recent_turns", 40, recent, is_dialogue=True),
            FittedPart("graph", 7, graph),
            FittedPart("procedures", 3, procedures),
            FittedPart("memories", 20, semantic),
        ]
        return parts, found.notes

    async def _compact(self, asked: _Asked) -> tuple[list[FittedPart], tuple[str, ...]]:
        """Return summaries, then facts, goals and decisions; what bears on the query first, where there is one."""
        summaries, topics = await asyncio.gather(
            self._of_kinds(asked, (Kind.SUMMARY,), asked.session), self._topics(asked)
        )
        facts = [one for one in await self._of_kinds(asked, STATED) if not is_decision(one.text)]
        parts = [
            FittedPart("summaries", 40, await self._with_evidence(summaries, asked)),
            FittedPart("topics", 5, topics),
            FittedPart("facts", 25, facts),
            FittedPart("goals", 10, await self._active_goals(asked)),
            FittedPart("decisions", 25, await self._decisions(asked, {one.id for one in [*summaries, *facts]})),
        ]
        return parts, self._memory.limits

    async def _task_state(self, asked: _Asked) -> tuple[list[FittedPart], tuple[str, ...]]:
        """Return five lists, empty where nothing is known."""
        found = await self._found(asked, FETCHED * SEMANTIC, nearest=True)
        procedures = await self._about(self._sources.procedures, asked, PROCEDURES)
        lists = await asyncio.to_thread(_sorted, asked, found.hits)
        lists[Sort.ACTIONS] = [*procedures, *lists[Sort.ACTIONS]]
        return [FittedPart(sort.value, 20, lists[sort][: asked.a_list]) for sort in Sort], found.notes

    async def _recent(self, asked: _Asked) -> list[Material]:
        """Return the last turns, the latest first: of what does not fit, the oldest goes."""
        if self._sources.window is None or asked.session is None:
            return []
        window = await self._sources.window(asked.namespace, asked.session, RECENT_TURNS)
        before = [None, *window][: len(window)]
        new_turns = [turn for turn, earlier in zip(window, before, strict=True) if _says(turn, earlier)]
        turns = await unsuspicious(new_turns, lambda turn: turn.text)
        material: list[Material] = []
        day = None
        for turn in reversed(turns):  # the last turn of a day says which: of what does not fit, the first ones go
            label = turn.role if turn.occurred_at.date() == day else f"{turn.occurred_at:%Y-%m-%d} {turn.role}"
            day = turn.occurred_at.date()
            material.append(Material(cut(turn.text, asked.entry), label, turn.memory_id))
        return material

    async def _topics(self, asked: _Asked) -> list[Material]:
        """Return what the conversation goes on with, page after page."""
        if self._sources.chains is None or asked.session is None:
            return []
        return await _safe(await self._sources.chains(asked.namespace, asked.session), asked)

    async def _with_evidence(self, summaries: Sequence[Material], asked: _Asked) -> list[Material]:
        """Return each summary, and after it some of its sources: those that have its numbers and names literally."""
        if self._sources.evidence is None or not summaries:
            return list(summaries)
        found = await self._sources.evidence(asked.namespace, [one.id for one in summaries if one.id])
        material = []
        for summary in summaries:
            made_of = found.get(summary.id or "", ())
            exact = {term.text for term in exact_terms(summary.text)} | set(_NUMBER.findall(summary.text))
            best = sorted(made_of, key=lambda one: -sum(term in one.text for term in exact))[:EVIDENCE]
            label = f"{summary.label} of {len(made_of)}" if made_of else summary.label
            material += [dataclasses.replace(summary, label=label), *await _safe(best, asked)]
        return material

    async def _inherited(self, asked: _Asked) -> list[Material]:
        if self._sources.inherited is None or asked.session is None:
            return []
        inherited = await self._sources.inherited(asked.namespace, asked.session)
        return await _safe((one for one in inherited if not is_mere_reply(one.text)), asked)

    async def _about(self, source: About | None, asked: _Asked, limit: int) -> list[Material]:
        if source is None:
            return []
        return await _safe(await source(asked.namespace, asked.query[:ABOUT_CHARS], limit), asked)

    async def _rules(self, asked: _Asked) -> list[Material]:
        """Return the rules that hold at every moment, with their sources; a tool's rules are shown when it runs."""
        general = [
            memory
            for memory in await self._memory.vouched(asked.namespace, lessons.TAG)
            if is_believed(memory) and not lessons.trigger_of(memory) and memory.metadata.get("project") is None
        ]
        said = phrases()
        material = [
            dataclasses.replace(one := _material(memory, asked), label=f"{one.label} {lessons.origin_of(memory, said)}")
            for memory in sorted(general, key=lessons.rank)[:RULES]
        ]
        return await _safe(material, asked)

    async def _preferences(self, asked: _Asked) -> list[Material]:
        """Return preferences for advice, by kind, then by their words, what bears on the query first; else nothing."""
        if asked.intent is not Intent.ADVICE:
            return []
        stated = await self._of_kinds(asked, (Kind.PREFERENCE,))
        query = f"{LIKING} {asked.query[:ABOUT_CHARS]}"
        found = await self._memory.recall(asked.namespace, query, MemoryFilter(), FETCHED * PREFERENCES)
        hits = [hit for hit in _nearest(found, asked) if is_preference(hit.matched)]
        known = {one.id for one in stated}
        new = [hit for hit in hits if hit.memory.id not in known]
        chars = offload.length(hit.memory.content for hit in new)
        related = await _safe(await offload.read(chars, lambda: [_of_hit(hit, asked) for hit in alone(new)]), asked)
        return [*stated, *related][:PREFERENCES]

    async def _of_kinds(self, asked: _Asked, kinds: tuple[Kind, ...], session: str | None = None) -> list[Material]:
        """Return what bears on the query, then the newest; of the session if it has any of these kinds, else of all."""
        for named in dict.fromkeys((session, None)):
            where = MemoryFilter(kinds=kinds, session=named, statuses=BELIEVED)
            newest = await self._memory.newest(asked.namespace, where, MAX_CANDIDATES)
            near: Iterable[SearchHit] = ()
            if asked.query.strip():
                result = await self._memory.recall(asked.namespace, asked.query, where, MAX_CANDIDATES)
                near = _nearest(result, asked)
            eligible = (*(hit.memory for hit in near), *(one for one in newest if _may_tell(one, asked)))
            known = {memory.id: memory for memory in eligible}
            if known:
                return await _safe(await _materials(known.values(), asked), asked)
        return []

    async def _active_goals(self, asked: _Asked) -> list[Material]:
        ranked = await self._goals.ranked(asked.namespace, GOALS)
        material = [
            Material(
                one.goal.title + (f", due {one.goal.deadline:%Y-%m-%d}" if one.goal.deadline else ""),
                f"{one.goal.id} since {one.goal.created_at:%Y-%m-%d} {one.goal.progress:.0%} done",
            )
            for one in ranked
        ]
        return await _safe(material, asked)

    async def _decisions(self, asked: _Asked, shown: Collection[str | None]) -> list[Material]:
        """Return what records a decision, and what says that something was settled: by the query, then the newest."""
        recorded = await self._memory.newest(asked.namespace, MemoryFilter(tags=(DECISION,)), MAX_CANDIDATES)
        holding = [memory for memory in recorded if _may_tell(memory, asked)]
        known = {memory.id: one for memory, one in zip(holding, await _materials(holding, asked), strict=True)}
        passages: list[tuple[Memory, str]] = []
        if asked.query.strip():
            found = await self._memory.recall(asked.namespace, asked.query, MemoryFilter(), MAX_CANDIDATES)
            passages = [(hit.memory, hit.matched) for hit in _nearest(found, asked)]
        for session in dict.fromkeys((asked.session, None)):
            newest = await self._memory.newest(asked.namespace, MemoryFilter(session=session), MAX_LIMIT)
            passages += [(memory, memory.content) for memory in newest if _may_tell(memory, asked)]
        settled = await offload.read(
            offload.length(text for _, text in passages), _settled, [text for _, text in passages]
        )
        decided: dict[str, tuple[Memory, str]] = {}
        for (memory, _), text in zip(passages, settled, strict=True):
            if text and memory.id not in known:
                decided.setdefault(memory.id, (memory, text))
        materials = await _materials([memory for memory, _ in decided.values()], asked)
        for (memory, text), material in zip(decided.values(), materials, strict=True):
            known[memory.id] = dataclasses.replace(material, text=text)
        return await _safe([one for key, one in known.items() if key not in shown], asked)

    async def _found(self, asked: _Asked, limit: int, *, nearest: bool = False) -> SearchResult:
        """Return the search hits that may be shown; with `nearest` also those that would not support an answer."""
        found = await self._memory.recall(asked.namespace, asked.query, MemoryFilter(), limit)
        hits = _nearest(found, asked) if nearest else _believed(found.hits, asked)
        safe = tuple(await unsuspicious(hits, lambda hit: hit.memory.words))
        notes = list(found.notes)
        if not found.gate.answered:
            notes.append("nothing relevant to this query is stored" + ("; the nearest is shown" if hits else ""))
        if len(safe) < len(hits):
            notes.append(f"left out because they read like instructions: {len(hits) - len(safe)}")
        return dataclasses.replace(found, hits=safe, notes=tuple(notes))

    async def _diverse(self, asked: _Asked, hits: Sequence[SearchHit]) -> list[Material]:
        ids = [hit.memory.id for hit in hits]
        generation = await self._generations.generation()
        near = await self._vectors.turns(asked.namespace, ids, self._clock(), generation, 0) if ids else []
        vectors = {turn.id: turn.vector for turn in near}

        def choose() -> list[Material]:
            alike = similarities([hit.matched for hit in hits], [vectors.get(one) for one in ids])
            order = diverse(_relevance(hits), alike, SEMANTIC, MMR_WEIGHT)
            return [_of_hit(hit, asked) for hit in alone(hits[place] for place in order)]

        return await asyncio.to_thread(choose)


def _relevance(hits: Sequence[SearchHit]) -> list[float]:
    """Return the scores of hits; where not all were judged to answer, above that of the least, which says nothing."""
    judged = all(hit.support is not None for hit in hits)
    least = 0.0 if judged else min(hit.score for hit in hits)
    return [hit.score - least for hit in hits]


def _may_tell(memory: Memory, asked: _Asked) -> bool:
    """Return whether a memory is believed, says something, and was said while its branch was there."""
    until = asked.unseen.get(memory.session or "")
    is_behind = until is not None and (memory.place or 0) > until
    return is_believed(memory) and not is_behind and not is_mere_reply(without_speaker(memory.content))


def _believed(hits: Iterable[SearchHit], asked: _Asked) -> list[SearchHit]:
    return [hit for hit in hits if _may_tell(hit.memory, asked)]


def _nearest(found: SearchResult, asked: _Asked) -> list[SearchHit]:
    """Return the hits, then the nearest misses, that may be shown."""
    return _believed((*found.hits, *found.misses), asked)


def _says(turn: "Turn", before: "Turn | None") -> bool:
    """Return whether a turn is worth telling: a mere reply only where it answers a question."""
    is_asked = before is not None and before.text.rstrip().endswith(("?", "？"))
    return is_asked or not is_mere_reply(turn.text)


def _once(hits: Sequence[SearchHit], known_texts: Collection[str]) -> list[SearchHit]:
    """Return the hits without those that repeat, in the same words, something shown or a better hit."""
    forms: dict[str, SearchHit] = {}
    for hit in hits:
        forms.setdefault(plain(hit.matched), hit)
    return [hit for form, hit in forms.items() if form not in known_texts]


def _sorted(asked: _Asked, hits: Sequence[SearchHit]) -> dict[Sort, list[Material]]:
    """Sort what hits state about a task by what it is to the task; of a record, statements that bear on the query."""
    lists: dict[Sort, list[Material]] = {sort: [] for sort in Sort}
    for hit in hits:
        claims = statements(hit.matched)
        near = [one for one in claims if asked.stems & _stems(one)] or claims[:1]
        for statement in near:
            head = _head(hit, asked)
            lists[sort_of(statement, hit.memory.kind)].append(
                dataclasses.replace(head, text=_stretch(statement, asked))
            )
    return lists


async def _safe(material: Iterable[Material], asked: _Asked) -> list[Material]:
    """Return the material without what reads like an instruction; of a long text what matches the query."""
    safe = await unsuspicious(material, lambda one: one.text)
    chars = offload.length(one.text for one in safe)
    return await offload.read(
        chars,
        lambda: [dataclasses.replace(one, text=_stretch(one.text, asked)) for one in safe],
    )


def _settled(texts: Sequence[str]) -> list[str]:
    """Return what each text says was settled; "" where it says nothing of that."""
    return [" ".join(one for one in statements(text) if is_decision(one)) for text in texts]


def _stretch(text: str, asked: _Asked) -> str:
    return best_stretch(text, asked.words, asked.entry)


def _of_hit(hit: SearchHit, asked: _Asked) -> Material:
    return dataclasses.replace(_head(hit, asked), text=_stretch(hit.matched, asked))


def _head(hit: SearchHit, asked: _Asked) -> Material:
    """Return a hit as material, with what has probably replaced it, or how often else it was told."""
    return _material(hit.memory, asked, Labels(asked.now).of_hit(hit))


def _material(memory: Memory, asked: _Asked, label: str | None = None) -> Material:
    """Return a memory as material: its label says when it was, its kind if that matters, its state, and its source."""
    label = Labels(asked.now).of(memory) if label is None else label
    about = [f"{memory.occurred_at:%Y-%m-%d}"]
    about += [memory.kind.value] if memory.kind not in (Kind.NOTE, Kind.EPISODE) else []
    about += filter(None, [label])
    source = source_of(memory, label)
    about += [f"by {quote(cut(source, SOURCE_TOKENS))}"] if source else []
    about += [f"in {quote(cut(memory.session, SOURCE_TOKENS))}"] if memory.session and not source else []
    return Material(memory.content, " ".join(about), memory.id)


async def _materials(memories: Iterable[Memory], asked: _Asked) -> list[Material]:
    """Return memories as material; long ones are read in a thread."""
    listed = list(memories)
    chars = offload.length(memory.content for memory in listed)
    return await offload.read(chars, lambda: [_material(memory, asked) for memory in listed])


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in tokens(text) if word not in STOP_WORDS)
