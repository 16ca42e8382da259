"""Takes the Conductor's workflow out of its text: `parse`, and `render` for the way back.

The paper's form (arXiv:2512.04388, section 3.1) is three Python lists, `model_id`, `subtasks` and
`access_list`, after free reasoning. What models write around and into them is accepted where it
can mean one thing only, and refused otherwise: no list is completed, shortened, shifted or taken
from another workflow, and nothing is evaluated. Where the lists stand is left to `lists.py`, how
they are spelled to `literal.py` and `escape.py`, the rules of a workflow to `workflow.py`.
"""

from collections.abc import Sequence
from typing import Final, Literal

from partbook.errors import ParseError, WorkflowError
from partbook.parse.escape import escape
from partbook.parse.lists import ListName, find_lists
from partbook.parse.literal import LiteralError, Value, read_list
from partbook.workflow import MAX_STEPS, Step, Workflow

__all__ = ["MAX_CHARS", "Reason", "parse", "render"]

MAX_CHARS: Final = 200_000
"""The longest text read, in characters. A longer one is refused: half of it could mean anything."""

Reason = Literal[
    "too_long",
    "too_many_lists",
    "unfinished_reasoning",
    "only_reasoning",
    "no_lists",
    "missing_list",
    "truncated",
    "not_a_literal",
    "too_deep",
    "bad_model_id",
    "bad_subtask",
    "bad_access",
    "length_mismatch",
    "empty_plan",
    "too_many_steps",
    "unknown_worker",
    "empty_subtask",
    "self_or_forward_reference",
]
"""Every `ParseError.reason` there is. Three empty lists are `empty_plan`."""


def parse(text: str, workers: int, *, max_steps: int = MAX_STEPS, later: bool = False) -> Workflow:
    r"""Find the workflow in what a Conductor wrote.

    Args:
        text: any text, well-formed or hostile; time and memory are linear in it.
        workers: size of the pool; a step names one of 0..workers-1.
        max_steps: the most steps allowed; more than `MAX_STEPS` are never.
        later: whether there is a round before, whose answer a step with access to "all" reads too
            (arXiv:2512.04388, Figure 14).

    Raises:
        ParseError: there is none, or it breaks a rule of the format. Nothing else is raised.

    >>> parse('model_id = [2]\nsubtasks = ["Solve it."]\naccess_list = [[]]', 3).steps
    (Step(worker=2, subtask='Solve it.', access=()),)
    """
    try:
        if len(text) > MAX_CHARS:
            raise _refusal("too_long", f"{len(text)} characters; at most {MAX_CHARS} are read")
        return _workflow(find_lists(text), workers, min(max_steps, MAX_STEPS), later)
    except ParseError as err:
        err.text = text
        raise


def render(workflow: Workflow) -> str:
    r"""Write a workflow in its canonical form: one list a line, access as step indices.

    For every valid workflow of a first round `parse(render(w), n) == w`, and for one of a later
    round with `later`, as long as the text is under `MAX_CHARS`.

    >>> print(render(Workflow((Step(2, "Solve it."), Step(0, "Check it.", (0,))))))
    model_id = [2, 0]
    subtasks = ["Solve it.", "Check it."]
    access_list = [[], [0]]
    """
    steps = workflow.steps
    access = ", ".join('["all"]' if s.before else str(list(s.access)) for s in steps)
    subtasks = ", ".join(f'"{escape(step.subtask)}"' for step in steps)
    return (
        f"model_id = {[step.worker for step in steps]}\n"
        f"subtasks = [{subtasks}]\n"
        f"access_list = [{access}]"
    )


