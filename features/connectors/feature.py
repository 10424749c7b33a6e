"""The feature connectors: notes of a machine's programs, where one is on or has brought something."""

from ...modules.plugins.feature import Feature, Listed

FEATURE = Feature(
    "connectors",
    __package__,
    commands={"connect": Listed("commands.connect", "explain")},
    at_home="wiring.with_connectors",
    settings=("connectors",),
)
