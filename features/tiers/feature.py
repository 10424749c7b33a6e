"""The feature tiers: conversations in short-term, mid-term and long-term memory."""

from ...modules.plugins.feature import Feature, Listed

FEATURE = Feature(
    "tiers",
    __package__,
    tools="tools.TOOLS",
    routes=Listed("routes.ROUTES", "POST /sessions/{session}/branches"),
    commands={"tiers": Listed("commands.tiers", "revert")},
    jobs={"tiers": Listed("job.JOB", "fact_extraction")},
    wired="wiring.with_tiers",
    settings=("short_term_pages", "mid_term_segments", "knowledge_per_side"),
)
