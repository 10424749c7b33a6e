"""The feature procedures: habits, and lessons from repeated failures, that are found in what was done."""

from ...modules.plugins.feature import Feature, Listed

FEATURE = Feature(
    "procedures",
    __package__,
    tools="tools.TOOLS",
    routes=Listed("routes.ROUTES", "POST /sessions/{session}/branches"),
    jobs={"procedure_miner": Listed("job.JOB", "usage")},
    wired="wiring.with_procedures",
)
