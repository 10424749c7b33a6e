"""Homes and consoles as other systems have them: a very long path with spaces, and a console that is not UTF-8."""

import os
import subprocess
import sys
from pathlib import Path

from tests.tables import every

TEXT = "Zoë likes 寿司 at the café — über alles ☕"


def run(home: Path, encoding: str, *arguments: str) -> bytes:
    """Run a command in a home, without a daemon, on a console of an encoding; return what it printed."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "PYTHONIOENCODING": encoding,
        "LC_ALL": "C",
        "AGENTOS_HOME": str(home),
        "AGENTOS_DAEMON": "off",
        "AGENTOS_EMBEDDING_MODEL": "none",
    }
    command = [sys.executable, "-c", "from agentos.interfaces.cli import main; main()", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr.decode(encoding, "replace")
    return done.stdout


@every("encoding, shown", [("ascii", "Zo\\xeb likes"), ("cp1252", "Zoë likes \\u5bff\\u53f8")])
def test_a_long_home_with_spaces_and_a_console_that_is_not_utf_8(tmp_path: Path, encoding: str, shown: str) -> None:
    home = tmp_path / encoding
    while len(str(home)) < 300:
        home /= "a folder with spaces ë"
    run(home, encoding, "remember", TEXT)
    assert shown in run(home, encoding, "search", "寿司").decode(encoding)
    assert (home / "agentos.db").is_file()
