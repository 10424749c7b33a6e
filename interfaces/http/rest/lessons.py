"""Lessons that name a tool: whether they are followed, and whether they help."""

from ....modules.memory.lifecycle_service import AGENT
from ....modules.proving import ProvenLesson
from ....modules.records import dataclass
from .operations import OperationRequest


@dataclass(frozen=True)
class ProvenLessons:
    """The lessons of a namespace, those with most evidence first."""

    results: tuple[ProvenLesson, ...]


async def list_lessons(asked: OperationRequest, *, namespace: str | None = None) -> ProvenLessons:
    """List the lessons that name a tool, with how often its runs failed without them and after them."""
    place = asked.caller.reading(namespace, "namespace")
    return ProvenLessons(tuple(await (await asked.agentos()).lessons.page(place)))


async def get_lesson(asked: OperationRequest, *, id: str, namespace: str | None = None) -> ProvenLesson:
    """Get one lesson with its evidence."""
    place = asked.caller.reading(namespace, "namespace")
    return await (await asked.agentos()).lessons.get(place, id)


async def retire_lesson(asked: OperationRequest, *, id: str, namespace: str | None = None) -> ProvenLesson:
    """Tell a lesson no longer, until it is restored."""
    place = asked.caller.writing(namespace, "namespace")
    return await (await asked.agentos()).lessons.retire(place, id, AGENT)


async def restore_lesson(asked: OperationRequest, *, id: str, namespace: str | None = None) -> ProvenLesson:
    """Tell a retired lesson again, until another twenty runs say that it does not help."""
    place = asked.caller.writing(namespace, "namespace")
    return await (await asked.agentos()).lessons.restore(place, id, AGENT)
