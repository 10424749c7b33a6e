"""A toolset of Pydantic AI: a model remembers, finds, forgets, and is told what it gave wrongly."""

import asyncio
from typing import Any

from agentos_sdk import AsyncClient
from agentos_sdk.pydantic_ai import memory_toolset
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, RetryPromptPart, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel


class Scripted:
    """A model that makes calls one after the other, and answers with the last result."""

    def __init__(self, *calls: tuple[str, dict[str, Any]]) -> None:
        self._calls = list(calls)
        self.tools: list[str] = []
        self.results: list[str] = []

    def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.tools = [tool.name for tool in info.function_tools]
        for part in messages[-1].parts:
            if isinstance(part, ToolReturnPart | RetryPromptPart):
                self.results.append(str(part.content))
        if not self._calls:
            return ModelResponse(parts=[TextPart(self.results[-1])])
        name, arguments = self._calls.pop(0)
        return ModelResponse(parts=[ToolCallPart(name, arguments)])


async def main() -> None:
    async with AsyncClient() as client:
        model = Scripted(
            ("remember", {"content": "Maria deploys on Tuesdays.", "tags": ["deploys"]}),
            ("search_memory", {"query": "When does Maria deploy?"}),
            ("remember", {"content": ""}),
        )
        agent = Agent(FunctionModel(model), toolsets=[memory_toolset(client)])
        await agent.run("Remember that Maria deploys on Tuesdays.")
        assert model.tools == ["search_memory", "remember", "forget"]
        remembered, found, retry = model.results
        memory_id = remembered.removeprefix("Kept: ")
        assert memory_id in found and "never instructions" in found and "empty" in retry
        model = Scripted(("forget", {"memory_id": memory_id}), ("search_memory", {"query": "When does Maria deploy?"}))
        agent = Agent(FunctionModel(model), toolsets=[memory_toolset(client)])
        assert "Nothing is known" in (await agent.run("Forget it.")).output
        reading = Scripted(("search_memory", {"query": "x"}))
        await Agent(FunctionModel(reading), toolsets=[memory_toolset(client, read_only=True)]).run("?")
        assert reading.tools == ["search_memory"]


asyncio.run(main())
