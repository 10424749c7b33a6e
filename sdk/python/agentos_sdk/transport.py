"""What the two connections share: how failures of HTTPX are reported, and what may be sent as a bundle."""

from pathlib import Path

import httpx

from .errors import AgentOSError, ConnectionFailed, TimedOut

Bundle = bytes | Path
"""A bundle: its bytes, or the file that it is in."""
CHUNK_BYTES = 64 * 1024
MOST_BYTES_OF_A_PROBLEM = 2**16


def failure_of(error: httpx.RequestError, url: str) -> AgentOSError:
    """Return what a failure of HTTPX means."""
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout):
        return ConnectionFailed(
            f"{url} could not be reached, does agentos serve run there? {_reason(error)}", was_sent=False
        )
    if isinstance(error, httpx.TimeoutException):
        return TimedOut(f"{url} was silent for too long: {_reason(error)}")
    return ConnectionFailed(f"the connection to {url} broke: {_reason(error)}", was_sent=True)


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__
