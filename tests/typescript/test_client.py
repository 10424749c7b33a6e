"""The TypeScript client at a real server: its own tests, a server that is killed, and what its pages tell to write."""

import os
import queue
import re
import signal
import subprocess
import threading
from pathlib import Path

import pytest

from tests.e2e.conftest import DEADLINE_S
from tests.typescript.conftest import CLIENT, Serve, access, run

GUIDE = CLIENT.parents[1] / "docs/builders/sdk-typescript.md"
FRAMEWORKS = GUIDE.with_name("frameworks.md")
SNIPPET = re.compile(r"```ts\n(.*?)```", re.S)


@pytest.mark.parametrize(
    ("folder", "settings"),
    [
        ("live", {"AGENTOS_HTTP_REQUESTS_PER_MINUTE": "100000"}),
        ("limited", {"AGENTOS_HTTP_REQUESTS_PER_MINUTE": "120", "AGENTOS_HTTP_BASE_PATH": "/memory"}),
    ],
)
def test_its_own_tests_pass(built: Path, serve: Serve, folder: str, settings: dict[str, str]) -> None:
    serving = serve(**settings)
    tests = sorted((built / "build" / folder).glob("*.test.js"))
    environment = access(serving, settings.get("AGENTOS_HTTP_BASE_PATH", ""))
    output = run("node", "--test", "--test-reporter=tap", *tests, cwd=built, **environment)
    assert int(re.findall(r"^# pass (\d+)", output, re.M)[0]) >= len(tests)
    assert re.findall(r"^# (?:fail|skipped|cancelled) (\d+)", output, re.M) == ["0"] * 3
    assert serving.process.poll() is None


def test_events_go_on_over_a_server_that_is_killed(built: Path, serve: Serve) -> None:
    serving = serve()

    def store(number: int) -> str:
        status, stored = serving.request("POST", "/api/v1/memories", {"content": f"Fact {number} is {number * 7919}"})
        assert status == 201
        return str(stored["id"])

    memory_ids = [store(1)]
    following = subprocess.Popen(
        ("node", built / "build/follow.js"),
        env={**os.environ, **access(serving)},
        stdout=subprocess.PIPE,
        text=True,
    )
    printed: queue.Queue[str] = queue.Queue()
    assert following.stdout is not None
    reader = threading.Thread(target=lambda: [printed.put(line.strip()) for line in following.stdout or ()])
    reader.start()
    try:
        seen = [printed.get(timeout=DEADLINE_S)]
        for number in (2, 3):
            serving.end(signal.SIGKILL)
            serving = serve(f"127.0.0.1:{serving.port}")
            memory_ids.append(store(number))
            seen.append(printed.get(timeout=DEADLINE_S))
        assert seen == memory_ids
    finally:
        following.kill()
        following.wait()
        reader.join()
        following.stdout.close()


@pytest.mark.parametrize("page", [CLIENT / "README.md", GUIDE, FRAMEWORKS], ids=["README", "guide", "frameworks"])
def test_what_its_pages_tell_to_write_compiles_and_runs(installed: Path, serve: Serve, page: Path) -> None:
    serving = serve(AGENTOS_EMBEDDING_MODEL="stub")
    snippets = SNIPPET.findall(page.read_text(encoding="utf-8"))
    assert snippets
    names = [f"{page.stem.lower().replace('-', '_')}_{number}" for number in range(len(snippets))]
    for name, snippet in zip(names, snippets, strict=True):
        (installed / f"{name}.ts").write_text(snippet, encoding="utf-8")
    options = (
        "--strict",
        "--target",
        "es2022",
        "--module",
        "nodenext",
        "--skipLibCheck",
        str(page == FRAMEWORKS).lower(),
        "--types",
        "node",
    )
    files = [f"{name}.ts" for name in names]
    run("node", "node_modules/typescript/bin/tsc", *options, *files, cwd=installed)
    for name in names:
        run("node", f"{name}.js", cwd=installed, **access(serving))
