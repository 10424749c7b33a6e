"""Runs: turns of a conversation that came without its name, known by who speaks and when. Pure."""

from collections.abc import Iterable, Sequence
from datetime import timedelta

from .dialogue import ROLES, split_speaker
from .models import RankedTurn

PAUSE = timedelta(hours=1)
"""The longest time between two turns of one run."""
LEAST = 3
"""The fewest turns by which a run is known."""
RECURRENCE = 1.5
"""The least number of turns for each who speaks: the beginnings of notes, as in "Docker: …", seldom come again."""
APART = 3
"""The places between two turns of a run where it is not known what came between them: they lend each other nothing."""


def speaker_of(turn: RankedTurn) -> str | None:
    """Return who says a turn, as recorded or as its content begins; None where neither says."""
    return turn.speaker or split_speaker(turn.content)[0] or turn.role


def without_session(turns: Iterable[RankedTurn]) -> list[RankedTurn]:
    """Return the memories that may be turns of a conversation that was not named."""
    return [turn for turn in turns if turn.session is None and speaker_of(turn) is not None]


def joined(stored: Sequence[tuple[RankedTurn, int | None]]) -> list[RankedTurn]:
    """Return the turns of runs, each with its run as the session and its place there.

    Each memory is given with the number of the one that was stored before it. What belongs to no run is left out.
    """
    runs: list[list[RankedTurn]] = []
    for turn, previous in sorted(stored, key=lambda one: one[0].seq):
        speaker = speaker_of(turn)
        if speaker is None:
            continue
        last = runs[-1][-1] if runs else None
        if last is None or abs(turn.occurred_at - last.occurred_at) > PAUSE:
            runs.append([])
            place = 0
        else:
            place = (last.place or 0) + (1 if previous == last.seq else APART)
        runs[-1].append(turn._replace(place=place, speaker=speaker))
    return [turn._replace(session=f"run:{run[0].seq}") for run in runs if _is_talk(run) for turn in run]


def _is_talk(run: Sequence[RankedTurn]) -> bool:
    speakers = {turn.speaker for turn in run}
    roles = {speaker for speaker in speakers if speaker is not None and speaker.lower() in ROLES}
    if speakers == roles:
        return len(run) >= LEAST
    return len(speakers) > 1 and len(run) >= max(LEAST, RECURRENCE * len(speakers))
