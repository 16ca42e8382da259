import re
from decimal import Decimal
from pathlib import Path

import pytest

from partbook.config import load_pool, load_workflow, pool_names, workflow_names
from partbook.errors import ConfigError
from partbook.message import Sampling
from partbook.pool import AgentPool, Example, Worker, WorkerSpec
from partbook.price import Price
from tests.fakes import Echo

POOL = """
name = "mine"
conductor = "big"

[[workers]]
name = "big"
kind = "http"
endpoint = "openai"
key_env = "MY_KEY"
model = "gpt-5"
card = "good at everything"
roles = ["general"]
price = { input_usd = 1.25, output_usd = 10 }
sampling = { max_tokens = 100, temperature = 1, stop = ["END"] }

[[workers.examples]]
user = "1+1"
assistant = "2"

[[workers]]
name = "runner"
kind = "python"
"""


def write(folder: Path, text: str | bytes) -> str:
    path = folder / "pool.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def test_a_pool_file_becomes_specs(tmp_path):
    config = load_pool(write(tmp_path, POOL))

    assert (config.name, config.conductor, config.fallback) == ("mine", "big", "single")
    assert config.workers == (
        WorkerSpec(
            name="big",
            kind="http",
            endpoint="openai",
            key_env="MY_KEY",
            model="gpt-5",
            card="good at everything",
            roles=("general",),
            examples=(Example("1+1", "2"),),
            price=Price(Decimal("1.25"), Decimal("10.0")),
            sampling=Sampling(max_tokens=100, temperature=1.0, stop=("END",)),
        ),
        WorkerSpec(name="runner", kind="python", context="plain"),
    )


def test_a_worker_says_what_is_done_about_its_faults(tmp_path):
    keys = """
retries = 5
fallbacks = ["runner"]
requests_per_minute = 60
tokens_per_minute = 90000
on_truncated = "continue"
on_overflow = "shorten"
opens_reasoning = true
card ="""

    big = load_pool(write(tmp_path, POOL.replace("card =", keys, 1))).workers[0]

    assert (big.retries, big.fallbacks) == (5, ("runner",))
    assert (big.requests_per_minute, big.tokens_per_minute) == (60, 90000)
    assert (big.on_truncated, big.on_overflow) == ("continue", "shorten")
    assert big.opens_reasoning


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("conductor =", "conductr ="), "unknown key `conductr`; did you mean `conductor`?"),
        (("max_tokens", "max_token"), "(big): sampling: unknown key `max_token`"),
        (('kind = "python"', 'kind = "pyton"'), "must be one of http, local, torch, calculator"),
        (('name = "runner"', 'name = "big"'), "two workers are named 'big'"),
        (('model = "gpt-5"', ""), "(big): `model` is missing"),
        (("max_tokens = 100", "max_tokens = 0"), "`max_tokens` must be at least 1, found 0"),
        (("temperature = 1", "temperature = 3"), "`temperature` must be 0 to 2"),
        (("temperature = 1", 'temperature = "1"'), "`temperature` must be a number, found '1'"),
        (("input_usd = 1.25", "input_usd = -1"), "a price of 0 or more was expected"),
        (('roles = ["general"]', 'roles = "general"'), "`roles` must be a list, each item text"),
        (("name = ", "name = ="), "not TOML"),
        (("card =", "retries = 21\ncard ="), "`retries` must be 0 to 20, found 21"),
        (("card =", "requests_per_minute = 0\ncard ="), "must be at least 1, found 0"),
        (("card =", 'on_truncated = "cut"\ncard ='), "must be one of mark, continue, fail"),
        (("card =", 'on_overflow = "cut"\ncard ='), "must be one of fail, shorten"),
        (("card =", 'fallbacks = ["small"]\ncard ='), "found 'small'; others: runner"),
        (("card =", 'fallbacks = ["big"]\ncard ='), "must name other workers of the pool"),
    ],
)
def test_a_fault_in_a_pool_file_is_named_with_its_place(tmp_path, change, message):
    path = write(tmp_path, POOL.replace(*change, 1))

    with pytest.raises(ConfigError) as raised:
        load_pool(path)

    assert message in str(raised.value)
    assert path in str(raised.value)


def test_a_pool_file_that_is_not_utf8_is_refused(tmp_path):
    path = write(tmp_path, b'name = "\xff"')

    with pytest.raises(ConfigError, match="UTF-8 was expected, byte 8 is not"):
        load_pool(path)


def test_a_missing_or_unreadable_file_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"cannot read .*nowhere\.toml: No such file"):
        load_pool(str(tmp_path / "nowhere.toml"))
    with pytest.raises(ConfigError, match="Is a directory"):
        load_pool(str(tmp_path))


