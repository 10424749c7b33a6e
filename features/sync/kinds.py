"""What is synced, and how each kind of record is merged; everything else stays on its device. Pure."""

from .models import Kind

MEMORY = Kind(
    "memory",
    text=(
        *("namespace", "content", "summary", "memory_type", "kind", "source", "occurred_at", "created_at"),
        *("subject", "attribute", "value", "slot_confidence", "polarity", "valid_from"),
    ),
    said=("content",),
    groups={
        "labels": ("tags", "metadata", "expires_at"),
        "weight": ("importance",),
        "standing": ("status", "confidence", "trust", "valid_to"),
    },
    counts=("confirmations", "rejections"),
    peaks=("version", "updated_at"),
    has_history=True,
)
GOAL = Kind(
    "goal",
    text=("namespace", "title", "description", "created_at"),
    said=("title", "description"),
    groups={
        "progress": ("progress", "status", "completed_at"),
        "plan": ("priority", "urgency", "deadline"),
        "parent": ("parent_goal_id",),
        "labels": ("tags",),
    },
    peaks=("version", "updated_at"),
    has_history=True,
)
RELATION = Kind(
    "relation",
    text=("from_id", "to_id", "type"),
    groups={"weight": ("weight", "evidence", "created_at")},
    is_final=False,
)
REFLECTION = Kind(
    "reflection",
    text=("namespace", "action", "outcome", "success", "context", "tags", "occurred_at"),
    said=(),
)

ATTACHMENT = Kind(
    "attachment",
    text=("memory_id", "content_hash", "name", "media_type", "size", "created_at"),
    said=(),
    is_final=False,
)
"""That a memory has a file; the bytes of the file are carried beside the segments."""

KINDS = {one.name: one for one in (MEMORY, GOAL, RELATION, REFLECTION, ATTACHMENT)}
"""In the order in which they are written: each after what its records refer to."""

PROJECT = ("id", "namespace", "name", "root_commit", "remote", "created_at")
"""What is told of a project, but never where its folder is."""

SYNCED = (
    "memories that are no turns of a conversation, with earlier versions, tags, confirmations and rejections",
    "relations between these memories, and their files",
    "goals with their notes",
    "reflections",
    "deletions and erasures of all these",
)
LOCAL = (
    "conversations and sessions, and what was read from them for this device alone",
    "settings, keys, grants, teams, branches and approvals",
    "questions, usage, insights, patterns, procedures' runs and the knowledge graph, which each device makes itself",
    "how often and when a memory was read",
    "the log of changes: a verdict is undone where it was given",
)
