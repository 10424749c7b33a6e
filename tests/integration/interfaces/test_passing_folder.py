"""What commands write on its way is in a folder of their own, which outlives nobody."""

import signal
import subprocess
import sys
from pathlib import Path

from agentos.interfaces.cli.opened import passing_folder

KILLED = """
import os, pathlib, signal, sys
from agentos.interfaces.cli.opened import passing_folder
with passing_folder(pathlib.Path(sys.argv[1])) as folder:
    (folder / "all.jsonl").write_text("everything")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_command_left_goes_with_the_next_one_and_what_others_need_stays(tmp_path: Path) -> None:
    home = tmp_path / "home"
    ended = subprocess.run((sys.executable, "-c", KILLED, str(home)), check=False)
    assert ended.returncode == -signal.SIGKILL and [*home.rglob("all.jsonl")]
    with passing_folder(home) as first:
        assert not [*home.rglob("all.jsonl")]
        (first / "all.jsonl").touch()
        with passing_folder(home) as second:
            assert second != first and (first / "all.jsonl").exists()
    assert not first.exists() and not second.exists()
