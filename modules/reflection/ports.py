"""The ports of reflection: storage, and the listener."""

from typing import Protocol

from .models import Reflection


class ReflectionListener(Protocol):
    """Receives failures, and what recovers from them, as they happen."""

    async def action_failed(self, reflection: Reflection, failures_in_a_row: int) -> None:
        """Handle a failed action; `failures_in_a_row` counts its last failures within 24 hours, with this one."""

    async def action_recovered(self, reflection: Reflection) -> None:
        """Handle an action that failed within 24 hours, and has since succeeded several times in a row."""
