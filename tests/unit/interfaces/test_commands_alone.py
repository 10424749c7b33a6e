"""What the command line loads for one command: never the others."""

import subprocess
import sys

from agentos.interfaces.cli.app import COMMANDS

PROGRAM = """
import contextlib, io, sys
from agentos.interfaces.cli.running import run
with contextlib.redirect_stdout(io.StringIO()):
    assert run(["revert", "--help"]) == 0
print(*(name.rpartition(".")[2] for name in sys.modules if name.startswith("agentos.interfaces.cli.")))
"""


def test_a_command_is_run_without_the_modules_of_the_others() -> None:
    loaded = subprocess.run((sys.executable, "-c", PROGRAM), capture_output=True, text=True, check=True).stdout.split()
    homes = {place.partition(".")[0] for panel in COMMANDS.values() for place in panel.values()}
    assert homes & set(loaded) <= {"memory", "approvals"}  # it is one of memory's, which ask as approvals do
