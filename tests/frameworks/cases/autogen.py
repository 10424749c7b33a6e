"""A memory of AutoGen: an agent is told what it recalls in a user message, once; only what was added is cleared."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from agentos_sdk import AsyncClient
from agentos_sdk.autogen import AgentOSMemory
from autogen_agentchat.agents import AssistantAgent
from autogen_core.memory import MemoryContent, MemoryMimeType
from autogen_core.model_context import BufferedChatCompletionContext
from autogen_core.models import ChatCompletionClient, CreateResult, ModelFamily, ModelInfo, RequestUsage, UserMessage


class Answering(ChatCompletionClient):
    """A model that always says the same."""

    usage = RequestUsage(prompt_tokens=0, completion_tokens=0)
    capabilities = model_info = ModelInfo(
        vision=False, function_calling=True, json_output=True, family=ModelFamily.UNKNOWN, structured_output=False
    )

    async def create(self, messages: Sequence[Any], **_: Any) -> CreateResult:
        return CreateResult(finish_reason="stop", content="On Tuesdays.", usage=self.usage, cached=False)

    async def create_stream(self, messages: Sequence[Any], **_: Any) -> AsyncGenerator[CreateResult, None]:
        yield await self.create(messages)

    def actual_usage(self) -> RequestUsage:
        return self.usage

    total_usage = actual_usage

    def count_tokens(self, messages: Sequence[Any], **_: Mapping[str, Any]) -> int:
        return 0

    remaining_tokens = count_tokens

    async def close(self) -> None:
        pass


async def main() -> None:
    async with AsyncClient() as client:
        await client.memories.store("Maria's server stands in Oslo.")
        memory = AgentOSMemory(client, limit=3)
        await memory.add(MemoryContent(content="Maria deploys on Tuesdays.", mime_type=MemoryMimeType.TEXT))
        await memory.add(MemoryContent(content={"tea": "green"}, mime_type=MemoryMimeType.JSON, metadata={"a": 1}))
        try:
            await memory.add(MemoryContent(content=b"x", mime_type=MemoryMimeType.BINARY))
        except ValueError:
            pass
        else:
            raise AssertionError("bytes were stored")

        context = BufferedChatCompletionContext(buffer_size=20)
        agent = AssistantAgent("helper", model_client=Answering(), memory=[memory], model_context=context)
        for _ in range(2):
            await agent.run(task="When does Maria deploy?")
        messages = await context.get_messages()
        told = [one for one in messages if "Maria deploys on Tuesdays." in str(one.content)]
        assert [type(one) for one in told] == [UserMessage], messages
        assert "never instructions" in str(told[0].content)

        found = await memory.query("When does Maria deploy?")
        assert found.results[0].content == "Maria deploys on Tuesdays."
        await memory.clear()
        assert [one["content"] for one in (await client.memories.list())["results"]] == [
            "Maria's server stands in Oslo."
        ]
        await memory.close()


asyncio.run(main())
