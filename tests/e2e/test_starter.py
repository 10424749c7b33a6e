"""What the plugin and the extension start: an installed program that proves to be ours, and never a stranger's."""

import contextlib
import itertools
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from agentos.modules.version import BUILD, SIGNATURE

from .conftest import DEADLINE_S, Start

ROOT = Path(__file__).resolve().parents[2]
STARTERS = [ROOT / "plugin/bin/run", ROOT / "plugin/gemini/bin/run"]
OURS = Path(sys.executable).parent
PROGRAMS = ("agentos", "agentos-server", "agentos-mcp", "agentos-daemon", "agentos-hook")
SYSTEM = "/usr/bin:/bin"

TELLS = """#!/bin/sh
echo run "$@" >>"$(dirname "$0")/../witness"
env >>"$(dirname "$0")/../environment"
"""
"""Begins each stranger: it leaves a witness of how it was run, and of what it was told."""

STRANGERS = {
    "says another version": TELLS + "echo agentos-server 1.0.0",
    "says our name alone": TELLS + "echo 'AgentOS 2.0.0'",
    "says more than ours": TELLS + f"echo '{SIGNATURE} and more'",
    "fails": TELLS + "exit 2",
    "reads its input": TELLS + "cat >/dev/null",
    "waits forever": TELLS + "while :; do read -r line; sleep 0.2; done",
    "leaves a child that waits": TELLS + "sleep 60 &",
    "hears no signal": TELLS + "trap '' TERM INT; while :; do sleep 0.2; done",
    "talks forever": TELLS + "yes",
    "does not start": "#!/nowhere/python\n",
}
ANOTHER_PACKAGE = f"""#!{sys.executable}
# -*- coding: utf-8 -*-
import sys
from server import main
if __name__ == "__main__":
    sys.exit(main())
"""
"""What pip writes for the other project's program. It is not even asked: what `server` does is not for us to try."""


