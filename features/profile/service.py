"""The profile service: canonical keys and values of a user, their traits, and hints for answering them."""

import asyncio
import re
from collections.abc import Sequence

from ...modules import inputs
from ...modules.clock import Clock
from ...modules.errors import InvalidInput
from ...modules.facts.slots import USER
from ...modules.facts.values import same_value
from ...modules.memory.service import MemoryService
from ...modules.redactor import Redactor
from ...modules.store_request import StoreRequest
from ...modules.suspicion import is_suspicious, unsuspicious
from . import keys as canonical
from .models import Known, Level, Profile, ProfileEntry, ProfileValue, Trait, UserStatement
from .rows import ProfileRows
from .traits import TraitCounter

MAX_VALUE_CHARS = 200
MAX_VALUES = 6
MAX_HISTORY = 10
"""Former values of a key that are shown, at most."""
MAX_KEYS = 50
STATEMENTS_AT_ONCE = 500
TEXTS_AT_ONCE = 500
"""Texts of the user, and as many notes about them, that are read for traits: the newest."""
KNOWLEDGE_AT_ONCE = 20
IMPORTANCE = 0.6
SOURCE = "profile"
MAX_HINTS = 8
_CANDIDATE = "candidate"
_CONTESTED = "contested"


class ProfileService:
    """The rules of the profile over one store."""

    def __init__(self, repository: ProfileRows, keeper: MemoryService, redactor: Redactor, clock: Clock) -> None:
        self._repository = repository
        self._keeper = keeper
        self._redactor = redactor
        self._clock = clock
        self._counter = TraitCounter()

    async def get(
        self,
        namespace: str,
        keys: Sequence[str] | None = None,
        *,
        include_history: bool = False,
        include_knowledge: bool = True,
        include_assistant_knowledge: bool = False,
        include_traits: bool = True,
    ) -> Profile:
        """Return the profile: entries, of certain `keys` or all; if none is named, traits and knowledge too.

        Texts that look like instructions are left out. Raises InvalidInput.
        """
        if keys is not None:
            inputs.count("keys", len(keys), 1, MAX_KEYS)
            return Profile(await self._entries(namespace, keys, history=include_history), (), (), ())
        return Profile(
            entries=await self._entries(namespace, None, history=include_history),
            traits=tuple(await self.traits(namespace)) if include_traits else (),
            knowledge=await self._known(namespace, "user") if include_knowledge else (),
            assistant_knowledge=await self._known(namespace, "assistant") if include_assistant_knowledge else (),
        )

    async def set(self, namespace: str, key: str, value: str) -> ProfileEntry:
        """Set the value of a key. It replaces the current one, which stays in the history with its dates.

        Under a key of several values (hobbies, languages, pets) it is added. Raises InvalidInput.
        """
        if await self._redactor.kinds(key):  # a key is kept in lower case, where no secret looks like one
            raise InvalidInput("key", "contains a secret; describe the value instead")
        key = canonical.canonical_key(key)
        value = " ".join(inputs.text("value", value).split())
        if len(value) > MAX_VALUE_CHARS:
            raise InvalidInput("value", f"has {len(value)} characters; the limit is {MAX_VALUE_CHARS}; shorten it")
        attribute = canonical.attribute_of(key)
        held = await self._current_statements(namespace, canonical.attributes_of(key))
        same = [one for one in held if same_value(one.value, value)]
        if not any(one.status not in (_CANDIDATE, _CONTESTED) for one in same):
            others = [one for one in held if one not in same]
            several = canonical.holds_several(key)
            if several and len({one.value for one in others if one.status != _CANDIDATE}) >= MAX_VALUES:
                raise InvalidInput("key", f"{key} has {MAX_VALUES} values; delete one of their memories first")
            await self._keeper.store(
                namespace,
                StoreRequest(
                    f"The user's {canonical.label_of(key)}{', also' if several and others else ''}: {value}",
                    importance=IMPORTANCE,
                    source=SOURCE,
                    subject=USER,
                    attribute=attribute,
                    value=value,
                    supersedes=[] if several else [one.memory_id for one in others],
                    kind="attribute",
                ),
            )
        [entry] = await self._entries(namespace, [key], history=True)
        return entry

    async def traits(self, namespace: str) -> list[Trait]:
        """Return the traits that evidence supports, each with its level; others are absent."""
        texts = await self._repository.user_texts(namespace, self._clock(), TEXTS_AT_ONCE)
        return await asyncio.to_thread(self._counter.traits_in, texts)

    async def hints(self, namespace: str) -> str:
        """Return how to answer this user in one short line (name, style, what they want of an assistant), or ""."""
        entries = await self._entries(namespace, None, history=False)
        # It is shown without a label: nothing that is contested, was rejected, or may be outdated.
        sure = {
            entry.key: [one.value for one in entry.values if one.status != _CONTESTED and one.newer is None]
            for entry in entries
        }
        hints = [f"{label} {' and '.join(sure[key][:2])}" for key, label in _HINTED.items() if sure.get(key)]
        wanted = [trait for trait in await self.traits(namespace) if trait.group == "alignment"]
        liked = [trait.name for trait in wanted if _speaks_for(trait)]
        hints += [f"wants {_in_words(name)}" for name in liked]
        return "; ".join(hint for hint in hints[:MAX_HINTS] if not is_suspicious(hint))

    async def _entries(self, namespace: str, keys: Sequence[str] | None, *, history: bool) -> tuple[ProfileEntry, ...]:
        wanted = None if keys is None else [canonical.canonical_key(key) for key in dict.fromkeys(keys)]
        attributes = None if wanted is None else [name for key in wanted for name in canonical.attributes_of(key)]
        now = self._clock()
        stated = await self._repository.statements(namespace, attributes, now, STATEMENTS_AT_ONCE, ended=history)
        found = await unsuspicious(stated, lambda statement: f"{statement.value}\n{statement.text}")
        by_key: dict[str, list[UserStatement]] = {key: [] for key in wanted or ()}
        for statement in found:
            key = canonical.key_of(statement.attribute)
            if key and not statement.denies:
                by_key.setdefault(key, []).append(statement)
        entries = []
        for key in by_key if wanted else sorted(by_key):
            begun = [one for one in by_key[key] if one.since <= now]  # a plan is not part of a profile yet
            held = [one for one in begun if one.until is None or one.until > now]
            ended = [one for one in begun if one not in held]
            if wanted or begun:
                entries.append(ProfileEntry(key, _current(held), tuple(_value(one) for one in ended[:MAX_HISTORY])))
        return tuple(entries)

    async def _current_statements(self, namespace: str, attributes: Sequence[str]) -> list[UserStatement]:
        now = self._clock()
        found = await self._repository.statements(namespace, attributes, now, STATEMENTS_AT_ONCE, ended=False)
        return [one for one in found if not one.denies]

    async def _known(self, namespace: str, about: str) -> tuple[Known, ...]:
        found = await self._repository.known(namespace, about, 2 * KNOWLEDGE_AT_ONCE)
        return tuple((await unsuspicious(found, lambda one: one.text))[:KNOWLEDGE_AT_ONCE])


