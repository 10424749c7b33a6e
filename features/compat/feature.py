"""The feature compat: clients of other memory systems find their tools and paths, and are answered in their forms."""

from ...modules.plugins.feature import Feature

FEATURE = Feature("compat", __package__, tools="tools.TOOLS", mounted="mounting.mounted", settings=("http_compat",))
