"""The page about notes that follow the code, typed in a project as it stands."""

import json
import re
import subprocess
from pathlib import Path

from tests.commands import walked
from tests.e2e.conftest import environment
from tests.places import ROOT

PAGE = ROOT / "docs/features/anchors.md"
SOURCE = """class Client:
    def get(self, url: str, tries: int) -> bytes:
        for _ in range(tries):
            if found := self.send(url):
                return found
        raise TimeoutError(url)
"""


def test_the_page_is_typed_in_a_project_and_its_note_is_marked_once_the_code_changes(
    home: Path, tmp_path: Path
) -> None:
    own = {**environment(home), "AGENTOS_EMBEDDING_MODEL": "none"}
    project = tmp_path / "project"
    (project / "src").mkdir(parents=True)
    (project / "src/net.py").write_text(SOURCE, encoding="utf-8")
    git = ("git", "-C", str(project), "-c", "user.name=Ana", "-c", "user.email=ana@example.org")
    for words in (("init", "--quiet"), ("add", "."), ("commit", "--quiet", "-m", "A client")):
        subprocess.run((*git, *words), check=True)
    head = subprocess.run((*git, "rev-parse", "--short=7", "HEAD"), check=True, capture_output=True, text=True).stdout
    [stored] = walked('agentos remember "The client gives up too early." --json', own, project)
    note = json.loads(stored.stdout)["id"]
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("agentos ")]
    script = re.sub(r"mem_0[0-9a-f]+", note, "\n".join(line.partition(" #")[0] for line in lines))
    for done in walked(script.replace("1a2b3c4", head.strip()), own, project):
        assert done.returncode == 0, (done.args, done.stderr)
    (project / "src/net.py").write_text(SOURCE.replace("tries", "attempts").replace("raise", "assert not"), "utf-8")
    checked, found = walked("agentos anchors check\nagentos recall 'client gives up' --json", own, project)
    assert checked.returncode == 0, checked.stderr
    assert "code changed: src/net.py:Client.get" in found.stdout
