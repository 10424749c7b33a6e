"""The redactor: replaces secrets in texts, tags and JSON values by markers.

Nothing here keeps, logs or returns a secret: callers get the redacted text and the number of secrets by kind. The
rules are loaded with the first text.
"""

import asyncio
import importlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from .. import offload
from ..redactor import Clean

T = TypeVar("T")

_TAKEN: ContextVar[Counter[str] | None] = ContextVar("taken", default=None)
"""The counter of the current call."""


class SecretRedactor:
    """Implements `modules.redactor.Redactor` by the rules of this folder; switched off, it changes nothing.

    Long texts are read one at a time: a caller that sends many of them waits, and nobody else does.
    """

    def __init__(self, *, enabled: bool = True, emails: bool = False, own: Sequence[str] = ()) -> None:
        """Redact nothing unless `enabled`; e-mail addresses too if `emails`, and the secrets `own` by their value."""
        self._enabled = enabled
        self._emails = emails
        self._own = tuple(secret for secret in own if secret)
        self._reading = asyncio.Lock()
        self._is_loaded = False

    async def text(self, value: str) -> str:
        """Return the text without its secrets."""
        if not self._enabled or isinstance(value, Clean):
            return value
        await self._loaded()
        from .rules import redact

        redacted = await self._read(len(value), lambda: redact(value, emails=self._emails, own=self._own))
        self._count(redacted.kinds)
        return Clean(redacted.text)

    async def tags(self, values: Sequence[str]) -> tuple[str, ...]:
        """Return the tags without their secrets, each once."""
        return tuple(dict.fromkeys([await self.text(value) for value in values]))

    async def json(self, value: T) -> T:
        """Return a JSON value without its secrets, in names and values at any depth; a name may announce its value."""
        if not self._enabled:
            return value
        await self._loaded()
        from .rules import ValueWalk

        walk = ValueWalk(emails=self._emails, own=self._own)
        clean: T = await self._read(offload.size(value), lambda: walk.value(value))
        self._count(walk.kinds)
        return clean

    async def named(self, name: str, value: str) -> str:
        """Return a value that stands under a name, as `hunter2` under `password`, without its secrets."""
        if not self._enabled:
            return value
        await self._loaded()
        from .rules import ValueWalk

        walk = ValueWalk(emails=self._emails, own=self._own)
        clean = await self._read(len(value), lambda: str(walk.under(name, value)))
        self._count(walk.kinds)
        return clean

    async def kinds(self, values: object) -> dict[str, int]:
        """Count the secrets in texts and JSON values by kind, the most frequent first."""
        if not self._enabled:
            return {}
        await self._loaded()
        from .rules import kinds

        return await self._read(offload.size(values), lambda: kinds(values, emails=self._emails, own=self._own))

    @contextmanager
    def counting(self) -> Iterator[Mapping[str, int]]:
        """Count the secrets redacted within the block, by kind, whichever service has them redacted."""
        taken: Counter[str] = Counter()
        token = _TAKEN.set(taken)
        try:
            yield taken
        finally:
            _TAKEN.reset(token)

    async def _loaded(self) -> None:
        """Load the rules in a thread, on first use."""
        if not self._is_loaded:
            await asyncio.to_thread(importlib.import_module, ".rules", __package__)
            self._is_loaded = True

    async def _read(self, chars: int, work: Callable[[], T]) -> T:
        if chars <= offload.READ_AT_ONCE_CHARS:
            return work()
        async with self._reading:
            return await asyncio.to_thread(work)

    def _count(self, kinds: Mapping[str, int]) -> None:
        taken = _TAKEN.get()
        if taken is not None:
            taken.update(kinds)
