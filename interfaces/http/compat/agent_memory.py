"""The REST routes of agent-memory, port 3377 there."""

from typing import Any

from ....modules.principals.models import Role
from ....tools.tool import Tool
from ..rest.routes import Route
from . import agent_memory_lessons as lessons
from . import agent_memory_state as state
from . import agent_memory_work as work


def _reading(run: Any, title: str, role: Role = Role.READER) -> Tool:
    return Tool(run, title, read_only=True, idempotent=True, namespace_in=(), role=role)


def _writing(run: Any, title: str, role: Role = Role.READER) -> Tool:
    return Tool(run, title, namespace_in=(), role=role)


ROUTES = (
    (Route("GET", "/api/health", "health"), _reading(state.health, "Health")),
    (Route("GET", "/api/admin/stats", "stats"), _reading(state.stats, "Statistics")),
    (Route("POST", "/api/admin/re-embed", "re_embed"), _writing(state.re_embed, "Embed", Role.OPERATOR)),
    (
        Route("GET", "/api/admin/re-embed/status", "re_embed_status"),
        _reading(state.re_embed_status, "Embedding", Role.OPERATOR),
    ),
    (
        Route("POST", "/api/admin/re-embed/cancel", "cancel_re_embed"),
        _writing(state.cancel_re_embed, "Stop embedding", Role.OPERATOR),
    ),
    (Route("POST", "/api/queue", "queue_tool_run"), _writing(work.queue_tool_run, "Record a tool's run")),
    (
        Route("POST", "/api/observations", "create_observation"),
        _writing(work.create_observation, "Observe"),
    ),
    (Route("GET", "/api/observations", "list_observations"), _reading(work.list_observations, "List observations")),
    (Route("GET", "/api/observations/{id}", "get_observation"), _reading(work.get_observation, "Read an observation")),
    (
        Route("POST", "/api/observations/search", "search_observations"),
        _reading(work.search_observations, "Find observations"),
    ),
    (Route("POST", "/api/sessions", "create_session"), _writing(work.create_session, "Begin a session")),
    (Route("GET", "/api/sessions", "list_sessions"), _reading(work.list_sessions, "List sessions")),
    (Route("PATCH", "/api/sessions/{session_id}", "update_session"), _writing(work.update_session, "Change a session")),
    (Route("POST", "/api/lessons", "create_lesson"), _writing(lessons.create_lesson, "Keep a lesson")),
    (Route("GET", "/api/lessons", "list_lessons"), _reading(lessons.list_lessons, "List lessons")),
    (Route("GET", "/api/lessons/match", "match_lessons"), _reading(lessons.match_lessons, "Lessons for a tool")),
    (Route("PATCH", "/api/lessons/{id}", "update_lesson"), _writing(lessons.update_lesson, "Change a lesson")),
    (
        Route("POST", "/api/lessons/{id}/trigger", "note_lesson_shown"),
        _writing(lessons.note_lesson_shown, "Note that a lesson was shown"),
    ),
)
