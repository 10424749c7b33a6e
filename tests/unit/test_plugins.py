"""Loading of plugins: what one does when it is loaded keeps nothing else waiting."""

import asyncio
import importlib.metadata
import os
import sys
import threading
from types import ModuleType, SimpleNamespace

import pluggy
import pytest

from agentos.modules.plugins import loading
from agentos.modules.plugins.feature import Feature, Listed


def test_an_entry_point_that_does_not_come_back_is_left_behind_once(monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = threading.Event()

    class Slow:
        name = value = "slow"

        def load(self) -> None:
            waiting.wait()

    monkeypatch.setattr(loading, "LOADS_WITHIN_S", 0.05)
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [Slow()] if group == loading.TOOLS else [])
    first, second = (loading.load(loading.TOOLS).problems[0].message for _ in range(2))
    waiting.set()
    assert "more than 0.05 s" in first and "still loading" in second


def test_what_is_printed_at_loading_is_kept_from_standard_output(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    class Loud:
        name = value = "loud"

        def load(self) -> None:
            print("said by print")  # noqa: T201 - it is what is tried
            os.write(1, b"said to the file\n")

    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [Loud()] if group == loading.TOOLS else [])
    loading.load(loading.TOOLS)
    print("an answer")  # noqa: T201
    said = capfd.readouterr()
    assert said.out == "an answer\n" and said.err.count("said") == 2


def test_two_loads_at_once_leave_standard_output_where_it_was(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    first_loads, second_loads = threading.Event(), threading.Event()

    class First:
        name = value = "first"

        def load(self) -> None:
            first_loads.set()
            second_loads.wait(0.1)  # it comes only where the second does not wait for its turn

    class Second:
        name = value = "second"

        def load(self) -> None:
            second_loads.set()
            first.join()
            print("said by print")  # noqa: T201 - it is what is tried

    plugins = {loading.TOOLS: First, loading.JOBS: Second}
    monkeypatch.setattr(
        importlib.metadata, "entry_points", lambda group: [plugins[group]()] if group in plugins else []
    )
    first = threading.Thread(target=loading.load, args=(loading.TOOLS,))
    first.start()
    assert first_loads.wait(60)
    loading.load(loading.JOBS)
    first.join()
    print("an answer")  # noqa: T201
    os.write(1, b"another\n")
    said = capfd.readouterr()
    assert said.out == "an answer\nanother\n" and said.err == "said by print\n"


@pytest.mark.parametrize("raised", [SystemExit(3), KeyboardInterrupt(), GeneratorExit(), asyncio.CancelledError()])
async def test_what_would_end_the_process_is_an_error_of_the_plugins_call(raised: BaseException) -> None:
    async def ends() -> None:
        raise raised

    with pytest.raises(RuntimeError, match=type(raised).__name__):
        await loading.harmless(ends)()


async def test_a_call_of_a_plugin_is_taken_back_as_any() -> None:
    task = asyncio.create_task(loading.harmless(asyncio.sleep)(60))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_an_entry_point_that_raises_what_cannot_be_told_is_a_problem_and_the_next_is_loaded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Untold(BaseException):
        def __str__(self) -> str:
            raise self

    class Pretender:
        @property
        def __class__(self) -> type:  # type: ignore[override]
            return str

        def __repr__(self) -> str:
            raise Untold

    class Raising:
        name = value = "raising"

        def load(self) -> None:
            raise Untold

    class Bringing:
        name = value = "wrong"

        def load(self) -> object:
            return SimpleNamespace(agentos_tools=pluggy.HookimplMarker("agentos")(lambda: [Pretender(), 5, "fine"]))

    monkeypatch.setattr(
        importlib.metadata, "entry_points", lambda group: [Raising(), Bringing()] if group == loading.TOOLS else []
    )
    loaded = loading.accepted(loading.load(loading.TOOLS), loading.TOOLS, str, (), lambda one: one)
    assert [one.value for one in loaded.brought] == ["fine"]
    assert [str(one).partition(": ")[2] for one in loaded.problems] == [
        "cannot be loaded: Untold",
        "returns a Pretender instead of a str",
        "returns a int instead of a str",
    ]


def test_a_feature_brings_something_of_every_group_by_one_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("sample_feature")
    module.__dict__.update(TOOLS=["a tool"], JOB="a job", OBSERVERS=["an observer"], agentos_tools=list)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    feature = Feature(
        "sample",
        module.__name__,
        tools="TOOLS",
        jobs={"one": Listed("JOB")},
        observers="OBSERVERS",
        importers="GONE",
        routes=Listed("ROUTES"),
        views="Views",
    )
    entries = [
        SimpleNamespace(name="sample", value="sample_feature:FEATURE", load=lambda: feature),
        SimpleNamespace(name="wrong", value="sample_feature", load=lambda: module),
    ]
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: entries if group == loading.FEATURES else [])
    found = {group: loading.load(group) for group in loading.GROUPS}
    brought = {group: [one.value for one in loaded.brought] for group, loaded in found.items()}
    assert brought == {
        loading.TOOLS: ["a tool"],
        loading.JOBS: ["a job"],
        loading.OBSERVERS: ["an observer"],
        loading.IMPORTERS: [],
        loading.READERS: [],
    }
    problems = dict.fromkeys(one for loaded in found.values() for one in loaded.problems)
    assert next(iter(problems)).message.startswith("routes, views: ")
    assert [(one.plugin, one.group, one.message.rpartition(": ")[2]) for one in problems] == [
        ("sample", loading.FEATURES, "no plugin can bring these yet"),
        ("wrong", loading.FEATURES, "it names a module instead of a Feature"),
        ("sample", loading.FEATURES, "module 'sample_feature' has no attribute 'GONE'"),
    ]
