"""The feature mirror: memories as Markdown files that people edit, where the settings name a folder."""

from ...modules.plugins.feature import Feature, Listed

FEATURE = Feature(
    "mirror",
    __package__,
    commands={"mirror": Listed("commands.mirror", "import")},
    beside="passes.mirroring",
    checks="checks.checks",
)
