import asyncio
import json

import pytest
import typer
from typer.testing import CliRunner

from partbook.budget import Limits
from partbook.cli.choosing import choose
from partbook.cli.conductors import find_outside
from partbook.cli.plan import plan_command
from partbook.cli.run import run_command
from partbook.cli.setup import Setup
from partbook.config import PoolConfig
from partbook.errors import ConfigError
from partbook.message import Sampling
from partbook.pool import WorkerSpec
from tests.gguf_head import gguf, said
from tests.models.scripted_server import ScriptedServer, completion, reply

WORKFLOW = 'model_id = [0]\nsubtasks = ["add"]\naccess_list = [[]]'

app = typer.Typer()
app.command("plan")(plan_command)
app.command("run")(run_command)


def written(path, **facts):
    """A GGUF file of nothing but a head."""
    path.write_bytes(gguf(*(said(key.replace("_", ".", 1), value) for key, value in facts.items())))
    return path


def adapter(path, **more):
    return written(path, general_type="adapter", general_architecture="llama", **more)


def test_a_model_of_the_registry_is_held_to_the_format():
    found = find_outside("smollm2-135m")

    assert (found.spec.kind, found.spec.model, found.style) == ("local", "smollm2-135m", "paper")
    assert found.constrain
    assert found.spec.sampling == Sampling(1024, temperature=0.0)


def test_a_trained_file_is_asked_as_it_was_trained(tmp_path, monkeypatch):
    facts = {
        "partbook_prompt_style": "bare",
        "partbook_max_tokens": 160,
        "lfm2_context_length": 512,
    }
    path = written(tmp_path / "c.gguf", general_architecture="lfm2", **facts)
    monkeypatch.chdir(tmp_path)

    found = find_outside("c.gguf")

    assert (found.text, found.spec.model, found.style) == (str(path), str(path), "bare")
    assert found.spec.sampling == Sampling(160, temperature=0.0)
    assert found.spec.context_window == 512
    assert not found.constrain


def test_a_style_at_the_end_goes_before_what_the_weights_say(tmp_path):
    path = written(tmp_path / "c.gguf", partbook_prompt_style="bare", partbook_max_tokens=160)

    found = find_outside(f"{path}:cards")

    assert (found.text, found.style) == (f"{path}:cards", "cards")


def test_an_adapter_names_its_base_or_is_told_it(tmp_path):
    facts = {"partbook_prompt_style": "cards", "partbook_max_tokens": 96}
    whole = adapter(tmp_path / "a.gguf", partbook_base="smollm2-135m", **facts)
    half = adapter(tmp_path / "b.gguf", **facts)

    assert find_outside(str(whole)).spec.model == f"smollm2-135m+{whole}"
    assert find_outside(f"smollm2-135m+{half}").spec.model == f"smollm2-135m+{half}"
    with pytest.raises(ConfigError, match=r"is an adapter; say what it lies over"):
        find_outside(str(half))


def test_a_whole_model_is_no_adapter(tmp_path):
    path = written(tmp_path / "c.gguf", general_type="model")

    with pytest.raises(ConfigError, match=r"c.gguf is a whole model, an adapter was expected"):
        find_outside(f"smollm2-135m+{path}")


def test_a_folder_and_a_hub_id_go_through_the_library(tmp_path):
    (tmp_path / "config.json").write_text("{}")

    found = find_outside(str(tmp_path))

    assert (found.spec.kind, found.spec.model) == ("torch", str(tmp_path))
    assert find_outside("owner/name").spec.model == "owner/name"
    assert find_outside("owner/name").files == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "nobody",
            "expected a worker of the pool or a model .*a, b.*smollm2-135m.* found 'nobody'",
        ),
        ("nobody:cards", "found 'nobody:cards'"),
        ("none.gguf", "cannot read the model .*none.gguf: No such file"),
    ],
)
def test_what_is_none_of_them_is_refused_with_what_was_expected(text, message):
    with pytest.raises(ConfigError, match=message):
        find_outside(text, ["a", "b"])


