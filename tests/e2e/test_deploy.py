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
    assert len(texts) == 4
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
    agentos = services["agentos"]
    assert agentos["depends_on"]["database"]["condition"] == "service_healthy"
    assert all(port.startswith("127.0.0.1:") for port in agentos["ports"]) and "ports" not in services["database"]
    assert agentos["read_only"] and agentos["cap_drop"] == ["ALL"]


def test_kubernetes_mounts_the_home_and_probes_both_states() -> None:
    objects = list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text(encoding="utf-8")))
    assert [one["kind"] for one in objects] == ["PersistentVolumeClaim", "StatefulSet", "Service"]
    pod = objects[1]["spec"]["template"]["spec"]
    [container] = pod["containers"]
    assert pod["securityContext"]["runAsNonRoot"] and objects[1]["spec"]["replicas"] == 1
    assert container["livenessProbe"]["httpGet"]["path"] == "/healthz"
    assert container["readinessProbe"]["httpGet"]["path"] == "/readyz"
