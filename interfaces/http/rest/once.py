"""Idempotency keys: a request that is sent again gets the answer of the first, while the server runs.

Only what changes something and tells no secret is kept, for the credential that it was told to, and while that has the
rights that it had then. Answers live in memory: what is erased from the store must not stay in kept answers. That a
request came is kept in the store, with its first change, so that after a restart it changes nothing twice: what can be
done again answers with what is there, and the rest is refused.
"""

import asyncio
import re
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import field

from starlette.responses import Response

from ....modules.errors import InvalidInput
from ....modules.principals.models import Caller, RequestKey
from ....modules.records import dataclass
from ..problems import Problem

HEADER = "idempotency-key"
LASTS_S = 24 * 3600.0
MOST = 10_000
MOST_BYTES = 16 * 2**20
_KEY = re.compile(r"[\x21-\x7e]{1,200}")


@dataclass(frozen=True)
class Asker:
    """A credential, by its digest, and the caller that it stands for."""

    credential: str
    caller: Caller

    def has_rights_of(self, before: Caller) -> bool:
        """Return whether nothing was taken from the caller since."""
        now = self.caller
        return (
            (now.principal, now.role, now.default) == (before.principal, before.role, before.default)
            and (now.namespaces is None or before.namespaces is not None)
            and all((now.right_over(one) or 0) >= (before.right_over(one) or 0) for one in before.namespaces or ())
            and all(tags <= now.tagged.get(one, frozenset()) for one, tags in before.tagged.items())
        )


@dataclass
class _Entry:
    digest: bytes
    caller: Caller
    at: float
    answer: "asyncio.Future[Response]" = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    @property
    def size(self) -> int:
        return len(self.answer.result().body) if self.answer.done() else 0


class Once:
    """The answers that are kept, by credential and key."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._entries: OrderedDict[tuple[str, str], _Entry] = OrderedDict()

    async def answer(self, asker: Asker, request: RequestKey, work: Callable[[], Awaitable[Response]]) -> Response:
        """Return what `work` answers, or what it answered before to the same key; a failure is not kept.

        Raises InvalidInput; Problem where the key came with another request.
        """
        if not _KEY.fullmatch(request.key):
            raise InvalidInput("Idempotency-Key", "must be 1 to 200 ASCII characters without spaces")
        self._tidy_up()
        place = (asker.credential, request.key)
        known = self._entries.get(place)
        if known is not None and asker.has_rights_of(known.caller):
            if known.digest != request.digest:
                raise Problem("conflict", "this Idempotency-Key was used with another request; use a new key")
            return _again(await asyncio.shield(known.answer))
        entry = self._entries[place] = _Entry(request.digest, asker.caller, self._clock())
        try:
            response = await work()
        except BaseException as error:
            if self._entries.get(place) is entry:
                del self._entries[place]
            failure = (
                error
                if isinstance(error, Exception)
                else Problem("conflict", "the first request was interrupted; send it again")
            )
            entry.answer.set_exception(failure)
            entry.answer.exception()  # nobody may be waiting for it
            raise
        entry.answer.set_result(response)
        return response

    def _tidy_up(self) -> None:
        """Drop what is old, and the oldest while there is too much."""
        size = sum(one.size for one in self._entries.values()) if len(self._entries) % 100 == 99 else 0
        while self._entries:
            first = next(iter(self._entries.values()))
            is_old = self._clock() - first.at > LASTS_S
            if not (is_old or size > MOST_BYTES or len(self._entries) >= MOST):
                return
            size -= first.size
            self._entries.popitem(last=False)


def _again(response: Response) -> Response:
    etag = {"etag": response.headers["etag"]} if "etag" in response.headers else {}
    headers = {**etag, "idempotent-replayed": "true"}
    return Response(response.body, response.status_code, headers, response.media_type)
