"""The feature teams: one signed manifest for each workstation."""

from ...modules.plugins.feature import Feature, Listed

FEATURE = Feature(
    "teams",
    __package__,
    commands={"team": Listed("commands.team", "trust")},
    wired="wiring.with_teams",
)
