"""The container files: they parse, run nothing as root, and name settings and commands that there are."""

import re
from typing import Any

import yaml

from agentos.config import Settings
from tests.places import ROOT

DEPLOY = ROOT / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")


def named(text: str) -> set[str]:
    return {name.removeprefix("AGENTOS_").lower() for name in re.findall(r"\bAGENTOS_[A-Z_]+\b", text)}


def test_every_setting_that_they_name_is_there() -> None:
    texts = [path.read_text(encoding="utf-8") for path in DEPLOY.iterdir()]
    assert len(texts) == 5
    assert set().union(*map(named, texts)) <= set(Settings.model_fields)


def test_the_image_runs_as_a_user_without_rights_and_tells_its_health() -> None:
    instructions = [line.split(" ", 1) for line in DOCKERFILE.splitlines() if line and line[0] not in "# "]
    stages = [place for place, (name, _) in enumerate(instructions) if name == "FROM"]
    copied = [rest for name, rest in instructions[stages[-1] :] if name == "COPY"]
    assert copied == ["--from=build /wheels /wheels"], "nothing of the checkout but its wheel"
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").split()
    assert {".git", "**/.env", "**/.venv"} < set(ignored)
    users = [rest for name, rest in instructions if name == "USER"]
    assert users and users[-1] not in ("root", "0")
    assert "/healthz" in DOCKERFILE and '["agentos", "serve"' in DOCKERFILE


def test_compose_waits_for_the_database_and_opens_loopback_alone() -> None:
    services: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))["services"]
    assert "ports" not in services["database"]
    for service in (services["agentos"], services["gateway"]):
        assert service["depends_on"]["database"]["condition"] == "service_healthy"
        assert all(port.startswith("127.0.0.1:") for port in service["ports"])
        assert service["read_only"] and service["cap_drop"] == ["ALL"]
        url = service["environment"]["AGENTOS_DATABASE_URL"]
        assert "PASSWORD" not in url, "a password of any characters works beside the URL"
    assert services["agentos"]["environment"]["AGENTOS_HTTP_HOSTS"]


def test_every_base_is_pinned_and_the_model_is_in_the_image() -> None:
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    images = [service["image"] for service in compose["services"].values()]
    images += re.findall(r"^ARG PYTHON=(\S+)$", DOCKERFILE, re.M)
    images += re.findall(r"image: (\S+)", (DEPLOY / "kubernetes.yaml").read_text(encoding="utf-8"))
    assert len(images) == 5 and all(re.search(r":\d+\.\d+\.\d+(-|$)", image) for image in images), images
    assert re.findall(r"^FROM (\S+)", DOCKERFILE, re.M) == ["${PYTHON}"] * 2
    assert "build_weights.py /wheels" in DOCKERFILE and "/wheels/agentos_weights-*.whl" in DOCKERFILE


def test_kubernetes_runs_the_gateway_beside_the_server_on_its_home() -> None:
    objects = list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text(encoding="utf-8")))
    pod = objects[1]["spec"]["template"]["spec"]
    added = yaml.safe_load((DEPLOY / "kubernetes-gateway.yaml").read_text(encoding="utf-8"))["spec"]["template"]["spec"]
    [server], [gateway], [keys] = pod["containers"], added["containers"], added["initContainers"]
    volumes = {one["name"] for one in [*pod["volumes"], *added["volumes"]]}
    for one in (gateway, keys):
        assert one["securityContext"] == server["securityContext"] and one["image"] == server["image"]
        assert {mount["name"] for mount in one["volumeMounts"]} <= volumes
        assert {"name": "home", "mountPath": "/data"} in one["volumeMounts"]
    [port] = gateway["ports"]
    assert port["containerPort"] in [one["port"] for one in objects[2]["spec"]["ports"]]
    assert "umask 077" in keys["command"][-1]


def test_kubernetes_mounts_the_home_and_probes_both_states() -> None:
    objects = list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text(encoding="utf-8")))
    assert [one["kind"] for one in objects] == ["PersistentVolumeClaim", "StatefulSet", "Service"]
    pod = objects[1]["spec"]["template"]["spec"]
    [container] = pod["containers"]
    assert pod["securityContext"]["runAsNonRoot"] and objects[1]["spec"]["replicas"] == 1
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert container["livenessProbe"]["httpGet"]["path"] == "/healthz"
    assert container["readinessProbe"]["httpGet"]["path"] == "/readyz"
