"""Finds, installs and lends the files of embedding models, in the home that the settings name."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .config import Settings
    from .storage.embedding.encoder import Encoder
    from .storage.embedding.weights_sources import Progress

TRIES = 9
"""Texts by which a model's speed is measured."""


def find_default_model(settings: Settings) -> str:
    """Return where the default embedding model is on this machine. Blocks. Raises AgentOSError, with the remedy."""
    from .storage.embedding.default_weights import DEFAULT_MODEL
    from .storage.embedding.locate import locate

    files = locate(DEFAULT_MODEL, True, settings.home / "models")
    return f"{files.fingerprint} in {files.folder}"


def install_model(settings: Settings, file: Path | None, progress: Progress) -> Path:
    """Install the weights of the default embedding model in the home, from a file or else from the network.

    The user's other homes find them too. Returns their folder. Blocks. Raises AgentOSError.
    """
    from . import config
    from .storage.embedding.weights_install import install_weights, lend_weights

    _prepare(settings)
    folder = install_weights(settings.home / "models", file, progress)
    with suppress(OSError, ValueError):  # a user may have no home folder
        if settings.home != config.default_home():
            lend_weights(settings.home / "models", config.shared_models())
    return folder


def install_named_model(settings: Settings, model: str, progress: Progress) -> str:
    """Install a model of the hub in the home, and try it; return what it is and takes. Blocks. Raises AgentOSError.

    That is one sentence: its name, its place, its size, how many values its vectors have, and how long a text takes.
    """
    from .storage.embedding.loader import load_encoder
    from .storage.embedding.locate import install_named

    _prepare(settings)
    models = settings.home / "models"
    folder = install_named(models, model, progress)
    megabytes = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6
    encoder = load_encoder(model, True, models)
    return (
        f"{encoder.fingerprint} in {folder}, {megabytes:.0f} MB, with vectors of {encoder.dimension} values; "
        f"a short text takes {_milliseconds(encoder):.1f} ms on this machine"
    )


def _milliseconds(encoder: Encoder) -> float:
    """Return how long the vector of a short question takes (median)."""
    from statistics import median
    from time import perf_counter

    taken = []
    for number in range(TRIES + 1):
        began = perf_counter()
        encoder.encode_query(f"Where did we put the {number} spare keys of the office last winter?")
        taken.append((perf_counter() - began) * 1e3)
    return median(taken[1:])  # the first one warms it up


def _prepare(settings: Settings) -> None:
    from .storage.sqlite import folder

    folder.prepare_both(settings.home, settings.database, allow_network=settings.allow_network_home)


def borrow_model(settings: Settings) -> None:
    """Take the weights that another of the user's homes has, if one has them and this one has not. Blocks."""
    from . import config
    from .storage.embedding.weights_install import lend_weights

    with suppress(OSError, ValueError):  # a user may have no home folder
        for models in (config.default_home() / "models", config.shared_models()):
            lend_weights(models, settings.home / "models")


def lend_model(settings: Settings, home: Path) -> None:
    """Give another home the weights that this one has, if it has them. Blocks. Raises OSError."""
    from .storage.embedding.weights_install import lend_weights

    lend_weights(settings.home / "models", home / "models")
