"""The signature of a bundle that comes in, read by the published reader and judged by this home's keys."""

from pathlib import Path

from ...conformance import reader
from ...modules import foreign_files
from ...modules.signing import received, registry_file

MAX_LINE_BYTES = 32 * foreign_files.MiB


def weighed(path: Path, home: Path) -> str:
    """Return what a bundle's signature is worth in a home, in a sentence; "" where it cannot be read. Blocks.

    Raises PermissionDenied where it is a warning. What is no whole bundle is left to the import, which names the line.
    """
    try:
        with foreign_files.opened(path) as file:
            seal = reader.seal_of(foreign_files.lines(file, MAX_LINE_BYTES))
    except (reader.Complaint, OSError):
        return ""
    return received.weighed(seal, registry_file.read(home))
