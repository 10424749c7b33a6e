"""The feature gateway: memory for every program that knows the address of a model."""

from ...modules.plugins.feature import Feature, Listed

FEATURE = Feature(
    "gateway",
    __package__,
    commands={"chat": Listed("commands.chat", "explain"), "gateway": Listed("commands.gateway", "hook")},
    wired="wiring.with_gateway",
    doors="door.doors",
)
