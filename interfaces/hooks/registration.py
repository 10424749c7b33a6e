"""The entries of every hook event that a client's settings must hold, for whoever writes them."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from typing import Any

from .clients import EVENTS, SUBAGENT_ENDED, name_of

_TIMEOUTS_S = dict(zip(EVENTS, (10, 5, 5, 10, 10, 10, 5), strict=True))
_BESIDE = {"post-tool": True, "stop": False}
"""Return whether a hook runs in the background, where the client can do that; stated where it was ever otherwise.

The hook at the end of a turn must be waited for: a client without a screen ends what runs in the background.
"""

_AT_MOST_S = {("codex", "session-end"): 3}

_ACTING_TOOLS = "Bash|Edit|MultiEdit|Write|NotebookEdit|mcp__.*"
_PLUGIN_ROOTS = {"claude-code": "${CLAUDE_PLUGIN_ROOT}", "codex": "${PLUGIN_ROOT}", "gemini-cli": "${extensionPath}"}


def hooks_of(client: str, program: Sequence[str], options: Sequence[str] = ()) -> dict[str, Any]:
    """Return the `hooks` of a client's settings; `program` is the command line up to `hook`, with absolute paths.

    `options` follow the command, as `--home`.

    Claude Code: `~/.claude/settings.json`. Codex: `~/.codex/hooks.json`. Gemini CLI: `~/.gemini/settings.json`. Cursor:
    `~/.cursor/hooks.json`, beside `"version": 1`.
    """

    def command(event: str) -> dict[str, Any]:
        words = [*program, "hook", event, "--client", client, *options]
        if client == "claude-code":
            return {"command": words[0], "args": words[1:]}
        return {"command": shlex.join(words)}

    return _entries(client, command)


def plugin_hooks_of(client: str) -> dict[str, Any]:
    """Return the `hooks` of a client's plugin or extension.

    These are shell lines, never `args`: a client that does not know `args` would start a bare shell, which would read
    the hook's JSON, with the user's words in it, as commands.
    """
    starter = f'/bin/sh "{_PLUGIN_ROOTS[client]}/bin/run" agentos hook'
    return _entries(client, lambda event: {"command": f"{starter} {event} --client {client}"})


def _entries(client: str, command: Callable[[str], dict[str, Any]]) -> dict[str, Any]:
    entries = {name_of(client, event): [_entry(client, event, command(event))] for event in EVENTS}
    if client == "claude-code":  # the two ways in which a tool ends are two events there, and a subagent's is a third
        for name in ("PostToolUseFailure", SUBAGENT_ENDED):
            entries[name] = [_entry(client, "post-tool", command("post-tool"))]
    return entries


def _entry(client: str, event: str, command: dict[str, Any]) -> dict[str, Any]:
    if client == "cursor":
        return command
    timeout = _AT_MOST_S.get((client, event), _TIMEOUTS_S[event])
    hook: dict[str, Any] = {"type": "command", **command, "timeout": timeout}
    if client == "claude-code" and event in _BESIDE:
        hook["async"] = _BESIDE[event]
    if client == "gemini-cli":
        hook = {**hook, "name": f"agentos-{event}", "timeout": 1000 * timeout}
    matcher = _matcher(client, event)
    return {**({"matcher": matcher} if matcher else {}), "hooks": [hook]}


def _matcher(client: str, event: str) -> str:
    if client == "claude-code":
        by_event = {"session-start": "startup|resume|clear|compact|fork", "pre-tool": _ACTING_TOOLS, "post-tool": "*"}
        return by_event.get(event, "")
    return "*" if client == "gemini-cli" and "tool" in event else ""
