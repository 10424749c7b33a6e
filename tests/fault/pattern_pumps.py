"""Every regular expression of the product, found by itself, and the work that it does on texts made against it.

Run as a program it judges them all, and prints one line of JSON for each that does too much; what it judges just now
is the last line of its standard error.
"""

import ast
import copy
import dataclasses
import importlib
import inspect
import json
import math
import pkgutil
import re
import signal
import sys
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser
from types import ModuleType
from typing import Any

PACKAGES = ("conformance", "daemon_pkg", "features", "interfaces", "modules", "storage", "tools")
CONTENT = 64 * 1024
QUERY = 2**20
READ_AT_MOST = {
    "": CONTENT,
    "agentos.modules.extraction": 4_000,
    "agentos.modules.extraction.evidence": CONTENT,
    "agentos.modules.extraction.lasting_unspaced": 80,
    "agentos.modules.graph": 5_000,
    "agentos.modules.graph.keys": 256 * 1024,
    "agentos.modules.memory.date": 2_000,
    "agentos.modules.memory.decomposition": QUERY,
    "agentos.modules.memory.exact_terms": 2_000,
    "agentos.modules.memory.words": QUERY,
    "agentos.features.procedures.cues": 2_000,
    "agentos.features.profile": 2_000,
    "agentos.modules.redaction.abroad": 400,
    "agentos.modules.sessions.commits": 1_000,
    "agentos.modules.suspicion": 40_001,
    "agentos.storage.imports.basic_memory": 4_000,
}
"""How many characters the patterns of a module meet at most, by the beginning of its name, where callers cut before;
all others may meet a whole content."""
TIMES_A_PLAIN_ONE = 200
"""The processor time that one text may take, as a multiple of what a plain pattern takes to read a whole content."""

_SEARCHING = frozenset({"search", "finditer", "findall", "sub", "subn", "split"})
_METHODS = _SEARCHING | {"match", "fullmatch"}
_PLACE_OF_FLAGS = {"compile": 1, "split": 3, "sub": 4, "subn": 4}


@dataclasses.dataclass
class Found:
    """A pattern, where it stands, how it is used (`search` for every use that tries each place) and on how much."""

    pattern: re.Pattern[str]
    where: str
    uses: set[str]
    longest: int


def patterns() -> list[Found]:
    """The patterns of all modules: those that calls name, and whatever else a module holds or writes that is one."""
    found: dict[re.Pattern[str], Found] = {}
    modules = list(_modules())
    for module in modules:
        for pattern, use, line in _used(module):
            where = f"{module.__name__}:{line}"
            one = found.setdefault(pattern, Found(pattern, where, set(), _longest(module)))
            one.uses.add("search" if use in _SEARCHING else use)
            one.longest = max(one.longest, _longest(module))
    for others in (_held, _written):  # a part of what is known already is judged within it
        known = "\n".join(pattern.pattern for pattern in found)
        for module in modules:
            for name, held in others(module):
                pattern = _as_pattern(held)
                if pattern is not None and pattern not in found and pattern.pattern not in known:
                    found[pattern] = Found(pattern, f"{module.__name__}:{name}", {"search"}, _longest(module))
    return list(found.values())


def _modules() -> Iterator[ModuleType]:
    for package in PACKAGES:
        root = importlib.import_module(f"agentos.{package}")
        for one in pkgutil.walk_packages(root.__path__, f"{root.__name__}."):
            if not one.name.endswith("__main__"):
                yield importlib.import_module(one.name)


def _longest(module: ModuleType) -> int:
    name = module.__name__
    return READ_AT_MOST[max(filter(name.startswith, READ_AT_MOST), key=len)]


