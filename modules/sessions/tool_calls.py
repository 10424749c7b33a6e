"""Tool runs as they are kept: files, command and outcome. Pure functions over clients' JSON."""

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from ..text.scripts import composed
from .models import ToolCall

MAX_COMMAND_CHARS = 1_000
MAX_SUBJECT_CHARS = 300
MAX_OUTCOME_CHARS = 600
MAX_PATH_CHARS = 500
MAX_FILES = 50
MAX_AGENT_CHARS = 60
CODE_WITHIN_CHARS = 2_000
"""Of the end of a result for a model, where its exit code is looked for."""

NOISY = frozenset(
    """
    askuserquestion ask_user bashoutput enterplanmode exitplanmode get_internal_docs killbash killshell
    listmcpresources listmcpresourcestool readmcpresource readmcpresourcetool save_memory skill slashcommand
    sendmessage task_create task_update taskcreate taskget tasklist taskoutput taskstop taskupdate
    todo_write todoread todowrite toolsearch update_plan write_todos
    """.split()
)
"""Tools that only steer the agent or its client: their runs say nothing about the work."""

_OURS = re.compile(r"(?:mcp[_:]+)(?:plugin_)?agentos\w*", re.IGNORECASE)
_WRITING = ("write", "edit", "replace", "patch", "create_file", "delete", "notebook")
_READING = ("read", "view", "open_file")
_PATH_FIELDS = ("file_path", "notebook_path", "absolute_path", "path", "target_file", "filePath")
_SUBJECT_FIELDS = ("pattern", "query", "url", "description", "prompt")
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$", re.MULTILINE)
_EXIT_CODE = re.compile(r"\b(?:exit code|exit status|exited with(?: code)?)[ :]*(-?\d{1,10})", re.IGNORECASE)
_EXIT_CODE_LINE = re.compile(r"^Exit Code: (-?\d{1,10})$", re.MULTILINE)
_OUTPUT, HEAD_CHARS = "Output: ", 60
"""What stands before a command's output in Gemini CLI's result for its model, and how soon."""
_SHELLS = ("bash", "sh", "zsh")


def is_noisy(tool: str, also: frozenset[str] = frozenset()) -> bool:
    """Return whether a tool's runs are not kept: it only steers the client, is one of AgentOS, or is in `also`."""
    name = tool.lower()
    return name in NOISY or name in also or _OURS.match(tool) is not None


def read(
    tool: str, given: object, response: object, error: str, folder: str, *, tells_failure: bool = True
) -> ToolCall:
    """Build a tool's run from its client's report; `folder` is the top of the project. File contents are left out.

    A run failed if the client says so (`error`), or if its response does. How a command ended is unknown where neither
    does, and the client never tells of a failure (`tells_failure`) nor gives an exit code.
    """
    arguments = given if isinstance(given, Mapping) else {"command": given} if isinstance(given, str) else {}
    command = _command(arguments)
    lowered = tool.lower()
    patched = [_relative(a or b, folder) for a, b in _PATCHED.findall(_text(arguments.get("input")) or command)]
    named = [_relative(path, folder) for path in _paths(arguments)]
    if patched:
        command = ""
    writes = bool(patched) or any(word in lowered for word in _WRITING)
    reads = not writes and any(word in lowered for word in _READING)
    failure = error or _failure(response)
    is_running = isinstance(response, Mapping) and response.get("status") == "async_launched"
    output = "" if reads or (writes and not failure) or is_running else _response_text(response)
    return ToolCall(
        tool=tool[:200],
        success=False if failure else True if tells_failure or not command or _exit_code(response) == 0 else None,
        command=_cut(command, MAX_COMMAND_CHARS),
        subject=_cut(_subject(arguments), MAX_SUBJECT_CHARS),
        files_read=_distinct(named) if reads else (),
        files_modified=_distinct(patched + named) if writes else (),
        outcome="" if failure else _cut(output, MAX_OUTCOME_CHARS),
        error=_cut(failure, MAX_OUTCOME_CHARS),
        agent=_cut(_text(arguments.get("subagent_type")), MAX_AGENT_CHARS),
    )


def command_of(given: object) -> str:
    """Return the command in what a tool is given; "" if it runs none."""
    return _command(given) if isinstance(given, Mapping) else given if isinstance(given, str) else ""


def as_json(call: ToolCall) -> dict[str, Any]:
    """Return a tool's run as JSON for storage; empty values are left out."""
    fields = {
        "tool": call.tool,
        "success": call.success,
        "command": call.command,
        "subject": call.subject,
        "files_read": list(call.files_read),
        "files_modified": list(call.files_modified),
        "outcome": call.outcome,
        "error": call.error,
        "agent": call.agent,
    }
    return {name: value for name, value in fields.items() if value not in ("", [])}


