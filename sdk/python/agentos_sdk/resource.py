"""What the generated resources stand on: something that calls operations by their names."""

from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any, Protocol


class Caller(Protocol):
    """Calls operations."""

    def call(self, operation: str, given: Mapping[str, Any]) -> Any:
        """Return what an operation answers."""

    def pages(self, operation: str, given: Mapping[str, Any]) -> Iterator[Any]:
        """Yield the results of every page."""


class AsyncCaller(Protocol):
    """Calls operations, for `async` programs."""

    async def call(self, operation: str, given: Mapping[str, Any]) -> Any:
        """Return what an operation answers."""

    def pages(self, operation: str, given: Mapping[str, Any]) -> AsyncIterator[Any]:
        """Yield the results of every page."""


class Resource:
    """A group of operations."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller


class AsyncResource:
    """A group of operations, for `async` programs."""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller
