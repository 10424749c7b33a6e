"""Write what of the Python SDK is made from the OpenAPI document: its types, its table of operations, its resources.

And the face for programs without `async`, from the other one.

python packaging/write_sdk.py
"""

import keyword
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentos.interfaces.http.problems import STATUSES
from agentos.interfaces.http.rest.openapi import call_of, document
from agentos.interfaces.http.rest.routes import operations
from agentos.modules.version import VERSION
from agentos.tools.bound import bind
from agentos.tools.catalog import all_tools

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "sdk/python/agentos_sdk/generated"
JSON = "application/json"
SUCCESSES = ("200", "201", "202")
SIMPLE = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
CURSOR = "cursor"

SENT = ("import_bundle", "attach_file")
BY_HAND = ("stream_events", "export_bundle", "get_attachment", *SENT)
"""Operations that stream or are sent a stream, which the client itself offers."""
TWICE = ("memory_search",)
"""Operations that another one does as well."""
FACE: Mapping[str, str] = {
    "memory_update_importance": "memories.set_importance",
    "memory_delete": "memories.delete_where",
    "memory_delete_one": "memories.delete",
    "memory_search_post_search": "search",
    "memory_ask": "ask",
    "context_get_snapshot": "snapshot",
    "context_compile": "context",
    "goal_get_active": "goals.active",
    "goal_update_progress": "goals.set_progress",
    "goal_update_status": "goals.set_status",
    "reflection_get_summary": "reflections.summary",
    "reflection_get_patterns": "patterns.list",
    "insight_update": "insights.set_status",
    "session_search": "observations.search",
    "session_get": "observations.read",
    "conversation_add": "add",
    "turn_add": "turns.add",
    "turn_window": "turns.window",
    "consolidate": "sessions.consolidate",
    "session_branch": "sessions.branch",
    "graph_get_neighbors": "graph.neighbours",
    "graph_impact_analysis": "graph.impact",
    "graph_find_path": "graph.path",
    "graph_extract_from_text": "graph.extract",
    "procedures_relevant": "procedures.relevant",
    "procedures_mine": "procedures.mine",
    "store_sealed": "sealed.store",
    "search_sealed": "sealed.search",
    "get_sealed": "sealed.get",
    "delete_sealed": "sealed.delete",
    "list_namespaces": "namespaces.list",
    "set_namespace": "namespaces.set",
    "list_grants": "grants.list",
    "create_grant": "grants.create",
    "remove_grant": "grants.remove",
    "list_keys": "keys.list",
    "create_key": "keys.create",
    "rotate_key": "keys.rotate",
    "revoke_key": "keys.revoke",
    "who_am_i": "auth.caller",
    "issue_token": "auth.token",
    "list_attachments": "attachments.list",
    "remove_attachment": "attachments.remove",
    "list_backups": "backups.list",
    "make_backup": "backups.make",
    "health": "health",
    "usage": "usage",
}
"""The names of operations that do not follow from the id (`goal_add` is `goals.add`)."""
FULL_RESULTS = {"memory_list": "Record", "memory_search_post_search": "FullHit", "goal_list": "FullGoal"}
"""Operations that return more or less of each result, by the type of the full one; the client always asks for that."""
LEAN = {"goal_get_active": "GoalView"}
"""Operations that return little of each result, by its type."""
WRITTEN = "# Written by packaging/write_sdk.py from {}: do not edit."
WITHOUT_ASYNC = (
    (r"await asyncio\.to_thread\(([\w.]+)(?:, )?", r"\1("),
    (r"asyncio\.sleep", "time.sleep"),
    (r"^import asyncio\n", ""),
    (r"\b(?:async|await) (?=def |for |with |\w)", ""),
    (r"AsyncGenerator\[(\w+), None\]", r"Generator[\1, None, None]"),
    (r"Awaitable\[(\w+)\]", r"\1"),
    (r"\bAwaitable, ", ""),
    (r"\bAsync(?=[A-Z])", ""),
    (r"\basync_(?=\w)", ""),
    (r"__a(enter|exit)__", r"__\1__"),
    (r"\baclos", "clos"),
    (r"\baiter_bytes", "iter_bytes"),
    (r"for `async` programs", "for programs without `async`"),
    (r"One client serves one event loop\.", "One client serves a whole program, in any of its threads."),
)
"""Patterns of the face for `async` programs, and what stands in their place in the other."""

