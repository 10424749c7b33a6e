"""What clients add to their users' words is no turn of the user, whatever it is and wherever it stands."""

import json
from typing import Any

from agentos.features.gateway import requests
from agentos.features.gateway.constant_parts import ConstantParts
from agentos.features.gateway.requests import Dialect
from tests.tables import every

SAID = ("The kiln is fired on Mondays.", "Who fires it?", "The glaze is kept in the cellar.")
RULES = "Every change is shown as a block of search and replace, with the path of its file above it."
MAP = "Here are the summaries of some files of the repository:\n\npots/kiln.py:\n│def fire(at: int)\n│def cool()"
ENVIRONMENT = "<environment_details>\nTime: {}\nOpen files: kiln.py\n</environment_details>"


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def model(text: str = "Ok.") -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def system(text: str) -> dict[str, Any]:
    return {"role": "system", "content": text}


def parts(*texts: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": one} for one in texts]


SHAPES = {
    "a reminder of the system prompt behind each turn": lambda turn, before: [
        system(f"Act as an expert.\n\n{RULES}"), *before, user(f"{turn}\n\n{RULES}")],
    "examples and a map of the repository before it": lambda turn, before: [
        system("x"), user("Change get_factorial() to use math."), model("kiln.py ..."), user(MAP), model("Ok."),
        *before, user(turn), system(RULES)],
    "a part of the environment": lambda turn, before: [
        *before, user(parts(turn, ENVIRONMENT.format(len(before))))],
    "the environment in the same text": lambda turn, before: [
        *before, user(f"{ENVIRONMENT.format(len(before))}\n{turn}")],
    "the words in a tag, among others": lambda turn, before: [
        *before, user(f"<open_files>\nkiln.py {len(before)}\n</open_files>\n<user_query>\n{turn}\n</user_query>")],
    "messages of the client before": lambda turn, before: [
        user(f"# AGENTS.md\n\n{RULES}"), user(f"<environment_context>\n{len(before)}\n</environment_context>"),
        *before, user(turn)],
    "a reminder as a message of its own": lambda turn, before: [
        *before, user(parts(turn)), user(parts("<system-reminder>be kind</system-reminder>"))],
    "an answer that the client begins": lambda turn, before: [*before, user(turn), model("{")],
}  # fmt: skip


@every("name", SHAPES)
def test_the_users_words_are_found_among_what_their_client_adds(name: str) -> None:
    constant = ConstantParts()
    before: list[dict[str, Any]] = []
    for turn in SAID:
        body = {"model": "m", "messages": SHAPES[name](turn, before)}
        request = requests.read(Dialect.CHAT, json.dumps(body).encode(), "k")
        for _ in range(2):  # asked again it is the same
            assert constant.without("c", request).question == turn
        before = [*before, user(turn), model()]


def test_what_recurs_behind_the_words_of_several_conversations_is_the_clients() -> None:
    constant = ConstantParts()
    found = []
    for turn in SAID:
        body = {"messages": [user(f"{turn}\n\nAlways answer in the style of the house, with care for the kiln.")]}
        request = requests.read(Dialect.MESSAGES, json.dumps(body).encode(), "k")
        found.append(constant.without("c", request).question)
    assert found[1:] == list(SAID[1:])
    assert constant.without("other", request).question.startswith(f"{SAID[2]}\n\nAlways")


@every(
    "text",
    [
        SAID[0] * 3,
        f"{RULES}\n\n{MAP}",
        "Why does this fail?\n\n```html\n<my-card>\n  hi\n</my-card>\n```\n\nIt is Lit.",
        "It says:\n<my-card>hi</my-card>\nand then stops.",
        "x" * 60_000,
    ],
)
def test_what_a_person_sends_stays_theirs_also_when_they_say_it_again(text: str) -> None:
    constant = ConstantParts()
    for opening in ("Hello.", "Good morning."):
        body = {"messages": [user(opening), model(), user(text)]}
        request = requests.read(Dialect.CHAT, json.dumps(body).encode(), "k")
        assert constant.without("c", request).question == text


def test_neither_a_summary_that_comes_back_nor_the_output_of_a_tool_is_a_persons() -> None:
    constant = ConstantParts()
    summary = "\n\n".join(f"{n}. The kiln was looked at, and part {n} of its door was mended." for n in range(5))
    constant.note_summary("c", [f"<analysis>short</analysis>\n\n{summary}"])
    told = f"This session goes on from an earlier one. Its summary:\n\n{summary}"
    for content, question in (
        (parts(told), ""),
        (parts(told, SAID[1]), SAID[1]),
        (parts("[read_file for 'kiln.py'] Result:", "def fire(): ...", ENVIRONMENT), ""),
        (parts("[ask] Result:", f"<user_message>\n{SAID[0]}\n</user_message>"), SAID[0]),
    ):
        request = requests.read(Dialect.CHAT, json.dumps({"messages": [user(content)]}).encode(), "k")
        assert constant.without("c", request).question == question