_HINTED = {
    "identity.name": "is called",
    "identity.nickname": "likes to be called",
    "style.language": "answer in",
    "style.answers": "prefers answers that are",
    "style.units": "units:",
    "style.spelling": "spelling:",
    "relationships.status": "is",
}
"""Keys that matter for answering, and the words for their values."""


def _speaks_for(trait: Trait) -> bool:
    return trait.supporting > trait.contrary and trait.level in (Level.HIGH, Level.MEDIUM)


def _in_words(name: str) -> str:
    return name.replace("_", " ")


def _current(held: Sequence[UserStatement]) -> tuple[ProfileValue, ...]:
    """Return the values that hold, each once, stated ones before candidates and contested ones; at most MAX_VALUES."""
    ranked = sorted(held, key=lambda one: (one.status == _CANDIDATE, one.status == _CONTESTED))
    values: list[UserStatement] = []
    for one in ranked:
        if not any(same_value(one.value, other.value) for other in values):
            values.append(one)
    return tuple(_value(one) for one in values[:MAX_VALUES])


def _value(one: UserStatement) -> ProfileValue:
    value = re.sub(r"\s+", " ", one.value).strip()[:MAX_VALUE_CHARS]
    return ProfileValue(value, one.since, one.until, one.status, one.memory_id, one.newer)
