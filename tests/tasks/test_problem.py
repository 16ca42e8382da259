import pytest

from partbook.errors import ConfigError
from partbook.tasks.problem import Problem, Task

GIVEN = {"id": "1", "task": "t", "question": "q", "judge": "choice", "format": "letter"}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"id": " "}, "the id is blank"),
        ({"question": "\n"}, "the question is blank"),
        ({"choices": ("a", "b"), "reference": "C"}, "a letter A to B, found 'C'"),
        ({"choices": ("a", "b"), "reference": "AB"}, "a letter A to B, found 'AB'"),
        ({"choices": ("a",), "reference": "A"}, "2 to 10 choices were expected, found 1"),
        ({"choices": ("a",) * 11, "reference": "A"}, "2 to 10 choices were expected, found 11"),
        ({"reference": " "}, "nothing decides what is right"),
    ],
)
def test_a_problem_that_cannot_be_asked_or_judged_does_not_exist(change, reason):
    with pytest.raises(ConfigError, match=reason):
        Problem(**{**GIVEN, **change})


def test_a_task_gives_its_splits_and_all_of_them():
    one, two = (Problem(**{**GIVEN, "id": name, "reference": "x"}) for name in "ab")
    task = Task("t", "", {"train": (one,), "test": (two,)}, "here")

    assert task.split("test") == (two,)
    assert task.split("all") == (one, two)
    assert task.judge == "choice"
    with pytest.raises(ConfigError, match="no split 'validation' loaded; loaded: train, test"):
        task.split("validation")
