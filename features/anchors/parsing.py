"""What a source file defines, by tree-sitter: each symbol's body as digests. Blocks; needs the extra `code`.

A symbol is called by the names of what it is in and its own: `Server.start`. Comments, layout and Python's docstrings
do not count. Of a class count its own lines and what its methods take, not what these do: each is a symbol itself.
"""

import time
from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import sha256
from importlib.util import find_spec
from itertools import islice
from typing import TYPE_CHECKING

from ...modules.records import dataclass
from .models import Body

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Parser

PARSED_WITHIN_S = 2.0
MOST_SYMBOLS = 5_000
"""The most symbols of a file."""
DEEPEST = 8
"""How deep in others a symbol may lie."""
LONGEST_SYMBOL = 300
"""The longest symbol that is followed, in characters with those of what it is in."""
MOST_NAMES = 200
"""The most names of a body that is compared by its shape."""
_MODULES = (
    *("tree_sitter", "tree_sitter_python", "tree_sitter_javascript", "tree_sitter_typescript"),
    *("tree_sitter_go", "tree_sitter_rust"),
)
_LANGUAGES = {
    **dict.fromkeys((".py", ".pyi"), "python"),
    **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs"), "javascript"),
    **dict.fromkeys((".ts", ".mts", ".cts"), "typescript"),
    ".tsx": "tsx",
    ".go": "go",
    ".rs": "rust",
}
_FUNCTIONS = frozenset(
    "function_definition function_declaration generator_function_declaration method_definition method_declaration "
    "function_item function_signature function_signature_item method_signature abstract_method_signature".split()
)
_CONTAINERS = frozenset(
    "class_definition class_declaration abstract_class_declaration interface_declaration trait_item mod_item "
    "internal_module".split()
)
_OTHERS = frozenset(
    "type_alias_declaration enum_declaration type_spec type_alias struct_item enum_item union_item type_item "
    "macro_definition public_field_definition".split()
)
_VARIABLES = frozenset("assignment variable_declarator const_spec var_spec const_item static_item".split())
"""What is a symbol outside of functions alone."""
_CALLABLE = ("arrow_function", "function_expression", "generator_function")
_OWN_NAME = b"\0"


def is_there() -> bool:
    """Return whether the extra `code` is installed."""
    return all(find_spec(name) is not None for name in _MODULES)


def is_code(path: str) -> bool:
    """Return whether a file's name is that of a language whose symbols can be followed."""
    return _suffix(path) in _LANGUAGES


class Parsers:
    """The parsers of the languages, each loaded when it is first needed."""

    def __init__(self) -> None:
        self._parsers: dict[str, Parser] = {}

    def symbols(self, path: str, source: bytes) -> tuple[dict[str, Body], bool]:
        """Return what a file defines, and whether some of it does not parse."""
        language = _LANGUAGES[_suffix(path)]
        if language not in self._parsers:
            from tree_sitter import Parser

            self._parsers[language] = Parser(_loaded(language))
        until = time.monotonic() + PARSED_WITHIN_S
        try:
            tree = self._parsers[language].parse(
                lambda offset, _: source[offset : offset + 65_536],
                progress_callback=lambda *_: time.monotonic() > until,
            )
        except ValueError:  # it takes too long; the parser would go on with this file in the next one
            self._parsers[language].reset()
            return {}, True
        return _Reading(source).symbols(tree.root_node), tree.root_node.has_error


def _suffix(path: str) -> str:
    name = path.rpartition("/")[2].lower()
    return name[name.rfind(".") :] if "." in name else ""


def _loaded(name: str) -> "Language":
    import tree_sitter_go
    import tree_sitter_javascript
    import tree_sitter_python
    import tree_sitter_rust
    import tree_sitter_typescript
    from tree_sitter import Language

    languages: dict[str, Callable[[], object]] = {
        "python": tree_sitter_python.language,
        "javascript": tree_sitter_javascript.language,
        "typescript": tree_sitter_typescript.language_typescript,
        "tsx": tree_sitter_typescript.language_tsx,
        "go": tree_sitter_go.language,
        "rust": tree_sitter_rust.language,
    }
    return Language(languages[name]())


@dataclass
class _Definition:
    """A symbol as words of its file, from the `first` to the one before `end`."""

    symbol: str
    first: int
    is_container: bool
    is_broken: bool
    end: int = 0


class _Reading:
    """One pass over a tree: the words of a file, and which of them each definition has."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._words: list[tuple[bytes, bool]] = []
        self._definitions: list[_Definition] = []
        self._bodies: list[tuple[int, int]] = []
        self._begun: list[int] = []

    def symbols(self, root: "Node") -> dict[str, Body]:
        """Return the body of each symbol; one that is declared in several places has them all."""
        self._walk(root)
        found: dict[str, list[_Definition]] = {}
        for one in self._definitions:
            found.setdefault(one.symbol, []).append(one)
        return {symbol: self._body(symbol, parts) for symbol, parts in islice(found.items(), MOST_SYMBOLS)}

    def _walk(self, root: "Node") -> None:
        waiting: list[_Step | Callable[[], None]] = [_Step(root)]
        while waiting:
            step = waiting.pop()
            if not isinstance(step, _Step):
                step()
                continue
            node, kind = step.node, step.node.type
            if "comment" in kind:
                continue
            children = node.children
            if not children:
                self._words.append((self._text(node), "identifier" in kind))
                continue
            scope = step.scope
            for name in self._names(node, is_local=step.is_local) if len(scope) < DEEPEST else ():
                scope = (*step.scope, *self._receiver(node), name)
                at = len(self._words) if step.first is None else step.first
                symbol = ".".join(scope)
                if len(symbol) > LONGEST_SYMBOL:
                    continue
                begun = _Definition(symbol, at, kind in _CONTAINERS, node.has_error)
                self._definitions.append(begun)
                waiting.append(partial(self._end, begun))
            if kind == "impl_item":
                scope = (*scope, *self._first_type(node.child_by_field_name("type")))
            is_function = kind in _FUNCTIONS
            is_value = kind == "variable_declarator" and len(children) > 1
            is_local = step.is_local or is_function or is_value or kind in _CALLABLE
            first = len(self._words) if kind == "decorated_definition" else None
            body = node.child_by_field_name("body") if is_function else None
            for child in reversed(_without_docstring(kind, children)):
                inner = _Step(child, scope, is_local, first)
                waiting += [inner] if child != body else [self._end_body, inner, self._begin_body]

    def _end(self, definition: _Definition) -> None:
        definition.end = len(self._words)

    def _begin_body(self) -> None:
        self._begun.append(len(self._bodies))
        self._bodies.append((len(self._words), -1))

    def _end_body(self) -> None:
        number = self._begun.pop()
        self._bodies[number] = (self._bodies[number][0], len(self._words))

    def _names(self, node: "Node", *, is_local: bool) -> list[str]:
        """Return what a node defines, several names where one declaration has them."""
        kind = node.type
        if kind in _VARIABLES:
            if is_local:
                return []
            named = [node.child_by_field_name("left")] if kind == "assignment" else node.children_by_field_name("name")
        elif kind in _FUNCTIONS or kind in _CONTAINERS or kind in _OTHERS:
            named = [node.child_by_field_name("name")]
        else:
            return []
        found = [self._named(one) for one in named if one is not None and "identifier" in one.type]
        return [name for name in found if name != "_"]

    def _receiver(self, node: "Node") -> tuple[str, ...]:
        """Return the type that a method of Go is of."""
        return self._first_type(node.child_by_field_name("receiver")) if node.type == "method_declaration" else ()

    def _first_type(self, node: "Node | None") -> tuple[str, ...]:
        waiting = [] if node is None else [node]
        while waiting:
            one = waiting.pop()
            if one.type == "type_identifier":
                return (self._named(one),)
            waiting += reversed(one.named_children)
        return ()

    def _body(self, symbol: str, parts: list[_Definition]) -> Body:
        own = symbol.rpartition(".")[2].encode()
        digest, shape, size = sha256(), sha256(), 0
        numbers: dict[bytes, int] = {}
        for part in parts:
            for text, is_name in self._words_of(part):
                size += 1
                word = _OWN_NAME if is_name and text == own else text
                digest.update(b"%d " % len(word) + word)
                if is_name and word is text:
                    word = b"\1%d" % numbers.setdefault(text, len(numbers))
                shape.update(b"%d " % len(word) + word)
        names = tuple(one.decode("utf-8", "replace") for one in numbers)
        is_short = len(names) <= MOST_NAMES
        return Body(
            digest.hexdigest()[:32],
            shape.hexdigest()[:32] if is_short else "",
            names if is_short else (),
            size,
            any(part.is_broken for part in parts),
        )

    def _words_of(self, part: _Definition) -> Iterator[tuple[bytes, bool]]:
        at = part.first
        if part.is_container:
            for number in range(bisect_left(self._bodies, (part.first, 0)), len(self._bodies)):
                first, end = self._bodies[number]
                if first >= part.end:
                    break
                if first >= at:
                    yield from self._words[at:first]
                    at = end
        yield from self._words[at : part.end]

    def _text(self, node: "Node") -> bytes:
        return self._source[node.start_byte : node.end_byte]

    def _named(self, node: "Node") -> str:
        return self._text(node).decode("utf-8", "replace")


@dataclass(frozen=True)
class _Step:
    """A node to be looked at, what it is in, and where its first word is, if before itself."""

    node: "Node"
    scope: tuple[str, ...] = ()
    is_local: bool = False
    first: int | None = None


def _without_docstring(kind: str, children: "list[Node]") -> "list[Node]":
    if kind in ("block", "module") and children and children[0].type == "expression_statement":
        inner = children[0].children
        if len(inner) == 1 and inner[0].type == "string":
            return children[1:]
    return children
