"""A system as a model of Inspect, on a local task."""

import pytest

pytest.importorskip("inspect_ai", reason="needs pip install 'partbook[inspect]'")

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import get_model
from inspect_ai.scorer import includes
from inspect_ai.solver import generate

from partbook.cli.inspect_model import question_of
from partbook.errors import ConfigError
from partbook.evaluate.posed import lab_posed

pytestmark = pytest.mark.filterwarnings("default")  # the package's own warnings are not ours


def test_inspect_runs_a_task_on_a_system_and_reads_its_calls(tmp_path):
    problems = [posed for posed in lab_posed(12) if posed.difficulty == "1"]
    samples = [Sample(input=posed.question, target=posed.reference) for posed in problems]
    task = Task(dataset=samples, solver=generate(), scorer=includes())

    log = eval(
        task,
        model="partbook/moa:2@gus",
        model_args={"pool": "lab"},
        log_dir=str(tmp_path),
        display="none",
    )[0]

    assert log.status == "success"
    assert log.samples is not None
    outputs = [sample.output for sample in log.samples]
    assert len(outputs) == 3
    assert {output.metadata["partbook_calls"] for output in outputs} == {9}
    assert all(output.usage.total_tokens > 0 for output in outputs)
    right = [sample.scores["includes"].value for sample in log.samples]
    assert right == [
        "C" if posed.reference in output.completion.lower() else "I"
        for posed, output in zip(problems, outputs, strict=True)
    ]


def test_a_system_that_does_not_exist_is_refused_with_the_nearest_name():
    with pytest.raises(ConfigError, match="did you mean gus"):
        get_model("partbook/worker:guss", pool="lab")


def test_several_systems_are_no_model():
    with pytest.raises(ConfigError, match="one system was expected"):
        get_model("partbook/worker:*", pool="lab")


def test_a_chat_of_several_turns_says_who_said_what():
    assert question_of([("user", "2?"), ("assistant", "3"), ("user", "Sure?")]) == (
        "user: 2?\n\nassistant: 3\n\nuser: Sure?"
    )