def program(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path


def environment(home: Path, path: str = SYSTEM, **more: str) -> Mapping[str, str]:
    return {"HOME": str(home), "PATH": path, **more}


def started(starter: Path, *words: str, env: Mapping[str, str], cwd: Path, stdin: str = "") -> "subprocess.Popen[str]":
    process = subprocess.Popen(
        ("/bin/sh", str(starter), *words),
        env=env,
        cwd=cwd,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError):  # it has ended
        process.stdin.write(stdin)
        process.stdin.flush()  # and the pipe stays open, as a client leaves it
    return process


def ended(process: "subprocess.Popen[str]") -> tuple[int, str, list[str]]:
    """Exit code, output, and lines of standard error."""
    output, errors = process.communicate(timeout=DEADLINE_S)
    return process.returncode, output, errors.splitlines()


def test_there_is_one_starter_that_knows_the_build() -> None:
    assert STARTERS[0].read_bytes() == STARTERS[1].read_bytes()
    assert all(starter.stat().st_mode & stat.S_IXUSR for starter in STARTERS)
    assert f"\nbuild={BUILD}\n" in STARTERS[0].read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_program_says_name_and_build(name: str, tmp_path: Path) -> None:
    done = subprocess.run(
        (str(OURS / name), "--version"),
        env=environment(tmp_path),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{SIGNATURE}\n", "")
    assert not any(tmp_path.iterdir())


def test_no_stranger_is_run_and_no_client_sees_a_crash(tmp_path: Path) -> None:
    running = []
    for number, (stranger, starter) in enumerate(zip(STRANGERS, itertools.cycle(STARTERS), strict=False)):
        home = tmp_path / str(number)
        (home / "project").mkdir(parents=True)
        for name in ("agentos-server", "agentos"):
            program(home / "bin", name, STRANGERS[stranger])
        env = environment(home, f"{home}/bin:{SYSTEM}", SOME_KEY="secret")
        commands = (["agentos-server"], ["agentos", "hook", "session-start"], ["agentos", "hook", "prompt"])
        processes = [started(starter, *words, env=env, cwd=home / "project", stdin="{}\n") for words in commands]
        running.append((stranger, home, processes))
    for stranger, home, (server, *hooks) in running:
        code, output, errors = ended(server)
        assert (code, output, len(errors)) == (0, "", 2), (stranger, errors)
        assert f"{home}/bin/agentos-server is another project's" in errors[0] and "pipx install ." in errors[1]
        for hook in hooks:
            assert ended(hook) == (0, "{}\n", []), stranger
        assert not any((home / "project").iterdir())
        if stranger != "does not start":
            assert set((home / "witness").read_text(encoding="utf-8").splitlines()) == {"run --version"}, stranger
            assert "secret" not in (home / "environment").read_text(encoding="utf-8")


def test_a_launcher_of_another_package_is_not_even_asked(tmp_path: Path) -> None:
    for name in ("agentos-server", "agentos"):
        program(tmp_path / "bin", name, ANOTHER_PACKAGE)
    program(tmp_path, "bin/server.py", f"open({str(tmp_path / 'witness')!r}, 'w')\ndef main(): pass\n")
    env = environment(tmp_path, f"{tmp_path}/bin:{SYSTEM}")
    assert ended(started(STARTERS[0], "agentos-server", env=env, cwd=tmp_path))[0] == 0
    assert ended(started(STARTERS[0], "agentos", "hook", "prompt", env=env, cwd=tmp_path))[:2] == (0, "{}\n")
    assert not (tmp_path / "witness").exists()


def test_where_nothing_is_installed_it_says_how_to_get_it(tmp_path: Path) -> None:
    env = environment(tmp_path)
    code, output, errors = ended(started(STARTERS[0], "agentos-server", env=env, cwd=tmp_path))
    assert (code, output) == (0, "")
    remedy = "in a checkout of AgentOS run: pipx install . && agentos model install"
    assert errors == [f"agentos: agentos-server is not installed; {remedy}"]
    for event in ("session-start", "pre-tool", "stop"):
        assert ended(started(STARTERS[0], "agentos", "hook", event, env=env, cwd=tmp_path)) == (0, "{}\n", [])


def test_a_folder_of_the_project_is_no_place_for_programs(tmp_path: Path) -> None:
    for name in ("agentos-server", "bin/agentos-server"):
        program(tmp_path, name, f"#!/bin/sh\necho run >>{tmp_path}/witness\necho '{SIGNATURE}'\n")
    for path in (f".:bin:{SYSTEM}", f":{SYSTEM}", f"{SYSTEM}:"):
        ended(started(STARTERS[0], "agentos-server", env=environment(tmp_path, path), cwd=tmp_path))
    assert not (tmp_path / "witness").exists()


@pytest.mark.parametrize(("starter", "place"), [*zip(STARTERS, ["path", "link"], strict=True)], ids=["path", "link"])
def test_ours_is_found_behind_a_stranger_and_serves(
    starter: Path, place: str, tmp_path: Path, start: Start, shared_home: Path, shared_settings: Mapping[str, str]
) -> None:
    stranger = program(tmp_path / "a folder", "agentos-server", STRANGERS["fails"])
    path = f"{stranger.parent}:{SYSTEM}"
    if place == "path":
        path = f"{path}:{OURS}"
    else:  # as pipx and uv leave it
        (tmp_path / ".local/bin").mkdir(parents=True)
        (tmp_path / ".local/bin/agentos-server").symlink_to(OURS / "agentos-server")
    settings = {**shared_settings, "HOME": str(tmp_path), "PATH": path}
    server = start(shared_home, ("/bin/sh", str(starter), "agentos-server"), settings=settings)
    assert server.initialize()["serverInfo"]["name"] == "agentos"
    server.call("memory_store", content="It was really ours")
    assert server.call("memory_list")["total"] == 1
    assert server.end() == 0 and server.stderr() == ""


def test_a_hook_of_ours_gets_its_input_and_answers(tmp_path: Path) -> None:
    begins = f"#!/bin/sh\nif [ $1 = --version ]; then echo '{SIGNATURE}'; exit; fi\n"
    fake = program(tmp_path / "bin", "agentos", begins)
    env = environment(tmp_path, f"{fake.parent}:{SYSTEM}")

    def hook(body: str) -> tuple[int, str, list[str]]:
        fake.write_text(f"{begins}{body}\n", encoding="utf-8")
        return ended(started(STARTERS[0], "agentos", "hook", "prompt", "-x", env=env, cwd=tmp_path, stdin="in\n"))

    assert hook('read -r line; echo "$line: $*"') == (0, "in: hook prompt -x\n", [])
    assert hook("echo oops >&2; exit 2") == (0, "{}\n", []), "what clients take for a refusal"


@pytest.mark.skipif(shutil.which("perl") is None, reason="the other way to bound a time needs perl")
def test_where_no_timeout_is_time_is_bounded_all_the_same(tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "env", "grep", "head", "perl", "sleep", "dirname", "cat"):
        found = shutil.which(name, path=SYSTEM)
        assert found is not None
        (tools / name).symlink_to(os.path.realpath(found))
    program(tmp_path / "bin", "agentos", STRANGERS["waits forever"])
    waiting = environment(tmp_path, f"{tmp_path}/bin:{tools}")
    assert ended(started(STARTERS[0], "agentos", "hook", "prompt", env=waiting, cwd=tmp_path)) == (0, "{}\n", [])
    ours = environment(tmp_path, f"{tools}:{OURS}")
    answer = ended(started(STARTERS[0], "agentos-server", "--version", env=ours, cwd=tmp_path))
    assert answer == (0, f"{SIGNATURE}\n", [])
