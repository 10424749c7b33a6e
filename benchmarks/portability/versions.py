"""Bundles of other versions, and other readers: whether they are treated as the format promises."""

import json
import shutil
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

from agentos.conformance import reader
from agentos.conformance.validation import Validation
from agentos.modules.errors import AgentOSError

from .files import lines, opened, rows, written

KIT = Path(reader.__file__).parent
VALID, SPOILED = KIT / "fixtures/valid", ("invalid", "unfit")


async def treated(sound: Path, folder: Path) -> AsyncIterator[tuple[str, bool | None]]:
    """Yield what was tried and whether it went as promised; None if it could not be tried here."""
    for file in sorted(VALID.glob("*.jsonl")):
        yield f"{file.stem} comes in whole", await _comes_in(file, folder / file.stem)
    async with opened(folder / "refusing") as agentos:
        empty = await agentos.portability.canonical_hash()
        for kind in SPOILED:
            for name in json.loads((KIT / "fixtures" / kind / "expected.json").read_text(encoding="utf-8")):
                refused = await _refused(agentos.portability.import_bundle(KIT / "fixtures" / kind / name))
                yield f"{kind}/{name} is refused", refused and await agentos.portability.canonical_hash() == empty
        plain = [(line["table"], line["row"]) for line in rows(sound)]
        newer = written(folder / "newer.jsonl", 999, plain)
        refused = await _refused(agentos.portability.import_bundle(newer), "upgrade")
        yield "a newer schema is refused with the remedy", refused
    validation = Validation()
    yield "what was exported is as published", not list(validation.complaints(lines(sound.read_bytes())))
    normal = folder / "normal.jsonl"
    normal.write_bytes(b"".join(reader.normal(lines(sound.read_bytes()))))
    again = b"".join(reader.normal(lines(normal.read_bytes())))
    yield "the normal form of the normal form is the same", again == normal.read_bytes()
    yield "the reader in JavaScript agrees byte for byte", _javascript(sound, normal)
    for name, file in {"as exported": sound, "in the normal form": normal}.items():
        async with opened(folder / f"home {name}") as agentos:
            await agentos.portability.import_bundle(file)
            await agentos.portability.export(folder / f"{name}.jsonl")
    same = (folder / "as exported.jsonl").read_bytes() == (folder / "in the normal form.jsonl").read_bytes()
    yield "the normal form brings in the same", same


async def _comes_in(file: Path, home: Path) -> bool:
    summary, validation = reader.verified(lines(file.read_bytes())), Validation()
    sound = not list(validation.complaints(lines(file.read_bytes())))
    async with opened(home) as agentos:
        done = await agentos.portability.import_bundle(file)
    return (
        sound and dict(done.new) == summary["rows"] and not done.left_out and dict(done.ignored) == validation.unknown
    )


async def _refused(importing: object, message: str = "") -> bool:
    try:
        await importing  # type: ignore[misc]
    except AgentOSError as error:
        return message in str(error)
    return False


def _javascript(sound: Path, normal: Path) -> bool | None:
    node = shutil.which("node")
    if node is None:
        return None
    made = [
        subprocess.run([node, str(KIT / "reader.mjs"), "normalise", str(file)], check=True, stdout=subprocess.PIPE)
        for file in (sound, normal)
    ]
    return all(one.stdout == normal.read_bytes() for one in made)
