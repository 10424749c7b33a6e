"""Changes of a home's encryption: each file is copied under its new key, checked, and put in the old one's place.

A process that is killed leaves every file whole, under a key that the home still names, or plain: the same command, or
`resume`, goes on where it ended. Nobody else may use the database meanwhile.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from ...modules import private_files
from ...modules.errors import Conflict, InvalidInput, NotFound, StorageRefused, StorageUnavailable
from ...modules.installing import INSTALL_ENCRYPTION_EXTRA
from ..embedding.private_file import write_private
from . import driver, encryption, failures, folder, sound_copy, text_functions, vault
from .backup_files import digest
from .driver import connect, sqlite3
from .encryption import EncryptionState
from .usage_lock import UsageLock

PARTIAL = ".reencrypted"
PLAIN = ""
FileReport = Callable[[str], None]


class HomeEncryption:
    """The encryption of one home; every method blocks, and raises StorageRefused, StorageUnavailable or OSError."""

    def __init__(self, home: Path, database: Path, chroma: Path, report: FileReport = lambda _: None) -> None:
        self._home = home
        self._database = database
        self._chroma = chroma
        self._report = report

    def encrypt(self, key_location: str, passphrase: str | None = None) -> int:
        """Encrypt a plain home; return how many files were. Raises Conflict where it is encrypted already."""
        self._require_cipher()
        with self._alone():
            if encryption.read(self._home) is not None:
                raise Conflict("this home is already encrypted; agentos rotate-key changes its key")
            if not self._database.exists():
                raise NotFound(f"there is no data in {self._home} yet: store something first")
            self._require_no_spool()
            encryption.write(self._home, _with_new_key(EncryptionState((), key_location, {}), passphrase))
            return self._finish()

    def rotate(self, passphrase: str | None = None) -> int:
        """Put every file under a new key; return how many were. The old key stays where it is kept, for old copies."""
        self._require_cipher()
        with self._alone():
            state = self._state()
            encryption.keys_of(self._home)  # before anything is made: is the key there?
            encryption.write(self._home, _with_new_key(state, passphrase))
            return self._finish()

    def rewrap(self) -> int:
        """Have Vault wrap the home's keys anew, by the newest version of its own key; return how many were.

        Raises Conflict where Vault does not keep them.
        """
        state = self._state()
        if not vault.is_place(state.key_location):
            raise Conflict(f"the key of this home is in {state.key_location}, not in Vault: there is nothing to wrap")
        place = vault.of(state.key_location)
        wrapped = {name: place.wrapped_anew(one) for name, one in state.wrapped.items()}
        encryption.write(self._home, replace(state, wrapped=wrapped))
        return len(wrapped)

    def decrypt(self) -> int:
        """Make every file plain again; return how many were. The key stays where it is kept, for old copies."""
        self._require_cipher()
        with self._alone():
            encryption.keys_of(self._home)  # fails before anything is changed, if the key is missing
            encryption.write(self._home, replace(self._state(), target=PLAIN))
            return self._finish()

    def resume(self) -> int:
        """Finish a change that was interrupted; return how many files were left to do."""
        self._require_cipher()
        with self._alone():
            if self._state().target is None:
                return 0
            return self._finish()

    def recover(self, passphrase: str) -> int:
        """Make a key of a passphrase again, where it is kept; return 1. Raises StorageRefused for another one."""
        state = self._state()
        if vault.is_place(state.key_location):
            raise StorageRefused(
                "Vault keeps the key of this home: give a token that may unwrap it; nothing was changed"
            )
        for name, salt in state.salts.items():
            key = encryption.derived_key(passphrase, bytes.fromhex(salt))
            if encryption.digest(key) == name:
                encryption.write_keys(state.key_location, [key, *encryption.read_keys(state.key_location)])
                return 1
        raise StorageRefused("no key of this home was derived from that passphrase; nothing was changed")

    def naming(self, sought: Sequence[bytes]) -> list[str]:
        """Return the encrypted files of the home, by their paths there, whose rows hold one of some texts.

        Nobody can read that in their bytes. ASCII letters are compared as small ones. None where nothing is encrypted.
        """
        if encryption.read(self._home) is None:
            return []
        self._require_cipher()
        found = [path for path in self._files() if driver.is_under_key(path) and _names(path, sought)]
        return [str(path.relative_to(self._home)) for path in found]

    def _finish(self) -> int:
        state = self._state()
        keys = encryption.keys_of(self._home)
        key = next((one for one in keys if encryption.digest(one) == state.target), None)
        shutil.rmtree(self._chroma, ignore_errors=True)  # an index of vectors: it is made anew, or not needed
        done = 0
        for path in [left for place in self._places() for left in place.glob(f"*{PARTIAL}*")]:
            path.unlink()  # of a change that was killed
        for path in self._files():
            if self._is_under(path, key):
                continue
            self._report(path.name)
            self._convert(path, key)
            done += 1
        if state.target == PLAIN and vault.is_place(state.key_location):  # what Vault wrapped is kept nowhere else
            os.replace(self._home / encryption.STATE, self._home / f"{encryption.STATE}.old")
        elif state.target == PLAIN:
            (self._home / encryption.STATE).unlink()
        else:
            encryption.write(self._home, replace(state, keys=(str(state.target),), target=None))
        folder.sync(self._home)
        return done

    def _files(self) -> Iterator[Path]:
        """Yield every database of the home."""
        for place in self._places():
            for path in sorted(place.glob("*.db")) + sorted(place.glob(f"{self._database.name}.replaced-*")):
                if not path.name.endswith(("-wal", "-shm", "-journal")):
                    yield path

    def _places(self) -> list[Path]:
        return list(dict.fromkeys([self._database.parent, self._home / "backups"]))

    def _is_under(self, path: Path, key: bytes | None) -> bool:
        """Return whether a file is under a key alone, or plain where there is none."""
        if driver.is_plain(path) or key is None:
            return driver.is_plain(path) and key is None
        try:
            with closing(driver.keyed(sqlite3.connect(path), key)) as connection:
                connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.Error as error:
            if not failures.is_damage(error):
                raise failures.translate(error) from error
            return False
        return True

    def _convert(self, path: Path, key: bytes | None) -> None:
        new = path.with_name(path.name + PARTIAL)
        try:
            with closing(connect(path, isolation_level=None, timeout=30)) as source:
                text_functions.add_to(source)
                source.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                before = _counts(source)
                spelled = "" if key is None else f"x'{key.hex()}'"
                private_files.create(new).close()
                source.execute(f'ATTACH DATABASE ? AS target KEY "{spelled}"', (str(new),))
                source.execute("PRAGMA target.journal_mode = OFF")  # who is killed here begins anew, and it is
                source.execute("PRAGMA target.synchronous = OFF")  # synced as a whole, when it has been checked
                source.execute("SELECT sqlcipher_export('target')")
                for name in ("user_version", "application_id"):
                    [value] = source.execute(f"PRAGMA main.{name}").fetchone()
                    source.execute(f"PRAGMA target.{name} = {int(value)}")
                source.execute("DETACH DATABASE target")
                source.execute("PRAGMA journal_mode = DELETE")  # no log stays beside it
            self._check(new, key, before)
            facts = path.with_suffix(".json")
            if path.suffix == ".db" and facts.exists():
                recorded = json.loads(facts.read_bytes())
                write_private(
                    facts, json.dumps(recorded | {"digest": digest(new), "bytes": new.stat().st_size}).encode()
                )
            folder.sync(new)
            os.replace(new, path)
            folder.sync(path.parent)
        except sqlite3.Error as error:
            if path != self._database:
                raise StorageRefused(f"{path} cannot be read: move it out of the home, and run this again") from error
            raise failures.translate(error) from error
        except OSError as error:
            raise StorageUnavailable(f"{error.filename or path}: {error.strerror or error}; run it again") from error
        finally:
            sound_copy.remove(new)

    def _check(self, path: Path, key: bytes | None, before: dict[str, int]) -> None:
        opened = sqlite3.connect(path, isolation_level=None)
        with closing(opened if key is None else driver.keyed(opened, key)) as copy:
            text_functions.add_to(copy)
            [found] = copy.execute("PRAGMA integrity_check(1)").fetchone()
            if found != "ok" or _counts(copy) != before:
                raise StorageRefused(f"the copy of {path.name} is damaged: {str(found)[:200]}; nothing was replaced")

    def _state(self) -> EncryptionState:
        state = encryption.read(self._home)
        if state is None:
            raise NotFound("this home is not encrypted; agentos encrypt does that")
        return state

    def _require_no_spool(self) -> None:
        if any((self._home / "spool").glob("*")):
            raise Conflict("hooks have left events for the daemon: start it once, then stop it and try again")

    @staticmethod
    def _require_cipher() -> None:
        if not driver.IS_CIPHER:
            raise StorageRefused(f"encryption needs SQLCipher: {INSTALL_ENCRYPTION_EXTRA}")

    @contextmanager
    def _alone(self) -> Iterator[None]:
        lock = UsageLock(self._database)
        try:
            if self._database.exists():
                lock.take_alone()
            yield
        finally:
            lock.release()


def _with_new_key(state: EncryptionState, passphrase: str | None) -> EncryptionState:
    """Return a state with a new key to end with, which is kept where its others are before this returns.

    Raises InvalidInput for a passphrase where Vault makes the key.
    """
    if vault.is_place(state.key_location):
        if passphrase is not None:
            raise InvalidInput("passphrase", "is for keys stored here; Vault makes its own")
        key, wrapped = vault.of(state.key_location).fresh()
        name = encryption.digest(key)
        return replace(state, keys=(name, *state.keys), target=name, wrapped={name: wrapped, **state.wrapped})
    key, salt = _new_key(passphrase)
    name = encryption.digest(key)
    stored = encryption.read_keys(state.key_location)
    encryption.write_keys(state.key_location, [key, *(one for one in stored if one != key)])
    salts = state.salts | ({name: salt} if salt else {})
    return replace(state, keys=(name, *state.keys), salts=salts, target=name)


def _new_key(passphrase: str | None) -> tuple[bytes, str]:
    """Return a new key, and the salt with which it is made of the passphrase again; "" where it is by chance."""
    if passphrase is None:
        return encryption.fresh(), ""
    salt = os.urandom(encryption.SALT_BYTES)
    return encryption.derived_key(passphrase, salt), salt.hex()


def _names(path: Path, sought: Sequence[bytes]) -> bool:
    """Return whether a text is in a row of any table. Raises StorageUnavailable for a file that cannot be read."""
    try:
        with closing(connect(path, isolation_level=None)) as connection:
            connection.text_factory = bytes
            tables = connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0"
            ).fetchall()
            for (name,) in tables:
                for row in connection.execute(f'SELECT * FROM "{name.decode()}"'):
                    cells = (cell.lower() for cell in row if isinstance(cell, bytes))
                    if any(one in cell for cell in cells for one in sought):
                        return True
    except sqlite3.Error as error:
        raise StorageUnavailable(f"{path} cannot be searched: {error}") from error
    return False


def _counts(connection: sqlite3.Connection) -> dict[str, int]:
    """Return how many rows each table has."""
    names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
    return {
        name: connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]
        for (name,) in names
        if not name.endswith("_words")  # a view of the text index, word by word
    }
