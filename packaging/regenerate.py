"""Regenerates every generated file, and says which of them changed.

    python packaging/regenerate.py [--unreleased]

With `--unreleased` the newest migration has been in no release: its published schema and its kept bundle are made anew.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from agentos.storage.sqlite import migrate

ROOT = Path(__file__).resolve().parents[1]
HANDSHAKE = ROOT / "interfaces/stdio/front/handshake.jsonl"
WRITERS = ("keep_schema", "publish_schemas", "keep_bundle", "write_reference", "write_sdk", "write_typescript")


def main(arguments: list[str] | None = None) -> int:
    """Run every writer in turn; return 1 if one of them failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--unreleased", action="store_true", help="the newest migration has been in no release")
    options = parser.parse_args(arguments)
    before = _contents()
    if options.unreleased:
        for form in ("valid", "normal"):
            (ROOT / f"conformance/fixtures/{form}/schema-{len(migrate.known()):03}.jsonl").unlink(missing_ok=True)
    for name in WRITERS:
        flags = ["--unreleased"] if options.unreleased and name == "publish_schemas" else []
        if subprocess.run(
            [sys.executable, str(ROOT / f"packaging/{name}.py"), *flags], stdout=subprocess.DEVNULL
        ).returncode:
            sys.stderr.write(f"{name} failed\n")
            return 1
    handshake = subprocess.run([sys.executable, "-m", "agentos.server", "--handshake"], capture_output=True, check=True)
    HANDSHAKE.write_bytes(handshake.stdout)
    after = _contents()
    changed = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    sys.stdout.write("\n".join([*changed, f"{len(changed)} files changed", ""]))
    return 0


def _contents() -> dict[str, bytes]:
    """Return the bytes of every file that git tracks or would track."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    files = [(name, ROOT / name) for name in names if name]
    return {name: file.read_bytes() for name, file in files if file.is_file()}


if __name__ == "__main__":
    sys.exit(main())
