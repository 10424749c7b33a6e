"""The manifests of containers are what Kubernetes and compose take, by their own schemas."""

from typing import Any

import kubernetes_validate
import pytest
import yaml
from compose_spec import PyCompose

from tests.places import ROOT

DEPLOY = ROOT / "deploy"
VERSIONS = ("1.30", "1.37")
"""The oldest and the newest Kubernetes whose schemas they are checked by."""


def objects() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text(encoding="utf-8")))


def with_gateway() -> dict[str, Any]:
    """The StatefulSet as the patch leaves it: what has a name is added to its list."""
    found = objects()[1]
    pod = found["spec"]["template"]["spec"]
    patch = yaml.safe_load((DEPLOY / "kubernetes-gateway.yaml").read_text(encoding="utf-8"))
    for name, value in patch["spec"]["template"]["spec"].items():
        pod[name] = [*pod.get(name, []), *value] if isinstance(value, list) else value
    return found


def compose() -> dict[str, Any]:
    """The file of compose, its references to other parts resolved."""
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("version", VERSIONS)
def test_kubernetes_knows_every_field_of_the_manifests(version: str) -> None:
    for one in [*objects(), with_gateway()]:
        kubernetes_validate.validate(one, version, strict=True)
    misspelt = with_gateway()
    misspelt["spec"]["template"]["spec"]["containers"][1]["livenesProbe"] = {}
    with pytest.raises(kubernetes_validate.ValidationError, match="livenesProbe"):
        kubernetes_validate.validate(misspelt, version, strict=True)


def test_compose_knows_every_field_and_volume_of_its_file() -> None:
    taken = PyCompose.from_yaml(yaml.safe_dump(compose()))
    taken.validate()
    assert set(taken.service_names()) == {"agentos", "gateway", "database"}
    misspelt = compose()
    misspelt["services"]["gateway"]["reed_only"] = True
    with pytest.raises(ValueError, match="reed_only"):
        PyCompose.from_yaml(yaml.safe_dump(misspelt))