Schema = Mapping[str, Any]


@dataclass(frozen=True)
class Argument:
    """An argument of a method: where it goes is the operation's business."""

    name: str
    type: str
    required: bool
    description: str


@dataclass(frozen=True)
class Method:
    """A method of the client (`resource` is empty) or of a resource."""

    resource: str
    name: str
    operation: str
    description: str
    positional: Sequence[Argument]
    named: Sequence[Argument]
    result: str
    item: str
    """The type of a result, where an answer is a page of them."""


def written() -> dict[str, str]:
    """Return the text of each generated file, by its name."""
    described = document(operations(bind(all_tools(None))))
    types = Types(described["components"]["schemas"])
    rows: list[str] = []
    methods: list[Method] = []
    for path, entries in described["paths"].items():
        for verb, operation in entries.items():
            rows.append(_row(path, verb.upper(), operation))
            if operation["operationId"] in SENT:
                types.of_answer(operation)
            if operation["operationId"] not in (*BY_HAND, *TWICE):
                methods.append(_method(operation, types))
    files = {
        "__init__.py": _head("What is made from the OpenAPI document.", ()),
        "types.py": _head("What the server answers.", ("from typing import Any, TypedDict",)) + types.text(),
        "operations.py": _operations(rows),
        "async_resources.py": (resources := "\n".join(_resources(methods))),
        "resources.py": without_async(resources),
    }
    return {name: _formatted(text) for name, text in files.items()} | {
        f"../{name}": _formatted(without_async((FOLDER.parent / source).read_text(encoding="utf-8"), source))
        for name, source in (("client.py", "async_client.py"), ("connection.py", "async_connection.py"))
    }


class Types:
    """The types of answers, by name."""

    def __init__(self, schemas: Mapping[str, Schema]) -> None:
        self._types: dict[str, str] = {}
        for name, schema in schemas.items():
            self._add(name, schema)

    def of_answer(self, operation: Schema) -> tuple[str, Schema]:
        """Return the name of what an operation answers, and its schema."""
        answer = next(one for status, one in operation["responses"].items() if status in SUCCESSES)
        schema = answer["content"][JSON]["schema"]
        if "$ref" in schema:
            return schema["$ref"].rpartition("/")[2], {}
        name = schema["title"]
        if item := {**FULL_RESULTS, **LEAN}.get(operation["operationId"]):
            results = {"type": "array", "items": {"$ref": f"/{item}"}}
            schema = {**schema, "properties": {**schema["properties"], "results": results}}
            name = f"{name}Whole" if item in FULL_RESULTS.values() else name
        if self._types.get(name, text := _typed_dict(name, schema)) != text:  # another one has that title
            name = operation["tags"][0].capitalize() + name
        self._add(name, schema)
        return name, schema

    def text(self) -> str:
        """Return them as classes, those that others need among them in any order."""
        return "\n\n".join(self._types[name] for name in sorted(self._types)) + "\n"

    def _add(self, name: str, schema: Schema) -> None:
        text = _typed_dict(name, schema)
        if self._types.setdefault(name, text) != text:
            raise ValueError(f"two types are called {name}")


def _typed_dict(name: str, schema: Schema) -> str:
    if odd := list(filter(keyword.iskeyword, schema["properties"])):
        raise ValueError(f"{name}: a member cannot be called {odd[0]}")
    docstring = _docstring(schema.get("description", f"{name}."), "    ")
    lines = [f"    {member}: {_quoted(_type(one))}" for member, one in schema["properties"].items()]
    return "\n".join((f"class {name}(TypedDict):", docstring, "", *lines))


def _quoted(text: str) -> str:
    return f'"{text}"' if any(part[:1].isupper() and part != "Any" for part in _words(text)) else text


def _words(text: str) -> Sequence[str]:
    return "".join(one if one.isalnum() else " " for one in text.split("Literal")[0]).split()


