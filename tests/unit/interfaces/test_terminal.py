"""What commands print steers no terminal, and no command has another way to the screen."""

import ast
import io
import json
from pathlib import Path

import pytest

from agentos.interfaces.cli import batch, shown, terminal
from agentos.interfaces.cli.outcome import CommandFailure
from agentos.interfaces.output import take_any_text
from agentos.modules.text.counting import counted, memories_counted
from tests.places import ROOT
from tests.tables import every

OWN_WAY = {
    "terminal.py",
    "demo.py",  # shows its own texts, in panels
    "__init__.py",  # answers before any library is loaded: a version, and the words of the status line
}
STEERING = "\x1b]52;c;ZXZpbA==\x07 \x1b[2J \u202eevil\u202c \x9b31m \u200b\x00\r"


class Stream(io.TextIOWrapper):
    """Standard output with an encoding of its own."""

    def __init__(self, encoding: str) -> None:
        super().__init__(io.BytesIO(), encoding, errors="strict", write_through=True)

    def text(self) -> str:
        self.flush()
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue().decode(self.encoding)


@pytest.mark.parametrize("kind", ["text", "table", "json"])
def test_no_stored_text_steers_a_terminal(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Stream("utf-8")
    monkeypatch.setattr("sys.stdout", stream)
    if kind == "json":
        terminal.say_json({STEERING: STEERING})
        assert json.loads(stream.text()) == {STEERING: STEERING}
    else:
        terminal.say(STEERING if kind == "text" else shown.rows(("id", "a"), [(STEERING, STEERING)]))
        assert "evil" in stream.text()
    assert all(one == "\n" or one.isprintable() for one in stream.text())


def test_what_words_and_emoji_need_stays() -> None:
    words = "می‌خواهم 👩‍💻 naïve 東京"
    assert terminal.clean(words) == words
    assert terminal.one_line(" a\n\tb ") == "a b"


@every("encoding", ["ascii", "cp1252", "latin-1", "koi8-r", "shift_jis"])
def test_output_breaks_on_no_console(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Stream(encoding)
    monkeypatch.setattr("sys.stdout", stream)
    take_any_text()
    text = "サーバー → 東京 🗼 … é \udcff"
    terminal.say(text)
    terminal.say(shown.rows(("id", "text"), [("1", text)]))
    monkeypatch.setattr("sys.stdout", alone := Stream(encoding))
    terminal.say_json({"text": text})
    assert json.loads(alone.text()) == {"text": text} and "1" in stream.text()


def test_a_console_that_is_full_is_an_error_and_one_that_is_closed_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr("sys.stdout", full)
        with pytest.raises(CommandFailure, match="standard output"):
            terminal.say("x")
    monkeypatch.setattr("sys.stdout", None)
    terminal.say("x")


def test_what_comes_in_is_text_or_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def given(data: bytes) -> str:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data), "ascii"))
        return terminal.read_input()

    assert given("café 東京\n".encode()) == "café 東京\n"
    with pytest.raises(CommandFailure, match="not UTF-8, from byte 3"):
        given(b"caf\xe9")
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(CommandFailure, match="closed"):
        terminal.read_input()
    assert not terminal.can_ask() and not terminal.ask("Really?")


def test_every_command_prints_through_one_door() -> None:
    for path in sorted([*(ROOT / "interfaces" / "cli").rglob("*.py"), *(ROOT / "features").glob("*/commands.py")]):
        if path.name in OWN_WAY:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                written = called in ("print", "typer.secho", "typer.confirm", "click.echo") or called.endswith(
                    (".stdout.write", ".stderr.write", "console.print", "console().print")
                )
                help_of_typer = called == "typer.echo" and ast.unparse(node.args[0]) == "context.get_help()"
                assert not written and (called != "typer.echo" or help_of_typer), f"{path}:{node.lineno}: {called}"


def test_what_is_read_of_a_person_is_bounded_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "MOST_INPUT_BYTES", 2**20)
    assert terminal.read_text(io.BytesIO(b"\xef\xbb\xbftea"), "notes") == "tea"
    for data, problem in (
        (b"a" * (2**20 + 1), "notes has more than 1 MiB"),
        (b"t\xff", "notes is not UTF-8, from byte 1"),
    ):
        with pytest.raises(CommandFailure, match=problem):
            terminal.read_text(io.BytesIO(data), "notes")


@every("line", ['{"content": "\\ud800"}', '{"content": ' + "[" * 100_000, '{"a": 1, "a": 2}', '{"a": NaN}', "{"])
def test_a_line_that_is_no_json_is_refused_by_itself(line: str) -> None:
    refused: list[dict[str, object]] = []
    assert list(batch._entries(f'{line}\ntea\n{{"content": "milk"}}', refused)) == [
        (2, {"content": "tea"}),
        (3, {"content": "milk"}),
    ]
    assert [one["line"] for one in refused] == [1]


@pytest.mark.parametrize(("number", "said"), [(0, "0 memories"), (1, "1 memory"), (1200, "1,200 memories")])
def test_one_of_a_thing_is_told_in_the_singular(number: int, said: str) -> None:
    assert memories_counted(number) == said
    assert counted(number, "goal") == f"{number:,} goal{'' if number == 1 else 's'}"
