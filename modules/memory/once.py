"""Each thing once: hits that tell one fact become one, with its occasions; the places of the others go to others."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from .calibration import FAMILIAR_SCALE, Scale
from .models import RankedTurn, Status
from .ranking import Ranked
from .sameness import NEAR, Wording, equal_form, tells_the_same


def told_once(
    ranked: Sequence[Ranked],
    turns: Sequence[RankedTurn],
    known: Mapping[str, str] | None = None,
    scale: Scale = FAMILIAR_SCALE,
) -> list[Ranked]:
    """Return the hits, best first; those that tell what a better one tells are among what it `also` stands for.

    A believed one stands for others, at the place of the best of them. `known` names for the id of a memory what stands
    for its group, as that was judged when it was stored. The `scale` is the model's.
    """
    known = known or {}
    found = [turns[one.row] for one in ranked]
    near = _cosines_of_notes(found, scale)
    wordings = [Wording(turn.content) for turn in found]
    firsts: dict[tuple[str | None, str], int] = {}
    of_groups: dict[str, int] = {}
    groups: dict[int, list[int]] = {}
    for place, turn in enumerate(found):
        text = turn.speaker, equal_form(turn.content)
        alike = (one for one in near.get(place, ()) if one in groups)
        group = known.get(turn.id, turn.id)
        same = firsts.get(text, of_groups.get(group))
        if same is None:
            same = next(
                (one for one in alike if tells_the_same(wordings[one], wordings[place], near[place][one])), None
            )
        if same is not None and _may_be_one(found[same], turn):
            groups[same].append(place)
        else:
            groups[place] = []
            firsts.setdefault(text, place)
            of_groups.setdefault(group, place)
    return [_standing_for(ranked, turns, place, others) for place, others in groups.items()]


def _may_be_one(one: RankedTurn, other: RankedTurn) -> bool:
    """Return whether nothing that is known of two says that they differ: neither has ended, or outdates the other."""
    ended = (one.valid_to, one.valid_from) == (other.valid_to, other.valid_from)
    return ended and one.speaker == other.speaker and one.id != other.outdated_by and other.id != one.outdated_by


def _standing_for(ranked: Sequence[Ranked], turns: Sequence[RankedTurn], place: int, others: Sequence[int]) -> Ranked:
    if not others:
        return ranked[place]
    rows = [ranked[each].row for each in (place, *others)]
    told = next((row for row in rows if turns[row].status is Status.ACTIVE), rows[0])
    return replace(ranked[place], row=told, also=tuple(row for row in rows if row != told))


def _cosines_of_notes(found: Sequence[RankedTurn], scale: Scale) -> Mapping[int, Mapping[int, float]]:
    """Return for each note the better ones that are NEAR it, with their cosines; turns of conversations have none."""
    import numpy as np

    notes = [place for place, turn in enumerate(found) if turn.session is None and turn.vector is not None]
    if len(notes) < 2:
        return {}
    matrix = np.frombuffer(b"".join(found[place].vector or b"" for place in notes), dtype="<f4").reshape(len(notes), -1)
    cosines = np.tril(scale.of_all(matrix @ matrix.T), k=-1)
    near: dict[int, dict[int, float]] = {}
    for one, other in np.argwhere(cosines >= NEAR):
        near.setdefault(notes[one], {})[notes[other]] = float(cosines[one, other])
    return near
