"""The routes of procedures."""

from ...interfaces.http.rest.route import Route

ROUTES = (
    Route("GET", "/procedures", "procedures_relevant"),
    Route("POST", "/procedures/mine", "procedures_mine"),
    Route("POST", "/procedures/{id}/promote", "procedure_promote"),
)
