"""Units that keep `agentos serve` up."""

import plistlib
from pathlib import Path

from agentos.interfaces.cli.service import unit_of

WORDS = ["/opt/a b/python", "-P", "-m", "agentos.interfaces.cli", "serve", "--home", '/data/50% "$x"']


def test_a_unit_runs_the_command_word_by_word() -> None:
    linux = unit_of("linux", Path("/u"), Path("/u/.config"), WORDS)
    assert linux is not None and linux.path == Path("/u/.config/systemd/user/agentos.service")
    started = next(line for line in linux.content.decode().splitlines() if line.startswith("ExecStart="))
    assert (
        started
        == 'ExecStart="/opt/a b/python" "-P" "-m" "agentos.interfaces.cli" "serve" "--home" "/data/50%% \\"$$x\\""'
    )
    mac = unit_of("darwin", Path("/u"), Path("/u/.config"), WORDS)
    assert mac is not None and plistlib.loads(mac.content)["ProgramArguments"] == WORDS
    assert unit_of("win32", Path("/u"), Path("/u"), WORDS) is None
