"""The files of `deploy/` are what their tools take, and agree with this server's own options.

`make deploy-check` installs the tools and runs this. Nothing is pulled and nothing started: Compose
resolves its file, Helm renders its chart, schemas of Kubernetes are asked about what came out, and
our command line parses what would be run.
"""

import json
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from urllib.parse import urlsplit

import helm_python as helm
import kubernetes_validate
import pytest
import typer
import yaml

from partbook.cli.conductors import find_outside
from partbook.cli.main import app
from partbook.config import load_pool
from partbook.own_prices import own_price_of, read_own_prices
from partbook.server.admission import OpenDoor
from partbook.server.app import Endpoint
from partbook.server.metrics import Metrics
from partbook.server.served import Served
from partbook.store.place import resolve
from tests.fakes import pool_of
from tests.server.models import Saying

ROOT = Path(__file__).parent.parent
DEPLOY = ROOT / "deploy"
CHART = DEPLOY / "helm" / "partbook"
KUBERNETES = "1.31"
OVERLAYS = {
    "one GPU": (),
    "LoRA": ("compose.lora.yaml",),
    "two GPUs": ("compose.tensor-parallel.yaml",),
}

VLLM_OPTIONS = {
    "enable-lora": None,
    "enable-prefix-caching": None,
    "generation-config": r"vllm",
    "gpu-memory-utilization": r"0\.\d+",
    "host": r"[\d.]+",
    "lora-modules": r"[\w-]+=/[\w/-]+",
    "max-lora-rank": r"8|16|32|64|128|256|320|512",
    "max-model-len": r"\d+",
    "model": r".+",
    "port": r"\d+",
    "served-model-name": r"[\w-]+",
    "tensor-parallel-size": r"\d+",
}
"""Those that the recipes use, as vLLM's parser has them (entrypoints/openai/cli_args.py and
engine/arg_utils.py): the form of a value, None where an option has none."""

VALUES = {
    "as it comes": {},
    "LoRA on two GPUs": {"conductor": {"gpus": 2, "lora": {"enabled": True, "subPath": "a"}}},
    "another engine": {"conductor": {"enabled": False, "url": "http://gpu:8000/v1#mine:cards"}},
    "no Conductor": {"conductor": {"enabled": False}, "autoscaling": {"enabled": False}},
    "all of it": {
        "usdPerDay": "20",
        "processes": 2,
        "extraArgs": ["--keep"],
        "podMonitor": {"enabled": True},
        "conductor": {"hubTokenSecret": {"name": "hub"}, "weights": {"storageClassName": "fast"}},
    },
}


