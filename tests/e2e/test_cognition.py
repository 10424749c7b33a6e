"""A context that is compiled for the official client: what was said, in the parts that were asked for."""

import json
from typing import Any

from mcp import Client

from agentos.modules.context.tokens import estimate


async def test_a_context_is_compiled_for_the_official_client(shared_connect: Any) -> None:
    client: Client
    async with shared_connect("auto", {"AGENTOS_TOOLSETS": "context,turns"}) as client:

        async def call(tool: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
            result = await client.call_tool(tool, arguments)
            assert not result.is_error, result
            assert isinstance(result.structured_content, dict)
            return result.content[0].text, result.structured_content  # type: ignore[union-attr]

        await call("turn_add", session="s", content="Deploys must be approved by Maria.", answer="Understood.")
        await call("memory_store", content="The user prefers short answers with code.", memory_type="semantic")
        text, context = await call(
            "context_compile",
            query="Should I deploy today?",
            session="s",
            max_tokens=500,
            style="short",
            relationship="a colleague",
        )
        assert all(one in text and one in str(context["hints"]) for one in ('"short"', '"a colleague"'))
        parts = {part["name"]: [entry["text"] for entry in part["entries"]] for part in context["parts"]}
        assert parts["recent_turns"] == ["Deploys must be approved by Maria.", "Understood."]
        assert parts["preferences"] == ["The user prefers short answers with code."]
        assert max(estimate(text), estimate(json.dumps(context, ensure_ascii=False, separators=(",", ":")))) <= 500
        _, state = await call("context_compile", query="deploy", preset="task_state")
        assert [part["name"] for part in state["parts"]] == [
            *("facts", "constraints", "actions", "questions", "evidence"),
        ]
        refused = await client.call_tool("context_compile", {"query": "x", "preset": "poem"})
        assert refused.is_error and "preset" in refused.content[0].text  # type: ignore[union-attr]
