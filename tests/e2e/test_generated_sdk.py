"""What of the Python SDK is generated is what the OpenAPI document says now."""

import importlib.util

from tests.places import ROOT


def test_the_generated_files_of_the_python_sdk_are_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("write_sdk", ROOT / "packaging/write_sdk.py")
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    made = [*script.FOLDER.glob("*.py"), *(script.FOLDER / f"../{name}.py" for name in ("client", "connection"))]
    files = {file.relative_to(script.FOLDER).as_posix(): file.read_text(encoding="utf-8") for file in made}
    assert files == script.written(), "run: python packaging/write_sdk.py"
