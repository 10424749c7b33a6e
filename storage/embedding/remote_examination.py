"""Checks of an embedding server: whether it may be asked, made the stored vectors and, in depth, answers."""

import asyncio

from ...modules.health.models import Check, Finding, Severity, ok
from .endpoint import URL_SETTING, Endpoint
from .examination import TEXT, Generations, judged
from .locate import EmbeddingUnavailable
from .remote import RemoteEmbedder


class ServerChecks:
    """The checks of one server. Nothing is sent to it unless the examination is `deep`."""

    def __init__(self, endpoint: Endpoint, generations: Generations, *, offline: bool, deep: bool) -> None:
        self._endpoint = endpoint
        self._generations = generations
        self._offline = offline
        self._deep = deep

    def checks(self) -> list[Check]:
        """Return the checks, in order, under the names of those of a local model."""
        found = [Check("model.found", self._look_at_settings)]
        found.append(Check("model.vectors", self._look_at_vectors, ("model.found", "database.schema")))
        if self._deep:
            found.append(Check("model.loads", self._ask, ("model.found",)))
        return found

    def _look_at_settings(self) -> Finding:
        """Check that the settings allow asking the server."""
        problem = self._endpoint.why_not(offline=self._offline)
        if problem is None:
            return ok(f"{self._endpoint.model} is served at {self._endpoint.url}", server=self._endpoint.url)
        message, _, remedy = problem.partition(": ")
        return Finding(Severity.WARNING, f"{message}; search uses words only", remedy, blocks=True)

    def _look_at_vectors(self) -> Finding:
        """Check that the vectors in the store are of this server and model."""
        return judged(self._generations(), lambda name: name.startswith(f"{self._endpoint.name}:"))

    def _ask(self) -> Finding:
        """Check that it embeds a text."""
        try:
            dimension = asyncio.run(self._dimension())
        except EmbeddingUnavailable as error:
            return Finding(Severity.WARNING, str(error), f"start the server that {URL_SETTING} names, or correct it")
        return ok(f"it embeds a text with {dimension} values", dimension=dimension)

    async def _dimension(self) -> int:
        embedder = RemoteEmbedder(self._endpoint, offline=self._offline)
        try:
            await embedder.encode([TEXT])
            return embedder.dimension
        finally:
            await embedder.aclose()