def _used(module: ModuleType) -> Iterator[tuple[re.Pattern[Any], str, int]]:
    """The patterns on which a module calls a method, or which it hands to a function of `re`, with the line."""
    tree = ast.parse(inspect.getsource(module))
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            continue
        use = call.func.attr
        named = isinstance(call.func.value, ast.Name) and call.func.value.id == "re"
        if use not in _METHODS or (named and not call.args):
            continue
        value = _value(call.args[0] if named else call.func.value, module)
        place = _PLACE_OF_FLAGS.get(use, 2)
        given = [one.value for one in call.keywords if one.arg == "flags"] or call.args[place : place + 1]
        if isinstance(value, re.Pattern) or (named and isinstance(value, str)):
            pattern = _as_pattern(value, (given and _value(given[0], module)) or 0)
            if pattern is not None:
                yield pattern, use, call.lineno


class _Filled(ast.NodeTransformer):
    """A letter in the place of what only a run would tell of an f-string."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.expr:
        return node if _value(node.value, self._module) is not None else ast.copy_location(ast.Constant("x"), node)


def _value(expression: ast.expr, module: ModuleType) -> Any:
    """What an expression is by the names of its module; None where only a run would tell."""
    if isinstance(expression, ast.JoinedStr):
        expression = ast.fix_missing_locations(_Filled(module).visit(copy.deepcopy(expression)))
    try:
        return eval(compile(ast.Expression(expression), "<pattern>", "eval"), dict(vars(module)))  # our own source
    except (AttributeError, LookupError, NameError, SyntaxError, TypeError, ValueError):  # a name of a function
        return None


def _held(module: ModuleType) -> Iterator[tuple[str, re.Pattern[Any] | str]]:
    """Patterns, and texts that may be some, in what a module holds or makes once."""
    for name, value in list(vars(module).items()):
        if name.startswith("__") or "re" not in vars(module):
            continue
        made_once = hasattr(value, "cache_info") and value.__module__ == module.__name__
        if made_once and not inspect.signature(value).parameters:
            value = value()
        yield from ((name, one) for one in _inside(value, set()))


def _written(module: ModuleType) -> Iterator[tuple[str, str]]:
    """The texts that are written in the functions of a module that works with patterns."""
    tree = ast.parse(inspect.getsource(module)) if "re" in vars(module) else ast.Module([], [])
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and id(node) not in parts):
            value = _value(node, module)
            if isinstance(value, str):
                yield str(node.lineno), value


def _inside(value: Any, seen: set[int]) -> Iterator[re.Pattern[Any] | str]:
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, re.Pattern | str):
        yield value
    elif isinstance(value, dict):
        yield from (one for pair in value.items() for part in pair for one in _inside(part, seen))
    elif isinstance(value, list | tuple | set | frozenset):
        yield from (one for part in value for one in _inside(part, seen))
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = (getattr(value, field.name) for field in dataclasses.fields(value))
        yield from (one for part in parts for one in _inside(part, seen))


def _as_pattern(value: re.Pattern[Any] | str, flags: int = re.IGNORECASE) -> re.Pattern[str] | None:
    """A pattern over characters; of a text one where it repeats something, None for any other text."""
    if isinstance(value, re.Pattern):
        text = value.pattern
        return value if isinstance(text, str) else re.compile(text.decode("latin-1"), value.flags)
    if len(value) > 20_000 or "\n" in value or not re.search(r"[*+}]", value):
        return None
    try:
        return re.compile(value, flags)
    except (re.error, ValueError):
        return None


# Pumps: a beginning, a piece that is repeated, and an end that lets the whole fail.

Pump = tuple[str, str]
_LEAST = 10
"""A group that may be repeated no more often is no loop."""
_LETTERS = "a 1A.-\"',/:=_(\né密<\\@&#;|$%s[]{}>*+~?!x"
_PIECES = (
    *("a", " ", "1", "A", ".", "-", '"', "`", "[", "/", "\n", "密", "\u200b"),
    *("a ", "A ", "a-", "1,", "1.", "a, ", '"a" ', "(a", "a=", "from a "),
)


def pumps(pattern: re.Pattern[str]) -> list[Pump]:
    """Texts that may cost a pattern much: what its own loops repeat, behind what comes before them, and others."""
    parsed = list(parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG))
    found: dict[Pump, None] = {}
    loops = [(_Way("a", 0, False).text(before), body, after) for before, body, after in _loops(parsed, [])]
    for letter, choice, with_options in _ways(parsed):
        way = _Way(letter, choice, with_options)
        for head, body, after in loops:
            if piece := way.text(body):
                beside = way.text(after[:1])
                found |= dict.fromkeys([(head, piece), ("", head + piece), (head, piece + beside)])
        if letter == "a":
            text, start = way.text(parsed), way.text(parsed[:-1])
            found |= dict.fromkeys([("", text), ("", text[:-1]), ("", start), ("", f"{start} ")])
    own = [pump for pump in found if pump[1]]
    return [*own, *(("", piece) for piece in _PIECES)]


def _ways(parsed: Sequence[Any]) -> Iterator[tuple[str, int, bool]]:
    for with_options in (False, True):
        yield from (("a", choice, with_options) for choice in range(min(_choices(parsed), 8)))
    yield from ((letter, 0, False) for letter in " 1A-.")


@dataclasses.dataclass(frozen=True)
class _Way:
    """One way through a pattern: this letter where it fits, this branch of each choice, with what may be left out."""

    letter: str
    choice: int
    with_options: bool

    def text(self, parts: Iterable[Any]) -> str:
        """A text that these parts match, as far as what looks around does not forbid it."""
        return "".join(self._one(kind, what) for kind, what in parts)

    def _one(self, kind: Any, what: Any) -> str:
        match kind:
            case sre.LITERAL:
                return chr(what)
            case sre.NOT_LITERAL:
                return self.letter if ord(self.letter) != what else "b"
            case sre.ANY:
                return self.letter
            case sre.IN:
                return next((one for one in (self.letter, *_LETTERS) if _is_in(what, one)), _first_of(what))
            case sre.BRANCH:
                return self.text(what[1][self.choice % len(what[1])])
            case sre.SUBPATTERN:
                return self.text(what[3])
            case sre.ATOMIC_GROUP:
                return self.text(what)
            case sre.MAX_REPEAT | sre.MIN_REPEAT | sre.POSSESSIVE_REPEAT:
                least, most, body = what
                return self.text(body) * min(max(least, min(most, 1) if self.with_options else 0), 200)
            case sre.GROUPREF_EXISTS:
                return self.text(what[1])
        return ""


def _first_of(members: Sequence[Any]) -> str:
    return next((chr(what if kind is sre.LITERAL else what[0]) for kind, what in members if kind in _PLAIN), "")


_PLAIN = (sre.LITERAL, sre.RANGE)


def _is_in(members: Sequence[Any], letter: str) -> bool:
    inside = any(
        what == ord(letter)
        if kind is sre.LITERAL
        else what[0] <= ord(letter) <= what[1]
        if kind is sre.RANGE
        else kind is sre.CATEGORY and _is_of(str(what), letter)
        for kind, what in members
    )
    return inside != (members[0][0] is sre.NEGATE)


def _is_of(category: str, letter: str) -> bool:
    digit, space = letter.isdigit(), letter.isspace()
    inside = digit if "DIGIT" in category else space if "SPACE" in category else letter.isalnum() or letter == "_"
    return inside != ("NOT" in category)


def _parts(kind: Any, what: Any) -> Sequence[Iterable[Any]]:
    """The patterns inside a part of a pattern."""
    match kind:
        case sre.SUBPATTERN:
            return (what[3],)
        case sre.ATOMIC_GROUP:
            return (what,)
        case sre.BRANCH:
            return tuple(what[1])
        case sre.ASSERT | sre.ASSERT_NOT:
            return (what[1],)
        case sre.GROUPREF_EXISTS:
            return tuple(filter(None, what[1:]))
        case sre.MAX_REPEAT | sre.MIN_REPEAT | sre.POSSESSIVE_REPEAT:
            return (what[2],)
    return ()


def _loops(parts: Iterable[Any], before: list[Any]) -> Iterator[tuple[list[Any], Iterable[Any], list[Any]]]:
    """What comes before each loop of a pattern, what it repeats, and what comes after it."""
    here = list(parts)
    for place, (kind, what) in enumerate(here):
        earlier = before + here[:place]
        if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT) and what[1] > _LEAST:
            yield earlier, what[2], here[place + 1 :]
        for inside in _parts(kind, what):
            yield from _loops(inside, earlier)


def _choices(parts: Iterable[Any]) -> int:
    most = 1
    for kind, what in parts:
        inside = _parts(kind, what)
        most = max(most, len(inside) if kind is sre.BRANCH else 1, *map(_choices, inside))
    return most


# Work: processor time judges, since a busy machine tells the same; the clock on the wall only says where to look.


class _TooLong(Exception):
    pass


def _give_up(*_: object) -> None:
    raise _TooLong


def work(run: Callable[[str], object], text: str, limit_s: float) -> tuple[float, float]:
    """The seconds of processor time that a run takes, infinite where it is cut off at the limit; and on the wall."""
    signal.signal(signal.SIGVTALRM, _give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, limit_s if math.isfinite(limit_s) else 0)
    begin, wall = time.process_time(), time.perf_counter()
    try:
        run(text)
    except _TooLong:
        return math.inf, math.inf
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return time.process_time() - begin, time.perf_counter() - wall


_JUDGED_AGAIN, _PLAIN_RUNS = 3, 20
_PLAIN_ONE = re.compile(r"\w{1,9}\s")
_READ_BY_IT = "words " * (CONTENT // 6)


def bar() -> float:
    """The seconds of processor time that one text may take on this machine as fast as it is now.

    It is a mean, since what it is compared with runs long enough to meet the slow moments too.
    """
    taken = [work(_PLAIN_ONE.findall, _READ_BY_IT, math.inf)[0] for _ in range(_PLAIN_RUNS)]
    return TIMES_A_PLAIN_ONE * sum(taken) / len(taken)


def worst(found: Found, may_take_s: float) -> tuple[float, int, Pump] | None:
    """The first pump on which a pattern works too long: how long, at which length, and the pump; None where none is.

    Short texts come first: what grows so slowly that the longest cannot matter is left there. What seems too long is
    judged again, each time by the machine as fast as it is then: a core that is shared counts others' work as ours.
    """
    pattern = found.pattern
    searching: list[Callable[[str], object]] = [lambda text: deque(pattern.finditer(text), 0)]
    runs = searching if "search" in found.uses else [getattr(pattern, use) for use in sorted(found.uses)]
    for pump in pumps(pattern):
        for run in runs:
            before, length = 0.0, 512
            while True:
                length = min(length, found.longest)
                text = _pumped(pump, length)
                took, wall = work(run, text, 2 * may_take_s)
                if took > may_take_s and all(work(run, text, 2 * bar())[0] > bar() for _ in range(_JUDGED_AGAIN)):
                    return took, length, pump
                growth = max(wall / before, 4) if before else math.inf  # as the length grew fourfold
                if length == found.longest or wall * growth ** math.log(found.longest / length, 4) < may_take_s / 4:
                    break
                before, length = wall, 4 * length
    return None


def _pumped(pump: Pump, length: int) -> str:
    head, piece = pump
    text = head + piece * max(0, (length - len(head)) // len(piece))
    return f"{text[: length - 1]}\0"


def main() -> None:
    warnings.simplefilter("ignore")  # of texts that only look like patterns
    all_patterns, may_take_s = patterns(), bar()
    for found in all_patterns:
        sys.stderr.write(f"{found.where} {found.pattern.pattern[:200]!r}\n")
        if (bad := worst(found, may_take_s)) is not None:
            took, length, (head, piece) = bad
            report = {"where": found.where, "pattern": found.pattern.pattern, "uses": sorted(found.uses)}
            report |= {"seconds": str(took), "length": length, "head": head, "piece": piece}
            sys.stdout.write(f"{json.dumps(report)}\n")
    sys.stdout.write(json.dumps({"judged": len(all_patterns), "seconds": time.process_time()}))


if __name__ == "__main__":
    main()
