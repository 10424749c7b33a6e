"""The route of questions that are answered from memory."""

from ...interfaces.http.rest.route import Route

ROUTES = (Route("POST", "/ask", "memory_ask"),)
