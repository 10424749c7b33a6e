"""What the hooks of four clients say, and what they are told: recorded shapes in, their own JSON out."""

import json
from pathlib import Path
from typing import Any

from agentos.interfaces.hooks import clients, registration
from agentos.interfaces.hooks.occurrence import MAX_BYTES, Occurrence, bounded, of_json
from tests.places import ROOT
from tests.tables import every

CLAUDE = {
    "session_id": "5f0e",
    "transcript_path": "/home/u/.claude/projects/p/5f0e.jsonl",
    "cwd": "/w/app",
    "permission_mode": "default",
}
GEMINI = {"session_id": "g1", "transcript_path": "/t", "cwd": "/w/app", "timestamp": "2026-11-22T10:00:00Z"}
CURSOR = {
    "conversation_id": "c1",
    "generation_id": "gen-1",
    "workspace_roots": ["/w/app"],
    "cursor_version": "2.0.77",
    "model": "m",
}


def read(client: str, event: str, event_fields: dict[str, Any]) -> Occurrence:
    one = clients.read(client, event, event_fields, "", "/cwd")
    assert one is not None
    return one


@every("client", ["claude-code", "codex"])
def test_claude_code_and_codex_are_understood(client: str) -> None:
    one = read(client, "session-start", {**CLAUDE, "hook_event_name": "SessionStart", "source": "resume"})
    assert (one.session, one.folder, one.source) == ("5f0e", "/w/app", "resume")
    assert read(client, "prompt", {**CLAUDE, "prompt": "Fix it"}).prompt == "Fix it"
    given = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "toolu_1"}
    one = read(client, "post-tool", {**CLAUDE, **given, "tool_response": {"stdout": "a"}, "duration_ms": 4})
    assert (one.tool, one.given, one.response) == ("Bash", {"command": "ls"}, {"stdout": "a"})
    again = read(client, "post-tool", {**CLAUDE, **given, "tool_response": {"stdout": "a"}})
    assert again.key == one.key, "two hooks on one event tell the same"
    failed = read(client, "post-tool", {**CLAUDE, **given, "error": "Exit code 1", "is_interrupt": False})
    assert failed.error == "Exit code 1"
    one = read(client, "stop", {**CLAUDE, "stop_hook_active": False, "last_assistant_message": "Done."})
    assert one.reply == "Done."
    for turn in ({"prompt_id": "p1"}, {"turn_id": "p1"}):
        first, again, later = (
            read(client, "stop", {**CLAUDE, **turn, "last_assistant_message": text}).key
            for text in ("Done.", "Done.", "The tests have passed.")
        )
        assert first == again != later, "a turn ends once, unless it went on"
        assert read(client, "prompt", {**CLAUDE, **turn, "prompt": "Fix it"}).key.endswith(":p1")


def test_the_end_of_a_subagent_is_a_run_that_tells_what_it_found() -> None:
    ended = {**CLAUDE, "hook_event_name": "SubagentStop", "stop_hook_active": False, "agent_id": "a1f3"}
    found = {**ended, "agent_type": "Explore", "last_assistant_message": "The limit is in src/limits.py."}
    one = read("claude-code", "post-tool", found)
    assert (one.tool, one.given) == ("Agent", {"subagent_type": "Explore"})
    assert one.response == {"content": "The limit is in src/limits.py."} and one.key.endswith("a1f3")
    assert clients.read("claude-code", "post-tool", ended, "", "/cwd") is None, "it tells nothing"


def test_gemini_and_cursor_are_understood() -> None:
    one = read("gemini-cli", "post-tool", {**GEMINI, "tool_name": "replace", "tool_input": {"file_path": "/w/app/a"}})
    assert (one.session, one.tool) == ("g1", "replace")
    assert read("gemini-cli", "stop", {**GEMINI, "prompt": "p", "prompt_response": "Done."}).reply == "Done."
    compaction = {**GEMINI, "hook_event_name": "PreCompress"}
    assert clients.read("gemini-cli", "pre-compact", {**compaction, "trigger": "auto"}, "", "/cwd") is None
    assert read("gemini-cli", "pre-compact", {**compaction, "trigger": "manual"}).source == "manual"
    for prompt in ("Fix </hook_context> it", "<hook_context># AgentOS</hook_context>\n\nFix </hook_context> it"):
        assert read("gemini-cli", "prompt", {**GEMINI, "prompt": prompt}).prompt == "Fix </hook_context> it"
    one = read(
        "cursor", "post-tool", {**CURSOR, "tool_name": "Shell", "tool_input": '{"command": "ls"}', "tool_output": "{}"}
    )
    assert (one.session, one.folder, one.given, one.response) == ("c1", "/w/app", {"command": "ls"}, {})
    assert read("cursor", "stop", {**CURSOR, "status": "error", "loop_count": 0}).failed


