"""The feature profile: what is known of the user, under canonical keys."""

from ...modules.plugins.feature import Feature, Listed

FEATURE = Feature(
    "profile",
    __package__,
    tools="tools.TOOLS",
    routes=Listed("routes.ROUTES", "POST /sessions/{session}/branches"),
    wired="wiring.with_profile",
)
