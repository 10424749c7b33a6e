"""What setup wrote where, so that it can be taken out to the byte; and the backups it made before.

Both lie in `<home>/setup`, for their owner's eyes only: other programs' settings may hold keys.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from .documents import NO_FACTS, Facts, Unreadable
from .files import File, write_private


@dataclass(frozen=True)
class Receipt:
    """One insertion: by which client's rules, into which file, and what undoes it."""

    client: str
    purpose: str
    path: str
    scope: str
    created: bool
    folders: tuple[str, ...]
    facts: Facts


class Receipts:
    """The receipts of a data folder."""

    def __init__(self, home: Path) -> None:
        self._folder = home / "setup"
        self._file = self._folder / "receipts.json"
        self._all = {(receipt.purpose, receipt.path): receipt for receipt in _read(self._file)}

    def __iter__(self) -> Iterator[Receipt]:
        return iter(list(self._all.values()))

    def of(self, purpose: str, path: Path) -> Receipt | None:
        """What is known about an insertion."""
        return self._all.get((purpose, str(path)))

    def keep(self, receipt: Receipt) -> None:
        """Note an insertion into a file that had none of ours."""
        self._all[receipt.purpose, receipt.path] = receipt
        self._save()

    def drop(self, purpose: str, path: Path) -> None:
        """Forget an insertion that was undone."""
        if self._all.pop((purpose, str(path)), None) is not None:
            self._save()

    def back_up(self, client: str, file: File, now: datetime) -> Path | None:
        """Copy a file before it is changed; None where there is nothing to copy."""
        if file.data is None:
            return None
        stamp = f"{now.astimezone(UTC):%Y%m%dT%H%M%S.%fZ}"
        path = self._folder / "backups" / f"{stamp}-{client}-{file.path.name.lstrip('.')}"
        write_private(path, file.data)
        return path

    def _save(self) -> None:
        content = {"version": 1, "receipts": [asdict(receipt) for receipt in self._all.values()]}
        write_private(self._file, json.dumps(content, indent=1, ensure_ascii=False).encode())


def _read(path: Path) -> Iterator[Receipt]:
    try:
        content: dict[str, Any] = json.loads(path.read_bytes())
        for entry in content["receipts"]:
            yield Receipt(**{**entry, "folders": tuple(entry["folders"]), "facts": entry["facts"] or NO_FACTS})
    except FileNotFoundError:
        return
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Unreadable(
            f"{path} cannot be read ({error}); move it away: entries are then found by what they start"
        ) from error
