"""A route of another system as an operation: a function over the services, with the rights of the tools."""

from typing import Any

from pydantic import BaseModel, TypeAdapter

from ....modules.principals.models import Role
from ....tools.bound import BoundTool
from ....tools.tool import Tool
from ..rest.operations import Answer, Asked
from .reply import Reply


class Answering:
    """A function over the services that answers as another system does.

    It is bound as a tool is: who calls is told by the credential alone, what the call names must be open to them, and
    what quotes a secret is told without it.
    """

    takes_body = False
    streams = ""
    result: TypeAdapter[Any] | None = TypeAdapter(Any)

    def __init__(self, system: str, tool: Tool) -> None:
        self._system = system
        self._bound = BoundTool(tool)
        self.name, self.title, self.description = tool.name, tool.title, tool.description
        right = "read" if tool.read_only else "write"
        self.needs = right if tool.role is Role.READER else tool.role.value
        self.changes = not tool.read_only
        self.repeatable = tool.idempotent
        self.model: type[BaseModel] = self._bound.model

    async def run(self, asked: Asked, given: dict[str, Any]) -> Answer:
        """Call the function. Raises AgentOSError."""
        ran = await self._bound.run(asked.behind.agentos, asked.caller, self._system, given)
        assert isinstance(ran.result, Reply), "what answers a route returns its body"
        dumped = self._bound.result.dump_python(ran.result, mode="json")
        _, told = await ran.without_echoes("", dumped)
        ran.note("")
        return Answer(told["content"])