def test_a_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"holds no model: there is no config.json"):
        find_outside(str(tmp_path))


def setup_of(conductor):
    return Setup.of("lab", None, conductor, Limits(), None, None, None)


def test_other_weights_under_the_same_name_are_noticed_when_a_run_goes_on(tmp_path, monkeypatch):
    facts = {"partbook_prompt_style": "bare", "partbook_max_tokens": 160}
    path = written(tmp_path / "c.gguf", **facts)
    monkeypatch.chdir(tmp_path)
    setup = Setup.from_json(setup_of("c.gguf").to_json())

    monkeypatch.chdir("/")
    setup.check_unchanged()
    written(path, general_type="model", **facts)

    with pytest.raises(ConfigError, match=r"the Conductor .*c.gguf is not what it was"):
        setup.check_unchanged()


def test_a_setup_of_before_is_still_read():
    data = json.loads(setup_of("smollm2-135m").to_json())
    del data["conductor_hash"]

    Setup.from_json(json.dumps(data)).check_unchanged()


async def served(*arguments, text=WORKFLOW):
    """What a command says whose Conductor is at an endpoint, and what that was asked."""
    async with ScriptedServer(reply(completion(text))) as server:
        who = f"{server.url}#m-1"
        command = [argument.replace("WHO", who) for argument in arguments]
        result = await asyncio.to_thread(CliRunner().invoke, app, command)
        return result, [request.json() for request in server.requests]


async def test_an_endpoint_writes_the_workflow():
    result, asked = await served("plan", "-p", "lab", "--json", "-c", "WHO", "Add 3 and 4.")

    assert result.exit_code == 0
    assert json.loads(result.stdout)["source"] == "conductor"
    assert asked[0]["model"] == "m-1"
    assert "Add 3 and 4." in asked[0]["messages"][0]["content"]


async def test_an_endpoint_is_asked_in_the_style_at_the_end():
    result, asked = await served("plan", "-p", "lab", "-c", "WHO:cards", "Add 3 and 4.")

    assert result.exit_code == 0
    (message,) = asked[0]["messages"]
    assert message["content"].endswith(")\nQuestion: Add 3 and 4.\n")
    assert asked[0]["temperature"] == 0


async def test_a_conductor_from_outside_needs_a_price_under_a_limit_in_dollars():
    result, asked = await served("run", "-p", "lab", "-c", "WHO", "--max-usd", "1", "q")

    assert "unknown: (conductor)" in str(result.exception)
    assert asked == []


async def test_it_is_recorded_and_replayed_as_a_worker_is(tmp_path):
    folder = str(tmp_path / "rec")
    async with ScriptedServer(reply(completion(WORKFLOW))) as server:
        command = ["run", "-p", "lab", "-c", f"{server.url}#m-1", "Add 3 and 4."]
        first = await asyncio.to_thread(CliRunner().invoke, app, [*command, "--record", folder])
    again = await asyncio.to_thread(CliRunner().invoke, app, [*command, "--replay", folder])

    assert (first.exit_code, first.stdout) == (again.exit_code, again.stdout)
    assert len(server.requests) == 1


async def test_after_an_invalid_text_a_policy_is_not_asked_again():
    result, asked = await served("plan", "-p", "lab", "--json", "-c", "WHO:bare", "q", text="no")

    assert json.loads(result.stdout)["source"] == "fallback"
    assert len(asked) == 1


def pool_of(conductor):
    worker = WorkerSpec("w", "calculator", card="counts")
    return PoolConfig("mine", "one tool", (worker,), conductor=conductor)


def test_a_pool_file_may_name_a_conductor_from_outside():
    chosen = choose(pool_of("smollm2-135m"), None, None)

    assert chosen.outside.spec.model == "smollm2-135m"


def test_nobody_that_a_pool_file_names_is_said_to_be_its_mistake():
    with pytest.raises(ConfigError, match="pool 'mine': conductor: expected a worker"):
        choose(pool_of("nobody"), None, None)
