"""The connector `documents`: files that a desktop lists as used lately, and letters of a mailbox by their subject."""

import mailbox
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.parser import BytesHeaderParser
from email.utils import parseaddr, parsedate_to_datetime
from itertools import islice
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

import platformdirs

from ....modules import foreign_files
from ....modules.errors import InvalidInput
from ..models import Connector, Signal
from .texts import day, reference, title

MOST_BYTES = 32 * foreign_files.MiB
MOST_MAILBOX_BYTES = 256 * foreign_files.MiB
MOST_LETTERS = 50_000
MOST_HEADER_BYTES = 64 * 1024
"""How much of a letter is read: its subject stands before that, its attachments do not matter."""


def _places() -> Sequence[Path]:
    listed = Path(platformdirs.user_data_dir()) / "recently-used.xbel"
    return [listed] if listed.is_file() else []


def _read(path: Path, now: datetime) -> Iterable[Signal]:
    with foreign_files.opened(path, most=MOST_MAILBOX_BYTES) as file:
        begin = file.read(100)
    if begin.startswith(b"From "):
        return _letters(path)
    if path.suffix == ".xbel" or b"<?xml" in begin:
        return _used(foreign_files.read(path, MOST_BYTES))
    raise InvalidInput("file", "is neither a list of used files (recently-used.xbel) nor a mailbox (mbox)")


def _used(data: bytes) -> Iterator[Signal]:
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        raise InvalidInput("file", f"is not XML: {error}") from error
    found = []
    for entry in root.iter("bookmark"):
        try:
            parts = urlsplit(entry.get("href", ""))
            at = datetime.fromisoformat(entry.get("visited") or entry.get("modified") or "").astimezone(UTC)
        except (ValueError, OverflowError):
            continue
        if parts.scheme == "file":
            found.append((at, unquote(parts.path)))
    for at, name in sorted(found, reverse=True):
        yield Signal(reference("file", name), f"Documents: the user used {title(name)}, last on {day(at)}.", at)


def _letters(path: Path) -> Iterator[Signal]:
    """Yield the letters of a mailbox by sender and subject; what they say is left alone."""
    found = []
    box = mailbox.mbox(path, create=False)
    try:
        for key in islice(box.iterkeys(), MOST_LETTERS):
            letter = BytesHeaderParser().parsebytes(_begin(box, key))
            try:
                at = parsedate_to_datetime(str(letter["date"])).astimezone(UTC)
            except (ValueError, TypeError, OverflowError):
                continue
            name, writer = parseaddr(_plain(letter["from"]))
            subject = title(_plain(letter["subject"]))
            if subject and (name or writer):
                text = f"Mail: “{subject}” from {title(name or writer)} on {day(at)}."
                found.append(Signal(reference("letter", letter["message-id"] or text), text, at, is_event=True))
    finally:
        box.close()
    yield from sorted(found, key=lambda one: one.at, reverse=True)


def _begin(box: mailbox.mbox, key: str) -> bytes:
    file = box.get_file(key)
    try:
        return file.read(MOST_HEADER_BYTES)
    finally:
        file.close()


def _plain(value: object) -> str:
    try:
        return str(make_header(decode_header(str(value or ""))))
    except (ValueError, LookupError, HeaderParseError):
        return str(value)


DOCUMENTS = Connector("documents", "the desktop's list of used files, and mailboxes (mbox) by subject", _places, _read)
