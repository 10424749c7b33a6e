"""The syntax of git's configuration, as git reads it."""

from agentos.storage.git.settings import settings_of
from tests.tables import every


@every(
    ("text", "expected"),
    [
        ('[remote "o"]\n\turl = x', [("remote", "o", "url", "x")]),
        ('[Remote "O"] URL=x', [("remote", "O", "url", "x")]),
        ("[remote.O]\nurl=x", [("remote", "o", "url", "x")]),
        ('[remote "a\\"b]"]\nurl = x', [("remote", 'a\\"b]', "url", "x")]),
        ("\ufeff[core]\r\n  bare\r\n", [("core", None, "bare", None)]),
        ("[core]\n# bare\n; bare\nbare = no # not", [("core", None, "bare", "no")]),
        ('[a]\nb = "x # y" z ; c', [("a", None, "b", "x # y z")]),
        ("[a]\nb = one \\\n two\nc = 1", [("a", None, "b", "one  two"), ("a", None, "c", "1")]),
        ("[a]\nb = C:\\\\x\\ty", [("a", None, "b", "C:\\x\ty")]),
        ("[a]\nb =\n= c\n[[\n\\\n", [("a", None, "b", "")]),
        ("[" * 100_000 + "a" * 100_000, []),
    ],
)
def test_a_file_is_read_as_git_reads_it(text: str, expected: list[tuple[str, str | None, str, str | None]]) -> None:
    assert [(one.section, one.about, one.key, one.value) for one in settings_of(text)] == expected


@every(("value", "is_on"), [("", True), (" =", False), (" = no", False), (" = 0", False), (" = 1", True)])
def test_a_variable_without_a_value_is_on(value: str, is_on: bool) -> None:
    [setting] = settings_of(f"[a]\nb{value}\n")
    assert setting.is_on == is_on
