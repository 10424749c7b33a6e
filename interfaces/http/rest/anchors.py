"""Anchors: the code that notes name, and what became of it since."""

from ....modules.anchoring import AnchoredCode
from ....modules.errors import NotFound
from ....modules.records import dataclass
from .operations import OperationRequest


@dataclass(frozen=True)
class AnchoredNotes:
    """Anchors of notes, those of the note that was stored last first; at most 500."""

    results: tuple[AnchoredCode, ...]


@dataclass(frozen=True)
class Dropped:
    """How many anchors were removed."""

    removed: int


async def list_anchors(
    asked: OperationRequest, *, namespace: str | None = None, memory_id: str | None = None, marked: bool = False
) -> AnchoredNotes:
    """List the code that notes name, or one note; where `marked` only what was renamed, moved, changed or is gone."""
    return await _listed(asked, asked.caller.reading(namespace, "namespace"), memory_id, marked=marked)


async def confirm_anchors(asked: OperationRequest, *, memory_id: str, namespace: str | None = None) -> AnchoredNotes:
    """Confirm that a note holds for its code as that is now: it follows that from here on."""
    place = asked.caller.writing(namespace, "namespace")
    await (await asked.agentos()).lifecycle.feedback(place, memory_id, "confirm")
    return await _listed(asked, place, memory_id)


async def drop_anchors(
    asked: OperationRequest, *, memory_id: str, namespace: str | None = None, place: str | None = None
) -> Dropped:
    """Drop the anchors of a note, or the one to a place, as PATH or PATH:SYMBOL; the note stays, its mark goes."""
    where = asked.caller.writing(namespace, "namespace")
    anchors = await (await asked.agentos()).anchors()
    if anchors is None:
        raise NotFound(f"anchor: {memory_id[:60]} has none; no folder is followed")
    return Dropped(await anchors.remove(where, memory_id, place))


async def _listed(
    asked: OperationRequest, namespace: str, memory_id: str | None, *, marked: bool = False
) -> AnchoredNotes:
    anchors = await (await asked.agentos()).anchors()
    return AnchoredNotes(() if anchors is None else tuple(await anchors.views(namespace, memory_id, marked=marked)))
