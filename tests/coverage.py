"""Which processes of the tests are measured, where `.ci/run` measures what they reach: all that end by themselves."""

import pytest


def start_unmeasured(environment: pytest.MonkeyPatch) -> None:
    """Leave what is started from now on unmeasured: a killed process would have told nothing of what it measured."""
    for name in ("COVERAGE_PROCESS_START", "COVERAGE_PROCESS_CONFIG"):
        environment.delenv(name, raising=False)
