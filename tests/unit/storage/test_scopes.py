"""Scopes: whatever touches an agent's rows is handed the namespaces that it may touch; nothing means all of them."""

import ast
import dataclasses
import inspect
import re
import sqlite3
import typing
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from importlib import import_module
from typing import Any

from agentos.modules import store
from agentos.modules.identifiers import Scope
from agentos.modules.store import Store
from agentos.storage.sqlite import migrate
from tests.places import ROOT

REPOSITORIES = ROOT / "storage" / "repositories"
STORE_WIDE = {
    "JobsRepository": "runs of the daemon's jobs, the daemon itself, and the list of namespaces that jobs go through",
    "QueueRows": "tasks that a worker takes, whoever's they are; each names its namespace",
    "BacklogRepository": "texts that have no vector yet, whoever's they are: they go to the model and nowhere else",
    "LooksRepository": "memories that were not compared yet, each of which is compared within its own namespace",
    "BackupStorage": "copies of the whole file, for whoever has the data folder",
    "Bundles": "a bundle names its namespaces itself, and whoever has the data folder reads it",
    "ImportSource": "files of other programs: no row of the store",
    "ServerKey": "a file of the home",
    "Hints": "that something changed; what did is read under its namespace",
    "EndedLogins": "sessions of browsers, whoever's they are",
    "PrincipalsRepository": "who may ask for what: for the owner, and to make a caller",
}
"""Parts of a store that by nature work over the whole of it, with the reason; in others it is `..._everywhere`."""
CONDITIONS = re.compile(
    r"namespace|\bseq\b ?(?:=|IN)|rowid|\{(?:chosen|within|condition|conditions|standing|_SAME|_ORDINARY|due)"
)
"""What bounds a statement: a namespace, rows by the numbers that were found under one, or conditions put together."""
BY_ID = {
    "approvals.py": {"_replace"},
    "bundle_merge.py": {"_is_pair"},
    "consolidation/rows.py": {"_write", "summaries", "work"},
    "graph_names.py": {"_joined"},
    "graph_writing.py": {"_forget", "write"},
    "insights.py": {"note"},
    "memory_writing.py": {"insert_memory"},
    "pages.py": {"_drop_empty", "begin_later", "key_of", "look_again", "text_changed", "tidy", "untitle"},
    "procedures/rows.py": {"mark", "work"},
    "profile/rows.py": {"statements"},
    "sessions.py": {"work"},
    "surroundings.py": {"_beside"},
    "tiers/rows.py": {"_in_tier", "_stands", "unanalysed", "work"},
    "turns.py": {"_page", "_revive", "weighable", "work"},
}
"""Functions with statements by ids of rows that were found under their namespace before: this may only shrink."""
OF_FEATURES = [
    path
    for name in ("consolidation", "gateway", "procedures", "profile", "sealed", "teams", "tiers")
    if (path := ROOT / "features" / name / "rows.py").exists()
]
"""The rows of features whose statements are bounded as those of the core are."""
WORKERS = {
    "QueueRows",
    "JobsRepository",
    "BacklogRepository",
    "LooksRepository",
    "ScrubRows",
    "PrincipalsRepository",
}


@cache
def named_kinds() -> dict[str, Any]:
    """What the store's parts are typed by, by name: it imports them for type checkers alone."""
    others = [ROOT / "modules" / "events" / "hints.py", ROOT / "storage" / "bundles" / "bundles.py"]
    paths = [*(ROOT / "modules").glob("*/ports.py"), *(ROOT / "storage" / "repositories").glob("*.py"), *others]
    modules = [path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".") for path in sorted(paths)]
    return {name: value for module in modules for name, value in vars(import_module(f"agentos.{module}")).items()}


def ports() -> Iterator[tuple[str, type]]:
    """The parts of a store, by name: what keeps rows."""
    for subject in vars(Store).values():
        if isinstance(subject, property):
            group = typing.get_type_hints(subject.fget, vars(store))["return"]
            for name, kind in typing.get_type_hints(group, named_kinds()).items():
                port = typing.get_origin(kind) or kind
                if port.__module__.startswith("agentos."):  # others: no rows
                    yield name, port


