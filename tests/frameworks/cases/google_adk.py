"""A memory service of Google ADK: a session is stored once though it is added twice, and found by its user alone."""

import asyncio

from agentos_sdk import AsyncClient
from agentos_sdk.google_adk import AgentOSMemoryService
from google.adk.events import Event
from google.adk.sessions import Session
from google.genai import types


def event(author: str, *parts: types.Part, at: float) -> Event:
    return Event(author=author, content=types.Content(role="user", parts=list(parts)), timestamp=at)


async def main() -> None:
    async with AsyncClient() as client:
        service = AgentOSMemoryService(client, namespace=lambda app, user: f"{user}")
        session = Session(
            id="s1",
            app_name="app",
            user_id="maria",
            events=[
                event("user", types.Part(text="I deploy on Tuesdays."), at=1_750_000_000.0),
                event("helper", types.Part(function_call=types.FunctionCall(name="f", args={})), at=1_750_000_001.0),
                event("helper", types.Part(text="Noted."), at=1_750_000_002.0),
            ],
        )
        await service.add_session_to_memory(session)
        await service.add_session_to_memory(session)
        turns = await client.with_options(namespace="maria").turns.window("s1")
        assert [(one["role"], one["text"]) for one in turns["results"]] == [
            ("user", "I deploy on Tuesdays."),
            ("assistant", "Noted."),
        ], turns
        found = await service.search_memory(app_name="app", user_id="maria", query="When do I deploy?")
        texts = [one.content.parts[0].text for one in found.memories]
        assert any("Tuesdays" in text for text in texts), found
        assert (await client.search("When do I deploy?"))["results"] == []


asyncio.run(main())
