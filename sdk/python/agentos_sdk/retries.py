"""Whether a failed request is made again, and when."""

import random

from .errors import AgentOSError, ApiError, ConnectionFailed, TimedOut, UnexpectedAnswer

FIRST_WAIT_S = 0.25
LONGEST_WAIT_S = 8.0
PASSING = (429, 502, 503, 504)
"""What a proxy answers while the server behind it is away."""


def wait_before(error: AgentOSError, attempt: int, *, repeatable: bool, retries: int, max_wait: float) -> float | None:
    """Return the seconds to wait before the next attempt (`attempt` counts from 0); None to give up.

    What is not `repeatable` is made again only where it was certainly not done.
    """
    if attempt >= retries or not (was_not_done(error) or (repeatable and is_passing(error))):
        return None
    asked = error.retry_after if isinstance(error, ApiError | UnexpectedAnswer) else None
    if asked is None:
        return growing(attempt, FIRST_WAIT_S, LONGEST_WAIT_S)
    return asked + random.uniform(0, FIRST_WAIT_S) if asked <= max_wait else None


def growing(attempt: int, first: float, longest: float) -> float:
    """Return a wait that doubles up to a limit, spread so that clients do not come all at once. In seconds."""
    return min(longest, first * 2.0 ** min(attempt, 30)) * random.uniform(0.5, 1)


def was_not_done(error: AgentOSError) -> bool:
    """Return whether the request certainly changed nothing."""
    if isinstance(error, ApiError | UnexpectedAnswer):
        return error.status == 429
    return isinstance(error, ConnectionFailed) and not error.was_sent


def is_passing(error: AgentOSError) -> bool:
    """Return whether the same request may succeed later."""
    if isinstance(error, UnexpectedAnswer):
        return error.status in PASSING
    if isinstance(error, ApiError):  # 503 without a time is what a person must mend
        return error.status == 429 or (error.status == 503 and error.retry_after is not None)
    return isinstance(error, ConnectionFailed | TimedOut)
