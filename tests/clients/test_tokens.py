"""What AgentOS costs the model of Claude Code: counted in what the client really sends."""

import json
import shutil
from pathlib import Path

from tests.clients.model_api import Use, serving
from tests.clients.user import WAYS, User
from tests.e2e.test_result_budgets import HITS, NOTE, SERVICES, tokens_of
from tests.e2e.test_tool_list import MARGIN, MAX_TOKENS

SEARCH_TOKENS = 320


def test_tools_and_a_search_of_five_are_cheap_as_claude_code_sends_them(tmp_path: Path, graphs: Path) -> None:
    way = WAYS["claude, setup"]
    with serving() as api:
        user = User(tmp_path, api)
        # Labels come on top, and so does a note that the reranker is still loading; these have neither.
        settings = "AGENTOS_SECOND_OPINION=false\nAGENTOS_RERANKER_WAIT_S=60\n"
        (user.data / ".env").write_text(settings, encoding="utf-8")
        shutil.copytree(graphs, user.data / "models")
        with user.daemon():
            user.run(*way.installed[0])
            notes = [NOTE.format(service, number + 10) for number, service in enumerate(SERVICES[:8])]
            user.converses(way, "Keep this", *(Use(way.store, {"content": note}) for note in notes), way.shell, "Kept.")
            search = Use("mcp__agentos__memory_search", {"query": "how long does a service keep its sessions"})
            asked = user.converses(way, "Go on", search, way.shell, "Done.")
    sent = [tool for tool in asked[0]["tools"] if tool["name"].startswith("mcp__agentos__")]
    schemas = tokens_of(json.dumps(sent, separators=(",", ":"), ensure_ascii=False))
    assert len(sent) >= 15 and MARGIN * schemas <= MAX_TOKENS

    said = [message["content"] for message in asked[-1]["messages"] if isinstance(message["content"], list)]
    parts = [part for content in said for part in content]
    found, *_ = (part["content"] for part in parts if part["type"] == "tool_result")
    text = found if isinstance(found, str) else "".join(one["text"] for one in found)
    assert text.count("keeps its sessions for") == HITS and tokens_of(text) <= SEARCH_TOKENS, text
