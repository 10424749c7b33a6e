"""Sync costs nothing where it is off, and projects that two devices know become one."""

from agentos.features.sync.projects import same, united
from agentos.modules.sessions.models import Project
from tests.places import ROOT
from tests.unit.test_architecture import FILES, imports, name_of


def test_nothing_outside_imports_sync_before_it_is_used() -> None:
    folder = ROOT / "features" / "sync"
    for path in FILES:
        if folder not in path.parents:
            early = [one for one in imports(path, only_when_imported=True) if folder in one.parents]
            assert not early, f"{name_of(path)} imports {early}"


def project(name: str, root: str | None, remote: str | None, location: str = "") -> Project:
    return Project(name, "n", "shop", location, root, remote)


def test_two_projects_are_one_where_their_repository_is_and_forks_are_not() -> None:
    here, there = project("prj_b", "r", "host/shop", "/here"), project("prj_a", "r", None)
    fork, folder = project("prj_c", "r", "host/fork"), project("prj_d", None, None, "/notes")
    assert same([here, there, folder]) == [(here, there)], "the least id stands for both, on every device"
    assert same([here, fork]) == [] and same([folder, project("prj_e", None, None)]) == []
    assert united(here, there, [here, there]) == project("prj_a", "r", "host/shop", "/here")
