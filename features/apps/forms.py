"""The forms: a question that an answer leaves open, put to the user by a client that can; the answer is a plain call.

Whatever comes back is no more than the agent could say itself: a client may answer by itself, and is not the user.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from ...modules.agentos import AgentOS
from ...modules.errors import InvalidInput, NotFound
from ...modules.framing import quote
from ...modules.memory.models import HIDDEN
from ...modules.memory.questions import Question
from ...modules.records import dataclass
from ...modules.views.questions import open_questions

MOST_AT_ONCE = 3
"""The most forms about one answer."""
ANSWER = "answer"
BOTH, REPLACED = "both hold", "the newer replaces the older"
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {ANSWER: {"type": "string", "title": "Which is so?", "enum": [BOTH, REPLACED]}},
    "required": [ANSWER],
}
LIST, SNAPSHOT = "memory_questions", "context_get_snapshot"


@dataclass(frozen=True)
class Form:
    """A question whether a newer memory replaces an older one, as a client shows it."""

    namespace: str
    pair: tuple[str, str]
    message: str
    confirmed: int
    """How often the older one had been confirmed: whoever settles that both hold confirms it."""

    @property
    def params(self) -> dict[str, Any]:
        """The parameters of the request that asks it."""
        return {"message": self.message, "requestedSchema": SCHEMA}

    def settles(self, result: object) -> dict[str, Any] | None:
        """Return the arguments of the call of memory_feedback that an answer stands for; None for no call."""
        if not isinstance(result, dict) or result.get("action") != "accept":
            return None
        content = result.get("content")
        chosen = content.get(ANSWER) if isinstance(content, dict) else None
        older, newer = self.pair
        given = {"memory_id": older, "agent_id": self.namespace}
        if chosen == REPLACED:
            return {**given, "verdict": "supersede", "by": newer}
        return {**given, "verdict": "confirm"} if chosen == BOTH else None


class Forms:
    """Finds what may be asked about an answer."""

    async def about(
        self, agentos: AgentOS, namespace: str, tool: str, given: Mapping[str, Any], structured: Mapping[str, Any]
    ) -> Sequence[Form]:
        """Return the forms about the structured answer of a tool in a namespace, at most MOST_AT_ONCE.

        They ask what a store, or a list that is to `ask`, names as open; a memory that looks like an instruction is not
        shown to anybody, and what was settled meanwhile is not asked.
        """
        return await self._of(agentos, namespace, _pairs(tool, given, structured)[:MOST_AT_ONCE])

    async def is_open(self, agentos: AgentOS, form: Any) -> bool:
        """Return whether what a form asks is still open, and reads as it did."""
        return form in await self._of(agentos, form.namespace, [form.pair])

    async def _of(self, agentos: AgentOS, namespace: str, pairs: Sequence[tuple[str, str]]) -> list[Form]:
        found = [await self._question(agentos, namespace, *pair) for pair in pairs]
        questions = [one for one in found if one is not None]
        confirmed = {one.older.id: one.older.confirmations for one in questions}
        return [
            Form(namespace, (one.id, one.by), _message(one.content, one.newer), confirmed[one.id])
            for one in await open_questions(questions)
        ]

    async def _question(self, agentos: AgentOS, namespace: str, older: str, newer: str) -> Question | None:
        try:
            names = [await agentos.abbreviations.expand(namespace, "memory_id", name) for name in (older, newer)]
            (one, _), (other, _) = await asyncio.gather(*(agentos.memory.get(namespace, name) for name in names))
        except (InvalidInput, NotFound):  # it is gone, or its short name has become that of several
            return None
        is_open = one.valid_to is None and other.valid_to is None and not {one.status, other.status} & {*HIDDEN}
        return Question(one, other) if is_open else None


def _pairs(tool: str, given: Mapping[str, Any], structured: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the ids of older and newer memories that an answer asks about."""
    if tool == SNAPSHOT or (tool == LIST and not given.get("ask")):
        return []
    if tool == LIST:
        return [(one["older"]["id"], one["newer"]["id"]) for one in structured.get("questions", ())]
    late = [(one["id"], one["by"]) for one in structured.get("questions", ()) if "by" in one]
    return [(one["id"], structured["id"]) for one in structured.get("may_replace", ())] + late


def _message(older: str, newer: str) -> str:
    return (
        "AgentOS remembers two statements about what may be the same thing.\n"
        f"Older: {quote(older)}\nNewer: {quote(newer)}\nDoes the newer one replace the older one?"
    )
