"""The domain types of tenants: the stores that share a database."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Tenant:
    """A store as one that serves many knows it: its name, whether it is suspended, how often it may be called."""

    name: str
    is_suspended: bool = False
    calls_per_minute: int | None = None
