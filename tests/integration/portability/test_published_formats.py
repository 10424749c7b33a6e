"""What is published for others: sealed formats with schemas and fixtures, and the contract, which is true."""

import json
import shutil
import subprocess
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from agentos.conformance import erasure, reader
from agentos.interfaces.cli.contract import document
from agentos.interfaces.cli.running import run
from agentos.modules.signing.registry import Registry as Keys
from agentos.tools.catalog import all_tools
from tests.places import ROOT

KIT = ROOT / "conformance"
SEALED = KIT / "fixtures/sealed"
EXPECTED = json.loads((SEALED / "expected.json").read_text(encoding="utf-8"))
SCHEMAS = {
    path.name.removesuffix(".schema.json"): json.loads(path.read_text(encoding="utf-8"))
    for path in (KIT / "schemas/sealed-1").glob("*.schema.json")
}
NODE = shutil.which("node")
IN_NODE = """
import { sealOf, signatureOf, inLines, parse } from "FOLDER/reader.mjs"; import { readFileSync } from "node:fs";
const told = {};
for (const name of process.argv.slice(1)) {
  const bytes = readFileSync(name);
  const found = name.endsWith(".json")
    ? new Map([["signature", signatureOf(parse(bytes))]])
    : sealOf(inLines(bytes));
  found.delete("envelope"); found.delete("key");
  told[name.split("/").at(-1)] = Object.fromEntries(found);
}
process.stdout.write(JSON.stringify(told));
"""


def validator(name: str) -> Draft202012Validator:
    resources = [(one["$id"], Resource.from_contents(one)) for one in SCHEMAS.values()]
    return Draft202012Validator(SCHEMAS[name], registry=Registry().with_resources(resources))


def test_the_python_reader_finds_what_is_wrong_with_each_sealed_file() -> None:
    for path in sorted(SEALED.glob("*.json*")):
        if path.name == "expected.json":
            continue
        if path.suffix == ".json":
            assert reader.signature_of(json.loads(path.read_bytes())) == EXPECTED[path.name]["signature"], path.name
            continue
        found = reader.seal_of(path.read_bytes().splitlines())
        assert {one: found[one] for one in EXPECTED[path.name]} == EXPECTED[path.name], path.name


@pytest.mark.skipif(NODE is None, reason="there is no node")
def test_the_javascript_reader_agrees() -> None:
    files = [str(path) for path in SEALED.glob("*.json*") if path.name != "expected.json"]
    script = IN_NODE.replace("FOLDER", str(KIT))
    done = subprocess.run(
        [str(NODE), "--input-type=module", "-e", script, *files], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == {name: one for name, one in EXPECTED.items() if name != "public"}


def test_sealed_files_are_as_their_schemas_say() -> None:
    lines = [json.loads(line) for line in (SEALED / "signed.jsonl").read_bytes().splitlines()]
    parts: dict[str, list[Any]] = {
        "envelope": [lines[0]["envelope"]],
        "seal": [lines[-1]["seal"]],
        "signature": [lines[-1]["seal"]["signature"]],
    }
    for name in ("catalog", "erasure", "team"):
        parts[name] = [json.loads(path.read_bytes()) for path in SEALED.glob(f"{name}*.json")]
    assert set(parts) == set(SCHEMAS)
    for name, documents in parts.items():
        for one in documents:
            validator(name).validate(one)
            entry = dict(one)
            entry.pop(next(iter(SCHEMAS[name]["required"])))
            assert not validator(name).is_valid(entry)
    certificate, forged = (
        json.loads((SEALED / f"{name}.json").read_bytes()) for name in ("erasure", "erasure-id-left-out")
    )
    assert erasure.holds(certificate) and not erasure.holds(forged)
    catalog = json.loads((SEALED / "catalog.json").read_bytes())
    registry, unchanged = Keys({}, {}).with_catalog(catalog, "key_x")
    assert not unchanged and "team" in registry.catalogs


def test_the_contract_is_true(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["contract", "--json"]) == 0
    output = json.loads(capsys.readouterr().out)
    assert output == json.loads(json.dumps(document()))
    newest = max(output["versions"]["bundle_schemas"])
    files = {path.name for path in (KIT / "schemas/format-1").glob("rows-*")}
    stands = max(name for name in files if name <= f"rows-{newest:03}.schema.json")
    rows = json.loads((KIT / "schemas/format-1" / stands).read_text(encoding="utf-8"))
    assert {one["table"] for one in output["objects"]} <= set(rows["properties"]["table"]["enum"])
    assert all((ROOT / one["held_by"]).exists() for one in output["guarantees"])
    assert set(output["experimental"]) <= {tool.toolset for tool in all_tools(None)}
    fixtures = {path.name for path in (KIT / "fixtures/valid").glob("schema-*.jsonl")}
    assert {f"schema-{one:03}.jsonl" for one in (1, *range(newest - 3, newest + 1))} <= fixtures
    assert run(["contract"]) == 0 and "guarantees" in capsys.readouterr().out