def from_json(stored: Mapping[str, Any]) -> ToolCall:
    """Return a tool's run from its stored JSON."""
    return ToolCall(
        tool=str(stored.get("tool", "")),
        success=None if (success := stored.get("success", True)) is None else bool(success),
        command=str(stored.get("command", "")),
        subject=str(stored.get("subject", "")),
        files_read=tuple(stored.get("files_read", ())),
        files_modified=tuple(stored.get("files_modified", ())),
        outcome=str(stored.get("outcome", "")),
        error=str(stored.get("error", "")),
        agent=str(stored.get("agent", "")),
    )


def _command(arguments: Mapping[str, Any]) -> str:
    command = arguments.get("command", arguments.get("cmd", ""))
    if isinstance(command, list):  # an argument vector; of a shell, the script
        words = [str(word) for word in command]
        is_shell = len(words) > 2 and PurePosixPath(words[0]).name in _SHELLS and words[1].startswith("-")
        return words[2] if is_shell else " ".join(words)
    return _text(command)


def _subject(arguments: Mapping[str, Any]) -> str:
    return next((text for name in _SUBJECT_FIELDS if (text := _text(arguments.get(name)))), "")


def _paths(arguments: Mapping[str, Any]) -> Iterator[str]:
    for name in _PATH_FIELDS:
        if path := _text(arguments.get(name)):
            yield path
    several = arguments.get("paths", ())
    yield from (path for path in several if isinstance(path, str)) if isinstance(several, list) else ()


def _relative(path: str, folder: str) -> str:
    path = composed(path.strip())
    try:
        return str(PurePosixPath(path).relative_to(composed(folder)))[:MAX_PATH_CHARS]
    except ValueError:
        return path[:MAX_PATH_CHARS]


def _failure(response: object) -> str:
    """Return the failure that a response reports; "" if it reports none."""
    if isinstance(response, Mapping):
        if problem := _text(response.get("error")) or _text(response.get("is_error") and _response_text(response)):
            return problem
        if code := _exit_code(response):
            return f"exit code {code}: {_output(response)}"
        if response.get("interrupted") is True:
            return "interrupted"
        return "failed" if response.get("success") is False else ""
    code = _exit_code(response)
    return f"exit code {code}: {response}" if code else ""


def _output(response: Mapping[str, Any]) -> str:
    """Return what a failed command wrote, without what Gemini CLI writes around it for its model."""
    told = _text(response.get("llmContent"))
    whole, *others = _EXIT_CODE_LINE.split(told) if told else [""]
    return whole.partition(_OUTPUT)[2].strip() if others and _OUTPUT in whole else _response_text(response)


def _told_by(response: Mapping[str, Any]) -> str:
    """Return the field with Gemini CLI's result: of a command the one for people, which holds only what it wrote."""
    is_framed = _OUTPUT in _text(response.get("llmContent"))[:HEAD_CHARS]
    return "returnDisplay" if is_framed and isinstance(response.get("returnDisplay"), str) else "llmContent"


def _exit_code(response: object) -> int | None:
    """Return the exit code in a response; None if there is none."""
    if isinstance(response, str):
        found = _EXIT_CODE.search(response[:400])
        return None if found is None else int(found[1])
    if not isinstance(response, Mapping):
        return None
    metadata = response.get("metadata")
    code = response.get("exit_code", response.get("exitCode", response.get("code")))
    if code is None and isinstance(metadata, Mapping):
        code = metadata.get("exit_code")
    if code is None and (said := _EXIT_CODE_LINE.findall(_text(response.get("llmContent"))[-CODE_WITHIN_CHARS:])):
        code = int(said[-1])  # Gemini CLI writes it below the output
    return code if isinstance(code, int) and not isinstance(code, bool) else None


def _response_text(response: object) -> str:
    if isinstance(response, str):
        return response
    if isinstance(response, list):
        return "\n".join(filter(None, map(_response_text, response)))
    if isinstance(response, Mapping):
        parts = [response.get(name) for name in ("stdout", "stderr", "output", "text", "content", _told_by(response))]
        return "\n".join(filter(None, map(_response_text, parts)))
    return ""


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _cut(text: str, limit: int) -> str:
    """Truncate a text in the middle: commands say what they are at the top, results are at the bottom."""
    stripped = text.strip()
    if len(stripped) <= limit:
        return stripped
    head = limit // 3
    return f"{stripped[:head]} … {stripped[head + 3 - limit :]}"


def _distinct(paths: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, paths)))[:MAX_FILES]
