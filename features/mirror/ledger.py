"""The mirror's state in a home: the last pass and a person's decision, each in its own file."""

import json
import os
import secrets
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ...modules import foreign_files, private_files
from ...modules.errors import StorageRefused
from .models import Agreed, Control, MirrorEntry, MirrorState, Stamp

FOLDER = "mirror"
VERSION = 1
MAX_STATE_BYTES = 256 * 1024 * 1024
MAX_WORD_BYTES = 4096


class MirrorLedger:
    """The mirror's state in the home, in its own files."""

    def __init__(self, home: Path, place: str) -> None:
        self._folder = home / FOLDER
        self._place = place

    def load(self) -> MirrorState:
        """Return the state after the last pass, or a new one, which is kept. Raises StorageRefused, OSError."""
        path = self._folder / "state.json"
        try:
            value = json.loads(foreign_files.read(path, MAX_STATE_BYTES))
            if value["version"] == VERSION and value["place"] == self._place:
                return _state(value)
        except FileNotFoundError:
            pass
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise StorageRefused(f"{path} is damaged; remove it, and the mirror compares every file again") from error
        state = MirrorState(secrets.token_hex(16))
        self.save(state)
        return state

    def save(self, state: MirrorState) -> None:
        """Keep the state, durably, whole or not at all. Raises OSError."""
        entries = {one: [*asdict(entry).values()] for one, entry in state.entries.items()}
        value = {"version": VERSION, "place": self._place, "owner": state.owner}
        self._put("state.json", json.dumps({**value, "entries": entries, "problems": dict(state.problems)}))

    def control(self) -> Control:
        """Return whether the mirror is paused, or allowed a large change, as it was last set."""
        paused, allowed = self._word("paused"), self._word("allowed") or ""
        if paused is None:
            return Control(allowed=int(allowed) if allowed.isdecimal() else 0)
        number, _, reason = paused.partition(" ")
        return Control(reason, int(number)) if number.isdecimal() else Control(paused)

    def pause(self, reason: str, waiting: int = 0) -> None:
        """Let the mirror do nothing until it is resumed; so many changes wait for that. Raises OSError."""
        self._put("paused", f"{waiting} {reason}")
        self.used()

    def resume(self, allowed: int) -> None:
        """Let the mirror go on, with so many changes at once. Raises OSError."""
        self._put("allowed", str(allowed))
        (self._folder / "paused").unlink(missing_ok=True)

    def used(self) -> None:
        """Forget what was allowed. Raises OSError."""
        (self._folder / "allowed").unlink(missing_ok=True)

    def _word(self, name: str) -> str | None:
        try:
            return foreign_files.text(self._folder / name, MAX_WORD_BYTES).strip()
        except FileNotFoundError:
            return None
        except OSError as error:
            return f"{self._folder / name} cannot be read: {error.strerror or error}"

    def _put(self, name: str, text: str) -> None:
        self._folder.mkdir(mode=0o700, exist_ok=True)
        partial = self._folder / f".{name}-{secrets.token_hex(8)}"
        try:
            with private_files.create(partial) as file:
                file.write(text.encode("utf-8"))
                file.flush()
                os.fsync(file.fileno())
            os.replace(partial, self._folder / name)
        finally:
            partial.unlink(missing_ok=True)


def _state(value: dict[str, Any]) -> MirrorState:
    entries = {}
    for memory_id, (name, stamp, agreed, wanted) in value["entries"].items():
        tags = tuple(map(str, agreed["tags"]))
        base = Agreed(str(agreed["content"]), str(agreed["memory_type"]), float(agreed["importance"]), tags)
        entries[str(memory_id)] = MirrorEntry(
            str(name), Stamp(**{sign: int(value) for sign, value in stamp.items()}), base, str(wanted)
        )
    problems = {str(name): str(why) for name, why in value["problems"].items()}
    return MirrorState(str(value["owner"]), entries, problems)
