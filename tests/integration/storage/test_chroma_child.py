"""Chroma by its compiled part and by its published client: each reads what the other wrote, with the same answers."""

import math
import random
from array import array
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest

from agentos.storage.sqlite import chroma_child
from agentos.storage.sqlite.chroma_child import ChromaFolder, CompiledChroma, OpenChroma, PublishedChroma


def vectors(count: int, seed: int) -> bytes:
    """Unit vectors of 16 values, as rows of float32."""
    chance = random.Random(seed)
    rows = [[chance.gauss(0, 1) for _ in range(16)] for _ in range(count)]
    return array("f", [value / math.hypot(*row) for row in rows for value in row]).tobytes()


RELEASE = version("chromadb")


@pytest.mark.parametrize(("writes", "reads"), [(RELEASE, ""), ("", RELEASE), (RELEASE, RELEASE)])
def test_what_one_wrote_the_other_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writes: str, reads: str
) -> None:
    assert RELEASE in chroma_child.COMPILED, "constraints.txt pins a release that has been tried"
    monkeypatch.setattr(chroma_child, "COMPILED", {writes})
    folder = ChromaFolder(tmp_path / "index")
    folder.upsert("ada", 1, [f"m{n}" for n in range(300)], vectors(300, 1))
    folder.upsert("bob", 1, ["b"], vectors(1, 2))
    folder.upsert("ada", 2, ["later"], vectors(1, 3))
    folder.upsert("ada", 1, ["m0"], vectors(1, 4))
    folder.delete("ada", 1, ["m1", "never there"])
    first = [folder.query("ada", 1, vectors(1, seed), 5) for seed in range(10, 20)]
    folder.close()

    monkeypatch.setattr(chroma_child, "COMPILED", {reads})
    folder = ChromaFolder(tmp_path / "index")
    assert (folder.count(1), folder.count(2), folder.count(3), folder.deleted) == (300, 1, 0, 2)
    for seed, expected in zip(range(10, 20), first, strict=True):
        found = folder.query("ada", 1, vectors(1, seed), 5)
        assert [name for name, _ in found] == [name for name, _ in expected]
        assert [cosine for _, cosine in found] == pytest.approx([cosine for _, cosine in expected], abs=1e-5)
    assert folder.query("ada", 1, vectors(1, 4), 1)[0] == ("m0", pytest.approx(1, abs=1e-5))
    assert [name for name, _ in folder.query("bob", 1, vectors(1, 2), 5)] == ["b"]
    assert folder.query("nobody", 1, vectors(1, 2), 5) == []
    folder.close()


@pytest.mark.parametrize("open_chroma", [CompiledChroma, PublishedChroma])
def test_what_is_no_database_is_an_error(tmp_path: Path, open_chroma: Callable[[Path], OpenChroma]) -> None:
    (tmp_path / "chroma.sqlite3").write_bytes(b"\x00garbage" * 1000)
    with pytest.raises(Exception, match=r"(?i)database|migrat|sqlite"):
        open_chroma(tmp_path).collection("ns-1-g1")
