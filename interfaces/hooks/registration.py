"""What each client's settings must hold so that it runs the hooks: the entry of every event, for who writes them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from .clients import EVENTS, name_of

_TIMEOUTS_S = dict(zip(EVENTS, (10, 5, 5, 10, 10, 10, 5), strict=True))
_AFTERWARDS = ("post-tool", "stop")
"""Nothing waits for these, where a client can run a hook beside its work."""

_ACTING_TOOLS = "Bash|Edit|MultiEdit|Write|NotebookEdit|mcp__.*"
_ABSENT = {"codex": ("session-end",)}


def hooks_of(client: str, program: Sequence[str], options: Sequence[str] = ()) -> dict[str, Any]:
    """What stands under `hooks` in a client's settings; `program` is the command line up to `hook`, absolute paths.

    `options` follow it, as `--home`.

    Claude Code: `~/.claude/settings.json` or a plugin's `hooks/hooks.json`. Codex: `~/.codex/hooks.json`. Gemini CLI:
    `~/.gemini/settings.json`. Cursor: `~/.cursor/hooks.json`, beside `"version": 1`.
    """
    events = [event for event in EVENTS if event not in _ABSENT.get(client, ())]
    entries = {name_of(client, event): [_entry(client, event, program, options)] for event in events}
    if client == "claude-code":  # the two ways in which a tool ends are two events there
        entries["PostToolUseFailure"] = [_entry(client, "post-tool", program, options)]
    return entries


def _entry(client: str, event: str, program: Sequence[str], options: Sequence[str]) -> dict[str, Any]:
    words = [*program, "hook", event, "--client", client, *options]
    if client == "cursor":
        return {"command": shlex.join(words)}
    timeout = _TIMEOUTS_S[event]
    if client == "claude-code":
        hook: dict[str, Any] = {"type": "command", "command": words[0], "args": words[1:], "timeout": timeout}
        if event in _AFTERWARDS:
            hook["async"] = True
    else:
        hook = {"type": "command", "command": shlex.join(words), "timeout": timeout}
        if client == "gemini-cli":
            hook = {**hook, "name": f"agentos-{event}", "timeout": 1000 * timeout}
    matcher = _matcher(client, event)
    return {**({"matcher": matcher} if matcher else {}), "hooks": [hook]}


def _matcher(client: str, event: str) -> str:
    if client == "claude-code":
        by_event = {"session-start": "startup|resume|clear|compact|fork", "pre-tool": _ACTING_TOOLS, "post-tool": "*"}
        return by_event.get(event, "")
    return "*" if client == "gemini-cli" and "tool" in event else ""
