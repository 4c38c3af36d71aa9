"""The other files say what the gateway understands."""

import tomllib
from pathlib import Path
from typing import Any

import msgspec
import yaml

from gateway.cli.builder import build
from gateway.cli.configuration import Configuration
from gateway.cli.given import flat
from gateway.cli.supervisor import MARGIN, drain_timeout
from gateway.server import Gateway

DEPLOY = Path(__file__).parent.parent.parent / "deploy"


def documents(name: str) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((DEPLOY / name).read_text()))


def test_kubernetes_waits_long_enough_and_probes_what_is_there() -> None:
    configuration_map, deployment, service = documents("kubernetes.yaml")
    text = configuration_map["data"]["gateway.toml"]
    configuration = build(Configuration, flat(tomllib.loads(text), "gateway.toml"), {})
    pod = deployment["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert drain_timeout(configuration) + MARGIN <= pod["terminationGracePeriodSeconds"]
    known = {path for _, path in Gateway({}).routes()}
    probes = [container[name]["httpGet"] for name in container if name.endswith("Probe")]
    assert len(probes) == 3
    assert {probe["path"] for probe in probes} <= known
    assert container["ports"][0]["containerPort"] == configuration.server.port
    assert service["spec"]["ports"][0]["targetPort"] == container["ports"][0]["name"]


def test_systemd_waits_long_enough() -> None:
    unit = (DEPLOY / "agui-gateway.service").read_text()
    settings = dict(line.split("=", 1) for line in unit.splitlines() if "=" in line)
    assert drain_timeout(Configuration()) + MARGIN <= int(settings["TimeoutStopSec"])
    assert settings["ExecReload"].endswith("-HUP $MAINPID")
    assert settings["ExecStart"].endswith("agui-gateway serve")


def test_envoy_asks_for_readiness() -> None:
    (envoy,) = documents("envoy.yaml")
    (cluster,) = envoy["static_resources"]["clusters"]
    (check,) = cluster["health_checks"]
    assert ("GET", check["http_health_check"]["path"]) in Gateway({}).routes()
    assert msgspec.json.encode(envoy).count(b'"timeout":"0s"') == 1
