"""Ask through a real server and client, and from the shell."""

from collections.abc import Callable
from typing import Any


def test_a_client_asks_and_is_told_which_memory_says_it(start: Callable[..., Any]) -> None:
    server = start(settings={"AGENTOS_TOOLSETS": "ask", "AGENTOS_EMBEDDING_MODEL": "none"})
    server.initialize()
    stored = server.call("memory_store", content="The spare fuse lies in the red box.")
    answer = server.call("memory_ask", question="Where is the spare fuse?")
    assert answer["sentences"] == [{"text": '"The spare fuse lies in the red box."', "memories": [stored["id"]]}]
    assert server.call("memory_ask", question="Who sells fuses in Bergen?")["outcome"] == "unknown"
    assert "question" in server.refusal("memory_ask", {"question": ""})
