"""The ports of conversations: storage, and the embedding of memories."""

from collections.abc import Mapping
from typing import Protocol


class Vectors(Protocol):
    """The embedding of memories: whether there are vectors to compare, and of which generation."""

    async def ready(self, wait_s: float) -> bool:
        """Return whether there is a model, waiting at most `wait_s` seconds for it."""

    async def generation(self) -> int | None:
        """Return the number of the model's generation of vectors; None while there is no model."""

    async def state(self) -> Mapping[str, str | None]:
        """Return the state of the model: `ready`, `loading` or `none`, as `state`."""
