"""The child process that alone opens ChromaDB: requests on standard input, answers on standard output, pickled.

It is run by its source alone, imports nothing of the package, and ends with its parent, when its standard input does. A
crash of Chroma's native code ends only this process. A lock file beside the index's folder makes it the only owner:

    <folder>/CURRENT         the name of the folder in use
    <folder>/index-<hex>/    Chroma's files, and DELETED: how many vectors were deleted since it was built
"""

import ctypes
import hashlib
import json
import os
import pickle
import re
import secrets
import shutil
import signal
import sys
from array import array
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, BinaryIO, Protocol

LOCK_WAIT_S = 10.0
PR_SET_PDEATHSIG = 1
PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600
_FOLDER = re.compile(r"index-[0-9a-f]+")
HNSW = {"space": "cosine", "max_neighbors": 16, "ef_construction": 100, "ef_search": 100, "num_threads": 1}


COMPILED = frozenset({"1.5.5", "1.5.9"})
"""The releases of Chroma whose compiled part has been tried."""


class OpenChroma(Protocol):
    """Chroma, open on a folder. A collection is what `collection` returns, by its name; vectors are float32."""

    def collection(self, name: str) -> Any:
        """Return a collection, which is made if there is none."""

    def collections(self) -> Iterator[tuple[str, Any]]:
        """Yield each collection with its name."""

    def count(self, collection: Any) -> int:
        """Return how many vectors a collection has."""

    def upsert(self, collection: Any, ids: list[str], vectors: list[list[float]]) -> None:
        """Put vectors into a collection."""

    def delete(self, collection: Any, ids: list[str]) -> None:
        """Take vectors out of a collection."""

    def query(self, collection: Any, vector: list[float], limit: int) -> tuple[list[str], list[float]]:
        """Return the ids of the nearest vectors, and their distances."""

    def close(self) -> None:
        """Close the folder."""


class CompiledChroma:
    """Chroma by its compiled part alone: what lies above it takes 1.5 s and 80 MB to import, and is not needed here.

    It promises this interface to nobody: it is used of releases that have been tried.
    """

    IN = ("default_tenant", "default_database")

    def __init__(self, path: Path) -> None:
        import chromadb_rust_bindings as compiled

        self._bindings: Any = compiled.Bindings(
            allow_reset=False,
            sqlite_db_config=compiled.SqliteDBConfig(
                hash_type=compiled.MigrationHash.MD5,
                migration_mode=compiled.MigrationMode.Apply,
                url=str(path / "chroma.sqlite3"),
            ),
            persist_path=str(path),
            hnsw_cache_size=_open_indexes(),
        )

    def collection(self, name: str) -> str:
        configuration = json.dumps({"hnsw": HNSW, "spann": None, "embedding_function": {"type": "legacy"}})
        return str(self._bindings.create_collection(name, configuration, None, None, True, *self.IN).id)

    def collections(self) -> Iterator[tuple[str, str]]:
        for one in self._bindings.list_collections(None, None, *self.IN):
            yield one.name, str(one.id)

    def count(self, collection: str) -> int:
        return int(self._bindings.count(collection, *self.IN))

    def upsert(self, collection: str, ids: list[str], vectors: list[list[float]]) -> None:
        self._bindings.upsert(collection, ids, vectors, None, None, None, *self.IN)

    def delete(self, collection: str, ids: list[str]) -> None:
        tenant, database = self.IN
        self._bindings.delete(collection, ids, tenant=tenant, database=database)

    def query(self, collection: str, vector: list[float], limit: int) -> tuple[list[str], list[float]]:
        answer = self._bindings.query(collection, None, [vector], limit, None, None, ["distances"], *self.IN)
        return answer.ids[0], answer.distances[0]

    def close(self) -> None:
        del self._bindings


