"""The Python library: what its guide shows is run as a new user would, and importing the package stays free."""

import inspect
import re
import subprocess
import sys
from pathlib import Path

from agentos import AgentOS
from tests.e2e.conftest import DEADLINE_S, environment
from tests.places import ROOT
from tests.tables import every

SNIPPETS = re.findall(r"```python\n(.*?)```", (ROOT / "docs/builders/python.md").read_text(encoding="utf-8"), re.S)


def run(program: str, home: Path) -> "subprocess.CompletedProcess[str]":
    command = (sys.executable, "-W", "error", "-c", program)
    return subprocess.run(command, env=environment(home), capture_output=True, text=True, timeout=DEADLINE_S)


@every("number", range(len(SNIPPETS)))
def test_what_the_guide_shows_works(number: int, home: Path) -> None:
    done = run(SNIPPETS[number], home)
    assert done.returncode == 0 and done.stdout and not done.stderr, done.stdout + done.stderr


def test_importing_the_package_loads_nothing_and_every_public_name_is_there(home: Path) -> None:
    done = run(
        "import sys; before = set(sys.modules); import agentos\n"
        "assert set(sys.modules) - before == {'agentos'}, set(sys.modules) - before\n"
        "assert all(getattr(agentos, name).__name__ == name for name in agentos.__all__)\n"
        "assert not hasattr(agentos, 'Nothing')",
        home,
    )
    assert done.returncode == 0, done.stderr


def test_the_program_that_it_is_used_in_keeps_its_threads_and_heaps(home: Path) -> None:
    done = run(
        "import asyncio, ctypes, sys; from agentos import AgentOS\n"
        "async def main():\n"
        "    async with AgentOS() as memory:\n"
        "        await memory.store(content='The deploy runs on Tuesdays.')\n"
        "getenv = ctypes.CDLL(None).getenv; getenv.restype = ctypes.c_char_p\n"
        "shared = lambda: (sys.getswitchinterval(), getenv(b'MKL_NUM_THREADS'))\n"
        "before = shared(); asyncio.run(main()); assert shared() == before",
        home,
    )
    assert done.returncode == 0, done.stderr


def test_help_shows_plain_arguments() -> None:
    shown = str(inspect.signature(AgentOS.store))
    assert "tags: list[str] | None = None" in shown and "Field" not in shown
