"""The REST routes of agent-memory, port 3377 there."""

from collections.abc import Awaitable, Callable

from ....interfaces.http.rest.route import Route
from ....modules.principals.models import Role
from ....tools.tool import Tool
from . import agent_memory_lessons as lessons
from . import agent_memory_state as state
from . import agent_memory_work as work
from .reply import CompatReply

Run = Callable[..., Awaitable[CompatReply]]


def _reading(run: Run, title: str) -> Tool:
    return Tool(run, title, read_only=True, idempotent=True, namespace_in=())


def _writing(run: Run, title: str) -> Tool:
    return Tool(run, title, namespace_in=())


def _of_the_store(run: Run, title: str, *, read_only: bool = False) -> Tool:
    """Return what concerns every namespace: for operators who may touch them all."""
    return Tool(run, title, read_only=read_only, namespace_in=(), role=Role.OPERATOR, reaches_all=lambda _: True)


ROUTES = (
    (Route("GET", "/api/health", "health"), _reading(state.health, "Health")),
    (Route("GET", "/api/admin/stats", "stats"), _reading(state.stats, "Statistics")),
    (Route("POST", "/api/admin/re-embed", "re_embed"), _of_the_store(state.re_embed, "Embed")),
    (
        Route("GET", "/api/admin/re-embed/status", "re_embed_status"),
        _of_the_store(state.re_embed_status, "Embedding", read_only=True),
    ),
    (
        Route("POST", "/api/admin/re-embed/cancel", "cancel_re_embed"),
        _of_the_store(state.cancel_re_embed, "Stop embedding"),
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
