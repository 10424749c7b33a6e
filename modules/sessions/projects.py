"""The project of a folder: decided by what identifies its repository, never by the folder's name."""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from .models import Checkout, Project

_SCP_LIKE = re.compile(r"(?:[^@/:\s]+@)?([^/:\s]+):(?!/)(.+)")
_URL = re.compile(r"[a-z][a-z0-9+.-]*://(?:[^@/]*@)?([^/:]+|\[[^\]]+\])(?::\d+)?/(.+)", re.IGNORECASE)
_WINDOWS = re.compile(r"[A-Za-z]:[\\/]")


def normalised_remote(url: str) -> str | None:
    """Return the address of a repository as `host/path`, the same for every way to write it; None for a local path.

    User, password, port, protocol, query and a final `.git` are left out; hosts are in lower case.
    """
    url = url.strip()
    found = None if _WINDOWS.match(url) else _URL.fullmatch(url) or _SCP_LIKE.fullmatch(url)
    if found is None:
        return None
    path = re.split(r"[?#]", found[2], maxsplit=1)[0].strip("/").removesuffix(".git").rstrip("/")
    return f"{found[1].lower()}/{path}" if path else None


def matching(checkout: Checkout, known: Sequence[Project]) -> Project | None:
    """Return the known project that a checkout belongs to; None if it is a new one.

    The same remote is the same project. Otherwise the same root commit is, unless both have remotes that differ (forks
    and repositories made from one template are projects of their own). A repository at the same location that neither
    contradicts is still the same: its remote was moved, or it has its first commit now. So is a folder that was outside
    of git when it became known.
    """
    if checkout.repository is None:
        return next((p for p in known if p.location == checkout.folder and not (p.root_commit or p.remote)), None)
    if checkout.remote is not None:
        for project in known:
            if project.remote == checkout.remote:
                return project
    same_root = [p for p in known if p.root_commit is not None and p.root_commit == checkout.root_commit]
    here = [p for p in known if p.location == checkout.repository]
    for project in same_root:
        if project in here or project.remote is None or checkout.remote is None:
            return project
    for project in here:
        other_root = None not in (project.root_commit, checkout.root_commit)
        other_remote = None not in (project.remote, checkout.remote)
        if not other_root and not other_remote:
            return project
    return next((p for p in known if p.location == checkout.folder and not (p.root_commit or p.remote)), None)


def is_above(project: Project, folder: str) -> bool:
    """Return whether a folder lies below that of a project outside of git: work there may belong to another project."""
    is_plain = not (project.root_commit or project.remote) and not project.location.endswith(".git")
    return is_plain and folder.startswith(project.location.rstrip("/") + "/")


def placed(checkout: Checkout, known: Sequence[Project], namespace: str, new_id: str) -> Project:
    """Return the project of a checkout, updated from the checkout; a new one if none matches."""
    found = matching(checkout, known)
    return Project(
        new_id if found is None else found.id,
        namespace,
        found.name if found is not None and is_named(found) else name_of(checkout),
        checkout.repository or checkout.folder,
        checkout.root_commit or (None if found is None else found.root_commit),
        checkout.remote or (None if found is None else found.remote),
    )


def is_named(project: Project) -> bool:
    """Return whether somebody gave a project its name: it is not the one that its remote or folder gives."""
    place = project.location
    return project.name not in (name_of(Checkout(place, place, None, project.remote)), name_of(Checkout(place, place)))


def name_of(checkout: Checkout) -> str:
    """Return the display name of a project: the last part of its remote, else of its folder."""
    if checkout.remote is not None:
        return PurePosixPath(checkout.remote).name
    place = PurePosixPath(checkout.repository or checkout.folder)
    return (place.parent.name if place.name == ".git" else place.name.removesuffix(".git")) or str(place)
