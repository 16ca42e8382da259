import pytest

from partbook.errors import ConfigError, StoreError
from partbook.train.fit import available_bytes, check_disk, check_memory, check_room
from partbook.train.preset import load_preset

GIB = 2**30
MEMINFO = "MemTotal:       16000000 kB\nMemFree:   1000 kB\nMemAvailable:    4194304 kB\n"


def machine(folder, *, limit=None, used="0"):
    (folder / "proc").mkdir()
    (folder / "proc/meminfo").write_text(MEMINFO)
    if limit is not None:
        (folder / "sys/fs/cgroup").mkdir(parents=True)
        (folder / "sys/fs/cgroup/memory.max").write_text(f"{limit}\n")
        (folder / "sys/fs/cgroup/memory.current").write_text(f"{used}\n")
    return folder


def test_what_the_system_calls_available_is_available(tmp_path):
    assert available_bytes(machine(tmp_path)) == 4 * GIB


def test_a_containers_limit_counts_where_it_leaves_less(tmp_path):
    assert available_bytes(machine(tmp_path, limit=3 * GIB, used=1 * GIB)) == 2 * GIB


def test_a_container_without_a_limit_changes_nothing(tmp_path):
    assert available_bytes(machine(tmp_path, limit="max")) == 4 * GIB


def test_without_those_files_the_memory_of_the_machine_is_taken(tmp_path):
    assert available_bytes(tmp_path) > GIB / 4


def test_too_little_memory_is_said_in_numbers():
    with pytest.raises(ConfigError) as caught:
        check_memory(load_preset("qwen-3b-lora"), 8 * GIB)

    assert str(caught.value).startswith("preset qwen-3b-lora needs about 24.3 GiB of memory (12.4 ")
    assert "8.0 GiB are available" in str(caught.value)


def test_every_process_needs_its_own_weights_unless_they_share_them():
    preset = load_preset("qwen-3b-lora")

    check_memory(preset, 40 * GIB, 2, shared=True)
    with pytest.raises(ConfigError, match=r"48\.6 GiB .* in 2 processes"):
        check_memory(preset, 40 * GIB, 2)


def test_enough_memory_and_unknown_memory_are_no_reason_to_stop():
    check_memory(load_preset("tiny"), 4 * GIB)
    check_memory(load_preset("tiny"), None)


def test_checkpoints_that_do_not_fit_on_the_disk_are_refused(tmp_path):
    preset = load_preset("paper-7b-2xh100", ["estimate.parameters=1e15"])

    with pytest.raises(ConfigError, match=r"GiB of checkpoints to .* GiB are free there"):
        check_disk(preset, tmp_path / "not" / "there" / "yet")


def test_a_checkpoint_without_room_is_not_begun(tmp_path):
    with pytest.raises(StoreError, match=r"no room for a checkpoint of 1000000000000\.0 MB"):
        check_room(tmp_path, 1e18)

    check_room(tmp_path, 1.0)
