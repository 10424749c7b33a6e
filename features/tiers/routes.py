"""The routes of the tiers."""

from ...interfaces.http.rest.route import Route

ROUTES = (
    Route("GET", "/tiers", "tiers_status"),
    Route("POST", "/tiers/recall", "tiers_recall"),
    Route("POST", "/tiers/{segment}/restore", "tiers_restore"),
)