@every("fields", [{}, {**CLAUDE, "agent_id": "sub-1"}, {**CLAUDE, "stop_hook_active": True}, {"session_id": 7}])
def test_nested_agents_and_prolonged_turns_are_nothing_to_us(fields: dict[str, Any]) -> None:
    assert clients.read("claude-code", "stop", fields, "", "/") is None


@every("source", ["loop_wakeup", "schedule_wakeup", "poll_event", "system"])
def test_prompts_of_timers_are_not_peoples(source: str) -> None:
    assert not clients.is_human(read("claude-code", "prompt", {**CLAUDE, "prompt": "x", "source": source}))


@every(
    ("client", "event", "expected"),
    [
        (
            "claude-code",
            "session-start",
            {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "c"}},
        ),
        (
            "claude-code",
            "prompt",
            {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "c"}},
        ),
        ("claude-code", "pre-tool", {"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "c"}}),
        ("codex", "prompt", {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "c"}}),
        (
            "gemini-cli",
            "session-start",
            {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "c"}},
        ),
        ("gemini-cli", "prompt", {"hookSpecificOutput": {"hookEventName": "BeforeAgent", "additionalContext": "c"}}),
        ("gemini-cli", "pre-tool", {"systemMessage": "c"}),
        ("cursor", "session-start", {"additional_context": "c"}),
        ("cursor", "prompt", {"continue": True}),
        ("cursor", "pre-tool", {}),
        ("claude-code", "stop", {}),
    ],
)
def test_each_client_is_answered_in_its_own_words(client: str, event: str, expected: dict[str, Any]) -> None:
    assert json.loads(clients.answer(client, event, "c")) == expected


@every(
    "client, ruling, expected",
    [
        ("claude-code", "deny", {"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "c",
         "permissionDecision": "deny", "permissionDecisionReason": "r"}}),
        ("claude-code", "ask", {"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "c",
         "permissionDecision": "ask", "permissionDecisionReason": "r"}}),
        ("codex", "deny", {"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "c",
         "permissionDecision": "deny", "permissionDecisionReason": "r"}}),
        ("codex", "ask", {"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "c"}}),
        ("gemini-cli", "deny", {"systemMessage": "c", "decision": "deny", "reason": "r"}),
        ("gemini-cli", "ask", {"systemMessage": "c"}),
        ("cursor", "deny", {"permission": "deny", "user_message": "r", "agent_message": "r"}),
        ("cursor", "ask", {}),
    ],
)  # fmt: skip
def test_each_client_gets_a_ruling_as_far_as_it_takes_one(client: str, ruling: str, expected: dict[str, Any]) -> None:
    assert json.loads(clients.answer(client, "pre-tool", "c", ruling, "r")) == expected
    assert json.loads(clients.answer(client, "prompt", "", ruling, "r")) in ({}, {"continue": True})


@every(("client", "word"), [("claude-code", "block"), ("codex", "block"), ("gemini-cli", "deny"), ("cursor", None)])
def test_an_agent_is_asked_to_go_on_in_its_clients_words(client: str, word: str | None) -> None:
    expected = {"decision": word, "reason": "r"} if word else {}
    assert json.loads(clients.answer(client, "stop", "", "continue", "r")) == expected
    assert json.loads(clients.answer(client, "session-end", "", "continue", "r")) == {}


@every("client", clients.CLIENTS)
@every("event", clients.EVENTS)
def test_who_has_nothing_to_say_allows_everything_and_blocks_nothing(client: str, event: str) -> None:
    answer = json.loads(clients.answer(client, event, ""))
    assert answer in ({}, {"continue": True})


def test_whatever_a_tool_says_the_line_stays_small_and_comes_back_as_it_was() -> None:
    deep: Any = "x"
    for _ in range(50):
        deep = {"a": [deep]}
    huge = {
        "stdout": "\U0001f600" * 400_000,
        "deep": deep,
        "many": list(range(1000)),
        "lone": "\ud800",
        "nul": "a\x00b",
    }
    one = read("claude-code", "post-tool", {**CLAUDE, "tool_name": "Bash", "tool_input": huge, "tool_response": huge})
    fields = bounded(one)
    line = json.dumps(fields).encode()
    assert len(line) <= MAX_BYTES
    torn = "[" * 100_000
    assert read("cursor", "post-tool", {**CURSOR, "tool_name": "Shell", "tool_output": torn}).response == torn
    back = of_json(json.loads(line))
    assert back is not None and back.key == one.key and "\x00" not in str(back)


