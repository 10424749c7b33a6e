"""The input and output formats of each client's hooks: Claude Code, Codex, Gemini CLI and Cursor."""

from __future__ import annotations

import json
import os
import time
from binascii import crc32
from typing import Any

from . import transcripts
from .occurrence import Occurrence

CLIENTS = ("claude-code", "codex", "gemini-cli", "cursor")
EVENTS = ("session-start", "prompt", "pre-tool", "post-tool", "pre-compact", "stop", "session-end")

SUBAGENT_ENDED = "SubagentStop"
"""Claude Code's event at the end of a subagent, which may run in the background."""

_NAMES = {
    "claude-code": (
        *("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "Stop", "SessionEnd"),
    ),
    "codex": (*("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "Stop", "SessionEnd"),),
    "gemini-cli": (
        *("SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "PreCompress", "AfterAgent", "SessionEnd"),
    ),
    "cursor": (
        *("sessionStart", "beforeSubmitPrompt", "preToolUse", "postToolUse", "preCompact", "stop", "sessionEnd"),
    ),
}
_TELLS_THE_MODEL = {
    "claude-code": ("session-start", "prompt", "pre-tool", "post-tool"),  # the last one with the request after it
    "codex": ("session-start", "prompt", "pre-tool"),
    "gemini-cli": ("session-start", "prompt"),
    "cursor": ("session-start",),
}
_GOES_ON = {"claude-code": "block", "codex": "block", "gemini-cli": "deny"}
"""What the hook at the end of a turn says to let the agent go on; Cursor would show it as its user's own words."""
_CONTEXT_TAGS = ("<hook_context>", "</hook_context>")
_FAILURE_STATES = ("error", "aborted", "failed")
_HUMAN = ("", "user", "sdk")
"""The sources of prompts that are worth a search; others are timers and the system."""


def read(client: str, event: str, payload: dict[str, Any], agent: str, folder: str) -> Occurrence | None:
    """Return what a client's hook reports; None if it is ignored.

    A subagent's end is a run of the tool that it was. Ignored are nested agents' own steps (`agent_id`), the end of a
    turn that a hook has prolonged, and Gemini CLI's event before each request to its model, that it might be about to
    compress.
    """
    if payload.get("hook_event_name") == SUBAGENT_ENDED:
        payload = _run_of_subagent(payload)
    if payload.get("agent_id") or payload.get("stop_hook_active") or payload.get("is_background_agent"):
        return None
    if (client, event, payload.get("trigger")) == ("gemini-cli", "pre-compact", "auto"):
        return None
    session = _text(payload, "session_id", "conversation_id")
    if not session:
        return None
    roots = payload.get("workspace_roots")
    root = roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else ""
    own = _own_key(event, payload)
    source = _text(payload, "source", "trigger", "reason")
    response = payload.get("tool_response", payload.get("tool_output"))
    if (client, event) == ("codex", "post-tool") and isinstance(response, str):
        response = transcripts.with_exit_code(response, _text(payload, "transcript_path"), own)
    return Occurrence(
        event=event,
        client=client,
        agent=agent,
        session=session,
        folder=_text(payload, "cwd") or root or folder,
        key=f"{client}:{session}:{event}:{own or os.urandom(8).hex()}"[:380],
        at=f"{time.time():.6f}",
        source=source,
        prompt=_prompt(client, payload),
        tool=_text(payload, "tool_name"),
        given=_decoded(payload.get("tool_input")),
        response=_decoded(response),
        error=_text(payload, "error", "error_message"),
        reply=_text(payload, "last_assistant_message", "prompt_response"),
        failed=_text(payload, "status", "reason") in _FAILURE_STATES,
    )


def _run_of_subagent(payload: dict[str, Any]) -> dict[str, Any]:
    """Return the end of a subagent as the run of a tool; ignored where it does not tell what the subagent found."""
    found, own = _text(payload, "last_assistant_message"), _text(payload, "agent_id")
    if not found:
        return payload
    run = {"tool_name": "Agent", "tool_use_id": own, "tool_response": {"content": found}}
    kept = {name: value for name, value in payload.items() if name not in ("agent_id", "stop_hook_active")}
    return {**kept, **run, "tool_input": {"subagent_type": _text(payload, "agent_type") or "subagent"}}


def name_of(client: str, event: str) -> str:
    """Return a client's name of an event."""
    return _NAMES[client][EVENTS.index(event)]


def is_human(hook: Occurrence) -> bool:
    """Return whether a person, or a program on behalf of one, wrote a prompt."""
    return hook.source in _HUMAN


def may_tell(client: str, event: str) -> bool:
    """Return whether a client passes a hook's output to its model, or at least to its user."""
    return event in _TELLS_THE_MODEL[client] or (client, event) == ("gemini-cli", "pre-tool")


def answer(client: str, event: str, context: str, ruling: str = "", reason: str = "") -> str:
    """Return the hook's output: JSON that adds a context to the conversation, or that adds nothing.

    Before a tool a `ruling`, `deny` or `ask`, keeps it from running, or lets the client ask its user. At the end of a
    turn `continue` lets the agent go on, for the reason.
    """
    output = _answer(client, event, context if may_tell(client, event) else "")
    if ruling and event == "pre-tool":
        output = _ruled(client, output, ruling, reason)
    if ruling and event == "stop" and client in _GOES_ON:
        output = {**output, "decision": _GOES_ON[client], "reason": reason}
    return json.dumps(output, separators=(",", ":"))


def _ruled(client: str, output: dict[str, Any], ruling: str, reason: str) -> dict[str, Any]:
    """Return an output with a ruling, as far as the client takes one: only Claude Code lets a hook ask its user."""
    if client == "claude-code" or (client == "codex" and ruling == "deny"):
        event = {"hookEventName": name_of(client, "pre-tool"), **output.get("hookSpecificOutput", {})}
        decided = {"permissionDecision": ruling, "permissionDecisionReason": reason}
        return {**output, "hookSpecificOutput": {**event, **decided}}
    if ruling != "deny":
        return output
    if client == "gemini-cli":
        return {**output, "decision": "deny", "reason": reason}
    return {**output, "permission": "deny", "user_message": reason, "agent_message": reason}


def _answer(client: str, event: str, context: str) -> dict[str, Any]:
    if client == "cursor":
        addition: dict[str, Any] = {"additional_context": context} if context else {}
        return {"continue": True} if event == "prompt" else addition
    if not context:
        return {}
    if (client, event) == ("gemini-cli", "pre-tool"):
        return {"systemMessage": context}  # it takes nothing for the model there
    name = name_of(client, event)
    return {"hookSpecificOutput": {"hookEventName": name, "additionalContext": context}}


def _own_key(event: str, payload: dict[str, Any]) -> str:
    """Return a key that tells occurrences of a session and event apart; "" where the client gives none."""
    if "tool" in event:
        return _text(payload, "tool_use_id")
    asked = _text(payload, "prompt_id", "turn_id")
    if event == "stop" and asked:  # a turn that goes on, as when something in the background is done, ends again
        return f"{asked}:{crc32(_text(payload, 'last_assistant_message').encode(errors='replace')):x}"
    return asked if event == "prompt" else ""


def _prompt(client: str, payload: dict[str, Any]) -> str:
    """Return the user's words, without the hooks' output that Gemini CLI without a screen puts before them."""
    prompt = _text(payload, "prompt")
    if client == "gemini-cli" and prompt.startswith(_CONTEXT_TAGS[0]):
        return prompt.partition(_CONTEXT_TAGS[1])[2].lstrip()
    return prompt


def _text(payload: dict[str, Any], *names: str) -> str:
    """Return the first of some fields that is a non-blank text, or ""."""
    return next((value for name in names if isinstance(value := payload.get(name), str) and value.strip()), "")


def _decoded(value: Any) -> Any:
    """Return a value, decoded if it is JSON in a text, as Cursor sends it."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value