def _type(schema: Schema, *, is_given: bool = False) -> str:
    """Return the type of a value; that of an argument may be less exact than that of a result."""
    if "$ref" in schema:
        return "Mapping[str, Any]" if is_given else str(schema["$ref"].rpartition("/")[2])
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(_type(one, is_given=is_given) for one in schema["anyOf"]))
    if "enum" in schema:
        return f"Literal[{', '.join(repr(one) for one in schema['enum'])}]" if is_given else "str"
    kind = schema.get("type")
    if kind == "array":
        items = _type(schema.get("items", {}), is_given=is_given)
        if is_given:
            return f"Sequence[{items}]" if items.startswith("Mapping") else f"List[{items}]"
        return f"list[{items}]"
    if kind == "object":
        values = schema.get("additionalProperties", True)
        inner = "Any" if isinstance(values, bool) else _type(values, is_given=is_given)
        return f"Mapping[str, {inner}]" if is_given else f"dict[str, {inner}]"
    if kind in SIMPLE:
        return SIMPLE[kind]
    if not schema.keys() - {"default", "description", "title"}:
        return "Any"
    raise ValueError(f"no type is known for {schema}")


def _row(path: str, verb: str, operation: Schema) -> str:
    fields = call_of(path, verb, operation)
    values = ", ".join(f"{key}={value!r}" for key, value in fields.items())
    return f"    {operation['operationId']!r}: Operation({values}),"


def _operations(rows: Sequence[str]) -> str:
    head = _head("The operations of the server, and the codes of its failures.", ("from ..operation import Operation",))
    codes = ", ".join(repr(code) for code in sorted(STATUSES))
    return "\n".join((head, f"VERSION = {VERSION!r}", "", f"CODES = ({codes},)", "", "OPERATIONS = {", *rows, "}", ""))


def _method(operation: Schema, types: Types) -> Method:
    name: str = operation["operationId"]
    resource, _, method = FACE.get(name, _usual(name, operation)).rpartition(".")
    body = operation.get("requestBody", {}).get("content", {}).get(JSON, {}).get("schema", {})
    parameters = [one for one in operation.get("parameters", ()) if one["in"] != "header"]
    in_path = [one["name"] for one in parameters if one["in"] == "path"]
    schemas = {one["name"]: {"description": one.get("description", ""), **one["schema"]} for one in parameters}
    schemas.update(body.get("properties", {}))
    required = {one["name"] for one in parameters if one["required"]} | set(body.get("required", ()))
    result, schema = types.of_answer(operation)
    pages = CURSOR in schemas and "next_cursor" in schema.get("properties", {})
    item = FULL_RESULTS.get(name, "") if pages else ""
    if name in FULL_RESULTS:
        del schemas["detail"]
    given = {one: _argument(one, value, one in required) for one, value in schemas.items()}
    needed = [one for one in given if one in required and one not in in_path]
    positional = [*in_path, *(needed if len(needed) == 1 else ())]
    about = " ".join(operation["description"].split())
    if "result" in given:
        raise ValueError(f"{name}: an argument cannot be called `result`, as a variable of the methods is")
    return Method(
        resource,
        method,
        name,
        about,
        [given[one] for one in positional],
        sorted((one for one in given.values() if one.name not in positional), key=lambda one: not one.required),
        result,
        item,
    )


def _usual(name: str, operation: Schema) -> str:
    """Return `goals.add` for `goal_add`, `graph.add_node` for `graph_add_node`: the tag, and the id without it."""
    tag: str = operation["tags"][0]
    for word in (tag, tag.removesuffix("s"), tag.removesuffix("ies") + "y"):
        if name.startswith(f"{word}_"):
            return f"{tag}.{name.removeprefix(f'{word}_')}"
    return f"{tag}.{name}"


def _argument(name: str, schema: Schema, required: bool) -> Argument:
    kind = _type(schema, is_given=True)
    if not required:
        kind = kind if "None" in kind.split(" | ") else f"{kind} | None"
    return Argument(name, kind, required, " ".join(schema.get("description", "").split()))


