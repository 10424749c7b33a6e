"""The routes of consolidation."""

from ...interfaces.http.rest.route import Route, between
from .models import SummaryLevel

ROUTES = (
    Route("POST", "/sessions/{session}/consolidations", "consolidate"),
    Route(
        "GET", "/consolidations", "consolidation_list", bounds=between("level", min(SummaryLevel), max(SummaryLevel))
    ),
)
