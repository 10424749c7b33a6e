"""Finding patterns in a tally of actions: pure functions."""

from collections.abc import Iterable

from .models import ActionTally, Pattern, PatternType

INEFFICIENCY_BELOW = 0.5


def find(tallies: Iterable[ActionTally], min_frequency: int) -> list[Pattern]:
    """Return the patterns in a tally: at least `min_frequency` failures, successes, or uses that succeed < 50 %."""
    found: list[Pattern] = []
    for tally in tallies:
        if tally.failures >= min_frequency:
            found.append(_repeated_failure(tally))
        if tally.successes >= min_frequency:
            found.append(_success(tally))
        if tally.total >= min_frequency and tally.successes and tally.successes / tally.total < INEFFICIENCY_BELOW:
            found.append(_inefficiency(tally))
    return found


def _repeated_failure(tally: ActionTally) -> Pattern:
    last = f" Its last error: {_brief(tally.last_failure)}" if tally.last_failure else ""
    return Pattern(
        PatternType.REPEATED_FAILURE,
        tally.action,
        f"'{tally.action}' keeps failing.",
        f"Stop repeating '{tally.action}' as it is: find the cause first, or take another way.{last}",
        tally.failures,
        tally.last_at,
    )


def _success(tally: ActionTally) -> Pattern:
    return Pattern(
        PatternType.SUCCESS_PATTERN,
        tally.action,
        f"'{tally.action}' works reliably." if not tally.failures else f"'{tally.action}' often works.",
        f"Prefer '{tally.action}' for work of this kind.",
        tally.successes,
        tally.last_at,
    )


def _inefficiency(tally: ActionTally) -> Pattern:
    return Pattern(
        PatternType.INEFFICIENCY,
        tally.action,
        f"'{tally.action}' fails more often than it works.",
        f"Compare the runs of '{tally.action}' that worked with those that did not, and check their "
        "preconditions before the next one.",
        tally.total,
        tally.last_at,
    )


def _brief(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 160 else line[:159] + "…"
