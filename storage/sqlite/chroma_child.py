"""The child process that alone opens ChromaDB: requests on standard input, answers on standard output, pickled.

It is run by its source alone, imports nothing of the package, and ends with its parent, when its standard input does. A
crash of Chroma's native code ends only this process. A lock file beside the index's folder makes it the only owner:

    <folder>/CURRENT         the name of the folder in use
    <folder>/index-<hex>/    Chroma's files, and DELETED: how many vectors were deleted since it was built
"""

import ctypes
import hashlib
import os
import pickle
import re
import secrets
import shutil
import signal
import sys
from pathlib import Path
from typing import Any, BinaryIO

LOCK_WAIT_S = 10.0
PR_SET_PDEATHSIG = 1
PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600
_FOLDER = re.compile(r"index-[0-9a-f]+")
HNSW = {"space": "cosine", "max_neighbors": 16, "ef_construction": 100, "ef_search": 100, "num_threads": 1}


class Folder:
    """One open folder of Chroma's: a collection for each namespace and generation of vectors."""

    def __init__(self, path: Path) -> None:
        import chromadb
        from chromadb.config import Settings

        path.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        self.path = path
        self._client: Any = chromadb.PersistentClient(str(path), Settings(anonymized_telemetry=False))
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
        import numpy as np

        matrix = np.frombuffer(vectors, dtype="<f4").reshape(len(ids), -1)
        self._collection(namespace, generation).upsert(ids=ids, embeddings=matrix)

    def delete(self, namespace: str, generation: int, ids: list[str]) -> int:
        deleted = self.deleted + len(ids)
        file = self.path / "DELETED"
        file.touch(mode=PRIVATE_FILE)
        file.write_text(str(deleted), encoding="ascii")
        self._collection(namespace, generation).delete(ids=ids)
        return deleted

    def query(self, namespace: str, generation: int, vector: bytes, limit: int) -> list[tuple[str, float]]:
        import numpy as np

        answer = self._collection(namespace, generation).query(
            query_embeddings=[np.frombuffer(vector, dtype="<f4")], n_results=limit, include=["distances"]
        )
        pairs = zip(answer["ids"][0], answer["distances"][0], strict=True)
        return [(name, 1.0 - float(distance)) for name, distance in pairs]

    def count(self, generation: int) -> int:
        if not (self.path / "chroma.sqlite3").exists():
            raise FileNotFoundError("the index's folder is gone")
        collections = self._client.list_collections()
        return sum(item.count() for item in collections if item.name.endswith(f"-g{generation}"))

    def close(self) -> None:
        self._client.close()

    def _collection(self, namespace: str, generation: int) -> Any:
        key = (namespace, generation)
        if key not in self._collections:
            digest = hashlib.sha256(namespace.encode("utf-8")).hexdigest()[:32]
            self._collections[key] = self._client.get_or_create_collection(
                f"ns-{digest}-g{generation}", embedding_function=None, configuration={"hnsw": HNSW}
            )
        return self._collections[key]


class Index:
    """The requests, by name, on the folder in use and on one that is being built beside it."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._lock: Any = None
        self._current: Folder | None = None
        self._fresh: Folder | None = None

    def open(self) -> tuple[bool, int]:
        """Open the folder in use; return whether there is one, and how many deleted vectors it holds."""
        self._own()
        if self._current is None and (name := self._current_name()) and (self._home / name).is_dir():
            self._current = Folder(self._home / name)
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
        self._fresh = Folder(self._home / f"index-{secrets.token_hex(6)}")

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

    def _open(self, fresh: bool) -> Folder:
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

    def _drop(self, folder: Folder | None) -> None:
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
