"""A record is what `dataclasses` makes of the same class, although its methods are written late."""

import copy
import dataclasses
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from agentos.modules import records


def made_by(decorated: Callable[..., Any]) -> tuple[Any, Any]:
    """A class with all that records have, and one that inherits from it."""

    @decorated(frozen=True)
    class Base:
        one: int
        two: list[str] = dataclasses.field(default_factory=list, compare=False)
        three: str | None = dataclasses.field(default=None, repr=False)

        def __post_init__(self) -> None:
            if self.one < 0:
                raise ValueError("below zero")

    @decorated(frozen=True, kw_only=True)
    class Inheriting(Base):
        four: float = 0.5

    return Base, Inheriting


def outcome(act: Callable[[], Any]) -> tuple[str, str]:
    try:
        return "is", repr(act())
    except (TypeError, ValueError, AttributeError) as error:
        return type(error).__name__, str(error)


ACTS: tuple[Callable[[Any, Any], Any], ...] = (
    lambda base, inheriting: base(1),
    lambda base, inheriting: inheriting(1, ["a"], three="c", four=2.0),
    lambda base, inheriting: base(),
    lambda base, inheriting: base(1, five=5),
    lambda base, inheriting: inheriting(1, [], None, 2.0),
    lambda base, inheriting: base(-1),
    lambda base, inheriting: base(1, ["x"]) == base(1, ["y"]),
    lambda base, inheriting: base(1) == inheriting(1),
    lambda base, inheriting: base(1) != base(2),
    lambda base, inheriting: base(1) == 1,
    lambda base, inheriting: hash(base(1, three="c")) == hash(base(1, ["x"], "c")),
    lambda base, inheriting: hash(inheriting(1)) == hash(base(1)),
    lambda base, inheriting: {base(1), base(1), base(2)} == {base(2), base(1)},
    lambda base, inheriting: dataclasses.replace(inheriting(1), four=3.0),
    lambda base, inheriting: dataclasses.asdict(inheriting(1, ["a"])),
    lambda base, inheriting: [one.name for one in dataclasses.fields(inheriting)],
    lambda base, inheriting: copy.deepcopy(base(1, ["a"])) == base(1, ["a"]),
    lambda base, inheriting: setattr(base(1), "one", 2),
    lambda base, inheriting: setattr(base(1), "other", 2),
    lambda base, inheriting: delattr(inheriting(1), "four"),
    lambda base, inheriting: base.__match_args__ + inheriting.__match_args__,
    lambda base, inheriting: (base(1).two is base(1).two, base.three, base.__doc__ and "told"),
)


@pytest.mark.parametrize("act", ACTS)
def test_a_record_is_as_the_librarys(act: Callable[[Any, Any], Any]) -> None:
    ours, theirs = made_by(records.dataclass), made_by(dataclasses.dataclass)
    expected = outcome(lambda: act(*theirs))
    assert outcome(lambda: act(*ours)) == expected, "at first"
    assert outcome(lambda: act(*ours)) == expected, "and once it is written"


def test_what_a_class_has_of_its_own_stays() -> None:
    @records.dataclass(frozen=True)
    class Own:
        one: int

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Own)

        def __repr__(self) -> str:
            return "own"

    assert Own(1) == Own(2) and repr(Own(1)) == "own" and hash(Own(1)) == hash(Own(1)) != hash(Own(2))


@records.dataclass(frozen=True)
class Sent:
    one: int


def test_a_record_that_comes_from_another_process_needs_none_made_here() -> None:
    data = pickle.dumps(Sent(1)).replace(b"K\x01", b"K\x02")
    assert repr(pickle.loads(data)) == "Sent(one=2)"


def test_a_method_may_be_wrapped_before_it_is_first_called() -> None:
    base, _ = made_by(records.dataclass)
    made, calls = base.__init__, []

    def counting(self: Any, *given: Any) -> None:
        calls.append(given)
        made(self, *given)

    base.__init__ = counting
    assert [base(1).one, base(2).one] == [1, 2] and calls == [(1,), (2,)]


def test_threads_may_make_the_first_at_once() -> None:
    base, _ = made_by(records.dataclass)
    with ThreadPoolExecutor(8) as pool:
        assert [one.one for one in pool.map(base, range(200))] == list(range(200))
