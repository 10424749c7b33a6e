"""What lies where in a group: its keys, and for each device a card, segments, and files of memories."""

from ...modules.errors import StorageUnavailable
from .carriers import Carrier

NAME = "agentos-sync"
GROUP, KEYS, DEVICES, CARD, FILES = "group.json", "keys", "devices", "card", "files"
SUFFIX = ".segment"
DIGITS = 10
LONGEST_CARD = 1 << 20


class Folder:
    """The files of one group, in a folder that is carried. All calls block; each raises StorageUnavailable."""

    def __init__(self, carrier: Carrier) -> None:
        self._carrier = carrier
        self.place = f"{carrier.place}/{NAME}"

    def close(self) -> None:
        """Close what carries."""
        self._carrier.close()

    def is_there(self) -> bool:
        return self.read(GROUP, most=1) is not None

    def is_begun(self) -> bool:
        """Return whether anything is there, be it of a group or not."""
        return bool(self._carrier.names(NAME))

    def require(self) -> None:
        """Raise StorageUnavailable where the group is not there just now, as with a share that is not mounted."""
        if not self.is_there():
            raise StorageUnavailable(f"{self.place} is not there: {self._carrier.if_missing}")

    def read(self, *names: str, most: int = LONGEST_CARD) -> bytes | None:
        """Return the beginning of a file; None where there is none."""
        return self._carrier.read(NAME, *names, most=most)

    def write(self, text: bytes, *names: str) -> None:
        """Write a file."""
        self._carrier.write(text, NAME, *names)

    def epochs(self) -> list[str]:
        return self._names(KEYS)

    def devices(self) -> list[str]:
        return self._names(DEVICES)

    def numbers(self, device: str) -> list[int]:
        """Return the numbers of a device's segments that are here, in order."""
        return sorted(int(name[:DIGITS]) for name in self._names(DEVICES, device) if is_segment(name))

    def others(self, device: str) -> list[str]:
        """Return the files beside a device's segments that are none, such as the copies that carriers make."""
        return [one for one in self._names(DEVICES, device) if one not in (CARD, FILES) and not is_segment(one)]

    def segment(self, device: str, number: int, most: int) -> bytes | None:
        return self.read(DEVICES, device, segment_name(number), most=most)

    def write_segment(self, text: bytes, device: str, number: int) -> None:
        self.write(text, DEVICES, device, segment_name(number))

    def files(self, device: str) -> list[str]:
        """Return the names of the files of memories that a device carries."""
        return self._names(DEVICES, device, FILES)

    def file(self, device: str, name: str, most: int) -> bytes | None:
        return self.read(DEVICES, device, FILES, name, most=most)

    def write_file(self, text: bytes, device: str, name: str) -> None:
        self.write(text, DEVICES, device, FILES, name)

    def remove_file(self, device: str, name: str) -> None:
        self._carrier.remove(NAME, DEVICES, device, FILES, name)

    def _names(self, *names: str) -> list[str]:
        return self._carrier.names(NAME, *names)


def segment_name(number: int) -> str:
    """Return the name of a device's segment."""
    return f"{number:0{DIGITS}d}{SUFFIX}"


def is_segment(name: str) -> bool:
    """Return whether a file is a segment, by its name."""
    return name.endswith(SUFFIX) and name[:DIGITS].isascii() and name[:DIGITS].isdigit() and len(name) == DIGITS + 8
