"""The seeded conversation through a real server, by the official client: memory remembers what the window has lost."""

import json
from pathlib import Path
from typing import Any

from mcp import Client

from agentos.benchmarks.cognition.__main__ import main
from agentos.modules.context.tokens import estimate


def test_the_measures_beat_their_baselines_on_a_seeded_conversation(tmp_path: Path, capsys: Any) -> None:
    report_path = tmp_path / "report.json"
    assert main(["--quick", "--json", str(report_path), "--folder", str(tmp_path)]) == 0
    report = json.loads(report_path.read_text(encoding="utf-8"))
    assert all(score["ours"] > score["baseline"] for score in report["scores"])
    lcs = next(score for score in report["scores"] if score["measure"] == "LCS")
    assert lcs["ours"] >= 0.7 and lcs["baseline"] == 0.0, report["missed"]
    assert report["facts_in_graph"] and report["habits"]
    [savings] = report["savings"]
    assert 0 < savings["with_memory"] < savings["without"]
    assert {"all: context_compile", "working: turn_window"} <= report["latency_ms"].keys()
    table = capsys.readouterr().out
    assert "overall" in table and "LCS" in table


async def test_a_context_is_compiled_for_the_official_client(connect: Any) -> None:
    client: Client
    async with connect("auto", {"AGENTOS_TOOLSETS": "context,turns"}) as client:

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
        told = {part["name"]: [entry["text"] for entry in part["entries"]] for part in context["parts"]}
        assert told["recent_turns"] == ["Deploys must be approved by Maria.", "Understood."]
        assert told["preferences"] == ["The user prefers short answers with code."]
        assert max(estimate(text), estimate(json.dumps(context, ensure_ascii=False, separators=(",", ":")))) <= 500
        _, state = await call("context_compile", query="deploy", preset="task_state")
        assert [part["name"] for part in state["parts"]] == [
            *("facts", "constraints", "actions", "questions", "evidence"),
        ]
        refused = await client.call_tool("context_compile", {"query": "x", "preset": "poem"})
        assert refused.is_error and "preset" in refused.content[0].text  # type: ignore[union-attr]
