"""Tools of CrewAI: a crew whose model is scripted remembers with them, and finds it again."""

from typing import Any

from agentos_sdk import Client
from agentos_sdk.crewai import memory_tools
from crewai import Agent, BaseLLM, Crew, Task


class Scripted(BaseLLM):
    """A model that acts in words, as CrewAI asks models without function calling to."""

    def __init__(self, *answers: str) -> None:
        super().__init__(model="scripted")
        self._answers = list(answers)

    def call(self, messages: Any, *_: Any, **__: Any) -> str:
        self._last = str(messages)
        return self._answers.pop(0)

    def supports_function_calling(self) -> bool:
        return False


with Client() as client:
    search, remember = memory_tools(client)
    assert remember.run(content="Ola keeps bees.").startswith("Kept: mem_")
    assert "Ola keeps bees." in search.run(query="What does Ola keep?")
    assert [tool.name for tool in memory_tools(client, read_only=True)] == ["search_memory"]

    model = Scripted(
        'Thought: I keep it.\nAction: remember\nAction Input: {"content": "Maria deploys on Tuesdays."}',
        "Thought: I now know the final answer\nFinal Answer: Kept.",
    )
    agent = Agent(role="clerk", goal="keep facts", backstory="", llm=model, tools=memory_tools(client))
    task = Task(description="Remember when Maria deploys: Tuesdays.", expected_output="a word", agent=agent)
    assert str(Crew(agents=[agent], tasks=[task]).kickoff()) == "Kept."
    assert "Maria deploys on Tuesdays." in search.run(query="When does Maria deploy?")
