"""The feature attachments: pictures and files as memories."""

from ...modules.plugins.feature import Feature, Listed

FEATURE = Feature(
    "attachments",
    __package__,
    tools="tools.TOOLS",
    routes=Listed("routes.ROUTES", "POST /memories/{memory_id}/revert"),
    commands={
        "attach": Listed("commands.attach", "explain"),
        "attachments": Listed("commands.attachments", "explain"),
    },
    pages=Listed("page.PAGES", "acts"),
    wired="wiring.with_attachments",
)
