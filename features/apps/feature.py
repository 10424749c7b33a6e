"""The feature apps: views and forms in clients that show them."""

from ...modules.plugins.feature import Feature

FEATURE = Feature("apps", __package__, views="views.Views", forms="forms.Forms", settings=("views", "forms"))
