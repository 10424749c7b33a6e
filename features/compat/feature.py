"""The feature compat: clients of other memory systems are answered as their own server answers them."""

from ...modules.plugins.feature import Feature

FEATURE = Feature("compat", __package__, mounted="mounting.mounted")