def _resources(methods: Sequence[Method]) -> Iterator[str]:
    imports = (
        "from collections.abc import AsyncIterator, Mapping, Sequence",
        "from typing import Any, Literal",
        "",
        "from ..resource import AsyncResource",
        "from . import types",
    )
    yield _head("Resources of the server, for `async` programs.", imports)
    yield "List = list  # what has a method of that name needs another one for the type"
    yield ""
    by_resource: dict[str, list[Method]] = {}
    for one in methods:
        by_resource.setdefault(one.resource, []).append(one)
    for resource in sorted(filter(None, by_resource)):
        yield f"class Async{resource.capitalize()}(AsyncResource):"
        yield f'    """The operations of `{resource}`."""'
        for method in by_resource[resource]:
            yield from _code(method)
        yield ""
    yield "class AsyncOperations(AsyncResource):"
    yield '    """What is asked of the server as a whole, and its resources."""'
    for method in by_resource.get("", ()):
        yield from _code(method)
    for resource in sorted(filter(None, by_resource)):
        yield ""
        yield "    @property"
        yield f"    def {resource}(self) -> Async{resource.capitalize()}:"
        yield f'        """The operations of `{resource}`."""'
        yield f"        return Async{resource.capitalize()}(self._caller)"


def _code(method: Method) -> Iterator[str]:
    yield from _one(method)
    if method.item:
        yield from _pages(method)


def _one(method: Method) -> Iterator[str]:
    yield ""
    yield f"    async def {method.name}({_signature(method)}) -> types.{method.result}:"
    yield _docstring(method.description, "        ", _argument_lines(method))
    yield f"        result: types.{method.result} = await self._caller.call({method.operation!r}, {_given(method)})"
    yield "        return result"


def _pages(method: Method) -> Iterator[str]:
    yield ""
    yield f"    def {method.name}_all({_signature(method, without=CURSOR)}) -> AsyncIterator[types.{method.item}]:"
    yield _docstring(
        f"Yield the results of every page of `{method.name}`, each page as it is needed.",
        "        ",
        ["limit: results in a page"],
    )
    yield f"        return self._caller.pages({method.operation!r}, {_given(method, without=CURSOR)})"


def _signature(method: Method, without: str = "") -> str:
    named = [one for one in method.named if one.name != without]
    parts = ["self", *(_parameter(one) for one in method.positional)]
    return ", ".join([*parts, *(["*"] if named else []), *map(_parameter, named)])


def _parameter(one: Argument) -> str:
    return f"{one.name}: {one.type}" if one.required else f"{one.name}: {one.type} = None"


def _given(method: Method, without: str = "") -> str:
    given = [one.name for one in (*method.positional, *method.named) if one.name != without]
    fixed = ["'detail': 'full'"] if method.operation in FULL_RESULTS else []
    return "{" + ", ".join([*(f"{name!r}: {name}" for name in given), *fixed]) + "}"


def _argument_lines(method: Method) -> Sequence[str]:
    return [f"{one.name}: {one.description}" for one in (*method.positional, *method.named) if one.description]


def _docstring(text: str, indent: str, further: Sequence[str] = ()) -> str:
    first = " ".join(text.split()).replace("\\", "\\\\")
    lines = [f'{indent}"""{first}', *([""] if further else []), *(f"{indent}- {one}" for one in further)]
    return "\n".join(lines) + (f'\n{indent}"""' if further else '"""')


def without_async(text: str, source: str = "") -> str:
    """Return a module for programs without `async`; with a `source`, a comment says what it was made from."""
    for pattern, instead in WITHOUT_ASYNC:
        text = re.sub(pattern, instead, text, flags=re.M)
    first, line, rest = text.partition("\n")
    return f"{first}{line}{WRITTEN.format(source)}{line}{rest}" if source else text


def _head(about: str, imports: Sequence[str]) -> str:
    mark = "Generated by packaging/write_sdk.py from the OpenAPI document: do not edit."
    return "\n".join((f'"""{about} {mark}"""', "", *imports, ""))


def _formatted(text: str) -> str:
    sorted_and_short = ("check", "--select", "I,UP028", "--fix-only", "--unsafe-fixes", "--quiet")
    for command in (sorted_and_short, ("format", "--line-length", "120")):
        line = (sys.executable, "-m", "ruff", *command, "--target-version", "py311", "-")
        text = subprocess.run(line, input=text, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    return text


def main() -> int:
    """Write the files."""
    FOLDER.mkdir(exist_ok=True)
    for name, text in written().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
