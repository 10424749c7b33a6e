"""Checks of a language model's server: whether it may be asked and, in depth, whether it answers."""

import asyncio

from ...modules.health.models import Check, Finding, Severity, ok
from ...modules.language.ports import LanguageError
from .remote import URL_SETTING, LanguageServer, RemoteLanguageModel

INSTRUCTION, TEXT = "Answer with the word yes.", "Do you answer?"
TOKENS = 200


class LanguageChecks:
    """The checks of one server. Nothing is sent to it unless the examination is `deep`."""

    def __init__(self, server: LanguageServer, *, offline: bool, timeout_s: float, deep: bool) -> None:
        self._server = server
        self._offline = offline
        self._timeout_s = timeout_s
        self._deep = deep

    def checks(self) -> list[Check]:
        """Return the checks, in order."""
        found = [Check("language.settings", self._look_at_settings)]
        if self._deep:
            found.append(Check("language.answers", self._ask, ("language.settings",)))
        return found

    def _look_at_settings(self) -> Finding:
        """Check that the settings allow asking the server."""
        problem = self._server.why_not(offline=self._offline)
        if problem is None:
            return ok(f"{self._server.model} is served at {self._server.base}", server=self._server.base)
        message, _, remedy = problem.partition(": ")
        return Finding(Severity.WARNING, f"{message}; rules are used instead", remedy, blocks=True)

    def _ask(self) -> Finding:
        """Check that the server answers."""
        try:
            answer = asyncio.run(self._answer())
        except LanguageError as error:
            return Finding(Severity.WARNING, str(error), f"start the server that {URL_SETTING} names, or correct it")
        return ok(f"it answered with {len(answer)} characters")

    async def _answer(self) -> str:
        model = RemoteLanguageModel(self._server, offline=self._offline, timeout_s=self._timeout_s)
        try:
            return await model.complete(INSTRUCTION, TEXT, TOKENS)
        finally:
            await model.close()