@every("fields", [{}, {"event": "stop"}, {"event": 3}, {**dict.fromkeys(Occurrence._fields, 1)}])
def test_what_is_no_occurrence_is_none(fields: dict[str, Any]) -> None:
    assert of_json(fields) is None


PLUGIN = ROOT / "plugin"
PLUGIN_HOOKS = {
    "claude-code": PLUGIN / "hooks/claude-code.json",
    "codex": PLUGIN / "hooks/codex.json",
    "gemini-cli": PLUGIN / "gemini/hooks/hooks.json",
}


@every("client", PLUGIN_HOOKS)
def test_the_plugin_registers_what_there_is(client: str) -> None:
    hooks = json.loads(PLUGIN_HOOKS[client].read_text())["hooks"]
    assert hooks == registration.plugin_hooks_of(client)
    assert set(hooks) == set(registration.hooks_of(client, ("agentos",)))
    waits = {name for name, [entry] in hooks.items() if not entry["hooks"][0].get("async")}
    assert set(hooks) - waits == (
        {"PostToolUse", "PostToolUseFailure", "SubagentStop"} if client == "claude-code" else set()
    )


def test_no_client_takes_the_hooks_of_another_one() -> None:
    """`hooks/hooks.json` is what several clients look for; one that does not know `args` would start a bare shell."""
    assert not (PLUGIN / "hooks/hooks.json").exists()
    assert not any('"args"' in path.read_text() for path in PLUGIN_HOOKS.values())
    for name, client in ((".claude-plugin", "claude-code"), (".codex-plugin", "codex")):
        named = json.loads((PLUGIN / name / "plugin.json").read_text())["hooks"]
        assert PLUGIN / named == PLUGIN_HOOKS[client]


@every(
    ("client", "name", "entry"),
    [
        (
            "codex",
            "Stop",
            {"hooks": [{"type": "command", "command": "'/a b/agentos' hook stop --client codex", "timeout": 10}]},
        ),
        (
            "gemini-cli",
            "AfterTool",
            {
                "matcher": "*",
                "hooks": [
                    {
                        "type": "command",
                        "command": "'/a b/agentos' hook post-tool --client gemini-cli",
                        "timeout": 10_000,
                        "name": "agentos-post-tool",
                    }
                ],
            },
        ),
        ("cursor", "beforeSubmitPrompt", {"command": "'/a b/agentos' hook prompt --client cursor"}),
    ],
)
def test_each_client_registers_hooks_in_its_own_way(client: str, name: str, entry: dict[str, Any]) -> None:
    assert registration.hooks_of(client, ("/a b/agentos",))[name] == [entry]


def test_codex_tells_the_exit_code_of_a_command_in_its_transcript_only(tmp_path: Path) -> None:
    transcript = tmp_path / "rollout.jsonl"
    outputs = {
        "c1": "Chunk ID: 1\nProcess exited with code 2\nOutput:\nno rule",
        "c2": "Wall time: 0\nProcess exited with code 0\nOutput:\n",
        "c3": "Output:\n",
    }
    lines = [
        {"type": "response_item", "payload": {"type": "function_call_output", "call_id": call, "output": output}}
        for call, output in outputs.items()
    ]
    item = {"type": "CommandExecution", "id": "c5", "status": "failed", "exit_code": 3}
    lines.append({"type": "event_msg", "payload": {"type": "item_completed", "item": item}})
    transcript.write_text("torn\n" + "\n".join(map(json.dumps, lines)) + '\n{"payload": ["c1"]}\n{"c1')

    def response(call: str, path: Path = transcript) -> Any:
        told = {"tool_name": "Bash", "tool_use_id": call, "tool_response": "no rule", "transcript_path": str(path)}
        return read("codex", "post-tool", {**CLAUDE, **told}).response

    assert response("c1") == {"exit_code": 2, "output": "no rule"}
    assert response("c2") == {"exit_code": 0, "output": "no rule"}
    assert response("c5") == {"exit_code": 3, "output": "no rule"}, "before the output, newer versions write the run"
    assert [response("c3"), response("c4"), response("c1", tmp_path), response("c1", tmp_path / "none")] == [
        "no rule"
    ] * 4
