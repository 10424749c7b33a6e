"""Records of what setup wrote where, so that it can be removed to the byte; and the backups it made before.

Both are in `<home>/setup`, private to their owner: other programs' settings may hold keys.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ....modules.records import dataclass
from .documents import NO_FACTS, Facts, Unreadable
from .files import File, write_private


@dataclass(frozen=True)
class Receipt:
    """One insertion: by which client's rules, into which file, and the data that undo it."""

    client: str
    purpose: str
    path: str
    scope: str
    created: bool
    facts: Facts


class Receipts:
    """The receipts of a data folder."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._folder = home / "setup"
        self._file = self._folder / "receipts.json"
        content = _read(self._file)
        self._all = {(receipt.purpose, receipt.path): receipt for receipt in content.receipts}
        self._folders = list(content.folders)

    def __iter__(self) -> Iterator[Receipt]:
        return iter(list(self._all.values()))

    def of(self, purpose: str, path: Path) -> Receipt | None:
        """Return the receipt of an insertion; None where there is none."""
        return self._all.get((purpose, str(path)))

    def keep(self, receipt: Receipt, folders: Sequence[Path]) -> None:
        """Record the first insertion into a file, and the folders that were created for it."""
        self._all[receipt.purpose, receipt.path] = receipt
        self._folders += [str(folder) for folder in folders]
        self._save()

    def folders_above(self, path: Path) -> list[Path]:
        """Return the folders that setup created and that hold this file, innermost first."""
        return [folder for folder in path.parents if str(folder) in self._folders]

    def drop(self, purpose: str, path: Path) -> None:
        """Forget an insertion that was undone."""
        if self._all.pop((purpose, str(path)), None) is not None:
            self._save()

    def back_up(self, client: str, file: File, now: datetime) -> Path | None:
        """Copy a file before it is changed, and return the copy; None where there is nothing to copy."""
        if file.data is None:
            return None
        stamp = f"{now.astimezone(UTC):%Y%m%dT%H%M%S.%fZ}"
        path = self._folder / "backups" / f"{stamp}-{client}-{file.path.name.lstrip('.')}"
        write_private(path, file.data)
        return path

    def _save(self) -> None:
        content = {
            "version": 1,
            "receipts": [asdict(receipt) for receipt in self._all.values()],
            "folders": sorted({folder for folder in self._folders if Path(folder).is_dir()}),
        }
        write_private(self._file, json.dumps(content, indent=1, ensure_ascii=False).encode())


@dataclass(frozen=True)
class _Content:
    receipts: Sequence[Receipt] = ()
    folders: Sequence[str] = ()


def _read(path: Path) -> _Content:
    try:
        content: dict[str, Any] = json.loads(path.read_bytes())
        receipts = [Receipt(**{**entry, "facts": entry["facts"] or NO_FACTS}) for entry in content["receipts"]]
        return _Content(receipts, [str(folder) for folder in content["folders"]])
    except FileNotFoundError:
        return _Content()
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise Unreadable(
            f"{path} cannot be read ({error}); move it away; entries are then recognised by the command they start"
        ) from error
