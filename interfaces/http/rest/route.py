"""A route: one method of one path, with all that the handlers, OpenAPI and the tests need to know of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from ....modules.principals.models import Role
from ....modules.records import dataclass
from ....tools.tool import Tool
from .operations import OfFunction, Operation

PREFIX = "/api/v1"
CREATED = 201


@dataclass(frozen=True)
class Route:
    """One method of one path. `does` is a tool, by its name where it is listed, or a function of this door.

    `defaults` are arguments that a request may leave out; `versioned` routes are of what has a version: those that
    change it heed If-Match. One that `sends` takes its arguments in a body, whatever its method. `bounds` are rules of
    arguments for the OpenAPI document that a tool's own schema, which models pay for by tokens, leaves to its code.
    The body of a request to its path may have `most_bytes`, or what the settings say where that is more. One of a
    `feature` is there where that is on.
    """

    method: str
    path: str
    does: str | Tool | OfFunction
    status: int = 200
    defaults: Mapping[str, Any] = field(default_factory=dict)
    versioned: bool = False
    sends: bool = False
    bounds: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    most_bytes: int = 0
    feature: str = ""

    @property
    def tag(self) -> str:
        """The subject: the first part of the path."""
        return self.path.split("/")[1]

    @property
    def tells_version(self) -> bool:
        """Whether its answer has an ETag: what is deleted has none any more."""
        return self.versioned and self.method != "DELETE"


def calling(
    run: Callable[..., Any], role: Role = Role.READER, *, changes: bool = False, removes: bool = False
) -> OfFunction:
    """Return a function of this door as what a route does."""
    return OfFunction(run, role, changes=changes, removes=removes)


def between(argument: str, low: int, high: int) -> Mapping[str, Mapping[str, Any]]:
    """Return the bounds of an argument that is a number."""
    return {argument: {"minimum": low, "maximum": high}}


def streaming(run: Callable[..., Any], role: Role, streams: str) -> OfFunction:
    """Return a function of this door that streams what is of a media type."""
    return OfFunction(run, role, streams=streams)


Table = Sequence[tuple[Route, Operation]]
