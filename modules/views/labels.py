"""Labels: what a reader must know of a memory before believing it. Whatever shows a memory takes them from here."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from typing import NamedTuple

from .. import offload
from ..context.tokens import cut
from ..framing import quote
from ..memory.lifecycle_service import LifecycleService
from ..memory.models import Memory, SearchHit, Status
from ..records import dataclass
from ..suspicion import is_suspicious

SUSPICIOUS = "suspicious"
"""The label of what looks like an instruction to its reader."""
OUTDATED = "maybe outdated, see "
"""The beginning of the label of what another memory has probably replaced."""
NEWER = "newer: "
"""The beginning of the label of what another memory may have replaced, or stand beside."""
PROBABLE = 0.96
"""The chance from which on it is said to be outdated. Of two that both hold some are as near as the rest."""
UNKNOWN = "unknown"
NOW, NOW_TOKENS = ", now ", 40
"""The end of a label: the text, of so many tokens, of the newer memory where that is not told by itself."""
DAYS = 3
"""The most days of other occasions that a label names, the last ones."""


_BETWEEN = re.compile(r", (?!see )")
_PART = re.compile(
    r"(?P<code>code \w+): (?P<what>.+)|(?P<words>.+?):? (?P<id>mem_\w+)"
    r"|(?P<about>also said|from|in|valid until) (?P<value>.+)"
)
_TIMES = re.compile(r"(?:once|(?<!\d)(\d{1,9}) times)")


class Part(NamedTuple):
    """A part of a label: its words, and what they are about or the id of another memory, if either."""

    words: str
    value: str = ""
    memory_id: str = ""


def parts_of(label: str) -> list[Part]:
    """Return the parts of a label without the status, for a door that tells them in its own words.

    What is told of a newer memory is left out: such a door leads to it.
    """
    parts = []
    for text in _BETWEEN.split(label.partition(f'{NOW}"')[0]):
        found = _PART.fullmatch(text)
        if found is None:
            parts.append(Part(text))
        elif found["code"]:
            parts.append(Part(found["code"], found["what"]))
        else:
            value = _TIMES.sub(lambda times: f"{times[1] or 1}×", found["value"] or "", count=1)
            parts.append(Part(found["words"] or found["about"], value, found["id"] or ""))
    return [one for one in parts if one.words not in list(Status)]


@dataclass(frozen=True)
class Labels:
    """The labels of memories at a moment; `successors` names what has replaced some of them, by their ids.

    With a `namespace`, memories of others are labelled with theirs. `suspicious` has the ids of those that look like
    an instruction, where that was looked up before; else each is read when it is labelled, which blocks. `newer` has
    the memories that are told with those that they have probably replaced, by the ids of these.
    """

    now: datetime
    successors: Mapping[str, str] = field(default_factory=dict)
    namespace: str | None = None
    suspicious: frozenset[str] | None = None
    newer: Mapping[str, Memory] = field(default_factory=dict)

    def of(self, memory: Memory) -> str:
        """Return what must be known of a memory, and what to read instead; "" where it simply holds."""
        suspicious = is_suspicious(memory.words) if self.suspicious is None else memory.id in self.suspicious
        words = [SUSPICIOUS] if suspicious else []
        words += [] if memory.status is Status.ACTIVE else [memory.status.value]
        words += [f"from {memory.holds_from:%Y-%m-%d}"] if memory.holds_from > self.now else []
        if (successor := self.successors.get(memory.id)) is not None:
            words.append(f"superseded by {successor}")
        elif memory.valid_to is not None:
            words.append(f"valid until {memory.valid_to:%Y-%m-%d}")
        words += [] if self.namespace in (None, memory.namespace) else [f"in {memory.namespace}"]
        if (likely := memory.may_be_outdated_by) is not None:
            words.append(f"{OUTDATED if likely.probability >= PROBABLE else NEWER}{likely.id}")
        words += [memory.code_mark] if memory.code_mark else []
        newer = self.newer.get(memory.id)
        return ", ".join(words) + ("" if newer is None else _now(newer))

    def of_hit(self, hit: SearchHit) -> str:
        """Return what must be known of a memory that was found, how often else it was told, and what may be so now."""
        label = self.in_brief(hit)
        return label if hit.newer is None else label + _now(hit.newer)

    def in_brief(self, hit: SearchHit) -> str:
        """Return the label of a memory that was found, without the text of another one."""
        return with_times(self.of(hit.memory), len(hit.also)) + _on_days(hit)


def _now(newer: Memory) -> str:
    return NOW + quote(cut(newer.content, NOW_TOKENS))


def with_times(label: str, also: int) -> str:
    """Return a label with how often else what a memory tells was told."""
    times = "once" if also == 1 else f"{also} times"
    return ", ".join(filter(None, (label, f"also said {times}" if also else "")))


def _on_days(hit: SearchHit) -> str:
    """Return on which other days what a hit tells was told."""
    days = sorted({one.at.date() for one in hit.also} - {hit.memory.occurred_at.date()})[-DAYS:]
    return f" ({' '.join(map(str, days))})" if days else ""


async def labels_of(
    lifecycle: LifecycleService, namespace: str, memories: Sequence[Memory], partly: Collection[str] = ()
) -> Labels:
    """Return what must be known now about memories, and what has superseded them; of what is `partly` open, no ids."""
    now = lifecycle.clock()
    ended = [memory for memory in memories if memory.has_ended(now) and memory.namespace not in partly]
    successors: dict[str, str] = {}
    for one in dict.fromkeys(memory.namespace for memory in ended):
        successors |= await lifecycle.successors(one, [memory for memory in ended if memory.namespace == one])
    return Labels(now, successors, namespace, await suspicious_among(memories))


async def labels_with_newer(lifecycle: LifecycleService, namespace: str, memories: Sequence[Memory]) -> Labels:
    """Return labels that tell, with each memory that is probably outdated, the newer one that is not among them."""
    labels = await labels_of(lifecycle, namespace, memories)
    return replace(labels, newer=await lifecycle.newer(namespace, memories))


def without_ids(hits: Sequence[SearchHit], partly: Collection[str]) -> tuple[SearchHit, ...]:
    """Return hits that name, of what is `partly` open, no other memory than those that were found."""
    shown = {None, *(hit.memory.id for hit in hits)} if partly else set[str | None]()
    return tuple(
        replace(hit, memory=replace(hit.memory, may_be_outdated_by=None), newer=None)
        if hit.memory.namespace in partly and hit.memory.outdated_by not in shown
        else hit
        for hit in hits
    )


async def suspicious_among(memories: Iterable[Memory]) -> frozenset[str]:
    """Return the ids of the memories that look like an instruction to their reader; long ones are read in a thread."""
    contents = {memory.id: memory.words for memory in memories}
    chars = offload.length(contents.values())
    return await offload.read(chars, lambda: frozenset(one for one, text in contents.items() if is_suspicious(text)))


def source_of(memory: Memory, label: str) -> str:
    """Return where a memory comes from; where that is not known "", or UNKNOWN for a suspicious one."""
    return memory.source or (UNKNOWN if label.startswith(SUSPICIOUS) else "")
