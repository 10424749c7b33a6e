"""Formats that plugins bring to imports."""

from collections.abc import Mapping

from ...modules.plugins.loading import IMPORTERS as GROUP
from ...modules.plugins.loading import LoadedPlugins, accepted, load
from ...modules.records import dataclass
from .formats import FORMATS, Format


@dataclass(frozen=True, kw_only=True)
class Importer(Format):
    """A format of another system, with the name that `agentos import --from` takes."""

    name: str


def importers() -> LoadedPlugins:
    """Load the formats of plugins. Blocks."""
    return accepted(load(GROUP), GROUP, Importer, {name.replace("-", "_") for name in FORMATS}, lambda one: one.name)


def formats() -> Mapping[str, Format]:
    """Return the formats of plugins by their names. Blocks."""
    return {one.value.name: one.value for one in importers().brought}
