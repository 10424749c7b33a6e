"""What is kept of a tool's run, for the tools of several clients."""

from typing import Any

from agentos.modules.sessions.tool_calls import MAX_OUTCOME_CHARS, as_json, from_json, is_noisy, read
from tests.tables import every

TOP = "/w/app"


def test_a_shell_command_is_kept_with_what_it_said() -> None:
    call = read("Bash", {"command": "pytest -q", "description": "Run"}, {"stdout": "3 passed", "stderr": ""}, "", TOP)
    assert (call.command, call.outcome, call.success, call.files_modified) == ("pytest -q", "3 passed", True, ())


@every(
    ("response", "error"),
    [
        ({}, "Exit code 1\nE assert 1 == 2"),
        ({"exit_code": 1, "stdout": "E assert 1 == 2"}, ""),
        ({"output": "E assert 1 == 2", "metadata": {"exit_code": 1}}, ""),
        ("Process exited with code 1\nE assert 1 == 2", ""),
        ({"is_error": True, "content": [{"type": "text", "text": "E assert 1 == 2"}]}, ""),
        ({"error": "E assert 1 == 2"}, ""),
        (
            {
                "llmContent": "<untrusted_context>\nOutput: E assert 1 == 2\nExit Code: 1\n</untrusted_context>",
                "returnDisplay": "E assert 1 == 2",
            },
            "",
        ),
    ],
)
def test_a_failure_is_seen_however_a_client_tells_it(response: Any, error: str) -> None:
    call = read("shell", {"command": ["bash", "-lc", "pytest"]}, response, error, TOP)
    assert call.success is False and "assert 1 == 2" in call.error and call.command == "pytest" and call.outcome == ""


@every(
    ("tool", "response", "tells", "expected"),
    [
        ("Bash", "3 passed", True, True),
        ("Bash", "3 passed", False, None),
        ("Bash", {"exit_code": 0, "output": "3 passed"}, False, True),
        ("Bash", "Process exited with code 0\n3 passed", False, True),
        ("Bash", {"exit_code": 2, "output": "no rule"}, False, False),
        ("run_shell_command", {"llmContent": "Output: 3 passed\nExit Code: 0", "returnDisplay": ""}, False, True),
    ],
)
def test_silence_is_no_success_where_a_client_never_tells_of_a_failure(
    tool: str, response: Any, tells: bool, expected: bool | None
) -> None:
    call = read(tool, {"command": "pytest"}, response, "", TOP, tells_failure=tells)
    assert call.success is expected and from_json(as_json(call)) == call


def test_of_gemini_s_result_only_what_the_command_wrote_is_kept() -> None:
    framed = "<untrusted_context>\nOutput: 3 passed\nProcess Group PGID: 7\n</untrusted_context>"
    response = {"llmContent": framed, "returnDisplay": "3 passed"}
    told = read("run_shell_command", {"command": "pytest"}, response, "", TOP)
    assert (told.success, told.outcome) == (True, "3 passed")
    page = {"llmContent": "All of the page", "returnDisplay": "1 page"}
    assert read("web_fetch", {"prompt": "read"}, page, "", TOP).outcome == "All of the page"


@every(
    ("tool", "given", "read_files", "modified"),
    [
        ("Read", {"file_path": "/w/app/src/a.py"}, ("src/a.py",), ()),
        ("Edit", {"file_path": "/w/app/a.py", "old_string": "x", "new_string": "y"}, (), ("a.py",)),
        ("Write", {"file_path": "/etc/hosts", "content": "secret text"}, (), ("/etc/hosts",)),
        ("NotebookEdit", {"notebook_path": "/w/app/n.ipynb", "new_source": "1"}, (), ("n.ipynb",)),
        ("read_file", {"absolute_path": "/w/app/b.py"}, ("b.py",), ()),
        ("replace", {"file_path": "/w/app/b.py"}, (), ("b.py",)),
        (
            "apply_patch",
            {"input": "*** Begin Patch\n*** Update File: c.py\n*** Add File: d.py\n"},
            (),
            ("c.py", "d.py"),
        ),
        ("Grep", {"pattern": "TODO", "path": "/w/app"}, (), ()),
    ],
)
def test_files_are_named_from_the_top_of_the_project(
    tool: str, given: dict[str, Any], read_files: tuple[str, ...], modified: tuple[str, ...]
) -> None:
    call = read(tool, given, "the whole file", "", TOP)
    assert (call.files_read, call.files_modified) == (read_files, modified)
    assert "secret text" not in str(as_json(call)), "contents of files are not kept"


def test_what_is_long_keeps_its_beginning_and_its_end() -> None:
    call = read("Bash", {"command": "make"}, "first line\n" + "x" * 10_000 + "\nlast line", "", TOP)
    assert len(call.outcome) <= MAX_OUTCOME_CHARS
    assert call.outcome.startswith("first line") and call.outcome.endswith("last line")


@every("odd", [None, 7, [], "text", {"file_path": 3, "command": {"a": 1}}, {"paths": [1, None]}])
def test_whatever_a_client_sends_something_is_kept(odd: Any) -> None:
    assert from_json(as_json(read("Odd", odd, odd, "", TOP))).tool == "Odd"


def test_tools_that_only_steer_and_our_own_are_not_kept() -> None:
    noisy = (
        "TodoWrite",
        "mcp__agentos__memory_search",
        "mcp__plugin_agentos_agentos__goal_add",
        "mcp_agentos_goal_add",
    )
    assert all(is_noisy(tool) for tool in noisy)
    assert not any(is_noisy(tool) for tool in ("Bash", "Edit", "mcp__github__create_issue"))
    assert is_noisy("WebFetch", frozenset({"webfetch"}))
