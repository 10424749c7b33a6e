"""A few rounds of each fault that `python -m benchmarks --only faults` plays by the hundred."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from agentos.benchmarks.corpus import Seeds
from agentos.benchmarks.faults import concurrency, cycles, index_loss, kill
from agentos.benchmarks.home import Home
from agentos.benchmarks.run import Run


@pytest.fixture(scope="module")
def seeds(tmp_path_factory: pytest.TempPathFactory) -> Seeds:
    return Seeds(tmp_path_factory.mktemp("seeds"))


@dataclass(frozen=True)
class Prepared(Run):
    """A run whose homes hold the graphs of the models, as after their first load, and judge no pairs of texts.

    These judgements take most of each write and search; what is lost, doubled or not found does not depend on them.
    """

    graphs: Path = Path()

    @contextmanager
    def home(self, name: str, *given: Any, **named: Any) -> Iterator[Home]:
        shutil.copytree(self.graphs, self.scratch / name / "models")
        with super().home(name, *given, **named) as home:
            home.settings |= {"AGENTOS_RERANKER_MODEL": "none", "AGENTOS_SECOND_OPINION": "false"}
            yield home


@pytest.fixture
def run(tmp_path: Path, seeds: Seeds, graphs: Path) -> Run:
    return Prepared(scratch=tmp_path, seeds=seeds, quick=True, graphs=graphs)


@pytest.mark.parametrize("mode, kinds", [("auto", kill.KINDS), ("off", ("front", "daemon", "first start"))])
def test_whoever_is_killed_what_was_acknowledged_is_there_and_nothing_else(
    run: Run, mode: str, kinds: tuple[str, ...]
) -> None:
    outcome = kill.play(replace(run, mode=mode), len(kinds), kinds)
    assert outcome.acknowledged > 0
    assert outcome.audit.is_clean, outcome.audit
    assert not outcome.damaged
    assert (outcome.unanswered, outcome.owed) == (0, 0)


def test_processes_that_write_at_once_meet_no_error_and_find_each_others_memories(run: Run) -> None:
    outcome = concurrency.play(run, writes=6, searches=10)
    assert not outcome.errors
    assert outcome.acknowledged == 6 * concurrency.WRITERS
    assert outcome.audit.is_clean, outcome.audit


@pytest.mark.parametrize("mode", ["auto", "off"])
def test_sessions_that_end_or_crash_leave_no_process_behind(run: Run, mode: str) -> None:
    outcome = cycles.play(replace(run, mode=mode), cycles=2 * len(cycles.CRASHES))
    assert not outcome.left


def test_an_index_that_is_deleted_or_damaged_under_load_is_built_again(run: Run) -> None:
    outcome = index_loss.play(run, memories=300)
    assert not outcome.errors
    assert outcome.audit.is_clean, outcome.audit
    assert outcome.indexed == outcome.expected > 300
