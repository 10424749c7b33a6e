"""Docstrings that clients and users read: each names the thing or begins with a verb, and is no riddle."""

import ast
import re
from pathlib import Path

from tests.places import ROOT

RIDDLES = re.compile(r"(?:What|Whether|Who|Whom|Whose|How|Something)\b")
ROOMS = ("tools", "modules/views", "features/compat/tools", "features/compat/views", "interfaces/cli")
OF_FEATURES = ("tools", "views", "commands")


def openings(path: Path) -> list[str]:
    """Return the first line of every docstring in a file, with the name of what it is of."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    nodes = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, documented)]
    docstrings = [(getattr(node, "name", path.stem), ast.get_docstring(node) or "") for node in nodes]
    return [
        f"{path.relative_to(ROOT)}: {name}: {text.splitlines()[0]}" for name, text in docstrings if RIDDLES.match(text)
    ]


def test_no_docstring_begins_with_a_question_word() -> None:
    of_rooms = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]
    of_features = [path for name in OF_FEATURES for path in sorted((ROOT / "features").glob(f"*/{name}.py"))]
    found = [one for path in (*of_rooms, *of_features) for one in openings(path)]
    assert not found, "\n".join(found)
