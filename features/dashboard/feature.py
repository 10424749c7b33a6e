"""The feature dashboard: the memory in a browser, for people."""

from ...modules.plugins.feature import Feature, Listed

FEATURE = Feature(
    "dashboard",
    __package__,
    commands={"open": Listed("commands.open_", "model")},
    mounted="mounting.mounted",
)
