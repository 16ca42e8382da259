from importlib.resources import files

import pytest

pytest.importorskip("accelerate")

import yaml
from accelerate.commands.config.config_args import ClusterConfig, load_config_from_file
from accelerate.commands.launch import launch_command_parser
from accelerate.utils import FullyShardedDataParallelPlugin

from partbook.train.preset import load_preset

FOLDER = files("partbook.train.accelerate")
NAMES = ["fsdp2", "one-gpu", "zero3"]

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")


def path(name):
    return str(FOLDER.joinpath(f"{name}.yaml"))


def test_these_are_all_configurations():
    found = {entry.name for entry in FOLDER.iterdir() if entry.name.endswith(".yaml")}

    assert found == {f"{name}.yaml" for name in NAMES}


@pytest.mark.parametrize(
    ("name", "kind", "processes"),
    [("fsdp2", "FSDP", 2), ("one-gpu", "NO", 1), ("zero3", "DEEPSPEED", 2)],
)
def test_accelerate_takes_a_configuration(name, kind, processes):
    config = load_config_from_file(path(name))

    assert isinstance(config, ClusterConfig)
    assert config.distributed_type.value == kind
    assert config.num_processes == processes
    assert config.mixed_precision == "bf16"


@pytest.mark.parametrize("name", NAMES)
def test_every_inner_key_is_an_option_of_the_launcher(name):
    known = set(vars(launch_command_parser().parse_args(["x.py"])))
    data = yaml.safe_load(FOLDER.joinpath(f"{name}.yaml").read_text())

    inner = {**data.get("fsdp_config", {}), **data.get("deepspeed_config", {})}
    assert set(inner) <= known


def test_the_fsdp_values_make_a_plugin_of_version_2():
    values = load_config_from_file(path("fsdp2")).fsdp_config

    plugin = FullyShardedDataParallelPlugin(
        fsdp_version=values["fsdp_version"],
        reshard_after_forward=values["fsdp_reshard_after_forward"],
        auto_wrap_policy=values["fsdp_auto_wrap_policy"],
        state_dict_type=values["fsdp_state_dict_type"],
        cpu_offload=values["fsdp_offload_params"],
        cpu_ram_efficient_loading=values["fsdp_cpu_ram_efficient_loading"],
    )
    assert plugin.fsdp_version == 2


def test_the_papers_batch_is_for_the_processes_of_the_configurations():
    preset = load_preset("paper-7b-2xh100")

    for name in ("fsdp2", "zero3"):
        processes = load_config_from_file(path(name)).num_processes
        batch = preset.trainer["per_device_train_batch_size"]
        parts = preset.trainer["gradient_accumulation_steps"]
        assert processes * batch * parts == preset.grpo.problems * preset.grpo.rollouts
