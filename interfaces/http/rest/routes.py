"""The table of routes: what each path does, those of features among them."""

from collections.abc import Collection, Sequence

from ....features import registered
from ....modules.context.service import MAX_MAX_TOKENS, MIN_MAX_TOKENS
from ....modules.graph.models import EdgeType
from ....modules.plugins.feature import named_parts, with_brought
from ....modules.principals.models import Role
from ....modules.reflection.service import MAX_DAYS
from ....tools.bound import BoundTool, BoundTools
from ....tools.memory import DELETE_ONE
from ....tools.sessions import MAX_IDS
from ....tools.tool import Tool
from ..limits import EVENT_STREAM
from . import branches, carrying, credentials, events, state
from .operations import OfFunction, OfTool, Operation
from .route import CREATED, Route, Table, between, calling, streaming

WHOLE = {"detail": "full"}

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
    Route("GET", "/search", "memory_search", defaults=WHOLE),
    Route("POST", "/search", "memory_search", defaults=WHOLE),
    Route("GET", "/snapshot", "context_get_snapshot", bounds=between("max_tokens", MIN_MAX_TOKENS, MAX_MAX_TOKENS)),
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
    Route("GET", "/reflections/summary", "reflection_get_summary", bounds=between("days", 1, MAX_DAYS)),
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
    Route("GET", "/namespaces", calling(credentials.list_namespaces)),
    Route("PUT", "/namespaces/{name}", calling(credentials.set_namespace, Role.OWNER)),
    Route("GET", "/grants", calling(credentials.list_grants, Role.OWNER)),
    Route("POST", "/grants", calling(credentials.create_grant, Role.OWNER, changes=True), CREATED),
    Route("DELETE", "/grants", calling(credentials.remove_grant, Role.OWNER, removes=True)),
    Route("GET", "/branches", calling(branches.list_branches)),
    Route("POST", "/branches", calling(branches.create_branch, Role.WRITER, changes=True), CREATED),
    Route("GET", "/branches/{name}/preview", calling(branches.preview_branch)),
    Route("POST", "/branches/{name}/proposals", calling(branches.propose_branch, Role.WRITER, changes=True), CREATED),
    Route("POST", "/proposals/{proposal}/merge", calling(branches.merge_proposal, Role.OWNER, changes=True)),
    Route("POST", "/proposals/{proposal}/refuse", calling(branches.refuse_proposal, Role.OWNER, changes=True)),
    Route("PUT", "/governance/{name}", calling(branches.govern_namespace, Role.OWNER)),
    Route("GET", "/keys", calling(credentials.list_keys, Role.OWNER)),
    Route("POST", "/keys", calling(credentials.create_key, Role.OWNER), CREATED),
    Route("POST", "/keys/{prefix}/rotate", calling(credentials.rotate_key, Role.OWNER), CREATED),
    Route("DELETE", "/keys/{prefix}", calling(credentials.revoke_key, Role.OWNER)),
    Route("GET", "/auth/caller", calling(credentials.who_am_i)),
    Route("POST", "/auth/token", calling(credentials.issue_token), CREATED),
    Route("GET", "/export", streaming(carrying.export_bundle, Role.OPERATOR, carrying.NDJSON)),
    Route(
        "POST",
        "/import",
        OfFunction(carrying.import_bundle, Role.OWNER, takes_body=carrying.NDJSON),
        most_bytes=carrying.MAX_IMPORT_BYTES,
    ),
    Route("GET", "/backups", calling(carrying.list_backups, Role.OPERATOR)),
    Route("POST", "/backups", calling(carrying.make_backup, Role.OPERATOR, changes=True), CREATED),
    Route("GET", "/jobs", "job_list"),
    Route("POST", "/jobs/{id}/run", "job_run"),
    Route("POST", "/jobs/{id}/cancel", "job_cancel"),
    Route("GET", "/events", streaming(events.stream_events, Role.READER, EVENT_STREAM)),
    Route("GET", "/health", calling(state.health, Role.OPERATOR)),
    Route("GET", "/usage", calling(state.usage)),
)


def routes_of(features: Collection[str] | None) -> list[Route]:
    """Return the routes, of features those that are on; with None all. Imports those."""
    brought = named_parts(registered(features), "routes")
    return with_brought(ROUTES, brought, lambda route: f"{route.method} {route.path}")


def operations(bound: BoundTools, features: Collection[str] | None = None) -> Table:
    """Return the routes with what they do, of features those that are on; None for all."""
    tools = {entry.tool.name: OfTool(entry) for entry in bound}

    def operation(does: str | Tool | OfFunction) -> Operation:
        if isinstance(does, Tool):
            return OfTool(BoundTool(does))
        return tools[does] if isinstance(does, str) else does

    return [(route, operation(route.does)) for route in routes_of(features)]
