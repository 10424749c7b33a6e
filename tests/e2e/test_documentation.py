"""README and docs: short, with links that lead somewhere, and true to the code they describe."""

import importlib.util
import re
from pathlib import Path

from agentos.tools.catalog import all_tools
from tests.places import ROOT
from tests.tables import every

README = (ROOT / "README.md").read_text(encoding="utf-8")
WRITTEN_BY_HAND = sorted((ROOT / "docs").glob("*.md"))
FOR_TEAMS_AND_BUILDERS = sorted((ROOT / "docs").glob("[tb]*/*.md"))
"""docs/teams and docs/builders: a page for each way to use AgentOS beyond one person's machine."""
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]*)(#[^)\s]+)?\)")
A_PAGE = re.compile(r"\bdocs/[\w/-]+\.(?:md|svg)\b")
A_TEST = re.compile(r"(?<!tests/)\b(?:unit|integration|e2e|fault)/[\w/]*test_\w+\.py")
A_FILE = re.compile(r"(?<![\w/])(?:modules|tools|storage|interfaces|daemon_pkg|packaging|tests)/[\w/]+\.\w+")
WORD = re.compile(r"\S*[^\W_]\S*")


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.M)
    return {"#" + re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def dead_links(page: Path) -> list[str]:
    dead = []
    for path, anchor in LINK.findall(page.read_text(encoding="utf-8")):
        target = page.parent / path if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            dead.append(path + anchor)
    return dead


def test_readme_is_read_in_minutes_and_the_pages_in_an_hour() -> None:
    assert len(README.splitlines()) <= 200
    assert sum(len(WORD.findall(page.read_text(encoding="utf-8"))) for page in WRITTEN_BY_HAND) <= 14_000
    assert sum(len(WORD.findall(page.read_text(encoding="utf-8"))) for page in FOR_TEAMS_AND_BUILDERS) <= 12_000
    glossary = (ROOT / "docs/glossary.md").read_text(encoding="utf-8")
    assert len(re.findall(r"^\| \*\*", glossary, re.M)) <= 60


@every(
    "page",
    [
        "README.md",
        "CONTRIBUTING.md",
        "llms-install.md",
        *(p.relative_to(ROOT).as_posix() for p in (*WRITTEN_BY_HAND, *FOR_TEAMS_AND_BUILDERS)),
    ],
)
def test_every_link_leads_somewhere(page: str) -> None:
    assert dead_links(ROOT / page) == []


def test_every_page_that_the_code_names_is_there() -> None:
    named = {
        name
        for folder in ("features", "interfaces", "modules", "storage", "tools", "daemon_pkg")
        for path in (ROOT / folder).rglob("*.py")
        for name in A_PAGE.findall(path.read_text(encoding="utf-8"))
    }
    named |= {
        name for file in (".env.example", "server.py") for name in A_PAGE.findall((ROOT / file).read_text("utf-8"))
    }
    assert {name for name in named if not (ROOT / name).exists()} == set()


def test_every_file_that_the_pages_name_is_there() -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in WRITTEN_BY_HAND)
    named = {*A_FILE.findall(text), *(f"tests/{name}" for name in A_TEST.findall(text))}
    assert {name for name in named if not (ROOT / name).exists()} == set()


def test_readme_names_every_tool_of_the_default_list() -> None:
    named = set(re.findall(r"`((?:memory|goal|reflection|context|insight)_\w+)`", README))
    assert named == {tool.name for tool in all_tools(None) if tool.toolset is None}


def test_the_reference_says_what_the_code_does() -> None:
    spec = importlib.util.spec_from_file_location("write_reference", ROOT / "packaging/write_reference.py")
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    pages = {page.name: page.read_text(encoding="utf-8") for page in (ROOT / "docs/reference").glob("*.md")}
    assert pages == script.written(), "run: python packaging/write_reference.py"
