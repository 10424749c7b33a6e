"""Faults are played to the servers of tests/e2e and to the stores of tests/integration."""

import pytest

from tests.e2e.conftest import connect, home, start, start_plain  # noqa: F401
from tests.e2e.test_daemon import daemon  # noqa: F401
from tests.integration.conftest import (  # noqa: F401
    agentos,
    clock,
    embedder,
    engine,
    new_home,
    open_home,
    open_store,
    pytest_generate_tests,
    store,
    wire,
)
from tests.integration.portability.test_bundle import house  # noqa: F401
from tests.integration.storage.test_chroma_index import folder, opened  # noqa: F401
from tests.integration.storage.test_index_process import index  # noqa: F401


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest goes first: else one worker would do it at last, and the others wait."""
    items.sort(key=lambda item: item.path.stem != "test_killed_files")
