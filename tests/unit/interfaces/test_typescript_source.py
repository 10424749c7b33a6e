"""The TypeScript client's source: its types are those of the routes, and every route has a method."""

import importlib.util
import json
import re
from pathlib import Path

from agentos.modules.version import VERSION

ROOT = Path(__file__).parents[3]
CLIENT = ROOT / "sdk/typescript"
BY_ANOTHER = {"memory_search": "POST /search takes longer queries"}
"""Operations that the client has no use for."""


def test_its_types_are_those_of_the_routes() -> None:
    spec = importlib.util.spec_from_file_location("write_typescript", ROOT / "packaging/write_typescript.py")
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    written = (CLIENT / "src/generated.ts").read_text(encoding="utf-8")
    assert written == script.written(), "run: python packaging/write_typescript.py"
    by_hand = [
        path.read_text(encoding="utf-8") for path in (CLIENT / "src").rglob("*.ts") if path.name != "generated.ts"
    ]
    called = set(re.findall(r'\("(\w+)",', "".join(by_hand)))
    operations = set(re.findall(r"^  (\w+): \{ method:", written, re.M))
    codes = re.findall(r'^  \| "(\w+)"', written, re.M)
    unknown = [code for code in codes if f"\n  {code}: " not in "".join(by_hand)]
    assert codes and not unknown, "give it a class in sdk/typescript/src/errors.ts"
    assert operations and operations - called == BY_ANOTHER.keys(), "give it a method in sdk/typescript/src/resources"


def test_its_package_has_the_version_of_the_product_and_names_no_registry() -> None:
    package, lock = ((CLIENT / name).read_text(encoding="utf-8") for name in ("package.json", "package-lock.json"))
    assert json.loads(package)["version"] == json.loads(lock)["version"] == VERSION
    assert "dependencies" not in json.loads(package) and "://" not in lock