def tool(name: str, *arguments: str) -> str:
    """What a linter says; it must be content."""
    path = Path(sys.executable).parent / name
    done = subprocess.run(
        [path, *arguments], capture_output=True, text=True, check=False, cwd=DEPLOY
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def check_ours(arguments: list[str]) -> dict[str, object]:
    """The options of `partbook serve ...`, as our command line understands them."""
    assert arguments[0] == "serve"
    command = typer.main.get_command(app).commands["serve"]
    context = command.make_context("serve", list(arguments[1:]))

    assert context.args == []
    return context.params


def check_vllm(arguments: list[str]) -> dict[str, str]:
    """The options of `vllm serve`, by name; all are known."""
    options = {}
    for argument in arguments:
        name, _, value = argument.removeprefix("--").partition("=")
        assert argument.startswith("--")
        form = VLLM_OPTIONS[name]
        assert (value == "") if form is None else re.fullmatch(form, value), argument
        options[name] = value
    return options


def check_pair(ours: dict[str, object], engine: dict[str, str], host: str) -> None:
    """The server asks the engine where it listens, for a model that it has."""
    outside = find_outside(str(ours["conductor"]), [])
    url = urlsplit(outside.spec.endpoint)
    named = engine.get("served-model-name") or engine["lora-modules"].partition("=")[0]

    assert (url.hostname, str(url.port), url.path) == (host, engine["port"], "/v1")
    assert outside.spec.model == named
    assert ("lora-modules" in engine) == ("enable-lora" in engine)


def routes() -> set[str]:
    """Paths that our server answers."""
    endpoint = Endpoint(Served(pool_of(Saying(("",))), None, "p", 0), OpenDoor())
    return {route.path for route in endpoint.app._app.routes}


def composed(*overlays: str) -> dict:
    files = [part for name in ("compose.yaml", *overlays) for part in ("-f", name)]
    options = ["--env-file", "example.env", "--profile", "metrics", *files]
    return json.loads(tool("docker-compose", *options, "config", "--format", "json"))


def rendered(values: dict) -> dict[str, list[dict]]:
    """What a release is made of, by kind."""
    found: dict[str, list[dict]] = {}
    for name, text in helm.Chart.load(CHART).render(values, name="partbook").items():
        if name.endswith(".yaml"):
            for each in filter(None, yaml.safe_load_all(text)):
                found.setdefault(each["kind"], []).append(each)
    return found


def container(release: dict[str, list[dict]], name: str) -> dict:
    """The container of a deployment."""
    deployment = next(d for d in release["Deployment"] if d["metadata"]["name"] == name)
    return deployment["spec"]["template"]["spec"]["containers"][0]


def test_the_container_file_is_what_its_linter_likes_and_starts_our_command():
    tool("hadolint", "--failure-threshold", "style", "Dockerfile")
    text = (DEPLOY / "Dockerfile").read_text()
    command = json.loads(re.search(r"^CMD (\[.*\])", text, re.MULTILINE)[1])

    assert check_ours(command)["host"] == "0.0.0.0"
    assert json.loads(re.search(r"^ENTRYPOINT (\[.*\])", text, re.MULTILINE)[1]) == ["partbook"]
    assert re.search(r"^USER 10001", text, re.MULTILINE)
    health = re.search(r"127\.0\.0\.1:(\d+)(/\w+)", text)
    assert (int(health[1]), health[2] in routes()) == (check_ours(command)["port"], True)
    extras = re.search(r"'\.\[([\w,]+)\]'", text)[1].split(",")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert set(extras) <= project["optional-dependencies"].keys()


def test_the_builder_is_given_what_the_wheel_is_made_of(tmp_path):
    copied = re.findall(r"^COPY (.+) \S+$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    allowed = re.findall(r"^!(.+)$", (DEPLOY / "Dockerfile.dockerignore").read_text(), re.MULTILINE)
    for name in allowed:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).symlink_to(ROOT / name)

    assert sorted(" ".join(copied).split()) == sorted(allowed)
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel"], cwd=tmp_path, check=True
    )
    (wheel,) = tmp_path.glob("dist/*.whl")
    assert "partbook/conductors/embedded.gguf" in zipfile.ZipFile(wheel).namelist()


def test_all_yaml_is_tidy():
    rules = (
        "{extends: default, rules: {line-length: {max: 130}, document-start: disable, "
        "braces: {max-spaces-inside: 0}, comments: {min-spaces-from-content: 1}}}"
    )
    files = [*DEPLOY.glob("*.y*ml"), CHART / "Chart.yaml", CHART / "values.yaml"]

    assert tool("yamllint", "--strict", "-d", rules, *map(str, files)) == ""


@pytest.mark.parametrize("name", OVERLAYS)
def test_compose_takes_the_file_and_the_server_finds_the_engine(name):
    services = composed(*OVERLAYS[name])["services"]
    server, engine = services["server"], services["conductor"]
    ours, options = check_ours(server["command"]), check_vllm(engine["command"])

    check_pair(ours, options, "conductor")
    gpus = engine["deploy"]["resources"]["reservations"]["devices"][0]["count"]
    assert int(options.get("tensor-parallel-size", 1)) <= max(int(gpus), 2)
    mounted = {volume["target"] for volume in server["volumes"]}
    assert {str(ours["pool"]), str(ours["prices"]), "/data"} <= mounted
    assert int(server["stop_grace_period"].removesuffix("s")) > ours["grace"]
    assert resolve(server["environment"]["PARTBOOK_STORE"]).host == "database"
    keys = {spec.key_env or "OPENAI_API_KEY" for spec in pool().workers if spec.kind == "http"}
    assert keys <= server["environment"].keys()