def methods(port: type) -> Iterator[tuple[str, Any]]:
    for name, method in inspect.getmembers(port, inspect.isfunction):
        if not name.startswith("_") and method.__module__.startswith("agentos."):
            yield name, method


def names_namespace(of: Any, depth: int = 0) -> bool:
    """Whether values of a type say which namespace they are of."""
    if dataclasses.is_dataclass(of):
        return any(one.name == "namespace" for one in dataclasses.fields(of)) or (
            depth < 2 and any(names_namespace(kind, depth + 1) for kind in typing.get_type_hints(of).values())
        )
    return any(names_namespace(part, depth) for part in typing.get_args(of) if part is not type(None))


def is_scoped(method: Any) -> bool:
    hints = typing.get_type_hints(method)
    hints.pop("return", None)
    if hints.get("namespace") is str or hints.get("scope") == Scope or "namespaces" in hints:
        return type(None) not in typing.get_args(hints.get("namespaces"))
    return any(names_namespace(kind) for kind in hints.values())


def test_every_method_of_a_port_takes_a_scope_or_says_that_it_works_everywhere() -> None:
    unscoped = {
        f"{port.__name__}.{name}"
        for _, port in ports()
        if port.__name__ not in STORE_WIDE
        for name, method in methods(port)
        if not name.endswith("_everywhere") and not is_scoped(method)
    }
    assert not unscoped
    assert {port.__name__ for _, port in ports()} >= set(STORE_WIDE), "the list may only shrink"


def test_no_method_takes_the_absence_of_a_namespace_for_all_of_them() -> None:
    for _, port in ports():
        for name, method in methods(port):
            hints = typing.get_type_hints(method)
            for argument in ("namespace", "namespaces", "scope"):
                missing = type(None) in typing.get_args(hints.get(argument))
                assert not missing or port.__name__ == "Bundles", f"{port.__name__}.{name}"


@cache
def agents_tables() -> tuple[str, ...]:
    """The tables with a namespace of their own."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        migrate.apply_to(connection, migrate.known())
        rows = connection.execute(
            "SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c ON c.name = 'namespace' "
            "WHERE m.type = 'table'"
        )
        return tuple(name for (name,) in rows)


def text_of(node: ast.AST) -> str:
    if isinstance(node, ast.JoinedStr):
        parts = (
            part.value if isinstance(part, ast.Constant) else f"{{{ast.unparse(part)[1:-1]}}}" for part in node.values
        )
        return "".join(map(str, parts))
    return str(node.value) if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def statements(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Every text in a function, with the function's name; not of workers, nor of what says that it works everywhere."""

    def walk(node: ast.AST, function: str) -> Iterator[tuple[str, str]]:
        if isinstance(node, ast.ClassDef) and node.name in WORKERS:
            return
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if node.name.endswith("_everywhere"):
                return
            function = node.name
        if function and (text := text_of(node)):
            yield function, text
            return
        for child in ast.iter_child_nodes(node):
            yield from walk(child, function)

    yield from walk(tree, "")


def test_every_statement_is_bounded_by_a_namespace_or_by_rows_that_were_found_under_one() -> None:
    of_agents = re.compile(rf"\b(?:FROM|UPDATE|INTO|JOIN)\s+(?:{'|'.join(agents_tables())})\b")
    unbounded: dict[str, set[str]] = {}
    seen = 0
    for path in [*sorted(REPOSITORIES.glob("*.py")), *OF_FEATURES]:
        for function, text in statements(ast.parse(path.read_text(encoding="utf-8"))):
            if of_agents.search(text):
                seen += 1
                if not CONDITIONS.search(text):
                    unbounded.setdefault(
                        path.name if path.parent == REPOSITORIES else f"{path.parent.name}/{path.name}", set()
                    ).add(function)
    assert seen > 100
    there = {name for name in BY_ID if "/" not in name or (ROOT / "features" / name).exists()}
    assert unbounded == {name: BY_ID[name] for name in there}
