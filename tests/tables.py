"""Tables: one test of many cases, which tries every row and names each that fails."""

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

Test = Callable[..., Any]


class Rows:
    """The cases of a table, each with the arguments that it stands for."""

    def __init__(self, names: str | Sequence[str], rows: Iterable[Any]) -> None:
        self.names = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
        self.rows = list(rows)
        if not self.rows:
            raise ValueError("a table without rows proves nothing")

    def arguments(self) -> Iterator[dict[str, Any]]:
        for row in self.rows:
            values = (row,) if len(self.names) == 1 else row
            yield dict(zip(self.names, values, strict=True))


class Failures:
    """What went wrong, row by row."""

    def __init__(self) -> None:
        self.found: list[Exception] = []

    @contextmanager
    def of(self, row: dict[str, Any]) -> Iterator[None]:
        """Keep the failure of a row, so that the next one is tried."""
        try:
            yield
        except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - told with the others, by its row
            failure = error if isinstance(error, Exception) else AssertionError(str(error))
            failure.add_note(f"row: {row!r:.1000}")
            self.found.append(failure)

    def tell(self, rows: int) -> None:
        """Fail with every row that did."""
        if self.found:
            raise ExceptionGroup(f"{len(self.found)} of {rows} rows", self.found)


def every(names: str | Sequence[str], rows: Iterable[Any]) -> Callable[[Test], Test]:
    """As `pytest.mark.parametrize`, in one test for all rows; they share its fixtures."""
    cases = Rows(names, rows)

    def of_all_rows(test: Test) -> Test:
        @functools.wraps(test)
        def tried(**fixtures: Any) -> None:
            failures = Failures()
            for row in cases.arguments():
                with failures.of(row):
                    test(**fixtures, **row)
            failures.tell(len(cases.rows))

        @functools.wraps(test)
        async def tried_later(**fixtures: Any) -> None:
            failures = Failures()
            for row in cases.arguments():
                with failures.of(row):
                    await test(**fixtures, **row)
            failures.tell(len(cases.rows))

        wrapped = tried_later if inspect.iscoroutinefunction(test) else tried
        signature = inspect.signature(test)
        parameters = [one for name, one in signature.parameters.items() if name not in cases.names]
        wrapped.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        return wrapped

    return of_all_rows
