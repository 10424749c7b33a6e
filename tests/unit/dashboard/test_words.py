"""What browsers are told names no tool: every refusal, and every text of the pages."""

import re

import pytest

from agentos.features.dashboard.texts import FOLDER, Texts
from agentos.features.dashboard.wording import in_browser
from tests.unit.interfaces.test_words_at_each_door import NAMES, OF_TOOLS, refusals


@pytest.fixture(scope="module")
def told() -> list[str]:
    found = [text for text in refusals() if text]
    assert len(found) > 400
    return found


def test_a_browser_names_no_tool(told: list[str]) -> None:
    texts = Texts.read()
    shown = [in_browser(text, texts) for text in told]
    assert not [text for text in shown if NAMES.search(text) or not text.strip()]
    assert not [text for text in shown if re.search(r"agentos (?:approvals|keys|grants)\b", text)]


def test_what_a_visitor_wrote_is_not_taken_for_a_tool() -> None:
    shown = in_browser("goal_id: there is no goal 'goal_no'; goal_list gives valid ids", Texts.read())
    assert shown == "there is no goal 'goal_no'; see the page Goals"


def test_the_pages_of_a_browser_name_no_tool() -> None:
    paths = list(FOLDER.glob("*.toml"))
    for path in paths:
        text = path.read_text(encoding="utf-8")
        assert not re.findall(rf"`(?:{'|'.join(OF_TOOLS)})`", text), path.name
    assert paths
