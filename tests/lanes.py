"""Which lanes a run asks for, and on which engines it has a test that stands on a store."""

import pytest

from tests.places import TESTS

BY_DEFAULT = "unit or integration or e2e"
LANES = frozenset(folder.name for folder in TESTS.iterdir() if folder.is_dir())
POSTGRES = "postgres"


def asked(config: pytest.Config) -> frozenset[str]:
    """The lanes that `-m` names; where it names none, or is no plain list of them, what is in it."""
    return frozenset(config.option.markexpr.split(" or "))


def run_on_engines(metafunc: pytest.Metafunc) -> None:
    """Run a test on each engine that is asked for: what would only be left out again is not made at all."""
    lanes = asked(metafunc.config)
    engines = []
    if lanes != {POSTGRES} or metafunc.definition.get_closest_marker("sqlite"):
        engines.append("sqlite")
    if not (lanes <= {*LANES, f"not {POSTGRES}"} or metafunc.definition.get_closest_marker("sqlite")):
        engines.append(pytest.param(POSTGRES, marks=getattr(pytest.mark, POSTGRES)))
    metafunc.parametrize("engine", engines, indirect=True, scope="session")
