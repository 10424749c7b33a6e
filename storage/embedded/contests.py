"""What a human is asked when memories contradict each other, in the transaction that made them contested."""

from datetime import datetime

import aiosqlite

from ...modules.truth.models import ApprovalRequest

ACTION = "resolve_contest"


async def ask(
    connection: aiosqlite.Connection, namespace: str, request: ApprovalRequest, by: str, now: datetime
) -> str | None:
    """Put the question into the inbox; returns the approval's id."""
    return None


async def withdraw(connection: aiosqlite.Connection, namespace: str, memory_id: str, why: str, now: datetime) -> None:
    """Close the question about the arrival of a memory, if there is one."""