@pytest.mark.parametrize("read", [load_pool, load_workflow])
def test_a_text_that_is_too_long_for_a_path_is_no_name(read):
    with pytest.raises(ConfigError, match=r"^no (pool|workflow) 'xxx.*; known: "):
        read("x" * 300)


def test_an_unknown_pool_is_answered_with_the_nearest():
    with pytest.raises(ConfigError, match="no pool 'embeded'; did you mean 'embedded'"):
        load_pool("embeded")


@pytest.mark.parametrize("name", pool_names())
def test_every_pool_that_comes_along_loads_and_can_play_its_defaults(name):
    config = load_pool(name)
    pool = AgentPool(name, tuple(Worker(spec, Echo(spec.name)) for spec in config.workers))

    assert config.name == name
    assert bool(config.workflow) != bool(config.conductor)
    load_workflow(config.workflow or config.fallback).resolve(pool)
    load_workflow(config.fallback).resolve(pool)
    assert all(spec.card for spec in config.workers)


@pytest.mark.parametrize("name", workflow_names())
def test_every_workflow_that_comes_along_loads_and_fits_the_embedded_pool(name):
    config = load_pool("embedded")
    pool = AgentPool("e", tuple(Worker(spec, Echo(spec.name)) for spec in config.workers))

    workflow = load_workflow(name)

    assert workflow.name == name
    assert workflow.about
    assert len(workflow.resolve(pool).steps) == len(workflow.steps)


def test_a_workflow_that_reads_a_later_step_is_refused_when_it_is_resolved(tmp_path):
    path = tmp_path / "w.toml"
    path.write_text('name = "w"\n[[steps]]\nworker = "a"\nsubtask = "x"\naccess = [1]\n')
    pool = AgentPool("p", (Worker(WorkerSpec("a", "http"), Echo("a")),))

    with pytest.raises(ConfigError, match=r"workflow 'w': step 0: access 1 is not an earlier step"):
        load_workflow(str(path)).resolve(pool)


def test_a_workflow_without_steps_is_refused(tmp_path):
    path = tmp_path / "w.toml"
    path.write_text('name = "w"\n')

    with pytest.raises(ConfigError, match="needs at least one"):
        load_workflow(str(path))


KEYED = '[[workers]]\nname = "a"\nkind = "http"\nmodel = "m"\nendpoint = "openai"\n'


def test_a_key_file_is_looked_for_from_the_pool_file_on(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", "/home/me")
    named = ["keys/a", "/etc/a", "~/a"]
    tables = [KEYED.replace('"a"', f'"{i}"') + f'key_file = "{n}"\n' for i, n in enumerate(named)]

    config = load_pool(write(tmp_path, 'name = "p"\n' + "".join(tables)))

    files = [worker.key_file for worker in config.workers]
    assert files == [str(tmp_path / "keys/a"), "/etc/a", "/home/me/a"]


def test_a_key_is_either_in_the_environment_or_in_a_file(tmp_path):
    path = write(tmp_path, f'name = "p"\n{KEYED}key_env = "A"\nkey_file = "b"\n')

    with pytest.raises(ConfigError, match="`key_env` and `key_file` exclude each other"):
        load_pool(path)


@pytest.mark.parametrize("line", ['key_env = "sk-0123456789"', 'key = "sk-0123456789"'])
def test_a_key_in_the_pool_file_is_refused_without_being_quoted(tmp_path, line):
    with pytest.raises(ConfigError, match="key_env") as raised:
        load_pool(write(tmp_path, f'name = "p"\n{KEYED}{line}\n'))

    assert "0123456789" not in str(raised.value)


ITSELF = '[[workers]]\nname = "myself"\nkind = "conductor"\ncard = "plans"\n'


def test_a_worker_may_be_the_conductor_itself_and_have_labels(tmp_path):
    text = f'name = "p"\n{KEYED}labels = ["no-customer-data", "eu"]\n{ITSELF}'

    config = load_pool(write(tmp_path, text))

    assert config.workers[0].labels == ("no-customer-data", "eu")
    assert (config.workers[1].kind, config.workers[1].model) == ("conductor", "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f'{KEYED}labels = [" "]\n', "a label is blank"),
        (f'{KEYED}labels = "eu"\n', "labels"),
        (f'{KEYED}fallbacks = ["myself"]\n{ITSELF}', "`fallbacks` of 'a' must name other workers"),
        (f'{KEYED}{ITSELF}fallbacks = ["a"]\n', "`fallbacks` of 'myself' must name other workers"),
    ],
)
def test_what_labels_and_conductors_cannot_be_is_refused(tmp_path, text, message):
    with pytest.raises(ConfigError, match=re.escape(message)):
        load_pool(write(tmp_path, f'name = "p"\n{text}'))
