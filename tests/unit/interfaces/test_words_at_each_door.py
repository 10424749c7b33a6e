"""What people read has no words of code in it: every help text, and every refusal as each door tells it."""

import ast
import re
from collections.abc import Iterator

import click
import pytest
from typer.main import get_command

from agentos.interfaces.cli.app import app
from agentos.interfaces.cli.wording import of_refusal
from agentos.interfaces.http.rest.routes import routes_of
from agentos.interfaces.http.rest.wording import RouteWords
from agentos.modules import errors
from agentos.tools.catalog import all_tools
from tests.places import ROOT
from tests.tables import every

OF_TOOLS = sorted((tool.name for tool in all_tools(None) if "_" in tool.name), key=len, reverse=True)
NAMES = re.compile(rf"(?<![\w./-])(?:{'|'.join(OF_TOOLS)})(?!\w)")
CODE = re.compile(r"\bNone\b|<[\w.]+: '|\('[^']*',|\bXX\b|\w+\.\w+Error\b|(\w+(?:Error|Exception)): \1")
"""What Python writes of its values: None, members of an enum, tuples, types of errors twice."""
REFUSALS = {name for name, one in vars(errors).items() if isinstance(one, type)} | {"CommandFailure", "SettingsError"}


def helps(command: click.Command, path: str = "agentos") -> Iterator[tuple[str, str]]:
    """Every help text, with the command that has it."""
    yield path, command.help or ""
    yield from ((path, getattr(one, "help", None) or "") for one in command.params)
    for name in getattr(command, "list_commands", lambda _: [])(click.Context(command)):
        yield from helps(command.get_command(click.Context(command), name), f"{path} {name}")  # type: ignore[attr-defined]


def test_help_texts_are_sentences_without_words_of_code() -> None:
    found = [(path, text) for path, text in helps(get_command(app)) if text]
    assert len(found) > 400
    assert not [
        (path, text) for path, text in found if CODE.search(text) or not text.rstrip().endswith((".", "…", ")"))
    ]


def _text(node: ast.expr) -> str:
    match node:
        case ast.Constant(value=str(value)):
            return value
        case ast.JoinedStr(values=values):
            return "".join(one.value if isinstance(one, ast.Constant) else "'it'" for one in values)  # type: ignore[misc]
        case ast.BinOp(left=left, right=right):
            return _text(left) + _text(right)
    return ""


def refusals() -> Iterator[str]:
    """The texts of all refusals that the package raises, with something in place of their values."""
    for folder in ("features", "modules", "interfaces", "tools", "storage", "daemon_pkg"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") in REFUSALS:
                    said = [words for words in map(_text, node.args) if words]
                    yield ": ".join(said)


@pytest.fixture(scope="module")
def told() -> list[str]:
    found = [text for text in refusals() if text]
    assert len(found) > 400
    return found


def test_no_refusal_has_words_of_code(told: list[str]) -> None:
    assert not [text for text in told if CODE.search(text)]


def test_rest_names_routes_for_the_tools_that_have_one(told: list[str]) -> None:
    words = RouteWords(routes_of(None))
    named = {found[0] for text in map(words.of, told) for found in NAMES.finditer(text)}
    assert not named & {route.does for route in routes_of(None)}


@every(
    ("message", "shown"),
    [
        ("there is no memory 'memory_get'; memory_search and memory_list give valid ids",
         "there is no memory 'memory_get'; GET /api/v1/search and GET /api/v1/memories give valid ids"),
        ("by: it holds no more; memory_revert(memory_id='mem_1') brings it back",
         "by: it holds no more; POST /api/v1/memories/mem_1/revert brings it back"),
    ],
)  # fmt: skip
def test_a_call_becomes_a_route_and_what_the_caller_wrote_stays(message: str, shown: str) -> None:
    assert RouteWords(routes_of(None)).of(message) == shown


def test_the_description_of_a_tool_that_has_a_route_names_no_other_tool() -> None:
    routed = {route.does for route in routes_of(None)}
    described = {tool.name: tool.run.__doc__ or "" for tool in all_tools(None) if tool.name in routed}
    assert not {name: text for name, text in described.items() if NAMES.search(text)}


def test_the_command_line_names_commands_for_the_tools_that_have_one(told: list[str]) -> None:
    named = {found[0] for text in map(of_refusal, told) for found in NAMES.finditer(text)}
    assert not {name for name in named if name.startswith(("memory_", "goal_", "session_", "job_", "insight_"))}, named


@every(
    ("error", "words"),
    [
        (OSError(28, "No space left on device"), "No space left on device"),
        (OSError(13, "Permission denied", "/a/b"), "/a/b: Permission denied"),
        (RuntimeError("OSError: disk gone"), "OSError: disk gone"),
        (RuntimeError("two\nlines"), "RuntimeError: two lines"),
        (ValueError(), "ValueError"),
        (errors.NotFound("there is none"), "there is none"),
    ],
)
def test_any_error_is_told_once(error: Exception, words: str) -> None:
    assert errors.described(error) == words


@every(
    ("error", "words"),
    [
        (OSError("[Errno -2] Name or service not known"), "Name or service not known"),
        (OSError(111, "Connection refused"), "Connection refused"),
        (TimeoutError(), "TimeoutError"),
    ],
)
def test_why_something_cannot_be_reached_is_told_in_words(error: Exception, words: str) -> None:
    assert errors.cause(error) == words