def pool():
    return load_pool(str(DEPLOY / "pool.toml"))


def test_the_pool_can_be_served_under_a_budget_with_these_prices():
    own = read_own_prices(DEPLOY / "prices.toml")
    served = check_ours(composed()["services"]["server"]["command"])
    conductor = find_outside(str(served["conductor"]), []).spec

    assert own_price_of(own, conductor.model, conductor.endpoint).input_usd == 0
    assert served["usd_per_day"] == "20"
    assert {spec.name for spec in pool().workers} == {"thinker", "writer", "calculator"}


def test_metrics_are_looked_for_where_they_are_and_alerts_know_their_names():
    config = yaml.safe_load((DEPLOY / "prometheus.yml").read_text())
    services = composed()["services"]
    for job in config["scrape_configs"]:
        host, port = job["static_configs"][0]["targets"][0].split(":")
        command = " ".join(services[host]["command"])
        assert f"--port={port}" in command
        assert job["metrics_path"] in routes()
    mounted = services["metrics"]["secrets"][0]["source"]
    assert config["scrape_configs"][0]["authorization"]["credentials_file"].endswith(mounted)
    names = set(re.findall(r"partbook_\w+", (DEPLOY / "alerts.yml").read_text()))
    assert names <= set(re.findall(r"^# TYPE (\w+)", Metrics().text(), re.MULTILINE))


@pytest.mark.parametrize("name", VALUES)
def test_helm_renders_what_kubernetes_takes_and_the_server_understands(name):
    release = rendered(VALUES[name])
    for kind, documents in release.items():
        for document in documents:
            if kind != "PodMonitor":  # Prometheus' operator's, not Kubernetes' own
                kubernetes_validate.validate(document, KUBERNETES, strict=True)
    server = container(release, "partbook")
    ours = check_ours(server["args"])

    assert ours["page"] is False
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert server[probe]["httpGet"]["path"] in routes()
    assert server["ports"][0]["containerPort"] == ours["port"]
    pod = next(d for d in release["Deployment"] if d["metadata"]["name"] == "partbook")["spec"]
    grace = pod["template"]["spec"]["terminationGracePeriodSeconds"]
    assert grace > ours["grace"] + 5
    if len(release["Deployment"]) == 2:
        engine = container(release, "partbook-conductor")
        options = check_vllm(engine["args"])
        check_pair(ours, options, "partbook-conductor")
        gpus = engine["resources"]["limits"]["nvidia.com/gpu"]
        assert int(options.get("tensor-parallel-size", 1)) == gpus


def test_helm_finds_nothing_to_complain_of():
    report = helm.lint(CHART, strict=True)
    said = [each["error"] for each in report["messages"]]

    assert (report["errors"], said) == ([], ["icon is recommended"])


@pytest.mark.parametrize(
    "values",
    [
        {"store": {"url": "postgresql://me:secret@db/partbook"}},
        {"conductor": {"url": "http://gpu:8000/v1"}},
        {"replica": 3},
        {"usdPerDay": "much"},
    ],
)
def test_values_that_cannot_be_meant_are_refused(values):
    with pytest.raises(helm.HelmError):
        helm.Chart.load(CHART).validate_schema(values)


def test_every_service_of_a_release_leads_to_the_pods_that_it_means():
    release = rendered({})
    for service in release["Service"]:
        found = [
            deployment["metadata"]["name"]
            for deployment in release["Deployment"]
            if service["spec"]["selector"].items()
            <= deployment["spec"]["template"]["metadata"]["labels"].items()
        ]
        assert found == [service["metadata"]["name"]]


def test_the_chart_and_compose_serve_the_same_pool_at_the_same_prices():
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    config = rendered({})["ConfigMap"][0]["data"]

    assert values["pool"] == (DEPLOY / "pool.toml").read_text()
    assert values["prices"] == (DEPLOY / "prices.toml").read_text()
    assert tomllib.loads(config["pool.toml"]) == tomllib.loads(values["pool"])
    assert tomllib.loads(config["prices.toml"]) == tomllib.loads(values["prices"])
