"""Projects that two devices know under two ids: which are the same repository, and which id stands for both. Pure."""

from collections.abc import Sequence
from dataclasses import replace

from ...modules.sessions.models import Project


def same(known: Sequence[Project]) -> list[tuple[Project, Project]]:
    """Return the projects that are another one too, each with that: the one with the least id, on every device.

    Those with one remote are, and those with one first commit, unless both have remotes: forks are projects of their
    own.
    """
    found: list[tuple[Project, Project]] = []
    kept: list[Project] = []
    for one in sorted(known, key=lambda each: each.id):
        into = next((each for each in kept if _is_same(one, each)), None)
        if into is None:
            kept.append(one)
        else:
            found.append((one, into))
    return found


def _is_same(one: Project, other: Project) -> bool:
    if one.namespace != other.namespace:
        return False
    if one.remote is not None and other.remote is not None:
        return one.remote == other.remote
    return one.root_commit is not None and one.root_commit == other.root_commit


def united(other: Project, into: Project, known: Sequence[Project]) -> Project:
    """Return a project with what is known of the other one, as it stands now."""
    other, into = (next((one for one in known if one.id == each.id), each) for each in (other, into))
    return replace(
        into,
        location=into.location or other.location,
        root_commit=into.root_commit or other.root_commit,
        remote=into.remote or other.remote,
    )
