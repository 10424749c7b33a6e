"""Messages of tools in the words of the command line: commands for tools, options for arguments."""

import re

COMMANDS = {
    "approval_get": "agentos approvals show",
    "approval_list": "agentos approvals list",
    "context_get_snapshot": "agentos snapshot",
    "goal_add": "agentos goals add",
    "goal_get_active": "agentos goals list",
    "goal_list": "agentos goals list",
    "goal_update": "agentos goals edit",
    "goal_update_progress": "agentos goals progress",
    "goal_update_status": "agentos goals set",
    "insight_update": "agentos insights answer",
    "job_cancel": "agentos jobs cancel",
    "job_list": "agentos jobs",
    "job_run": "agentos jobs run",
    "memory_delete": "agentos forget",
    "memory_feedback": "agentos feedback",
    "memory_get": "agentos show",
    "memory_list": "agentos list",
    "memory_revert": "agentos revert",
    "memory_search": "agentos recall",
    "memory_store": "agentos remember",
    "memory_update": "agentos edit",
    "memory_update_importance": "agentos edit --importance",
    "reflection_analyze": "agentos patterns",
    "reflection_get_patterns": "agentos patterns",
    "reflection_get_summary": "agentos patterns",
    "reflection_log": "agentos reflect",
    "session_get": "agentos timeline",
    "session_list": "agentos sessions",
    "session_open": "agentos sessions open",
    "session_timeline": "agentos timeline",
    "session_update": "agentos sessions rename",
    "tiers_restore": "agentos tiers restore",
    "tiers_status": "agentos tiers evicted",
}
"""The command for each tool that a message may name."""

OPTIONS = {
    "about": "--about",
    "agent_id": "--agent",
    "as_of": "--as-of",
    "attribute": "--attribute",
    "before": "--before",
    "by": "--by",
    "confidence": "--confidence",
    "content": "text",
    "cursor": "--cursor",
    "deadline": "--deadline",
    "description": "--description",
    "importance": "--importance",
    "keep": "--keep",
    "limit": "--limit",
    "lookback_days": "--days",
    "max_tokens": "--max-tokens",
    "memory_type": "--type",
    "notes": "--note",
    "occurred_at": "--occurred-at",
    "parent_goal_id": "--parent",
    "priority": "--priority",
    "public_key": "--key",
    "project": "--project",
    "session": "--session",
    "from": "--from",
    "since": "--since",
    "state": "--state",
    "source": "--source",
    "subject": "--subject",
    "supersedes": "--supersedes",
    "tags": "--tag",
    "tokens": "--tokens",
    "token_file": "--token-file",
    "topic": "--about",
    "until": "--until",
    "unwatch": "--unwatch",
    "urgency": "--urgency",
    "valid_until": "--valid-until",
    "value": "--value",
    "vault": "--vault",
    "watch": "--watch",
}
"""The option for each argument that a message may begin with. Ids and paths have none: they are arguments."""

_TOOL = re.compile(r"(?<![\w./-])(" + "|".join(sorted(COMMANDS, key=len, reverse=True)) + r")(?![\w.])")
_CALL = re.compile(r"\b(memory_\w{1,20})\(memory_id='(\w{1,60})'\)")
_SUPERSEDED = re.compile(
    r'memory_feedback\(memory_id="?(\w{1,60})"?, verdict="supersede", by="(\w{1,60})", agent_id="([^"]{1,200})"\)'
    r'; where both hold, verdict="confirm"'
)
_FIELD = re.compile(r"(\w{1,40}): ")


_INSIGHTS = "context_get_snapshot gives valid ids"
"""Of insights, which agents read in their snapshot, and people have a list."""


def as_commands(message: str) -> str:
    """Return a message with commands in place of tools."""
    message = _SUPERSEDED.sub(
        r"agentos feedback \1 supersede --by \2; where both hold, agentos feedback \1 confirm", message
    )
    message = message.replace("project='*'", "--project '*'").replace(_INSIGHTS, "agentos insights gives valid ids")
    called = _CALL.sub(lambda found: f"{found[1]} {found[2]}", message)
    return _TOOL.sub(lambda found: COMMANDS[found[1]], called)


def of_refusal(message: str) -> str:
    """Return a tool's refusal in a command's words: it begins with the option that is not acceptable."""
    found = _FIELD.match(message)
    if found is None:
        return as_commands(message)
    rest = message[found.end() :]
    if found[1] in ("id", "path") or (found[1].endswith("_id") and found[1] not in OPTIONS):
        return as_commands(f"the id {rest}" if rest.startswith("is ") else rest)
    return as_commands(f"{OPTIONS.get(found[1], found[1])}: {rest}")
