"""Snapshots and contexts as text: what is stable comes first, so that prompt caches hit; what changes comes last."""

from ..framing import NOTICE, quote
from .models import (
    CompiledContext,
    ContextEntry,
    Snapshot,
    SnapshotGoal,
    SnapshotInsight,
    SnapshotMemory,
    SnapshotPattern,
    SnapshotTask,
)


def render(snapshot: Snapshot) -> str:
    """The snapshot for a model to read: recalled text is quoted, with its source and date."""
    lines = [f"# Context for agent {quote(snapshot.agent_id)}", NOTICE, "", "## Memories"]
    lines += [_memory(memory) for memory in snapshot.top_memories] or ["(none yet: memory_store keeps what you learn)"]
    lines += ["", "## Active goals"]
    lines += [_goal(goal) for goal in snapshot.active_goals] or ["(none: goal_add)"]
    lines += ["", "## Patterns"]
    lines += [_pattern(pattern) for pattern in snapshot.recent_patterns] or ["(none yet: reflection_log feeds them)"]
    lines += ["", "## Insights"]
    lines += [_insight(insight) for insight in snapshot.proactive_insights] or ["(none open)"]
    lines += ["", "## Suggested tasks"]
    lines += [_task(task) for task in snapshot.autonomous_tasks] or ["(none open)"]
    lines += ["", "## State", _performance(snapshot), _daemon(snapshot)]
    if snapshot.omitted:
        lines.append(f"{snapshot.omitted} more entries did not fit: raise max_tokens, or use the list tools.")
    lines += [f"Note: {note}" for note in snapshot.notes]
    return "\n".join(lines)


def _memory(memory: SnapshotMemory) -> str:
    source = f" by {quote(memory.source)}" if memory.source else ""
    label = "" if memory.status == "active" else f", {memory.status}"
    return f"- {memory.id} {memory.memory_type}, {memory.stored}{label}{source}: {quote(memory.content)}"


def _goal(goal: SnapshotGoal) -> str:
    due = f", due {goal.deadline}" if goal.deadline else ""
    return f"- {goal.id} {quote(goal.title)} {goal.progress:.0%} done{due}, score {goal.score:.2f}"


def _pattern(pattern: SnapshotPattern) -> str:
    return (
        f"- {pattern.pattern_type} ×{pattern.frequency}: {quote(pattern.description)} "
        f"→ {quote(pattern.suggested_action)}"
    )


def _insight(insight: SnapshotInsight) -> str:
    return f"- {insight.id} [{insight.severity}] {quote(insight.text)}{_seen(insight.status)}"


def _task(task: SnapshotTask) -> str:
    return f"- {task.id} [{task.priority:.2f}] {quote(task.text)}{_seen(task.status)}"


def _seen(status: str) -> str:
    return "" if status == "open" else f" ({status})"


def _performance(snapshot: Snapshot) -> str:
    summary = snapshot.performance_summary
    rate = summary.last_7_days_success_rate
    success = "no actions in 7 days" if rate is None else f"{rate:.0%} of actions in 7 days succeeded"
    return (
        f"{summary.total_memories} memories, {summary.completed_goals} of {summary.total_goals} goals "
        f"completed, {success}."
    )


def _daemon(snapshot: Snapshot) -> str:
    daemon = snapshot.daemon_status
    if daemon.last_seen is None:
        return "Daemon: never started; agentos-daemon runs the background jobs."
    return f"Daemon: {daemon.status}, last seen {daemon.last_seen}."


def render_compiled(context: CompiledContext) -> str:
    """A compiled context for a model to read: each part in its tags, which no quoted text can close."""
    lines = [NOTICE]
    lines += [f"Answer in this style: {quote(context.style)}"] if context.style else []
    lines += [f"Whoever asks is to you: {quote(context.relationship)}"] if context.relationship else []
    for part in context.parts:
        lines += [f"<{part.name}>", *(entry_line(entry) for entry in part.entries), f"</{part.name}>"]
    if context.omitted:
        lines.append(f"{context.omitted} more did not fit: raise max_tokens, or search.")
    lines += [f"Note: {note}" for note in context.notes]
    return "\n".join(lines)


def entry_line(entry: ContextEntry) -> str:
    """An entry of a compiled context as a line."""
    head = " ".join(filter(None, (entry.id, entry.label)))
    return f"- {head}: {quote(entry.text)}" if head else f"- {quote(entry.text)}"
