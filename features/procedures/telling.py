"""What a context is told of procedures."""

from ...modules.context.ports import Material
from .service import ProcedureService


async def material(procedures: ProcedureService, namespace: str, query: str, limit: int) -> list[Material]:
    """Return what is usually done about what a query asks for, then lessons about what it names."""
    found = await procedures.relevant(namespace, query, limit)
    habits = [
        Material(one.content, f"habit, seen {one.support} times, {one.confidence:.0%}", one.memory_id)
        for one in found.procedures
    ]
    return [*habits, *(Material(one.content, f"lesson, {one.status}", one.memory_id) for one in found.lessons)]
