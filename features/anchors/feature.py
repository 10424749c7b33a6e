"""The feature anchors: notes that follow the code, where a folder is followed."""

from ...modules.plugins.feature import Feature, Listed

FEATURE = Feature(
    "anchors",
    __package__,
    routes=Listed("routes.ROUTES", "POST /sessions/{session}/branches"),
    commands={"anchors": Listed("commands.anchors", "explain")},
    jobs={"code_anchors": Listed("job.JOB", "approvals")},
    at_home="wiring.with_anchors",
)
