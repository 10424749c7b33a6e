"""The feature ask: questions that are answered from memory."""

from ...modules.plugins.feature import Feature, Listed

FEATURE = Feature(
    "ask",
    __package__,
    tools="tools.TOOLS",
    routes=Listed("routes.ROUTES", "POST /search"),
    commands={"ask": Listed("commands.ask", "recall")},
    pages=Listed("page.PAGES", "questions"),
)
