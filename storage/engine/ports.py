"""The port of SQL engines: what repositories need, in portable SQL (see the package)."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol, TypeVar, overload

T = TypeVar("T")
Parameters = Sequence[Any] | Mapping[str, Any]
"""The values of a statement: in order for `?` and `?1`, or by name for `:name`."""


class Row(Protocol):
    """One row of a result: its values by name or by place."""

    @overload
    def __getitem__(self, key: int | str, /) -> Any: ...
    @overload
    def __getitem__(self, key: slice, /) -> tuple[Any, ...]: ...
    def __getitem__(self, key: Any, /) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __len__(self) -> int: ...
    def keys(self) -> list[str]: ...


class Connection(Protocol):
    """A transaction that is open; every statement of it is run to its end before the call returns."""

    async def lock(self, name: str, /) -> None:
        """Wait until no other transaction holds a name, and hold it until the end of this one.

        What is read of a namespace and decided by, in a transaction that holds its name, stays so until the commit; and
        the sequence numbers that are given out under a name are committed in their order.
        """

    async def fetch_all(self, sql: str, parameters: Parameters = (), /) -> list[Row]:
        """Return every row of a query, or of a change with RETURNING."""

    def pages(self, sql: str, parameters: Parameters = (), /, *, rows: int) -> AsyncIterator[list[Row]]:
        """Yield the rows of a query, at most so many at a time: for what is larger than memory."""

    async def fetch_one(self, sql: str, parameters: Parameters = (), /) -> Row | None:
        """Return the first row; None where there is none."""
        rows = await self.fetch_all(sql, parameters)
        return rows[0] if rows else None

    async def fetch_value(self, sql: str, parameters: Parameters = (), /) -> Any:
        """Return the first value of the first row, such as the number that an insert returns; None without a row."""
        row = await self.fetch_one(sql, parameters)
        return None if row is None else row[0]

    async def execute(self, sql: str, parameters: Parameters = (), /) -> int:
        """Run a change, and return how many rows it changed."""

    async def attempt(self, sql: str, parameters: Parameters = (), /) -> bool:
        """Run a change; return False, with nothing changed by it, where a constraint forbids it."""

    async def execute_many(self, sql: str, parameters: Iterable[Parameters], /) -> int:
        """Run a change once for each set of values, and return how many rows they changed."""


Work = Callable[[Connection], Awaitable[T]]
"""What is done within one transaction: no model, file or network in it."""


class Engine(Protocol):
    """One database that answers SQL. Each call raises StorageUnavailable and its subclasses."""

    @property
    def read_only(self) -> str | None:
        """The reason why nothing can be written just now; None when it can be tried."""

    async def time(self) -> datetime | None:
        """Return the time by the database's own clock; None where that is this machine's."""

    async def columns(self, table: str, /) -> dict[str, int]:
        """Return the columns of a table, each with its place in the primary key from 1, else 0; {} without a table."""

    async def read(self, sql: str, parameters: Parameters = (), /) -> list[Row]:
        """Return every row of one query, as of the last commit; it never waits for a write."""

    async def at_one_moment(self, work: Work[T]) -> T:
        """Return the result of `work`, which only reads: all of it sees the store at one moment, while others write."""

    async def write(self, work: Work[T], *, durable: bool = True) -> T:
        """Run `work` in one transaction, and return its result once that is committed.

        With `durable=False` a power loss may undo it, and it gives up
        soon on a busy database: for statistics, which nobody waits for.
        """

    async def erase(self, work: Work[int]) -> int:
        """Erase with `work`, which returns a count, then remove the words from every file; return that count.

        Once the erase is committed it has happened: where the words cannot be removed now, the next erase does that.
        """

    async def forget_erased(self) -> None:
        """Remove deleted words from every file of the store, as far as other processes release them."""
