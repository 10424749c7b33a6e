"""Standing instructions: what is to be done whenever a user asks about something, where a query asks about it. Pure.

"Always give version numbers when I ask about libraries" shares little with "What does this project use?", so others
answer better. The instruction that is nearest to a query keeps the last place, if it is not a hit anyway.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from ..suspicion import is_suspicious
from ..text.sentences import sentences
from .calibration import Scale
from .models import RankedTurn, SearchHit, Status
from .ranking import DECIMALS, Ranked

KEPT = "standing"
"""The part of a score by which a standing instruction is the last hit instead of a later one; 0 where it is not."""
MOST_CHARS = 400
"""A longer text is no instruction, though it may hold one beside much else."""
LEAST_COSINE = 0.15
"""The cosine to the query, on the familiar scale, from which an instruction is about what the query asks about."""

LEAST_HITS = 3
"""The fewest hits of which one may be an instruction instead of an answer."""

_ASKING = (
    *("ask", "mention", "bring", "to know", "question", "frag", "wissen", "pregunt", "demand"),
    *("问", "提到", "聞い", "尋ね", "質問"),
)
"""One of these is in every instruction: what has none is not read any further."""
_WHENEVER_ASKED = re.compile(
    r"\b(?:when(?:ever)?|if|(?:every|each|any) ?time) i (?:ever )?"
    r"(?:ask|mention|bring up|want to know)\b"
    r"|\bfor (?:any |all |every |each )?questions? (?:about|on)\b"
    r"|\b(?:wenn|sooft|falls) ich (?:\S{1,40} ){0,6}(?:frage|wissen (?:will|möchte))\b"
    r"|\b(?:cuando|siempre que|si) (?:yo )?te pregunt(?:e|o)\b"
    r"|\b(?:quand|lorsque|chaque fois que|si) je (?:te |vous )?demande\b"
    r"|(?:当|每当|每次|如果|只要)我[^。！？]{0,20}(?:问|提到)"
    r"|(?:聞いた|尋ねた|質問した)(?:ら|とき|時|場合)[^。！？]{0,40}(?:ください|下さい|必ず|こと)",
    re.IGNORECASE,
)


def is_standing(turn: RankedTurn) -> bool:
    """Return whether a memory says what is to be done whenever its user asks about something."""
    if len(turn.content) > MOST_CHARS or turn.speaker is not None:
        return False
    small = turn.content.lower()
    told = _WHENEVER_ASKED.search(turn.content) if any(word in small for word in _ASKING) else None
    if told is None or turn.role not in (None, "user"):
        return False
    return not any(one.endswith(("?", "？")) for one in sentences(turn.content) if told[0] in one)


def nearest(
    turns: Sequence[RankedTurn], answers: Collection[str] | None, query: bytes | None, scale: Scale, at: datetime
) -> int | None:
    """Return the row of the standing instruction that is about what a query asks about; only of `answers`, if given.

    Only of those that are believed, hold at a moment, and have no likely successor; none that reads like an instruction
    from elsewhere. `query` is the query's vector (dimension × float32); without one, or where none is near enough,
    there is no row.
    """
    import numpy as np

    if query is None:
        return None
    known = [row for row, one in enumerate(turns) if one.vector is not None and (answers is None or one.id in answers)]
    rows = [row for row in known if is_standing(turns[row]) and _is_wanted(turns[row], at)]
    if not rows:
        return None
    vectors = np.frombuffer(b"".join(turns[row].vector or b"" for row in rows), dtype="<f4").reshape(len(rows), -1)
    cosines = vectors @ np.frombuffer(query, dtype="<f4")
    best = int(cosines.argmax())
    return rows[best] if scale.of(float(cosines[best])) >= LEAST_COSINE else None


def _is_wanted(turn: RankedTurn, at: datetime) -> bool:
    holds = (turn.valid_to is None or turn.valid_to > at) and (turn.valid_from is None or turn.valid_from <= at)
    believed = turn.status is Status.ACTIVE and turn.outdated_by is None
    return holds and believed and not is_suspicious(turn.content)


def with_place(
    best: Sequence[Ranked], ranked: Sequence[Ranked], row: int | None, limit: int
) -> tuple[list[Ranked], int | None]:
    """Return the hits with the instruction in this row among them, marked as KEPT, and the row that stands for it.

    It is the last, unless it, or what tells the same, is one already.
    """
    if row is None or not best:
        return list(best), None
    own = next((one for one in (*best, *ranked) if row in (one.row, *one.also)), Ranked(row, {}))
    if any(one.row == own.row for one in best):
        return [_kept(one, 0.0) if one.row == own.row else one for one in best], own.row
    if limit < LEAST_HITS:
        return list(best), None
    others = best[: limit - 1]
    return [*others, _kept(own, round(others[-1].score - own.score, DECIMALS))], own.row


def _kept(one: Ranked, moved: float) -> Ranked:
    return replace(one, parts={**one.parts, KEPT: moved})


def in_sight(hits: Sequence[SearchHit], instruction: SearchHit | None, limit: int) -> tuple[SearchHit, ...]:
    """Return the first `limit` hits, the last of which is the instruction where it would come later."""
    shown = tuple(hits[:limit])
    if instruction is None or limit < LEAST_HITS or any(one.memory.id == instruction.memory.id for one in shown):
        return shown
    shown = shown[: limit - 1]
    score = shown[-1].score if shown else instruction.score
    moved = instruction.parts.get(KEPT, 0.0) + score - instruction.score
    return (*shown, replace(instruction, score=score, parts={**instruction.parts, KEPT: moved}))


def instruction_among(hits: Iterable[SearchHit]) -> SearchHit | None:
    """Return the hit that is marked as a standing instruction, if there is one."""
    return next((one for one in hits if KEPT in one.parts), None)
