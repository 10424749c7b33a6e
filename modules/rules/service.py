"""The rules of a namespace: which hold, and what they say of a tool that is about to run."""

import json

from .. import offload
from ..context import lessons
from ..memory.service import MemoryService
from ..records import dataclass
from .policy import MAX_RULE_CHARS, PolicyFinding, Rule, judged_tool

MAX_RULES = 200


@dataclass(frozen=True)
class RuleService:
    """The rules in the memories of one store."""

    memory: MemoryService

    async def confirmed(self, namespace: str) -> list[Rule]:
        """Return the rules that a person made or confirmed, and no other."""
        confirmed = await self.memory.vouched(namespace, lessons.TAG)
        ranked = sorted(confirmed, key=lessons.rank)[:MAX_RULES]
        return [Rule(memory.id, memory.content[:MAX_RULE_CHARS]) for memory in ranked]

    async def before_tool(self, namespace: str, given: object) -> PolicyFinding:
        """Return what the rules say of the commands that a tool is given."""
        rules = await self.confirmed(namespace)
        if not rules:
            return PolicyFinding()
        text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
        return await offload.read(len(text), judged_tool, text, rules)
