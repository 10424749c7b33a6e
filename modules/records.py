"""`dataclass` as of the standard library; for those that never change, it writes a method when it is first called.

A process imports hundreds of them and makes a few: to compile all their methods took a third of its start.
"""

import dataclasses
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, *, frozen=False, kw_only=False, **options):
        """Make a class a dataclass; see `dataclasses.dataclass`."""
        if not frozen or options:
            return dataclasses.dataclass(cls, frozen=frozen, kw_only=kw_only, **options)
        if cls is None:
            return lambda decorated: dataclass(decorated, frozen=frozen, kw_only=kw_only)
        own = [name for name in _WRITTEN if name in cls.__dict__]
        if "__eq__" in own and cls.__hash__ is None:
            own.remove("__hash__")  # Python sets this one beside an `__eq__`; the library writes it
        dataclasses.dataclass(cls, init=False, repr=False, eq=False, kw_only=kw_only)
        for name in _WRITTEN:
            if name not in own:
                setattr(cls, name, _unwritten(cls, name))
        cls.__setattr__, cls.__delattr__ = _refuse_to_set, _refuse_to_delete
        return cls


_WRITTEN = ("__init__", "__repr__", "__eq__", "__hash__")
_OF_FIELDS = ("default", "default_factory", "init", "repr", "hash", "compare", "kw_only")


def _unwritten(cls: type, name: str) -> Any:
    """Return what stands for a method until it is called: it has it written, and calls it."""
    written: list[Any] = []

    def write_first(self: Any, /, *given: Any, **named: Any) -> Any:
        if not written:
            written.append(_written(cls, name))
        if cls.__dict__[name] is write_first:  # else somebody put another around it
            setattr(cls, name, written[0])
        return written[0](self, *given, **named)

    return write_first


def _written(cls: Any, name: str) -> Any:
    """Return the method that the library writes for a class of such fields."""
    fields = [
        (one.name, one.type, dataclasses.field(**{part: getattr(one, part) for part in _OF_FIELDS}))
        for one in dataclasses.fields(cls)
    ]
    others = {"__doc__": "It has one, since to make one takes long."}
    if hasattr(cls, "__post_init__"):
        others["__post_init__"] = cls.__post_init__
    made = dataclasses.make_dataclass(
        cls.__qualname__,
        fields,
        namespace=others,
        init=name == "__init__",
        repr=name == "__repr__",
        eq=name in ("__eq__", "__hash__"),
        frozen=True,
    )
    return made.__dict__[name]


def _refuse_to_set(self: object, name: str, value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: object, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
