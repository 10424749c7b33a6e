"""An import that is killed when all of a bundle is in the home and no secret has been taken out."""

import signal
import subprocess
import sys
from pathlib import Path

from tests.integration.portability.test_bundle import SECRET, Opened, unredacted

IMPORTER = """
import asyncio, os, signal, sys
from pathlib import Path
from agentos import config
from agentos.modules.agentos import AgentOS
from agentos.modules.clock import system_clock
from agentos.storage.bundles import redaction
from agentos.storage.sqlite.store import SqliteStore
from agentos.storage.embedding.lazy import NoEmbedder

async def killed(*_):
    if sys.argv[3] == "waits":
        print("at work", flush=True)
        sys.stdin.read()
    os.kill(os.getpid(), signal.SIGKILL)

async def main():
    redaction.redact = killed
    settings = config.load({}, home=Path(sys.argv[1]))
    store = await SqliteStore.open(settings.home, settings.database, system_clock)
    agentos = AgentOS.over(store, NoEmbedder(), settings, system_clock)
    await agentos.portability.import_bundle(Path(sys.argv[2]))

asyncio.run(main())
"""


async def test_what_a_killed_import_leaves_goes_at_the_next_start_and_no_other(house: Opened, tmp_path: Path) -> None:
    before = await unredacted(house, "before")
    await before.portability.export(tmp_path / "all.jsonl")
    home = tmp_path / "after"

    def importer(how: str) -> "subprocess.Popen[str]":
        words = (sys.executable, "-c", IMPORTER, str(home), str(tmp_path / "all.jsonl"), how)
        return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    with importer("dies") as one:
        assert one.wait(60) == -signal.SIGKILL
    [left] = home.glob("import-*")
    assert SECRET.encode() in (left / "staged.db").read_bytes()
    with importer("waits") as other:
        assert other.stdout is not None and other.stdout.readline() == "at work\n"
        [its] = home.glob("import-*")
        assert its != left, "the next one has removed it"
        after = await house("after")
        assert its.is_dir(), "somebody is at work there"
        await after.portability.import_bundle(tmp_path / "all.jsonl")
        assert [*home.glob("import-*")] == [its]
        other.kill()
    await house("after")
    assert not [*home.glob("import-*")]
