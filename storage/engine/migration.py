"""A step of the schema, as its file has it."""

import hashlib

from ...modules.records import dataclass


@dataclass(frozen=True)
class Migration:
    """One step of the schema; `checksum` is the SHA-256 of the file, line ends unified."""

    version: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.sql.encode()).hexdigest()
