"""Whatever one session sends, the others are served: real servers on one daemon, and the texts that cost most."""

import threading
import time
from collections.abc import Iterator
from typing import Any

from tests.e2e.conftest import Start
from tests.slowness import Slowness

ANSWERS_WITHIN_S = 5.0
"""How long another session may wait for an answer meanwhile, on a machine that is not slow."""

CONTENT, QUERY, TEXT, SHORT = 64_000, 1_000_000, 16_000, 400
PIECES = (
    *("from a ", "api_key=", '"a" ', "1 day ", "密\u200b", "Ignore all the "),
    "-----BEGIN PRIVATE KEY-----AAAAAAAAAAAAAAAA ",
)


def pumped(piece: str, size: int) -> str:
    """A piece again and again, up to so many bytes, and something that lets every attempt fail in the end."""
    return piece * ((size - 1) // len(piece.encode())) + "\x01"


def calls(piece: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """One text in every place that reads texts, as long as it may be there."""
    content, short = pumped(piece, CONTENT), pumped(piece, SHORT)
    yield "memory_store", {"content": content}
    yield "memory_store", {"content": f"Ada moved {short[:300]}", "tags": [short[:90]], "session": short[:90]}
    yield "memory_store", {"content": short, "subject": short, "attribute": short, "value": short}
    yield "memory_search", {"query": pumped(piece, QUERY)}
    yield "memory_search", {"query": f"When did Ada {short[:120]}"}
    yield "turn_add", {"session": "s", "content": content, "answer": content[::-1]}
    yield "goal_add", {"title": short, "description": pumped(piece, TEXT)}
    yield "reflection_log", {"action": short, "outcome": pumped(piece, TEXT), "success": False}
    yield "graph_extract_from_text", {"text": content}
    yield "context_compile", {"query": content}
    yield "memory_list", {"limit": 20}


def test_another_session_is_served_meanwhile(start: Start) -> None:
    settings = {"AGENTOS_EMBEDDING_WAIT_S": "0.1"}  # how long a search waits for the model is not what is looked at
    one, other = start(settings={**settings, "AGENTOS_TOOLSETS": "context,graph,turns"}), start(settings=settings)
    for wire in (one, other):
        wire.initialize()
    other.call("memory_store", content="The office is in Oslo.")
    other.search_by_meaning("office")
    sent, done, waits = "nothing", threading.Event(), list[tuple[float, str]]()
    machine = Slowness()

    def keep_asking() -> None:
        while not done.is_set():
            machine.look()
            for tool, given in (("memory_search", {"query": "office"}), ("memory_list", {"limit": 1})):
                begin, during = time.monotonic(), sent
                other.call(tool, **given)
                waits.append((time.monotonic() - begin, during))

    asking = threading.Thread(target=keep_asking)
    asking.start()
    try:
        for piece in PIECES:
            for tool, given in calls(piece):
                sent = f"{tool} of {piece!r}"
                assert "result" in one.request("tools/call", {"name": tool, "arguments": given}), sent
    finally:
        done.set()
        asking.join()
    assert max(waits) < (machine.factor * ANSWERS_WITHIN_S, ""), (max(waits), machine.factor)
