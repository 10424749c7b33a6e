"""The feature ingest: passages of files as memories."""

from ...modules.plugins.feature import Feature, Listed

FEATURE = Feature("ingest", __package__, commands={"ingest": Listed("commands.ingest", "explain")})
