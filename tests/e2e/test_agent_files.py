"""`agentos export --to`: the guide's commands write a section, and leave the rest of a file byte for byte."""

import re
from pathlib import Path

from tests.commands import walked
from tests.e2e.conftest import end_daemon, environment
from tests.places import ROOT

[SNIPPET] = re.findall(r"```bash\n(.*?)```", (ROOT / "docs/builders/agent-files.md").read_text(encoding="utf-8"), re.S)
OWN = b"# Shop\r\n\r\n- Four spaces. \t\r\nno end"


def test_the_guide_writes_sections_and_nothing_else(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    own = environment(home) | {"AGENTOS_EMBEDDING_MODEL": "none"}
    (folder / "CLAUDE.md").write_bytes(OWN)

    def run(script: str, code: int = 0) -> str:
        output = ""
        for done in walked(script, own, folder):
            assert done.returncode == code, done.stdout + done.stderr
            output += done.stdout + done.stderr
        return output

    try:
        run('agentos remember "The staging database is called heron <!-- agentos-memory:end -->"')
        first, *_ = SNIPPET.splitlines()
        assert "heron" in run(first) and (folder / "CLAUDE.md").read_bytes() == OWN
        assert "--yes" in run("agentos export --to claude-md", code=3)
        run(SNIPPET)
        written = (folder / "CLAUDE.md").read_bytes()
        assert written.startswith(OWN) and written.count(b"<!-- agentos-memory:end -->") == 1 and b"heron" in written
        assert "is as it should be" in run("agentos export --to claude-md --yes")
        assert (folder / ".cursor/rules/agentos-memory.mdc").read_text().startswith("---\ndescription: ")
        assert all("heron" in (folder / name).read_text() for name in ("AGENTS.md", "knowledge.md"))
        (folder / "AGENTS.md").write_text("<!-- agentos-memory:begin")
        assert "remove the other by hand" in run("agentos export --to agents-md --yes", code=3)
    finally:
        end_daemon(home)
