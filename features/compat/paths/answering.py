"""A route of another system as an operation: a function over the services, with the rights of the tools."""

from typing import Any

from pydantic import BaseModel, TypeAdapter

from ....interfaces.http.rest.operations import OfTool, OperationAnswer, OperationRequest
from ....tools.bound import BoundTool
from ....tools.tool import Tool
from .reply import CompatReply


class Answering(OfTool):
    """A function over the services that answers as another system does.

    It is bound as a tool is: who calls is told by the credential alone, what the call names must be open to them, and
    what quotes a secret is told without it.
    """

    def __init__(self, system: str, tool: Tool) -> None:
        super().__init__(BoundTool(tool))
        self._system = system
        self.result = TypeAdapter(Any)

    @property
    def model(self) -> type[BaseModel]:
        """The arguments, by the names that the other system has for them."""
        return self._bound.model

    async def run(self, asked: OperationRequest, given: dict[str, Any]) -> OperationAnswer:
        """Call the function. Raises AgentOSError."""
        ran = await self._bound.run(asked.behind.agentos, asked.caller, self._system, given)
        assert isinstance(ran.result, CompatReply), "what answers a route returns its body"
        dumped = self._bound.result.dump_python(ran.result, mode="json")
        _, body = await ran.without_echoes("", dumped)
        ran.note("")
        return OperationAnswer(body["content"])
