"""The import plan: who may import whom, read from the sources."""

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from agentos.features import registered
from agentos.interfaces.cli.app import COMMANDS
from tests.places import ROOT
from tests.tables import every

ROOMS = ("features", "interfaces", "modules", "storage", "tools", "daemon_pkg", "conformance")
FRONT = (
    *("__init__.py", "config.py", "env_files.py", "database.py", "model_files.py"),
    *("server.py", "daemon.py", "plugins.py", "library.py"),
)
FILES = [ROOT / name for name in FRONT if (ROOT / name).exists()] + [
    path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))
]
HEAVY = {
    "chromadb", "torch", "sentence_transformers", "onnxruntime", "onnx", "numpy", "dateparser", "tokenizers",
    "sqlalchemy", "networkx", "huggingface_hub", "httpx2",
}  # fmt: skip
FORBIDDEN_NAMES = {"utils", "util", "common", "helpers", "helper", "manager", "core", "misc"}
SUBJECTS = (
    *("memory", "goals", "reflection", "insights", "jobs", "approvals", "sessions"),
    *("turns", "queue", "language", "graph", "extraction", "events"),
)
RULES = {"facts", "text", "redaction"}
"""Pure rules, which know no store: any subject may judge by them."""
OFFERED = {"language"}
"""What any subject may ask: a port without a store."""

MAY_IMPORT = {
    "config": {"config", "env_files", "features/__init__"},
    "env_files": {"env_files", "modules/system"},
    "database": {"config", "features/__init__", "modules", "storage", "database", "model_files"},
    "features": {
        *("features", "modules", "storage", "tools", "daemon_pkg", "interfaces", "config", "database", "conformance"),
    },
    "features/__init__": {"modules"},
    "model_files": {"config", "modules", "storage"},
    "modules": {"config", "modules"},
    "modules/system": {"modules"},
    "storage": {"modules", "storage", "conformance"},
    "conformance": {"conformance"},
    "tools": {"features/__init__", "modules", "tools"},
    "daemon_pkg": {"features/__init__", "modules", "daemon_pkg"},
    "interfaces": {"modules", "interfaces"},
    "interfaces/http": {"config", "features/__init__", "modules", "tools", "interfaces"},
    "interfaces/cli": {
        "config",
        "database",
        "features/__init__",
        "model_files",
        "modules",
        "interfaces",
        "plugins",
        "benchmarks",
        "conformance",
    },
    "server": {"config", "database", "modules", "storage", "tools", "daemon_pkg", "interfaces", "server"},
    "daemon": {
        "config",
        "database",
        "features/__init__",
        "modules",
        "storage",
        "tools",
        "daemon_pkg",
        "interfaces",
        "daemon",
    },
    "plugins": {"modules", "tools", "daemon_pkg", "storage", "plugins"},
    "library": {"config", "database", "features/__init__", "modules", "tools", "library"},
    "__init__": {"library"},
}


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def room_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return "/".join(parts[:2]) if "/".join(parts[:2]) in MAY_IMPORT else parts[0]


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def module_of(path: Path) -> tuple[str, ...]:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" else parts


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """Every node of a file."""
    return tuple(ast.walk(tree_of(path)))


@cache
def resolved(parts: tuple[str, ...]) -> Path | None:
    """The file that a module of ours is in, or None when the name is not a module."""
    for candidate in (
        ROOT.joinpath(*parts).with_suffix(".py") if parts else None,
        ROOT.joinpath(*parts, "__init__.py"),
    ):
        if candidate is not None and candidate.exists():
            return candidate
    return None


