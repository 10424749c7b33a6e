"""Standing instructions: what is to be done whenever a user asks about something, where a query asks about it. Pure.

"Always give version numbers when I ask about libraries" shares little with "What does this project use?", so others
answer better. The instruction that is nearest to a query keeps the last place, if it is not a hit anyway.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from ..text.sentences import sentences
from .calibration import Scale
from .models import RankedTurn
from .ranking import DECIMALS, Ranked

KEPT = "standing"
"""The part of a score by which a standing instruction is the last hit instead of a later one."""
MOST_CHARS = 400
"""A longer text is no instruction, though it may hold one beside much else."""
LEAST_COSINE = 0.15
"""The cosine to the query, on the familiar scale, from which an instruction is about what the query asks about."""

_ASKING = (
    *("ask", "talk", "speak", "mention", "bring", "discuss", "to know", "question", "frag", "sprech", "sprich", "rede"),
    *("pregunt", "habl", "mencion", "demand", "parl", "pose", "问", "提到", "谈到", "聞い", "尋ね", "質問"),
)
"""One of these is in every instruction: what has none is not read any further."""
_WHENEVER_ASKED = re.compile(
    r"\b(?:when(?:ever)?|if|(?:every|each|any) ?time) (?:i|we|someone|somebody) (?:ever )?"
    r"(?:asks?|talks?|speaks?|mentions?|brings? up|discuss(?:es)?|wants? to know)\b"
    r"|\bfor (?:any |all |every |each )?questions? (?:about|on)\b"
    r"|\b(?:wenn|sooft|falls) (?:ich|wir|jemand) (?:\S{1,40} ){0,6}(?:frag|sprech|sprich|rede)(?:en?|n|t)?\b"
    r"|\b(?:cuando|siempre que|si) (?:te )?(?:pregunt|habl|mencion)"
    r"|\b(?:quand|lorsque|chaque fois que|si) (?:je|on|nous) (?:te |vous )?(?:demand|parl|pose)"
    r"|(?:当|每当|每次|如果|只要)我?[^。！？]{0,20}(?:问|提到|谈到)|(?:聞いた|尋ねた|質問した)(?:ら|とき|時|場合)",
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
    turns: Sequence[RankedTurn], answers: Collection[str] | None, query: bytes | None, scale: Scale
) -> int | None:
    """Return the row of the standing instruction that is about what a query asks about; only of `answers`, if given.

    `query` is the query's vector (dimension × float32); without one, or where none is near enough, there is no row.
    """
    import numpy as np

    if query is None:
        return None
    known = [row for row, one in enumerate(turns) if one.vector is not None and (answers is None or one.id in answers)]
    rows = [row for row in known if is_standing(turns[row])]
    if not rows:
        return None
    vectors = np.frombuffer(b"".join(turns[row].vector or b"" for row in rows), dtype="<f4").reshape(len(rows), -1)
    cosines = vectors @ np.frombuffer(query, dtype="<f4")
    best = int(cosines.argmax())
    return rows[best] if scale.of(float(cosines[best])) >= LEAST_COSINE else None


def with_place(best: Sequence[Ranked], ranked: Sequence[Ranked], row: int | None, limit: int) -> list[Ranked]:
    """Return the hits with the instruction in this row among them: the last, unless it is one already."""
    if row is None or limit < 2 or not best or any(one.row == row for one in best):
        return list(best)
    own = next((one for one in ranked if one.row == row), Ranked(row, {}))
    others = best[: limit - 1]
    moved = round(others[-1].score - own.score, DECIMALS)
    return [*others, replace(own, parts={**own.parts, KEPT: moved})]
