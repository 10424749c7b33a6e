"""The feature lessons: lessons that prove themselves."""

from ...modules.plugins.feature import Feature, Listed

FEATURE = Feature(
    "lessons",
    __package__,
    routes=Listed("routes.ROUTES", "POST /sessions/{session}/branches"),
    commands={"lessons": Listed("commands.lessons", "rules")},
    jobs={"lessons": Listed("job.JOB", "queue_worker")},
    given="wiring.given",
)