def targets(path: Path, node: ast.Import | ast.ImportFrom) -> Iterator[Path]:
    """The files of ours that an import statement names."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.name.split(".")[0] == "agentos":
                yield from filter(None, [resolved(tuple(alias.name.split(".")[1:]))])
        return
    if node.level:
        package = path.relative_to(ROOT).parent.parts
        base = package[: len(package) - (node.level - 1)]
        assert node.level - 1 <= len(package), f"{name_of(path)} imports from above the package"
    elif (node.module or "").split(".")[0] == "agentos":
        base = ()
    else:
        return
    module = tuple((node.module or "").split(".")) if node.module else ()
    parts = base + (module if node.level else module[1:])
    for alias in node.names:
        found = resolved((*parts, alias.name)) or resolved(parts)
        if found is not None:
            yield found


@cache
def imports(path: Path, *, only_when_imported: bool = False) -> set[Path]:
    nodes = executed(tree_of(path)) if only_when_imported else nodes_of(path)
    return {
        target
        for node in nodes
        if isinstance(node, ast.Import | ast.ImportFrom)
        for target in targets(path, node)
        if target != path
    }


def executed(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes that run when the module is imported: no function bodies, nothing for type checkers alone."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            for other in node.orelse:
                yield other
                yield from executed(other)
            continue
        yield node
        yield from executed(node)


def for_types(path: Path) -> set[Path]:
    """The files of ours that a file imports for type checkers alone."""
    blocks = [node for node in nodes_of(path) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)]
    inside = [node for block in blocks for each in block.body for node in ast.walk(each)]
    named = {id(node): set(targets(path, node)) for node in inside if isinstance(node, ast.Import | ast.ImportFrom)}
    others = (
        node for node in nodes_of(path) if isinstance(node, ast.Import | ast.ImportFrom) and id(node) not in named
    )
    return set().union(*named.values()) - {target for node in others for target in targets(path, node)}


BY_TYPE = {"modules": {"storage"}, "interfaces": {"tools"}, "library": {"features"}}
"""What a room may name for type checkers alone: what it is handed, or what its methods return."""


def _may_be_named(path: Path) -> bool:
    return room_of(path) != "storage" or path.parent.name in ("repositories", "bundles")


@every("path", FILES)
def test_imports_follow_the_plan(path: Path) -> None:
    allowed = MAY_IMPORT[room_of(path)]
    named = {one for one in for_types(path) if room_of(one) in BY_TYPE.get(room_of(path), ()) and _may_be_named(one)}
    for target in imports(path) - named:
        assert room_of(target).split("/")[0] in allowed or room_of(target) in allowed, (
            f"{name_of(path)} may not import {name_of(target)}"
        )


def test_modules_see_of_the_settings_nothing_but_their_types() -> None:
    for path in FILES:
        if room_of(path) == "modules" and ROOT / "config.py" in imports(path):
            names = {
                alias.name
                for node in nodes_of(path)
                if isinstance(node, ast.ImportFrom) and node.module == "config"
                for alias in node.names
            }
            assert names == {"Settings"}, f"{name_of(path)} takes {names} from config"


OF_FEATURES = {
    "app": {"interfaces/http", "tools", "config"},
    "commands": {"interfaces/cli", "interfaces", "config", "database", "conformance"},
    "checks": {"config"},
    "daemon_link": {"interfaces"},
    "door": {"interfaces"},
    "job": {"daemon_pkg"},
    "live": {"tools"},
    "mounting": {"interfaces/http", "config"},
    "passes": {"config"},
    "page": {"interfaces/http"},
    "pages": {"interfaces/http", "tools"},
    "paths": {"interfaces/http", "tools"},
    "routes": {"interfaces/http"},
    "tools": {"tools"},
    "visit": {"interfaces/http", "tools"},
    "webdav_routes": {"interfaces/http", "config"},
    "wiring": {"config"},
}
"""Which files of a feature, or folders of files, are for which door; all its others are rules, and rows."""
OF_PAGES = "dashboard"
"""The feature that alone reads what others bring as pages."""


def test_a_feature_meets_each_door_in_one_place_and_no_other_feature() -> None:
    for path in FILES:
        room, *inner = path.relative_to(ROOT).parts
        if room == "features":
            for target in imports(path) - for_types(path):
                other = target.relative_to(ROOT).parts
                if other[0] == "features":
                    known = (inner[0], "__init__.py", *([OF_PAGES] if path.stem == "page" else []))
                    assert other[1] in known, f"{name_of(path)} imports {name_of(target)}"
                elif other[0] not in ("modules", "storage"):
                    allowed = set().union(*(OF_FEATURES.get(one, set()) for one in (*inner[1:-1], path.stem)))
                    assert room_of(target) in allowed, f"{name_of(path)} imports {name_of(target)}"


def test_subjects_never_import_each_other() -> None:
    for path in FILES:
        parts = path.relative_to(ROOT).parts
        if parts[0] == "modules" and len(parts) > 2 and parts[1] in SUBJECTS:
            for target in imports(path) - for_types(path):
                other = target.relative_to(ROOT).parts
                known = {parts[1], *RULES, *OFFERED}
                assert len(other) < 3 or other[1] in known, f"{name_of(path)} imports {name_of(target)}"


def test_there_are_no_import_cycles() -> None:
    graph = {path: imports(path) for path in FILES}
    done: set[Path] = set()
    for start in FILES:
        trail: list[Path] = []

        def visit(path: Path, trail: list[Path] = trail) -> None:
            assert path not in trail, " → ".join(name_of(p) for p in [*trail[trail.index(path) :], path])
            if path in done:
                return
            trail.append(path)
            for target in sorted(graph.get(path, ())):
                visit(target)
            done.add(trail.pop())

        visit(start)


def roots(node: ast.AST) -> set[str]:
    """The packages of others that an import statement names."""
    names: list[str] = []
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and not node.level:
        names = [node.module or ""]
    return {name.split(".")[0] for name in names}


@every("path", FILES)
def test_heavy_libraries_wait_for_their_first_use(path: Path) -> None:
    for node in executed(tree_of(path)):
        heavy = roots(node) & HEAVY
        assert not heavy, f"{name_of(path)}:{getattr(node, 'lineno', 0)} imports {heavy}"


def test_the_sdk_of_mcp_is_imported_by_the_few_files_that_serve_by_it() -> None:
    """To import it takes a third of a daemon's start; sessions do that when they need it."""
    assert {name_of(path) for path in FILES for node in executed(tree_of(path)) if "mcp" in roots(node)} == {
        *("tools/mcp.py", "tools/resources.py", "tools/shown.py", "tools/asking.py", "tools/protocol_errors.py"),
        *("interfaces/http/mcp.py", "interfaces/http/listening.py"),
        "interfaces/cli/demo.py",
    }


