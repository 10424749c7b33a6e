"""A session of the OpenAI Agents SDK: a run with a tool is kept, the next run sees it, and items can be taken back."""

import asyncio
from typing import Any

from agentos_sdk import AsyncClient
from agentos_sdk.openai_agents import AgentOSSession
from agents import Agent, ModelResponse, Runner, SessionSettings, Usage, function_tool, set_tracing_disabled
from agents.models.interface import Model
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText


class Scripted(Model):
    """A model that calls the tool, answers, and keeps what it was given."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> ModelResponse:
        self.seen.append(input)
        wants_tool = input[-1].get("role") == "user" and len(self.seen) == 1
        text = ResponseOutputText(text="Sunny.", type="output_text", annotations=[])
        output: Any = (
            ResponseFunctionToolCall(name="weather", arguments='{"city": "Oslo"}', call_id="c1", type="function_call")
            if wants_tool
            else ResponseOutputMessage(id="m1", content=[text], role="assistant", status="completed", type="message")
        )
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


@function_tool
def weather(city: str) -> str:
    return f"{city}: sunny"


async def main() -> None:
    set_tracing_disabled(True)
    model = Scripted()
    agent = Agent(name="a", model=model, tools=[weather])
    async with AsyncClient() as client:
        session = AgentOSSession(client, "chat")
        first = await Runner.run(agent, "How is Oslo?", session=session)
        assert first.final_output == "Sunny."
        kinds = [item.get("type", item.get("role")) for item in await session.get_items()]
        assert kinds == ["user", "function_call", "function_call_output", "message"], kinds
        await Runner.run(agent, "And tomorrow?", session=AgentOSSession(client, "chat"))
        assert [item.get("content") for item in model.seen[-1] if item.get("role") == "user"] == [
            "How is Oslo?",
            "And tomorrow?",
        ]
        assert (await client.search("Oslo weather"))["results"]
        items = await session.get_items()
        assert await session.get_items(2) == items[-2:] and await session.get_items(0) == []
        limited = AgentOSSession(client, "chat", session_settings=SessionSettings(limit=1))
        assert await limited.get_items() == items[-1:]
        assert await session.pop_item() == items[-1] and await session.get_items() == items[:-1]
        await session.add_items([{"role": "user", "content": "Oslo?"}, {"role": "user", "content": "Oslo?"}])
        assert len(await session.get_items()) == len(items) + 1
        await session.clear_session()
        assert await session.get_items() == [] and await session.pop_item() is None


asyncio.run(main())
