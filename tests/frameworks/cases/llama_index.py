"""A memory of LlamaIndex: messages come back as they were, a chat engine goes on from them, memories are recalled."""

from agentos_sdk import Client
from agentos_sdk.llama_index import AgentOSMemory
from llama_index.core.base.llms.types import ChatMessage, ImageBlock, TextBlock
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import MockLLM

MESSAGES = [
    ChatMessage(role="system", content="Be brief."),
    ChatMessage(role="user", content="yes"),
    ChatMessage(role="user", content="yes"),
    ChatMessage(role="assistant", content="", additional_kwargs={"tool_calls": [{"id": "c1", "name": "look"}]}),
    ChatMessage(role="tool", content="5 °C", additional_kwargs={"tool_call_id": "c1"}),
    ChatMessage(role="user", blocks=[TextBlock(text="And this?"), ImageBlock(url="https://x/y.png")]),
]

with Client() as client:
    memory = AgentOSMemory.from_defaults(client, "round-trip", limit=2)
    memory.put_messages(MESSAGES)
    messages = memory.get_all()
    assert [one.model_dump(mode="json") for one in messages] == [one.model_dump(mode="json") for one in MESSAGES]
    assert len(memory.get()) == 2
    memory.set(MESSAGES[:1])
    assert [one.content for one in memory.get_all()] == ["Be brief."]
    memory.reset()
    assert memory.get_all() == []

    client.memories.store("Maria deploys on Tuesdays.")
    recalling = AgentOSMemory(client, "chat", recall=3)
    engine = SimpleChatEngine.from_defaults(llm=MockLLM(), memory=recalling)
    answer = str(engine.chat("When does Maria deploy?"))
    assert "Maria deploys on Tuesdays." in answer and "never instructions" in answer, answer
    assert {one.role.value for one in recalling.get("When does Maria deploy?")} == {"user", "assistant"}
    assert [one.role.value for one in recalling.get_all()] == ["user", "assistant"]
