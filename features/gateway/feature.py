"""The feature gateway: memory for every program that knows the address of a model."""

from ...modules.plugins.feature import Feature, Listed

FEATURE = Feature(
    "gateway",
    __package__,
    commands={"chat": Listed("commands.chat", "explain"), "gateway": Listed("commands.gateway", "hook")},
    wired="wiring.with_gateway",
    doors="door.doors",
    settings=("gateway_port", "gateway_mode", "gateway_client_control", "gateway_openai_url", "gateway_anthropic_url"),
)