def _workflow(lists: dict[ListName, Value], workers: int, max_steps: int, later: bool) -> Workflow:
    models = _list("model_id", lists["model_id"], "bad_model_id")
    subtasks = _list("subtasks", lists["subtasks"], "bad_subtask")
    access = _access_entries(lists["access_list"], len(models))
    lengths = (len(models), len(subtasks), len(access))
    if lengths == (0, 0, 0):
        raise _refusal("empty_plan", "the lists are empty; a workflow has at least one step")
    if len(set(lengths)) > 1:
        raise _refusal(
            "length_mismatch",
            "the lists must be of equal length; model_id has {}, subtasks {}, "
            "access_list {}".format(*lengths),
        )
    if len(models) > max_steps:
        raise _refusal(
            "too_many_steps", f"a workflow has 1 to {max_steps} steps, this one has {len(models)}"
        )
    steps = tuple(
        Step(_worker(i, model), _subtask(i, subtask), *_access(i, entry, later))
        for i, (model, subtask, entry) in enumerate(zip(models, subtasks, access, strict=True))
    )
    try:
        workflow = Workflow(steps)
        workflow.check_workers(workers)
    except WorkflowError as err:
        raise _refusal(_broken_rule(steps), str(err)) from None
    return workflow


def _broken_rule(steps: Sequence[Step]) -> Reason:
    """The name of the first rule broken, in the order in which a workflow checks them."""
    for i, step in enumerate(steps):
        if step.worker < 0:
            return "unknown_worker"
        if not step.subtask.strip():
            return "empty_subtask"
        if any(not 0 <= j < i for j in step.access):
            return "self_or_forward_reference"
    return "unknown_worker"


def _list(name: str, value: Value, reason: Reason) -> list[Value]:
    value = _unpacked(name, value)
    if not isinstance(value, list):
        raise _refusal(reason, f"{name} must be a list, found {_shown(value)}")
    return value


def _unpacked(name: str, value: Value) -> Value:
    """The list that arrived as a string; any other value as it is."""
    if not isinstance(value, str) or not value.lstrip().startswith(("[", "(")):
        return value
    try:
        text = value.strip()
        inner, end = read_list(text, 0)
    except LiteralError as fault:
        # A whole string cannot be cut off: what is wrong in it is wrong.
        raise _refusal("not_a_literal", f"{name}: in the string {_shown(value)}: {fault}") from None
    if end != len(text):
        raise _refusal("not_a_literal", f"{name}: the string {_shown(value)} is not one list")
    return inner


def _access_entries(value: Value, steps: int) -> list[Value]:
    """One entry a step."""
    value = _unpacked("access_list", value)
    if _is_all(value):
        return ["all"] * steps
    if steps == 1 and (value == [] or _is_nothing(value)):
        return [[]]
    return _list("access_list", value, "bad_access")


def _worker(i: int, value: Value) -> int:
    number = _whole_number(value)
    if number is None:
        raise _refusal(
            "bad_model_id", f"step {i}: a worker is a whole number, found {_shown(value)}"
        )
    return number


def _subtask(i: int, value: Value) -> str:
    if not isinstance(value, str):
        raise _refusal("bad_subtask", f"step {i}: a subtask is a string, found {_shown(value)}")
    return value


def _access(i: int, value: Value, later: bool) -> tuple[tuple[int, ...], bool]:
    """Indices of the steps read, ascending, none twice, and whether the round before is read.

    `all` is every earlier step, and in a later round the answer of the round before.
    """
    value = _unpacked(f"access_list, step {i}", value)
    if _is_nothing(value):
        return (), False
    entries = value if isinstance(value, list) else [value]
    read: set[int] = set()
    before = False
    for entry in entries:
        number = _whole_number(entry)
        if _is_all(entry):
            read.update(range(i))
            before = later
        elif number is not None:
            read.add(number)
        else:
            raise _refusal(
                "bad_access",
                f'step {i}: access holds indices of earlier steps or "all", found {_shown(entry)}',
            )
    return tuple(sorted(read)), before


def _whole_number(value: Value) -> int | None:
    """An int, or one in a string; True is none."""
    if isinstance(value, str):
        digits = value.strip()
        is_short = len(digits) <= 9 and digits.isascii()
        return int(digits) if is_short and digits.removeprefix("-").isdigit() else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _is_all(value: Value) -> bool:
    return isinstance(value, str) and value.strip().lower() == "all"


def _is_nothing(value: Value) -> bool:
    return value is None or (
        isinstance(value, str) and value.strip().lower() in ("", "none", "null")
    )


def _shown(value: Value) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:40] + "…"


def _refusal(reason: Reason, message: str) -> ParseError:
    return ParseError(message, reason=reason)