class PublishedChroma:
    """Chroma by its published client, whatever its release."""

    def __init__(self, path: Path) -> None:
        import chromadb
        from chromadb.config import Settings

        self._client: Any = chromadb.PersistentClient(str(path), Settings(anonymized_telemetry=False))

    def collection(self, name: str) -> Any:
        return self._client.get_or_create_collection(name, embedding_function=None, configuration={"hnsw": HNSW})

    def collections(self) -> Iterator[tuple[str, Any]]:
        for one in self._client.list_collections():
            yield one.name, one

    def count(self, collection: Any) -> int:
        return int(collection.count())

    def upsert(self, collection: Any, ids: list[str], vectors: list[list[float]]) -> None:
        collection.upsert(ids=ids, embeddings=vectors)

    def delete(self, collection: Any, ids: list[str]) -> None:
        collection.delete(ids=ids)

    def query(self, collection: Any, vector: list[float], limit: int) -> tuple[list[str], list[float]]:
        answer = collection.query(query_embeddings=[vector], n_results=limit, include=["distances"])
        return answer["ids"][0], answer["distances"][0]

    def close(self) -> None:
        self._client.close()


def _open_indexes() -> int:
    """Return how many indexes Chroma may keep open: each has five files."""
    if sys.platform == "win32":
        return 100
    import resource

    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 100_000 if files == resource.RLIM_INFINITY else max(1, files // 5)


def _release() -> str:
    """Return the release of Chroma that is installed; nothing where packages do not tell theirs."""
    try:
        return version("chromadb")
    except PackageNotFoundError:
        return ""


def _rows(vectors: bytes, count: int) -> list[list[float]]:
    """Return the rows of a matrix of little-endian float32."""
    values = array("f", vectors)
    if sys.byteorder == "big":
        values.byteswap()
    width = len(values) // count
    return [values[row * width : (row + 1) * width].tolist() for row in range(count)]


class ChromaFolder:
    """One open folder of Chroma's: a collection for each namespace and generation of vectors."""

    def __init__(self, path: Path) -> None:
        path.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        self.path = path
        self._chroma: OpenChroma = (CompiledChroma if _release() in COMPILED else PublishedChroma)(path)
        self._collections: dict[tuple[str, int], Any] = {}
        for file in path.iterdir():
            if file.is_file():
                file.chmod(PRIVATE_FILE)

    @property
    def deleted(self) -> int:
        """The number of vectors deleted since this folder was built; Chroma keeps them on disk."""
        file = self.path / "DELETED"
        return int(file.read_text(encoding="ascii")) if file.exists() else 0

    def upsert(self, namespace: str, generation: int, ids: list[str], vectors: bytes) -> None:
        self._chroma.upsert(self._collection(namespace, generation), ids, _rows(vectors, len(ids)))

    def delete(self, namespace: str, generation: int, ids: list[str]) -> int:
        deleted = self.deleted + len(ids)
        file = self.path / "DELETED"
        file.touch(mode=PRIVATE_FILE)
        file.write_text(str(deleted), encoding="ascii")
        self._chroma.delete(self._collection(namespace, generation), ids)
        return deleted

    def query(self, namespace: str, generation: int, vector: bytes, limit: int) -> list[tuple[str, float]]:
        [row] = _rows(vector, 1)
        found = self._chroma.query(self._collection(namespace, generation), row, limit)
        return [(name, 1.0 - float(distance)) for name, distance in zip(*found, strict=True)]

    def count(self, generation: int) -> int:
        if not (self.path / "chroma.sqlite3").exists():
            raise FileNotFoundError("the index's folder is gone")
        of_generation = [one for name, one in self._chroma.collections() if name.endswith(f"-g{generation}")]
        return sum(map(self._chroma.count, of_generation))

    def close(self) -> None:
        self._chroma.close()

    def _collection(self, namespace: str, generation: int) -> Any:
        key = (namespace, generation)
        if key not in self._collections:
            digest = hashlib.sha256(namespace.encode("utf-8")).hexdigest()[:32]
            self._collections[key] = self._chroma.collection(f"ns-{digest}-g{generation}")
        return self._collections[key]


class Index:
    """The requests, by name, on the folder in use and on one that is being built beside it."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._lock: Any = None
        self._current: ChromaFolder | None = None
        self._fresh: ChromaFolder | None = None

    def open(self) -> tuple[bool, int]:
        """Open the folder in use; return whether there is one, and how many deleted vectors it holds."""
        self._own()
        if self._current is None and (name := self._current_name()) and (self._home / name).is_dir():
            self._current = ChromaFolder(self._home / name)
        return self._current is not None, self._current.deleted if self._current else 0

    def begin(self) -> None:
        """Begin to build a new folder, and remove the remains of an interrupted build."""
        self._own()
        self._drop(self._fresh)
        self._fresh = None
        name = self._current_name()
        for path in self._home.glob("index-*"):
            if path.name != name:
                shutil.rmtree(path, ignore_errors=True)
        self._fresh = ChromaFolder(self._home / f"index-{secrets.token_hex(6)}")

    def commit(self) -> None:
        """Use the new folder from now on, and remove the one before. Raises RuntimeError if none was begun."""
        fresh, self._fresh = self._fresh, None
        if fresh is None:
            raise RuntimeError("nothing was built")
        pointer, temporary = self._home / "CURRENT", self._home / "CURRENT.new"
        temporary.touch(mode=PRIVATE_FILE)
        temporary.write_text(fresh.path.name, encoding="utf-8")
        temporary.replace(pointer)
        self._drop(self._current)
        self._current = fresh
        for path in self._home.glob("index-*"):
            if path != fresh.path:
                shutil.rmtree(path, ignore_errors=True)

    def upsert(self, fresh: bool, namespace: str, generation: int, ids: list[str], vectors: bytes) -> None:
        self._open(fresh).upsert(namespace, generation, ids, vectors)

    def delete(self, namespace: str, generation: int, ids: list[str]) -> int:
        """Delete vectors; return how many were deleted since the folder was built."""
        return self._open(False).delete(namespace, generation, ids)

    def query(self, namespace: str, generation: int, vector: bytes, limit: int) -> list[tuple[str, float]]:
        return self._open(False).query(namespace, generation, vector, limit)

    def count(self, generation: int) -> int:
        return self._open(False).count(generation)

    def _open(self, fresh: bool) -> ChromaFolder:
        folder = self._fresh if fresh else self._current
        if folder is None:
            raise RuntimeError("the index is not open")
        return folder

    def _own(self) -> None:
        """Take the lock: two owners of one folder would overwrite each other's vectors."""
        self._home.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        if self._lock is None:
            from filelock import FileLock

            lock = FileLock(self._home.with_name(self._home.name + ".lock"), mode=PRIVATE_FILE)
            lock.acquire(timeout=LOCK_WAIT_S)
            self._lock = lock

    def _current_name(self) -> str:
        pointer = self._home / "CURRENT"
        name = pointer.read_bytes().strip().decode("ascii", "replace") if pointer.exists() else ""
        # Folders are removed by this name: a damaged file must never lead anywhere else.
        return name if _FOLDER.fullmatch(name) else ""

    def _drop(self, folder: ChromaFolder | None) -> None:
        if folder is not None:
            folder.close()
            shutil.rmtree(folder.path, ignore_errors=True)


def serve(index: Index, requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests (name, arguments) with (None, result) or (type of the error, its message), in order."""
    while True:
        try:
            name, arguments = pickle.load(requests)
        except EOFError:
            return
        try:
            answer: tuple[str | None, Any] = (None, getattr(index, name)(*arguments))
        except BaseException as error:  # noqa: BLE001 - a panic in Rust is no Exception, and all of it is for the parent
            answer = (type(error).__name__, str(error))
        data = pickle.dumps(answer)
        answers.write(len(data).to_bytes(8, "little") + data)
        answers.flush()


def main() -> None:
    """Serve until the parent ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends this process in its turn
    if hangup := getattr(signal, "SIGHUP", None):  # Windows has none
        signal.signal(hangup, signal.SIG_IGN)  # as is the end of its terminal, which the parent survives
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not get among the answers
    serve(Index(Path(sys.argv[1])), sys.stdin.buffer, answers)
    os._exit(0)


if __name__ == "__main__":
    main()
