"""The feature consolidation: summaries of conversations, and of summaries."""

from ...modules.plugins.feature import Feature, Listed

FEATURE = Feature(
    "consolidation",
    __package__,
    tools="tools.TOOLS",
    routes=Listed("routes.ROUTES", "POST /sessions/{session}/branches"),
    jobs={"consolidation": Listed("job.JOB", "event_retention")},
    wired="wiring.with_consolidation",
    settings=("consolidation_window_tokens", "consolidation_share"),
)
