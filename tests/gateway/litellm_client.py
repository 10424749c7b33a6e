"""litellm as a client of the gateway, in an environment of its own: `python litellm_client.py OPENAI ANTHROPIC`.

Prints what it was answered, one line of JSON for each way to ask.
"""

import asyncio
import json
import sys
from typing import Any

import litellm

ASKED = [{"role": "user", "content": "Which port does our staging database listen on?"}]
TOOLS = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}]


async def ask(model: str, base: str) -> dict[str, Any]:
    """Ask each way."""
    given: dict[str, Any] = {"model": model, "api_base": base, "api_key": "sk-own", "messages": ASKED, "max_tokens": 9}
    plain = litellm.completion(**given)
    awaited = await litellm.acompletion(**given, tools=TOOLS)
    streamed = ""
    async for event in await litellm.acompletion(**given, stream=True):
        streamed += event.choices[0].delta.content or ""
    in_turn = "".join(event.choices[0].delta.content or "" for event in litellm.completion(**given, stream=True))
    texts = [plain.choices[0].message.content, awaited.choices[0].message.content, streamed, in_turn]
    calls = [one.function.name for one in awaited.choices[0].message.tool_calls or ()]
    return {"texts": texts, "calls": calls, "tokens": plain.usage.completion_tokens}


def main() -> None:
    """Ask in both dialects."""
    openai, anthropic = sys.argv[1:]
    for model, base in (("openai/gpt-4o", openai), ("anthropic/claude-sonnet-4-5", anthropic)):
        sys.stdout.write(json.dumps(asyncio.run(ask(model, base))) + "\n")


if __name__ == "__main__":
    main()
