"""What a context is told of the user."""

from ...modules.context.ports import Material
from .service import ProfileService


async def material(profile: ProfileService, namespace: str) -> list[Material]:
    """Return how to answer the user, then what is known of them, key by key."""
    hints = await profile.hints(namespace)
    known = await profile.get(namespace, None, include_knowledge=False, include_traits=False)
    entries = [
        Material(
            f"{entry.key}: {', '.join(value.value for value in entry.values)}",
            f"since {entry.values[0].since:%Y-%m-%d} {entry.values[0].status}",
            entry.values[0].memory_id,
        )
        for entry in known.entries
        if entry.values
    ]
    return [*([Material(hints, "how to answer the user, by the profile")] if hints else []), *entries]
