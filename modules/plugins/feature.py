"""A feature: one object that says what it brings and where that is; a part is imported when it is first used.

AgentOS's own features are such objects (`features/`), and so is what a plugin registers as `agentos.features`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, fields, replace
from importlib import import_module
from typing import Any, TypeVar

from ..records import dataclass

T = TypeVar("T")


@dataclass(frozen=True)
class Listed:
    """A part of a feature, as `module.NAME` in its package, and the part of AgentOS that it is listed behind."""

    place: str
    behind: str = ""


@dataclass(frozen=True)
class Feature:
    """A part of AgentOS that stands alone, by its name in the settings, and the package that its places are in.

    `tools`, `routes` and `pages` are sequences of these; `commands` and `jobs` are known by name, also where it is off.
    Functions of a store's engine and the settings: `given` returns what the services are built with; `wired` of each
    store, and `at_home` of the home's own, take the services before them, and return these with what they add. Of the
    settings alone: `checks` are the doctor's, `mounted` returns what HTTP serves beside the routes, or None. A daemon
    works within `beside`, contexts of the services and the settings; `doors` take what opens the services, and return
    what answers at its socket. `views` and `forms` make what clients of MCP are offered. `settings` names those that
    only it reads. A plugin's may have `tools`, `jobs`, `observers`, `importers` and `readers`; others are told as
    problems.
    """

    name: str
    package: str
    tools: str = ""
    routes: Listed | None = None
    commands: Mapping[str, Listed] = field(default_factory=dict)
    jobs: Mapping[str, Listed] = field(default_factory=dict)
    pages: Listed | None = None
    given: str = ""
    wired: str = ""
    at_home: str = ""
    beside: str = ""
    doors: str = ""
    checks: str = ""
    observers: str = ""
    importers: str = ""
    readers: str = ""
    views: str = ""
    forms: str = ""
    mounted: str = ""
    settings: tuple[str, ...] = ()

    def load(self, place: str) -> Any:
        """Import what is at a place. Raises ImportError, AttributeError."""
        module, _, name = place.rpartition(".")
        return getattr(import_module(f"{self.package}.{module}" if module else self.package), name)

    def kinds(self) -> list[str]:
        """Return the kinds of parts that it has."""
        return [one.name for one in fields(self) if getattr(self, one.name) and one.name not in ("name", "package")]

    def brought(self, kind: str) -> Iterator[tuple[str, Any]]:
        """Import the parts of a kind; yield what each is listed behind, and it. Raises ImportError, AttributeError."""
        where = getattr(self, kind)
        if isinstance(where, Mapping):
            yield from ((one.behind, self.load(one.place)) for one in where.values())
        elif where:
            listed = where if isinstance(where, Listed) else Listed(where)
            yield from ((listed.behind, part) for part in self.load(listed.place))


def parts(features: Iterable[Feature], kind: str) -> Iterator[Any]:
    """Yield the parts of a kind of features that have one, which are imported now."""
    for one in features:
        if place := getattr(one, kind):
            yield one.load(place)


def named_parts(features: Iterable[Feature], kind: str) -> Iterator[tuple[str, Any]]:
    """Yield what parts of a kind are listed behind, and each with the name of its feature; they are imported now."""
    return ((behind, replace(part, feature=one.name)) for one in features for behind, part in one.brought(kind))


def given_by(features: Iterable[Feature], *behind: Any) -> dict[str, Any]:
    """Return what features give the services of a store to be built with."""
    return made_by(features, "given", *behind)


def made_by(features: Iterable[Feature], kind: str, *behind: Any) -> dict[str, Any]:
    """Return what the parts of a kind make, by name."""
    return {name: one for made in parts(features, kind) for name, one in made(*behind).items()}


def with_parts(agentos: T, features: Iterable[Feature], kind: str, *behind: Any) -> T:
    """Return the services of a store with what the parts of a kind add to them."""
    for add in parts(features, kind):
        agentos = add(agentos, *behind)
    return agentos


def with_brought(own: Iterable[T], brought: Iterable[tuple[str, T]], name_of: Callable[[T], str]) -> list[T]:
    """Return AgentOS's own parts with those of features, each behind the one that it names; else at the end."""
    listed = list(own)
    waiting: dict[str, list[T]] = {name_of(one): [] for one in listed}
    last: list[T] = []
    for behind, part in brought:
        waiting.get(behind, last).append(part)
    return [*(each for one in listed for each in (one, *waiting.pop(name_of(one), ()))), *last]
