"""The table of routes: what each path does, and all that the handlers, OpenAPI and the tests need to know of it."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field
from typing import Any

from ....modules.consolidation.models import SummaryLevel
from ....modules.context.service import MAX_MAX_TOKENS, MIN_MAX_TOKENS
from ....modules.graph.models import EdgeType
from ....modules.principals.models import Role
from ....modules.records import dataclass
from ....modules.reflection.service import MAX_DAYS
from ....tools.bound import BoundTool, BoundTools
from ....tools.memory import DELETE_ONE
from ....tools.sessions import MAX_IDS
from ....tools.tool import Tool
from ..limits import EVENT_STREAM
from . import anchors, attachments, branches, carrying, credentials, events, lessons, sealed, state
from .attachments import ANY_FILE
from .operations import OfFunction, OfTool, Operation

PREFIX = "/api/v1"


@dataclass(frozen=True)
class Route:
    """One method of one path. `does` is a tool, by its name where it is listed, or a function of this door.

    `defaults` are arguments that a request may leave out; `versioned` routes are of what has a version: those that
    change it heed If-Match. One that `sends` takes its arguments in a body, whatever its method. `bounds` are rules of
    arguments for the OpenAPI document that a tool's own schema, which models pay for by tokens, leaves to its code.
    One of a `feature` is there where that is on.
    """

    method: str
    path: str
    does: str | Tool | OfFunction
    status: int = 200
    defaults: Mapping[str, Any] = field(default_factory=dict)
    versioned: bool = False
    sends: bool = False
    bounds: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    feature: str = ""

    @property
    def tag(self) -> str:
        """The subject: the first part of the path."""
        return self.path.split("/")[1]

    @property
    def tells_version(self) -> bool:
        """Whether its answer has an ETag: what is deleted has none any more."""
        return self.versioned and self.method != "DELETE"


def _of(
    run: Callable[..., Any], role: Role = Role.READER, *, changes: bool = False, removes: bool = False
) -> OfFunction:
    return OfFunction(run, role, changes=changes, removes=removes)


def _between(argument: str, low: int, high: int) -> Mapping[str, Mapping[str, Any]]:
    return {argument: {"minimum": low, "maximum": high}}


def _sending(run: Callable[..., Any], role: Role, streams: str) -> OfFunction:
    return OfFunction(run, role, streams=streams)


WHOLE = {"detail": "full"}
CREATED, ACCEPTED = 201, 202

ROUTES: Sequence[Route] = (
    Route("POST", "/memories", "memory_store", CREATED),
    Route("GET", "/memories", "memory_list", defaults=WHOLE),
    Route("DELETE", "/memories", "memory_delete"),
    Route("POST", "/memories/batch", "memory_store_batch"),
    Route("POST", "/memories/forget", "memory_forget"),
    Route("GET", "/memories/{memory_id}", "memory_get", versioned=True),
    Route("PATCH", "/memories/{memory_id}", "memory_update", versioned=True),
    Route("DELETE", "/memories/{memory_id}", DELETE_ONE, versioned=True),
    Route("GET", "/memories/{memory_id}/timeline", "memory_timeline"),
    Route("PUT", "/memories/{memory_id}/importance", "memory_update_importance"),
    Route("POST", "/memories/{memory_id}/feedback", "memory_feedback"),
    Route("POST", "/memories/{memory_id}/revert", "memory_revert"),
    Route("GET", "/attachments", _of(attachments.list_attachments), feature="attachments"),
    Route(
        "POST",
        "/attachments",
        OfFunction(attachments.attach_file, Role.WRITER, takes_body=ANY_FILE),
        CREATED,
        feature="attachments",
    ),
    Route(
        "GET",
        "/attachments/{memory_id}",
        _sending(attachments.get_attachment, Role.READER, ANY_FILE),
        feature="attachments",
    ),
    Route(
        "DELETE",
        "/attachments/{memory_id}",
        _of(attachments.remove_attachment, Role.WRITER, removes=True),
        feature="attachments",
    ),
    Route("GET", "/search", "memory_search", defaults=WHOLE),
    Route("POST", "/search", "memory_search", defaults=WHOLE),
    Route("POST", "/ask", "memory_ask"),
    Route("GET", "/snapshot", "context_get_snapshot", bounds=_between("max_tokens", MIN_MAX_TOKENS, MAX_MAX_TOKENS)),
    Route("POST", "/context", "context_compile"),
    Route("POST", "/goals", "goal_add", CREATED),
    Route("GET", "/goals", "goal_list", defaults=WHOLE),
    Route("GET", "/goals/active", "goal_get_active"),
    Route("GET", "/goals/tree", "goal_tree"),
    Route("PATCH", "/goals/{goal_id}", "goal_update"),
    Route("PUT", "/goals/{goal_id}/progress", "goal_update_progress"),
    Route("PUT", "/goals/{goal_id}/status", "goal_update_status"),
    Route("POST", "/reflections", "reflection_log", CREATED),
    Route("POST", "/reflections/analyze", "reflection_analyze"),
    Route("GET", "/reflections/summary", "reflection_get_summary", bounds=_between("days", 1, MAX_DAYS)),
    Route("GET", "/patterns", "reflection_get_patterns"),
    Route("PUT", "/insights/{insight_id}/status", "insight_update"),
    Route("GET", "/observations", "session_search"),
    Route(
        "POST",
        "/observations/read",
        "session_get",
        bounds={"ids": {"minItems": 1, "maxItems": MAX_IDS, "items": {"type": "string", "minLength": 1}}},
    ),
    Route("GET", "/sessions", "session_list"),
    Route("POST", "/sessions", "session_open", CREATED, bounds={"folder": {"pattern": "^(/|[A-Za-z]:)"}}),
    Route("PATCH", "/sessions/{id}", "session_update"),
    Route("GET", "/sessions/{id}/timeline", "session_timeline"),
    Route("POST", "/conversations", "conversation_add", CREATED),
    Route("POST", "/sessions/{session}/turns", "turn_add", CREATED),
    Route("GET", "/sessions/{session}/turns", "turn_window"),
    Route("POST", "/sessions/{session}/branches", "session_branch", CREATED),
    Route("POST", "/sessions/{session}/consolidations", "consolidate"),
    Route(
        "GET", "/consolidations", "consolidation_list", bounds=_between("level", min(SummaryLevel), max(SummaryLevel))
    ),
    Route("GET", "/procedures", "procedures_relevant"),
    Route("POST", "/procedures/mine", "procedures_mine"),
    Route("POST", "/procedures/{id}/promote", "procedure_promote"),
    Route("GET", "/lessons", _of(lessons.list_lessons), feature="lessons"),
    Route("GET", "/lessons/{id}", _of(lessons.get_lesson), feature="lessons"),
    Route("POST", "/lessons/{id}/retire", _of(lessons.retire_lesson, Role.WRITER, changes=True), feature="lessons"),
    Route("POST", "/lessons/{id}/restore", _of(lessons.restore_lesson, Role.WRITER, changes=True), feature="lessons"),
    Route("GET", "/anchors", _of(anchors.list_anchors), feature="anchors"),
    Route(
        "POST",
        "/anchors/{memory_id}/confirm",
        _of(anchors.confirm_anchors, Role.WRITER, changes=True),
        feature="anchors",
    ),
    Route("DELETE", "/anchors/{memory_id}", _of(anchors.drop_anchors, Role.WRITER, removes=True), feature="anchors"),
    Route("GET", "/profile", "profile_get"),
    Route("PUT", "/profile/{key}", "profile_set"),
    Route("GET", "/tiers", "tiers_status"),
    Route("POST", "/tiers/recall", "tiers_recall"),
    Route("POST", "/tiers/{segment}/restore", "tiers_restore"),
    Route("GET", "/graph/nodes", "graph_find_nodes"),
    Route("POST", "/graph/nodes", "graph_add_node", CREATED),
    Route("DELETE", "/graph/nodes/{node_id}", "graph_delete_node"),
    Route(
        "GET",
        "/graph/nodes/{node_id}/neighbours",
        "graph_get_neighbors",
        bounds={"edge_types": {"enum": [one.value for one in EdgeType]}},
    ),
    Route("GET", "/graph/nodes/{node_id}/impact", "graph_impact_analysis"),
    Route("POST", "/graph/nodes/{node_id}/aliases", "graph_add_alias"),
    Route("POST", "/graph/edges", "graph_add_edge", CREATED),
    Route("GET", "/graph/path", "graph_find_path"),
    Route("GET", "/graph/stats", "graph_stats"),
    Route("GET", "/graph/subgraph", "graph_subgraph"),
    Route("POST", "/graph/extract", "graph_extract_from_text"),
    Route("GET", "/approvals", "approval_list"),
    Route(
        "POST", "/approvals", "approval_request", CREATED, bounds={"action": {"pattern": "^[a-z][a-z0-9_.:-]{0,63}$"}}
    ),
    Route("GET", "/approvals/{approval_id}", "approval_get"),
    Route("POST", "/sealed", _of(sealed.store_sealed, Role.WRITER, changes=True), CREATED),
    Route("POST", "/sealed/search", _of(sealed.search_sealed)),
    Route("GET", "/sealed/{memory_id}", _of(sealed.get_sealed)),
    Route("DELETE", "/sealed/{memory_id}", _of(sealed.delete_sealed, Role.WRITER, removes=True)),
    Route("GET", "/namespaces", _of(credentials.list_namespaces)),
    Route("PUT", "/namespaces/{name}", _of(credentials.set_namespace, Role.OWNER)),
    Route("GET", "/grants", _of(credentials.list_grants, Role.OWNER)),
    Route("POST", "/grants", _of(credentials.create_grant, Role.OWNER, changes=True), CREATED),
    Route("DELETE", "/grants", _of(credentials.remove_grant, Role.OWNER, removes=True)),
    Route("GET", "/branches", _of(branches.list_branches)),
    Route("POST", "/branches", _of(branches.create_branch, Role.WRITER, changes=True), CREATED),
    Route("GET", "/branches/{name}/preview", _of(branches.preview_branch)),
    Route("POST", "/branches/{name}/proposals", _of(branches.propose_branch, Role.WRITER, changes=True), CREATED),
    Route("POST", "/proposals/{proposal}/merge", _of(branches.merge_proposal, Role.OWNER, changes=True)),
    Route("POST", "/proposals/{proposal}/refuse", _of(branches.refuse_proposal, Role.OWNER, changes=True)),
    Route("PUT", "/governance/{name}", _of(branches.govern_namespace, Role.OWNER)),
    Route("GET", "/keys", _of(credentials.list_keys, Role.OWNER)),
    Route("POST", "/keys", _of(credentials.create_key, Role.OWNER), CREATED),
    Route("POST", "/keys/{prefix}/rotate", _of(credentials.rotate_key, Role.OWNER), CREATED),
    Route("DELETE", "/keys/{prefix}", _of(credentials.revoke_key, Role.OWNER)),
    Route("GET", "/auth/caller", _of(credentials.who_am_i)),
    Route("POST", "/auth/token", _of(credentials.issue_token), CREATED),
    Route("GET", "/export", _sending(carrying.export_bundle, Role.OPERATOR, carrying.NDJSON)),
    Route("POST", "/import", OfFunction(carrying.import_bundle, Role.OWNER, takes_body=carrying.NDJSON)),
    Route("GET", "/backups", _of(carrying.list_backups, Role.OPERATOR)),
    Route("POST", "/backups", _of(carrying.make_backup, Role.OPERATOR, changes=True), CREATED),
    Route("GET", "/jobs", "job_list"),
    Route("POST", "/jobs/{id}/run", "job_run"),
    Route("POST", "/jobs/{id}/cancel", "job_cancel"),
    Route("GET", "/events", _sending(events.stream_events, Role.READER, EVENT_STREAM)),
    Route("GET", "/health", _of(state.health, Role.OPERATOR)),
    Route("GET", "/usage", _of(state.usage)),
)


Table = Sequence[tuple[Route, Operation]]


def operations(bound: BoundTools, features: Collection[str] | None = None) -> Table:
    """Return the routes with what they do, of features those that are on; None for all."""
    tools = {entry.tool.name: OfTool(entry) for entry in bound}

    def operation(does: str | Tool | OfFunction) -> Operation:
        if isinstance(does, Tool):
            return OfTool(BoundTool(does))
        return tools[does] if isinstance(does, str) else does

    there = (one for one in ROUTES if not one.feature or features is None or one.feature in features)
    return [(route, operation(route.does)) for route in there]
