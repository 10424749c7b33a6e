"""Groups of memories that are alike, for a person who decides which of them stay. Pure."""

from collections.abc import Iterable, Mapping, Sequence

from ..facts.models import Relation
from ..records import dataclass
from .models import Memory


@dataclass(frozen=True)
class Alike:
    """A group: the one that most likely stays, and the others with how alike each is to its likest, 0..1."""

    first: Memory
    others: tuple[tuple[Memory, float], ...]


def grouped(links: Sequence[Relation], memories: Mapping[str, Memory]) -> list[Alike]:
    """Return the groups that links join, the largest first; what is not among the memories is left out.

    First in each is what is the best founded: by the trust in its source, its confirmations, its importance, its age.
    """
    likest: dict[str, float] = {}
    within = [link for link in links if link.from_id in memories and link.to_id in memories]
    for link in within:
        for name in (link.from_id, link.to_id):
            likest[name] = max(likest.get(name, 0.0), link.weight)
    members: dict[str, list[Memory]] = {}
    for name, group in joined(within, likest).items():
        members.setdefault(group, []).append(memories[name])
    made = []
    for each in members.values():
        first, *others = sorted(each, key=_founded)
        made.append(Alike(first, tuple((one, min(1.0, likest[one.id])) for one in others)))
    return sorted(made, key=lambda group: -len(group.others))


def joined(links: Iterable[Relation], names: Iterable[str]) -> dict[str, str]:
    """Return for each of the names one that stands for its group, joined by links, also through others."""
    leader: dict[str, str] = {}

    def of(name: str) -> str:
        while leader.setdefault(name, name) != name:
            leader[name] = leader[leader[name]]
            name = leader[name]
        return name

    for link in links:
        leader[of(link.from_id)] = of(link.to_id)
    return {name: of(name) for name in names}


def _founded(memory: Memory) -> tuple[float | str, ...]:
    return -memory.trust, -memory.confirmations, -memory.importance, memory.created_at.timestamp(), memory.id
