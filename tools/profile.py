"""The profile tools: what is known of the user, under canonical keys, with the evidence for it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from ..modules.agentos import AgentOS
from ..modules.framing import NOTICE, quote
from ..modules.profile.models import Known, ProfileEntry, ProfileValue, Trait
from .tool import Tool

TOOLSET = "profile"
SHOWN_EVIDENCE = 3
"""So many ids are named for a trait in the compact form; the structured one has all."""


@dataclass(frozen=True)
class ValueView:
    """A value and the memory that says so; a `candidate` was found in a conversation, and nobody confirmed it yet."""

    value: str
    since: datetime
    until: datetime | None
    status: str
    memory_id: str


@dataclass(frozen=True)
class EntryView:
    """What stands under a key, and what stood there before, the newest first."""

    key: str
    values: list[ValueView]
    history: list[ValueView]


@dataclass(frozen=True)
class TraitView:
    """A trait that so many memories support, and so many speak against; `evidence` are the newest of them."""

    trait: str
    group: str
    level: Literal["High", "Medium", "Low"]
    supporting: int
    contrary: int
    evidence: list[str]


@dataclass(frozen=True)
class KnowledgeView:
    """Something learnt in conversations, with the turns and the pages that say so."""

    memory_id: str
    text: str
    kind: str
    status: str
    confidence: float
    occurred_at: datetime
    turns: list[str]
    pages: list[str]


@dataclass(frozen=True)
class ProfileView:
    """What is known of the user; `method` is how it was found."""

    entries: list[EntryView]
    traits: list[TraitView]
    knowledge: list[KnowledgeView]
    assistant_knowledge: list[KnowledgeView]
    method: str


async def profile_get(
    agentos: AgentOS,
    namespace: str,
    *,
    keys: Annotated[list[str] | None, Field(description="these alone, as work.employer")] = None,
    include_history: bool = False,
    include_knowledge: bool = True,
    include_assistant_knowledge: bool = False,
) -> ProfileView:
    """What is known of the user: attributes by key, traits with evidence, knowledge from conversations."""
    profile = await agentos.profile.get(
        namespace,
        keys,
        include_history=include_history,
        include_knowledge=include_knowledge,
        include_assistant_knowledge=include_assistant_knowledge,
    )
    return ProfileView(
        entries=[_entry(entry) for entry in profile.entries if entry.values or entry.history or keys],
        traits=[_trait(trait) for trait in profile.traits],
        knowledge=[_known(known) for known in profile.knowledge],
        assistant_knowledge=[_known(known) for known in profile.assistant_knowledge],
        method=profile.method,
    )


async def profile_set(agentos: AgentOS, namespace: str, *, key: str, value: str) -> EntryView:
    """Set an attribute of the user, as work.employer. The old value stays in the history."""
    return _entry(await agentos.profile.set(namespace, key, value))


def _entry(entry: ProfileEntry) -> EntryView:
    return EntryView(entry.key, [_value(one) for one in entry.values], [_value(one) for one in entry.history])


def _value(one: ProfileValue) -> ValueView:
    return ValueView(one.value, one.since, one.until, one.status, one.memory_id)


def _trait(trait: Trait) -> TraitView:
    return TraitView(trait.name, trait.group, trait.level.value, trait.supporting, trait.contrary, list(trait.evidence))


def _known(known: Known) -> KnowledgeView:
    return KnowledgeView(
        known.memory_id,
        known.text,
        known.kind,
        known.status,
        round(known.confidence, 6),
        known.occurred_at,
        list(known.turns),
        list(known.pages),
    )


def _profile_text(result: ProfileView) -> str:
    lines = [_entry_text(entry) for entry in result.entries]
    for group in dict.fromkeys(trait.group for trait in result.traits):
        told = [
            f"{t.trait} {t.level} ({', '.join(t.evidence[:SHOWN_EVIDENCE])})" for t in result.traits if t.group == group
        ]
        lines.append(f"{group}: {'; '.join(told)}")
    for name, known in (("knows", result.knowledge), ("assistant", result.assistant_knowledge)):
        lines += [
            f"{name}: {quote(one.text)} ({one.occurred_at:%Y-%m-%d}, {one.status}, {one.memory_id})" for one in known
        ]
    return "\n".join([NOTICE, *lines]) if lines else "Nothing is known of the user yet."


def _entry_text(entry: EntryView) -> str:
    now = ", ".join(f"{quote(one.value)}{_marked(one)} since {one.since:%Y-%m-%d}" for one in entry.values)
    before = "; ".join(f"{quote(one.value)} until {one.until:%Y-%m-%d}" for one in entry.history if one.until)
    return f"{entry.key}: {now or 'unknown'}" + (f" (before: {before})" if before else "")


def _marked(one: ValueView) -> str:
    return "" if one.status == "active" else f" ({one.status})"


PROFILE_TOOLS = (
    Tool(profile_get, "What is known of the user", _profile_text, read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(profile_set, "Set an attribute of the user", _entry_text, idempotent=True, toolset=TOOLSET),
)
"""Both work with the rules alone."""
