"""The workflows of the forge: valid by its own schema, and a matrix of every system, processor and Python."""

import importlib.util
import json
from importlib import resources
from typing import Any

import jsonschema
import pytest
import yaml

from tests.places import ROOT
from tests.tables import every

WORKFLOWS = sorted(path.name for path in (ROOT / ".github" / "workflows").glob("*.yml"))
needs_schema = pytest.mark.skipif(
    importlib.util.find_spec("check_jsonschema") is None, reason='pip install -c constraints.txt -e ".[dev]"'
)


def read(name: str) -> dict[str, Any]:
    found = yaml.safe_load((ROOT / ".github" / "workflows" / name).read_text(encoding="utf-8"))
    return {"on" if key is True else key: value for key, value in found.items()}  # in YAML 1.1 `on` is a boolean


@needs_schema
@every("name", WORKFLOWS)
def test_every_workflow_is_valid_by_the_schema_of_its_forge(name: str) -> None:
    place = resources.files("check_jsonschema") / "builtin_schemas" / "vendor" / "github-workflows.json"
    schema = json.loads(place.read_text(encoding="utf-8"))
    validator = jsonschema.validators.validator_for(schema)(schema)
    assert [error.message for error in validator.iter_errors(read(name))] == []
    assert [*validator.iter_errors({**read(name), "jobs": {"one": {"steps": "none"}}})] != []


def test_the_checks_run_on_every_system_processor_and_python() -> None:
    [job] = read("checks.yml")["jobs"].values()
    matrix = job["strategy"]["matrix"]
    assert matrix["python"] == ["3.11", "3.12", "3.13", "3.14"]
    systems = {(name.split("-")[0], "arm" in name) for name in matrix["os"]}
    assert {("ubuntu", False), ("ubuntu", True), ("windows", False), ("windows", True)} <= systems
    assert {"macos-latest", "macos-15-intel"} <= set(matrix["os"]), "the newest macOS runs on Arm alone"
    assert job["runs-on"] == "${{ matrix.os }}"
