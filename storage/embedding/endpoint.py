"""An embedding server with the OpenAI-compatible HTTP API: its address, and one request to it."""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from ...modules.records import dataclass
from .. import outside
from .locate import SETTING, EmbeddingUnavailable

if TYPE_CHECKING:
    from httpx2 import AsyncClient

URL_SETTING = "AGENTOS_EMBEDDING_URL"
KEY_SETTING = "AGENTOS_EMBEDDING_API_KEY"
REQUEST_S = 30.0
"""How long a request may take until its answer is complete."""
ANSWER_BYTES_MAX = 64 * 1024 * 1024
DIMENSION_MAX = 16_384
_ABOUT_THE_TEXT = frozenset({400, 413, 422})


class ServerFailed(EmbeddingUnavailable):
    """The server cannot be reached, or answers that it cannot serve just now; the same request may work later."""


class ServerRefuses(EmbeddingUnavailable):
    """The server does not serve us, or does not send the vectors asked for; trying again does not help."""


class TextRefused(ValueError):
    """The server refuses these texts as they are; other texts may be accepted."""


@dataclass(frozen=True)
class Endpoint:
    """A server's base URL (`…/v1`), the requested model, and the key, which is sent to no one else."""

    url: str
    model: str
    api_key: str = field(default="", repr=False)

    @property
    def is_local(self) -> bool:
        """Return whether requests to it stay on this machine."""
        return outside.is_local(self.url)

    @property
    def name(self) -> str:
        """The name of model and server, without the key."""
        digest = hashlib.sha256(f"{self.url}\n{self.model}".encode()).hexdigest()
        return f"{self.model}@{digest[:12]}"

    def fingerprint(self, dimension: int) -> str:
        """Return the name of the vectors' origin: the server, its model and how many values it gives."""
        return f"{self.name}:{dimension}"

    def why_not(self, *, offline: bool) -> str | None:
        """Return why the server may not be asked, with the remedy; None if it may."""
        return outside.why_not(self.url, URL_SETTING, offline=offline)


def open_client(endpoint: Endpoint) -> AsyncClient:
    """Return a client for requests to one server, with its key."""
    headers = {"Authorization": f"Bearer {endpoint.api_key}"} if endpoint.api_key else {}
    return outside.open_client(endpoint.url, headers, REQUEST_S)


async def request_vectors(
    client: AsyncClient, endpoint: Endpoint, texts: Sequence[str], dimension: int | None, timeout_s: float
) -> list[bytes]:
    """Request vectors once; return a unit vector per text, in order, float32, little-endian.

    Raises ServerFailed, ServerRefuses (also when vectors have not `dimension` values, unless that is None yet), and
    TextRefused.
    """
    content = {"model": endpoint.model, "input": texts}
    try:
        status, body = await outside.post(client, f"{endpoint.url}/embeddings", content, timeout_s, ANSWER_BYTES_MAX)
    except outside.NoAnswer as error:
        raise ServerFailed(f"the embedding server {error}") from None
    except outside.EndlessAnswer:
        raise ServerRefuses("the embedding server's answer does not end") from None
    _check_status(status)
    return await asyncio.to_thread(unit_vectors, body, len(texts), dimension)


def _check_status(status: int) -> None:
    """Raise ServerFailed, TextRefused or ServerRefuses unless the status is 200.

    The message has only the number: a server's own words may repeat the key, or address the model that reads them.
    """
    if status == 200:
        return
    if outside.passes(status):
        raise ServerFailed(f"the embedding server answers {status}; it will be retried later")
    if status in _ABOUT_THE_TEXT:
        raise TextRefused(f"the embedding server refuses the text ({status})")
    remedy = f"check {KEY_SETTING}" if status in (401, 403) else f"check {URL_SETTING} and {SETTING}"
    raise ServerRefuses(f"the embedding server answers {status}: {remedy}")


def unit_vectors(body: bytes, count: int, dimension: int | None) -> list[bytes]:
    """Return the vectors of an answer in the order of the texts, each scaled to length 1. Blocks: parses megabytes.

    Raises ServerRefuses when the answer is not `count` vectors of numbers, of the same `dimension`.
    """
    import numpy as np

    rows = _rows(body, count)
    size = dimension if dimension is not None else len(rows[0])
    if not 0 < size <= DIMENSION_MAX:
        raise ServerRefuses(f"the embedding server returns vectors of {size} values")
    if lengths := {len(row) for row in rows} - {size}:
        raise ServerRefuses(
            f"the embedding server returns vectors of {min(lengths)} values instead of {size}: if its model was "
            "changed on purpose, restart AgentOS"
        )
    with np.errstate(over="ignore"):
        array = np.asarray(rows, dtype=np.float64)
        norms = np.linalg.norm(array, axis=1, keepdims=True)
    if not (np.isfinite(norms).all() and norms.all()):
        raise ServerRefuses("the embedding server returns zero vectors")
    return [row.tobytes() for row in (array / norms).astype("<f4")]


def _rows(body: bytes, count: int) -> list[list[float]]:
    """Return the lists of numbers in an answer, in the order of the texts. Raises ServerRefuses."""
    try:
        items = json.loads(body)["data"]
        placed = sorted((item.get("index", place), item["embedding"]) for place, item in enumerate(items))
        rows = [row for _, row in placed]
        if [place for place, _ in placed] != list(range(count)):
            raise ServerRefuses(f"the embedding server gives {len(rows)} vectors for {count} texts, or duplicates")
        for row in rows:
            if not isinstance(row, list) or not all(type(value) in (int, float) for value in row):
                raise ServerRefuses("the embedding server returns vectors that are not lists of numbers")
            if not all(map(math.isfinite, row)):
                raise ServerRefuses("the embedding server returns vectors that are not finite")
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        message = f"what answers at {URL_SETTING} does not speak the OpenAI-compatible embeddings API"
        raise ServerRefuses(message) from None
    return rows
