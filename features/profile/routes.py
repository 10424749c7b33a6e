"""The routes of the profile."""

from ...interfaces.http.rest.route import Route

ROUTES = (Route("GET", "/profile", "profile_get"), Route("PUT", "/profile/{key}", "profile_set"))
