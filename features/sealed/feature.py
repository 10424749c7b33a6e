"""The feature sealed: texts that only their owner can read, found by vectors that their owner made."""

from ...modules.plugins.feature import Feature, Listed

FEATURE = Feature(
    "sealed",
    __package__,
    routes=Listed("routes.ROUTES", "GET /approvals/{approval_id}"),
    wired="wiring.with_sealed",
)
