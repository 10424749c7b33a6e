"""Caches of prompts as providers keep them: of every beginning, or up to the marks of a request."""

import json
from typing import Any

LOOKED_BACK = 20
"""How many blocks before a mark a provider looks for what it has kept."""


class PromptCache:
    """Counts the characters of prompts, and how many of them, from the beginning, were kept.

    A request with marks (`cache_control`) reads and writes at these alone; any other reads the longest beginning that
    an earlier one had.
    """

    def __init__(self) -> None:
        self._prompts: list[str] = []
        self._cached: set[str] = set()

    def clear(self) -> None:
        """Forget everything."""
        self._prompts.clear()
        self._cached.clear()

    def read(self, body: dict[str, Any]) -> tuple[int, int]:
        """Return the length of a prompt, and how much of it was kept; keep it."""
        blocks = list(_blocks(body))
        if any(marked for _, marked in blocks):
            return self._read_marked(blocks)
        prompt = "\n".join(text for text, _ in blocks)
        cached = max((_common(prompt, one) for one in self._prompts), default=0)
        self._prompts.append(prompt)
        return len(prompt), cached

    def _read_marked(self, blocks: list[tuple[str, bool]]) -> tuple[int, int]:
        beginnings = ["\n".join(text for text, _ in blocks[: n + 1]) for n in range(len(blocks))]
        marks = [n for n, (_, marked) in enumerate(blocks) if marked]
        sought = {n for mark in marks for n in range(max(0, mark - LOOKED_BACK), mark + 1)}
        cached = max((len(beginnings[n]) for n in sought if beginnings[n] in self._cached), default=0)
        self._cached.update(beginnings[mark] for mark in marks)
        return len(beginnings[-1]), cached


def _blocks(body: dict[str, Any]) -> list[tuple[str, bool]]:
    """A request as a model reads it: tools, system, messages, each part in one form, and whether it is marked."""
    found = [(json.dumps(_bare(tool), sort_keys=True), _is_marked(tool)) for tool in body.get("tools", [])]
    found += _parts(body.get("system", body.get("instructions", "")), "")
    messages = body.get("messages", body.get("input", []))
    for one in [{"role": "user", "content": messages}] if isinstance(messages, str) else messages:
        rest = {name: value for name, value in one.items() if name not in ("content", "role") and value is not None}
        head = f"{one.get('role', '')} {json.dumps(rest, sort_keys=True) if rest else ''}"
        found += _parts(one.get("content") or "", head)
    return found


def _parts(content: Any, head: str) -> list[tuple[str, bool]]:
    parts = content if isinstance(content, list) else [content]
    texts = [
        (one if isinstance(one, str) else one.get("text", json.dumps(_bare(one), sort_keys=True)), _is_marked(one))
        for one in parts
    ]
    return [(f"{head}: {text}" if n == 0 else text, marked) for n, (text, marked) in enumerate(texts)]


def _bare(one: Any) -> Any:
    return {name: value for name, value in one.items() if name != "cache_control"} if isinstance(one, dict) else one


def _is_marked(one: Any) -> bool:
    return isinstance(one, dict) and "cache_control" in one


def _common(one: str, other: str) -> int:
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low
