"""What the pages tell to type: each block runs here, or in the test that is named for its page."""

import ast
import inspect
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from agentos import config
from agentos.features.gateway.proxy import configuration
from agentos.tools.catalog import all_tools
from tests.commands import ran, walked
from tests.e2e.conftest import end_daemon, environment
from tests.places import ROOT

BLOCK = re.compile(r"^ *```([\w-]+)\n(.*?)^ *```", re.S | re.M)
SETTING = re.compile(r"AGENTOS_[A-Z_]+=\S")

RUN_ELSEWHERE = {
    "README.md": ".ci/run",
    "docs/install.md": ".ci/run",
    "docs/upgrades.md": ".ci/run",
    "docs/builders/agent-files.md": "tests/e2e/test_agent_files.py",
    "docs/builders/back-fill.md": "tests/e2e/test_guides.py",
    "docs/builders/files.md": "tests/e2e/test_guides.py",
    "docs/builders/frameworks.md": "tests/frameworks/test_frameworks.py",
    "docs/builders/mirror.md": "tests/e2e/test_mirror.py",
    "docs/builders/passports.md": "tests/integration/portability/test_passport_guide.py",
    "docs/builders/plugins.md": "tests/e2e/test_plugins.py",
    "docs/builders/python.md": "tests/e2e/test_library.py",
    "docs/builders/sdk-python.md": "tests/sdk/test_wheel.py",
    "docs/builders/sdk-typescript.md": "tests/typescript/test_client.py",
    "docs/builders/setup.md": "tests/e2e/test_guides.py",
    "docs/builders/updates.md": "tests/update/test_update.py",
    "docs/features/anchors.md": "tests/e2e/test_anchors.py",
    "docs/measurements.md": "tests/benchmarks",
    "docs/reference/commands.md": "packaging/regenerate.py",
    "docs/teams/containers.md": "tests/e2e/test_guides.py",
    "docs/teams/dashboard.md": "tests/browser",
    "docs/teams/moving.md": "tests/e2e/test_postgres.py",
    "docs/teams/postgresql.md": "tests/e2e/test_postgres.py",
}
NOT_HERE = re.compile(
    r"^(?!AGENTOS_\S+ agentos|agentos )"  # other programs, and what a shell does
    r"|^(?:\S+=\S+ )?agentos (?:serve|gateway|hud)\b"  # runs until it is stopped
    r"|^agentos model install (?:\S+/|--languages any)"  # needs the hub that has it
    r"|https://memory\.example\.com"  # needs the server that it names
)
"""The lines of a page that no test can run as they stand."""

UNKNOWN, ASKS = 1, 3

FINE = {
    "doctor": (0, 1, 2),
    "bundle validate": (0, 1),
    "bundle diff": (0, 1),
    **dict.fromkeys(("restore", "setup", "forget --about", "keys create", "namespaces set"), (0, ASKS)),
    **dict.fromkeys(
        ("restore agentos-20261122T051234Z.db", "revert", "rollback --undo", "rollback --session", "rollback --source"),
        (0, UNKNOWN),
    ),
}
"""The exit codes that a command may have: it tells what it found, asks a person, or is given an id of the page's."""

PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in [ROOT / "README.md", ROOT / "llms-install.md", *ROOT.glob("docs/**/*.md")]
    if BLOCK.search(path.read_text(encoding="utf-8"))
)


def blocks(page: str, language: str = "") -> list[str]:
    """The blocks of a page in a language."""
    found = BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))
    return [text for name, text in found if name == language or (language == "bash" and name == "sh")]


HERE = sorted({*PAGES} - {*RUN_ELSEWHERE})


def test_every_page_with_blocks_is_run_by_a_test_that_there_is() -> None:
    assert {*RUN_ELSEWHERE} <= {*PAGES}
    for page, test in RUN_ELSEWHERE.items():
        assert (ROOT / test).exists(), f"{page} is run by {test}"


@pytest.fixture
def own(home: Path, tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment of somebody who types what the pages tell, with a home that holds something."""
    mine = {**environment(home), "AGENTOS_EMBEDDING_MODEL": "none", "HOME": str(tmp_path), "EDITOR": "true"}
    for text in ("Deploys run on Tuesdays.", "The old vendor sent invoices on paper."):
        assert ran(["remember", text], mine).returncode == 0
    yield mine
    end_daemon(home)


def fine(words: Sequence[str]) -> Sequence[int]:
    return FINE.get(" ".join(words[:2])) or FINE.get(words[0], (0,))


def filled_in(line: str, own: dict[str, str], folder: Path) -> str:
    """A line with what the page leaves to its reader."""
    if re.search(r"\bID\b", line):
        newest = json.loads(ran(["list", "--json"], own).stdout)["results"][0]["id"]
        line = re.sub(r"\bID\b", newest, line)
    return line.replace("/media/stick", str(folder / "stick")).replace("/new/home", str(folder / "second"))


def test_the_commands_of_the_pages_work_as_they_stand(own: dict[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (tmp_path / ".cursor").mkdir()
    for name in ("monday", "tuesday"):
        assert ran(["export", str(folder / f"{name}.jsonl")], own).returncode == 0
    failed = []
    for page in HERE:
        for line in "\n".join(blocks(page, "bash")).replace("\\\n", " ").splitlines():
            if NOT_HERE.search(line):
                continue
            for done in walked(filled_in(line, own, folder), own, folder):
                if done.returncode not in fine(done.args):
                    failed.append(f"{page}: {done.args} {done.returncode}\n{done.stdout}{done.stderr}"[:600])
    assert not failed, "\n".join(failed)


@pytest.mark.parametrize("page", [page for page in HERE if blocks(page, "bash")])
def test_the_settings_of_a_page_are_accepted(page: str) -> None:
    for block in blocks(page, "bash"):
        lines = [
            line.partition(" #")[0].strip()
            for line in block.splitlines()
            if SETTING.match(line) and " agentos " not in line
        ]
        config.load({name: value.replace("…", "x") for name, _, value in (line.partition("=") for line in lines)})


@pytest.mark.parametrize("page", ["docs/gateway.md", "docs/builders/gateway.md"])
def test_the_files_of_the_gateways_pages_are_read(page: str, tmp_path: Path) -> None:
    for block in blocks(page, "toml"):
        (tmp_path / "tokenizer.json").write_text("{}")
        filled = re.sub(r"/models/\S+/(?=tokenizer)", f"{tmp_path}/", block)
        (tmp_path / configuration.FILE).write_text(filled, encoding="utf-8")
        (tmp_path / configuration.FILE).chmod(0o600)
        configuration.read(tmp_path)


def test_what_is_shown_as_json_is_json_and_the_rule_of_the_hooks_page_is_stored() -> None:
    for page in HERE:
        for block in blocks(page, "json"):
            try:
                json.loads(block)
            except json.JSONDecodeError:
                assert all(json.loads(line) for line in block.splitlines())
    (call,) = blocks("docs/hooks.md", "python")
    expression = ast.parse(call.strip(), mode="eval").body
    assert isinstance(expression, ast.Call) and isinstance(expression.func, ast.Name)
    assert expression.func.id == "memory_store"
    given = {one.arg: ast.literal_eval(one.value) for one in expression.keywords}
    (tool,) = [one for one in all_tools(None) if one.name == "memory_store"]
    assert {*given} <= {*inspect.signature(tool.run).parameters}
