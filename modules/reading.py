"""The readers of files that plugins may bring, as for the text in pictures."""

from collections.abc import Callable, Collection

from .plugins.loading import READERS, LoadedPlugins, accepted, load
from .records import dataclass


@dataclass(frozen=True)
class FileReader:
    """Takes the text of files of some media types; `read` blocks, in a process of its own, and may fail."""

    name: str
    media_types: Collection[str]
    read: Callable[[bytes], str]


def readers() -> LoadedPlugins:
    """Load the readers of plugins. Blocks: their code is imported."""
    return accepted(load(READERS), READERS, FileReader, (), lambda reader: reader.name)
