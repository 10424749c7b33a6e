"""Finding patterns in a tally of actions: pure functions."""

from collections.abc import Iterable

from .models import ActionTally, Pattern, PatternType

INEFFICIENCY_BELOW = 0.5
RESOLVED_AFTER = 2
"""The successes in a row after which earlier failures are history."""


def find(tallies: Iterable[ActionTally], min_frequency: int) -> list[Pattern]:
    """Return the pattern of each action that ran at least `min_frequency` times, at most one each.

    Its recent outcomes decide: failures in a row outweigh earlier successes, and successes in a row resolve earlier
    failures. Otherwise its rate does.
    """
    return [pattern for tally in tallies if (pattern := _pattern(tally, min_frequency)) is not None]


def _pattern(tally: ActionTally, min_frequency: int) -> Pattern | None:
    if tally.failing >= min_frequency:
        return _repeated_failure(tally)
    if tally.total < min_frequency:
        return None
    if tally.recovered < RESOLVED_AFTER and tally.successes / tally.total < INEFFICIENCY_BELOW:
        return _inefficiency(tally)
    has_recovered = tally.failures >= RESOLVED_AFTER and tally.recovered >= RESOLVED_AFTER
    return _success(tally) if has_recovered or tally.successes >= min_frequency else None


def _repeated_failure(tally: ActionTally) -> Pattern:
    last = f" Its last error: {_brief(tally.last_failure)}" if tally.last_failure else ""
    return Pattern(
        PatternType.REPEATED_FAILURE,
        tally.action,
        f"'{tally.action}' keeps failing.",
        f"Stop repeating '{tally.action}' as it is: find the cause first, or take another way.{last}",
        tally.failing,
        tally.last_at,
    )


def _success(tally: ActionTally) -> Pattern:
    if not tally.failures:
        description = f"'{tally.action}' works reliably."
    elif tally.recovered >= RESOLVED_AFTER:
        description = f"'{tally.action}' works again."
    else:
        description = f"'{tally.action}' works {_rate(tally)} of the time."
    cure = f" What helped when it failed: {_brief(tally.remedy)}" if tally.failures and tally.remedy else ""
    return Pattern(
        PatternType.SUCCESS_PATTERN,
        tally.action,
        description,
        f"Prefer '{tally.action}' for work of this kind.{cure}",
        tally.successes,
        tally.last_at,
    )


def _inefficiency(tally: ActionTally) -> Pattern:
    return Pattern(
        PatternType.INEFFICIENCY,
        tally.action,
        f"'{tally.action}' works only {_rate(tally)} of the time.",
        f"Compare the runs of '{tally.action}' that worked with those that did not, and check their "
        "preconditions before the next one.",
        tally.total,
        tally.last_at,
    )


def _rate(tally: ActionTally) -> str:
    return f"{tally.successes / tally.total:.0%}"


def _brief(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 160 else line[:159] + "…"