@every("path", [path for path in FILES if path.parent.name != "conformance" and path.name != "records.py"])
def test_dataclasses_are_those_that_write_their_methods_late(path: Path) -> None:
    for node in nodes_of(path):
        if isinstance(node, ast.ImportFrom) and node.module == "dataclasses":
            assert "dataclass" not in {alias.name for alias in node.names}, "it is in modules/records.py"


@every("path", FILES)
def test_state_is_passed_and_never_global(path: Path) -> None:
    assert not any(isinstance(node, ast.Global) for node in nodes_of(path))


@every("path", FILES)
def test_files_are_short_well_named_and_say_what_they_are_for(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 600
    assert not FORBIDDEN_NAMES & set(module_of(path))
    assert ast.get_docstring(tree_of(path)), "the first line of a file is its one-sentence plan"


@every("path", FILES)
def test_only_config_reads_the_environment(path: Path) -> None:
    if path.name == "config.py" or name_of(path) == "interfaces/stdio/front/place.py":
        return  # the front's own reader must cost nothing; tests/unit/interfaces/test_place.py holds the two equal
    reads = {
        node.attr for node in nodes_of(path) if isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv")
    }
    assert not reads


def test_the_plan_covers_every_file() -> None:
    assert len(FILES) > 40
    strays = {path.name for path in ROOT.glob("*.py")} - set(FRONT)
    assert not strays, f"top-level files beyond the plan: {strays}"


def test_the_front_needs_the_standard_library_alone() -> None:
    """What a session costs before, and beside, the daemon."""
    needed = needed_by([ROOT / "server.py", *(ROOT / "interfaces" / "stdio" / "front").glob("*.py")])
    assert len(needed) > 8


def test_a_hook_needs_the_standard_library_alone_and_none_of_its_slow_parts() -> None:
    """An agent waits for it at every turn."""
    needed = needed_by([ROOT / "interfaces" / "hooks" / "program.py", ROOT / "interfaces" / "cli" / "__init__.py"])
    slow = {"argparse", "asyncio", "dataclasses", "inspect", "logging", "secrets", "subprocess", "tempfile"}
    assert "json" in needed and not needed & slow


STARTING = re.compile(
    r"subprocess\.(?:run|call|check_call|check_output|getoutput|getstatusoutput|Popen)|(?:.*\.)?create_subprocess_\w+"
    r"|os\.(?:system|popen|exec[lv]\w*|spawn\w*|posix_spawnp?|startfile)|pty\.spawn|(?:.*\.)?subprocess_(?:exec|shell)"
)
GIT = re.compile(r"(?:.*/)?git(?:\.exe)?(?: .*)?")
STARTERS = {
    "features/attachments/extraction.py",
    "interfaces/cli/calls.py",
    "interfaces/cli/background.py",
    "interfaces/cli/demo.py",
    "interfaces/cli/serve.py",
    "interfaces/cli/update/command.py",
    "interfaces/cli/update/installing.py",
    "interfaces/shutdown.py",
    "interfaces/stdio/front/link.py",
    "modules/system/processes.py",
    "storage/postgres/dumps.py",
    "storage/postgres/examination.py",
    "storage/sqlite/chroma_process.py",
    "storage/sqlite/examination/index.py",
    "storage/sqlite/folder.py",
    "storage/embedding/weights_sources.py",
    "storage/git/runner.py",
}
"""All but four start Python, with a program of ours; the others pip, uv or pipx, when asked for, pg_dump, and git."""


def test_one_place_starts_git_and_few_start_anything() -> None:
    starters = {name_of(path) for path in FILES if any(STARTING.fullmatch(call) for call in calls_in(path))}
    assert starters == STARTERS
    assert not any(
        isinstance(node, ast.ImportFrom) and node.module in ("subprocess", "os")
        for path in FILES
        for node in nodes_of(path)
    ), "what starts a program is called by its full name"
    shipped = [*FILES, *(ROOT / "benchmarks").rglob("*.py")]
    naming_git = {
        name_of(path)
        for path in shipped
        if any(STARTING.fullmatch(call) or call == "shutil.which" for call in calls_in(path))
        and any(isinstance(node, ast.Constant) and GIT.fullmatch(str(node.value)) for node in nodes_of(path))
    }
    assert naming_git == {"storage/git/runner.py"}
    runner = ROOT / "storage" / "git" / "runner.py"
    assert {name_of(path) for path in shipped if runner in imports(path)} == {"storage/git/history.py"}


@cache
def calls_in(path: Path) -> set[str]:
    return {dotted(node.func) for node in nodes_of(path) if isinstance(node, ast.Call)}


def dotted(called: ast.expr) -> str:
    """The names that lead to what is called; nothing stands for what is not named."""
    if isinstance(called, ast.Attribute):
        return f"{dotted(called.value)}.{called.attr}"
    return called.id if isinstance(called, ast.Name) else ""


def needed_by(waiting: list[Path]) -> set[str]:
    """What files of ours, and what they import, need of others when they are imported: the standard library alone."""
    seen: set[Path] = set()
    needed: set[str] = set()
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        waiting += imports(path, only_when_imported=True)
        for node in executed(tree_of(path)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            roots = {name.split(".")[0] for name in names}
            assert roots <= sys.stdlib_module_names, name_of(path)
            needed |= roots
    return needed


MOST_OF_A_PORT = 10


def test_a_port_has_few_methods() -> None:
    wide = {
        node.name
        for path in FILES
        if path.name == "ports.py"
        for node in tree_of(path).body
        if isinstance(node, ast.ClassDef)
        and sum(isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) for each in node.body) > MOST_OF_A_PORT
    }
    assert not wide


REPOSITORIES = sorted((ROOT / "storage" / "repositories").glob("*.py"))
OF_ONE_ENGINE = re.compile(
    r"INSERT OR\b|REPLACE INTO|\bjson_(?:each|tree|extract|group_array|group_object|valid)\b|\browid\b|\bsqlite_|GLOB\b"
    r"|IFNULL|\biif\(|strftime|julianday|unixepoch|PRAGMA|COLLATE NOCASE|\bMATCH\b|bm25\(|INDEXED BY|NOT INDEXED"
    r"|CROSS JOIN|group_concat|\binstr\(|\btotal_changes|last_insert|\bIS NOT [?:]|\bIS [?:]|\bLIKE\b|\btypeof\("
    r"|sum\([^()]*[=<>]|\b(?:AND|OR|WHERE) \+|\b(?:AND|OR|WHERE) 1\b|\b(?:max|min)\((?:[^(),]|\([^()]*\))*,"
    r"|::\w|= ANY\b|unnest\(|ILIKE|FOR UPDATE|jsonb?_array_elements|to_tsvector|now\(\)"
)
"""What one of the engines alone understands, in a statement."""


@every("path", REPOSITORIES)
def test_a_repository_is_written_for_every_engine(path: Path) -> None:
    for target in imports(path):
        assert target.is_relative_to(ROOT / "modules") or target.parent.name in ("repositories", "engine"), name_of(
            target
        )
    imported = [node for node in nodes_of(path) if isinstance(node, ast.Import)]
    assert not {alias.name for node in imported for alias in node.names} & {"sqlite3", "aiosqlite"}


@every("path", [*REPOSITORIES, *sorted((ROOT / "features").glob("*/rows.py"))])
def test_statements_are_of_no_engine_alone(path: Path) -> None:
    for node in nodes_of(path):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found = OF_ONE_ENGINE.search(node.value)
            assert found is None, f"{name_of(path)}:{node.lineno}: {found and found[0]}"


NAMES_WITH_TWO_MEANINGS = 1
"""The class names that occur more than once in the core: `AgentOS`, which plugins and programs know by this name."""


def test_few_class_names_of_the_core_have_two_meanings() -> None:
    found: dict[str, list[str]] = {}
    for path in FILES:
        if room_of(path) not in ("features", "conformance"):
            for node in nodes_of(path):
                if isinstance(node, ast.ClassDef):
                    found.setdefault(node.name, []).append(name_of(path))
    twice = {name: places for name, places in found.items() if len(places) > 1}
    assert len(twice) <= NAMES_WITH_TWO_MEANINGS, twice


IMPORT_IN_A_PROGRAM = re.compile(r"^\s*from agentos\.?(\S*) import ([\w ,]+)$", re.MULTILINE)


def test_programs_in_strings_import_what_there_is() -> None:
    """A type checker does not read them, and only the slowest lanes run some."""
    missing = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        programs = [node.value for node in nodes_of(path) if isinstance(node, ast.Constant)]
        for module, names in IMPORT_IN_A_PROGRAM.findall("\n".join(text for text in programs if isinstance(text, str))):
            place = ROOT / module.replace(".", "/")
            source = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
            text = source.read_text(encoding="utf-8")
            for name in (imported.split(" as ")[0].strip() for imported in names.split(",")):
                if not re.search(rf"\b{name}\b", text) and not (place / name).with_suffix(".py").exists():
                    missing.append(f"{path.name}: agentos.{module} has no {name}")
    assert not missing, "\n".join(missing)


def test_a_command_of_a_feature_is_listed_behind_one_of_the_core() -> None:
    own = {name for panel in COMMANDS.values() for name in panel}
    behind = {place.behind for feature in registered() for place in feature.commands.values()}
    assert behind <= own, "it would be in no panel"
