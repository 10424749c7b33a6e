"""The spool: whole files, in order, private, bounded."""

import os
import stat
import time
from pathlib import Path

import pytest

from agentos.interfaces.hooks import spool
from agentos.interfaces.hooks.spool import Spool


def test_what_was_put_waits_in_order_until_it_is_done(tmp_path: Path) -> None:
    queue = Spool(tmp_path / "home")
    for n in range(5):
        assert queue.put({"n": n})
    waiting = queue.waiting()
    assert [(queue.read(path) or {})["n"] for path in waiting] == list(range(5))
    queue.done(waiting[0])
    queue.refuse(waiting[1])
    assert [(queue.read(path) or {})["n"] for path in queue.waiting()] == [2, 3, 4]


def test_nobody_else_can_read_it(tmp_path: Path) -> None:
    Spool(tmp_path / "home").put({})
    for path in (tmp_path / "home", tmp_path / "home" / "spool"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "home" / "spool").iterdir()} == {0o600}


def test_it_is_bounded_and_says_how_much_was_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "MAX_FILES", 3)
    queue = Spool(tmp_path)
    assert [queue.put({"n": n}) for n in range(5)] == [True, True, True, False, False]
    assert (len(queue.waiting()), queue.clean(), queue.clean()) == (3, 2, 0)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff"])
def test_a_file_of_another_kind_tells_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "spool").mkdir()
    (tmp_path / "spool" / "1.json").write_bytes(content)
    queue = Spool(tmp_path)
    assert [queue.read(path) for path in queue.waiting()] == [None]


def test_a_daemon_is_started_by_one_hook_at_a_time(tmp_path: Path) -> None:
    assert [Spool(tmp_path).claim_start(60.0) for _ in range(3)] == [True, False, False]
    assert Spool(tmp_path).claim_start(0.0)
    assert Spool(tmp_path).waiting() == []


def test_there_need_be_none(tmp_path: Path) -> None:
    assert (Spool(tmp_path / "none").waiting(), Spool(tmp_path / "none").clean()) == ([], 0)


def test_what_is_refused_stays_for_a_month(tmp_path: Path) -> None:
    queue = Spool(tmp_path)
    for age_days in (29, 31):
        queue.put({"age": age_days})
        [path] = queue.waiting()
        then = time.time() - 86_400 * age_days
        os.utime(path, (then, then))
        queue.refuse(path)
    queue.clean()
    [left] = (tmp_path / "spool").glob("*.refused")
    assert '"age": 29' in left.read_text()


def test_what_no_daemon_survives_is_set_aside(tmp_path: Path) -> None:
    queue = Spool(tmp_path)
    queue.put({"n": 1})
    [waiting] = queue.waiting()
    begun = queue.begin(waiting)
    assert begun is not None
    queue.again(begun)
    assert queue.waiting() == [waiting], "it was not its fault"
    for _ in range(spool.MOST_TRIES):
        [waiting] = queue.waiting()
        assert queue.begin(waiting) is not None
    [waiting] = queue.waiting()
    assert queue.begin(waiting) is None
    assert not queue.waiting() and len(queue.refused()) == 1


def test_nothing_is_read_or_written_through_a_link_or_from_a_pipe(tmp_path: Path) -> None:
    queue = Spool(tmp_path / "home")
    queue.put({"n": 1})
    folder, victim = tmp_path / "home" / "spool", tmp_path / "victim"
    victim.write_text('{"n": 2}')
    os.utime(victim, (1, 1))
    (folder / "1.json").symlink_to(victim)
    os.mkfifo(folder / "2.json")
    (folder / "starting").symlink_to(victim)
    (folder / "lost").symlink_to(victim)
    contents = [queue.read(path) for path in queue.waiting()]
    assert [one for one in contents if one is not None] == [{"n": 1}]
    with pytest.raises(OSError):
        queue.claim_start(60.0)
    assert victim.stat().st_mtime == 1 and victim.read_text() == '{"n": 2}'
