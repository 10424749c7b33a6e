"""The spool: whole files, in order, private, bounded."""

import os
import stat
import time
from pathlib import Path

import pytest

from agentos.interfaces.hooks import spool
from agentos.interfaces.hooks.spool import Spool


def test_what_was_put_waits_in_order_until_it_is_done(tmp_path: Path) -> None:
    kept = Spool(tmp_path / "home")
    for n in range(5):
        assert kept.put({"n": n})
    waiting = kept.waiting()
    assert [(kept.read(path) or {})["n"] for path in waiting] == list(range(5))
    kept.done(waiting[0])
    kept.refuse(waiting[1])
    assert [(kept.read(path) or {})["n"] for path in kept.waiting()] == [2, 3, 4]


def test_nobody_else_can_read_it(tmp_path: Path) -> None:
    Spool(tmp_path / "home").put({})
    for path in (tmp_path / "home", tmp_path / "home" / "spool"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "home" / "spool").iterdir()} == {0o600}


def test_it_is_bounded_and_says_how_much_was_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "MAX_FILES", 3)
    kept = Spool(tmp_path)
    assert [kept.put({"n": n}) for n in range(5)] == [True, True, True, False, False]
    assert (len(kept.waiting()), kept.clean(), kept.clean()) == (3, 2, 0)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff"])
def test_a_file_of_another_kind_tells_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "spool").mkdir()
    (tmp_path / "spool" / "1.json").write_bytes(content)
    kept = Spool(tmp_path)
    assert [kept.read(path) for path in kept.waiting()] == [None]


def test_a_daemon_is_started_by_one_hook_at_a_time(tmp_path: Path) -> None:
    assert [Spool(tmp_path).claim_start(60.0) for _ in range(3)] == [True, False, False]
    assert Spool(tmp_path).claim_start(0.0)
    assert Spool(tmp_path).waiting() == []


def test_there_need_be_none(tmp_path: Path) -> None:
    assert (Spool(tmp_path / "none").waiting(), Spool(tmp_path / "none").clean()) == ([], 0)


def test_what_is_refused_stays_for_a_month(tmp_path: Path) -> None:
    kept = Spool(tmp_path)
    for age_days in (29, 31):
        kept.put({"age": age_days})
        [path] = kept.waiting()
        then = time.time() - 86_400 * age_days
        os.utime(path, (then, then))
        kept.refuse(path)
    kept.clean()
    [left] = (tmp_path / "spool").glob("*.refused")
    assert '"age": 29' in left.read_text()


def test_what_no_daemon_survives_is_set_aside(tmp_path: Path) -> None:
    kept = Spool(tmp_path)
    kept.put({"n": 1})
    [waiting] = kept.waiting()
    begun = kept.begin(waiting)
    assert begun is not None
    kept.again(begun)
    assert kept.waiting() == [waiting], "it was not its fault"
    for _ in range(spool.MOST_TRIES):
        [waiting] = kept.waiting()
        assert kept.begin(waiting) is not None
    [waiting] = kept.waiting()
    assert kept.begin(waiting) is None
    assert not kept.waiting() and len(kept.refused()) == 1


def test_nothing_is_read_or_written_through_a_link_or_from_a_pipe(tmp_path: Path) -> None:
    kept = Spool(tmp_path / "home")
    kept.put({"n": 1})
    folder, victim = tmp_path / "home" / "spool", tmp_path / "victim"
    victim.write_text('{"n": 2}')
    os.utime(victim, (1, 1))
    (folder / "1.json").symlink_to(victim)
    os.mkfifo(folder / "2.json")
    (folder / "starting").symlink_to(victim)
    (folder / "lost").symlink_to(victim)
    told = [kept.read(path) for path in kept.waiting()]
    assert [one for one in told if one is not None] == [{"n": 1}]
    with pytest.raises(OSError):
        kept.claim_start(60.0)
    assert victim.stat().st_mtime == 1 and victim.read_text() == '{"n": 2}'
