"""Loading of plugins: what one does when it is loaded keeps nothing else waiting."""

import asyncio
import importlib.metadata
import threading

import pytest

from agentos.modules.plugins import loading


def test_an_entry_point_that_does_not_come_back_is_left_behind_once(monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = threading.Event()

    class Slow:
        name = value = "slow"

        def load(self) -> None:
            waiting.wait()

    monkeypatch.setattr(loading, "LOADS_WITHIN_S", 0.05)
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [Slow()])
    first, second = (loading.load(loading.TOOLS).problems[0].message for _ in range(2))
    waiting.set()
    assert "more than 0.05 s" in first and "still loading" in second


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
