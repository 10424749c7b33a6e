"""The portability loop's own parts: spoiled files, other versions, and that a difference would be seen."""

from pathlib import Path

from agentos.benchmarks.portability import asking, damage, files, versions
from tests.places import ROOT

VALID = ROOT / "conformance/fixtures/valid"
SOUND, OTHER = VALID / "lived-in.jsonl", VALID / "schema-009.jsonl"


async def test_no_spoiled_file_does_harm(tmp_path: Path) -> None:
    done = await damage.harm(SOUND, OTHER, tmp_path, seed=3, count=14)
    assert not done.harmful
    assert set(done.refused) | set(done.harmless) == {*damage.KINDS, *damage.FORGERIES}
    assert not [name async for name in damage.decided(SOUND, tmp_path)]


async def test_other_versions_and_readers_are_treated_as_promised(tmp_path: Path) -> None:
    assert not [name async for name, held in versions.treated(SOUND, tmp_path) if held is False]


def test_a_difference_would_be_seen() -> None:
    one = {"where?": ["mem_1", "mem_2"], "who?": {"status": "active"}}
    assert set(asking.unlike(one, {"where?": ["mem_2", "mem_1"], "why?": None})) == {"where?", "who?"}
    unlike = files.compared(SOUND, OTHER)
    assert {row.is_in for row in unlike.rows} >= {"first", "second"}
