import gc
import json
import re
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partbook.errors import ParseError, WorkflowError
from partbook.parse import MAX_CHARS, parse, render
from partbook.workflow import Step, Workflow
from tests.traces import workflows

steady = settings(deadline=None, derandomize=True)

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "parsing.jsonl").read_text("utf-8").splitlines()
]
POOL = 7
PLAN = 'model_id = [3, 1]\nsubtasks = ["Sketch it.", "Judge it."]\naccess_list = [[], [0]]\n'


WORKFLOWS = workflows(POOL, st.text())


def outcome(text, workers=POOL):
    """The workflow, or the reason why there is none."""
    try:
        return parse(text, workers)
    except ParseError as err:
        return err.reason


@pytest.mark.parametrize("case", CASES, ids=[f"{i}-{c['kind']}" for i, c in enumerate(CASES)])
def test_each_kind_of_text_has_its_one_meaning_or_its_reason(case):
    found = outcome(case["text"])

    if "reason" in case:
        assert found == case["reason"]
    else:
        assert [[s.worker, s.subtask, list(s.access)] for s in found.steps] == case["steps"]


@steady
@given(WORKFLOWS)
def test_a_rendered_workflow_is_read_back(workflow):
    assert parse(render(workflow), POOL) == workflow


@steady
@given(
    WORKFLOWS,
    st.sampled_from(["{}", "Plan:\n\n{}\nDone.", "```python\n{}\n```", "<think>a</think>{}"]),
)
def test_what_stands_around_the_lists_changes_nothing(workflow, around):
    assert parse(around.replace("{}", render(workflow)), POOL) == workflow


@pytest.mark.parametrize("char", ["\ud800", "\x00", "\u2028", "\\", '"', "\r", "\x85", "\ufeff"])
def test_a_rendered_workflow_may_hold_any_character(char):
    workflow = Workflow((Step(0, f"a{char}u{char}nabla{char}"), Step(1, f"{char}x\nu", (0,))))

    assert parse(render(workflow), 2) == workflow


def test_the_canonical_text_is_three_python_lists():
    workflow = Workflow((Step(2, 'Say "hi".\nTwice.'), Step(0, "Halve \\frac{a}{b}.", (0,))))

    assert render(workflow) == (
        "model_id = [2, 0]\n"
        'subtasks = ["Say \\"hi\\".\\nTwice.", "Halve \\\\frac{a}{b}."]\n'
        "access_list = [[], [0]]"
    )


@steady
@given(WORKFLOWS, st.data())
def test_lists_that_are_cut_off_anywhere_are_no_workflow(workflow, data):
    text = render(workflow)
    length = data.draw(st.integers(0, len(text) - 1))

    with pytest.raises(ParseError):
        parse(text[:length], POOL)


@steady
@given(WORKFLOWS, WORKFLOWS, st.data())
def test_lists_of_two_workflows_are_never_mixed(first, second, data):
    text = render(second)
    length = data.draw(st.integers(0, len(text)))

    found = outcome(f"Such as:\n{render(first)}\n\nMine:\n{text[:length]}")

    if length <= len("model_id"):
        assert found == first
    elif length == len(text):
        assert found == second
    elif length > len("model_id ="):
        # Where the first list says the same again, nothing tells that a second try began.
        assert isinstance(found, str) or (found == first and first.workers == second.workers)


@steady
@given(WORKFLOWS, st.data())
def test_a_mark_left_out_never_cuts_or_joins_subtasks(workflow, data):
    steps = [Step(s.worker, f"it's {i}, a [b]", s.access) for i, s in enumerate(workflow.steps)]
    workflow = Workflow(tuple(steps))
    text = render(workflow)
    inside = [k for m in re.finditer(r'"[^"]*"', text) for k in range(m.start() + 1, m.end() - 1)]
    marks = [k for k, char in enumerate(text) if char in '"[],' and k not in inside]
    at = data.draw(st.sampled_from(marks))

    found = outcome(text[:at] + text[at + 1 :])

    assert isinstance(found, str) or found == workflow


@steady
@given(st.text())
def test_no_text_raises_anything_but_a_parse_error(text):
    outcome(text)


FRAGMENTS = [
    *("model_id", "subtasks", "access_list", "access", " = ", ": ", "[", "]", "(", ")", "{", "}"),
    *('"', "'", "“", "”", "’", '"""', "'''", "\\", "\\n", "\\u00e9", "\\ud800", ", ", "\n", " "),
    *("0", "1", "99", "-1", "1.5", "all", '"all"', "null", "None", "true", "...", "#", "//", "```"),
    *("<think>", "</think>", "x", "it's", "\x00", "\ud83d", "［", "，", "r", "f", PLAN, PLAN[:40]),
    *("model_id = [0]\n", 'subtasks = ["a"]\n', "access_list = [[]]\n", "subtasks: ['a', "),
]


@steady
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=30).map("".join), st.integers(0, 9))
def test_no_near_miss_raises_anything_but_a_parse_error(text, workers):
    found = outcome(text, workers)

    if not isinstance(found, str):
        assert found == parse(render(found), workers)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (PLAN.replace("[0]", "[1]"), "step 1: access 1 is not an earlier step (0..0)"),
        (PLAN.replace("1]", "8]"), "step 1: worker 8 does not exist, the pool has 0..6"),
        (PLAN.replace("Judge it.", " "), "step 1: the subtask is blank"),
        (
            PLAN.replace("3, 1", "3"),
            "the lists must be of equal length; model_id has 1, subtasks 2, access_list 2",
        ),
        (
            PLAN.replace("3, 1", "3, one"),
            "model_id, line 1: 'one]\\nsubtasks = [\"Sketch…' is not a literal",
        ),
        (
            PLAN.replace("Judge it.", 'Judge "it", "all".'),
            'subtasks, line 2: a " inside a string is not written as \\", '
            'at \'", "all"."]\\naccess_list …\'',
        ),
        (PLAN[:-4], "access_list, line 3: a list is not closed, the text ends inside it"),
        (PLAN[:-25], "model_id and subtasks without access_list; write all three lists together"),
    ],
)
def test_a_message_says_what_is_wrong_and_where(text, message):
    with pytest.raises(ParseError) as caught:
        parse(text, POOL)

    assert str(caught.value) == message


def test_a_lower_limit_of_steps_is_kept_and_a_higher_one_is_not():
    assert outcome(PLAN, 4) == parse(PLAN, 4, max_steps=2)
    with pytest.raises(ParseError, match="1 to 1 steps, this one has 2"):
        parse(PLAN, 4, max_steps=1)
    with pytest.raises(ParseError, match="1 to 5 steps, this one has 6"):
        parse(
            "model_id = [0,0,0,0,0,0]\nsubtasks = ['a','b','c','d','e','f']\naccess_list = 'all'",
            4,
            max_steps=9,
        )


def test_a_text_that_is_too_long_is_refused_whole():
    filler = "a" * (MAX_CHARS - len(PLAN))

    assert outcome(PLAN + filler) == parse(PLAN, POOL)
    assert outcome(PLAN + filler + "a") == "too_long"


def test_a_parse_error_is_a_workflow_error_with_the_text():
    with pytest.raises(WorkflowError) as caught:
        parse("no lists", POOL)

    assert caught.value.text == "no lists"


HEADS = ["", "model_id = [", 'subtasks = ["a\n', PLAN]
REPEATED = [
    *FRAGMENTS,
    *("model_id=", "model_id=[", "model_id=[0] ", "model_id=[0]\n", 'subtasks=["', "subtasks=['"),
    *('subtasks=["a","', 'subtask: "', 'subtask: ["x" ', "subtasks=[“", 'subtasks=["""'),
    *('subtasks=["x\n', '"a" # ', '"a",\n#b\n', ' "w" ', ' "w", ', ' "w", #', '"",', '"" ', '","'),
    *("a'b ", "'s ", '" "', "“”", "”“", "all,", "0,", "1.", "- ", "* ", "> ", "1)", "\r\n", "\t"),
    *(
        "\\frac",
        "\\\\",
        "\\u0041",
        "\\x41",
        "\\\n",
        "`model_id` ",
        "model_id: ```",
        "model_id: list[",
    ),
    *("<think></think>", "[THINK]", "<|channel|>final", "<", "$", "𝔘", "_", "model_id_", "# "),
]


@pytest.mark.parametrize("head", HEADS)
def test_a_long_hostile_text_is_done_with_quickly(head):
    """Quadratic time would be some seconds; linear time is about 0.01 to 0.03."""
    slow = {}
    gc.disable()  # a collection takes as long as everything else in the process is large
    try:
        for piece in REPEATED:
            text = head + piece * (30_000 // len(piece))
            begun = time.process_time()
            outcome(text)
            seconds = time.process_time() - begun
            if seconds > 0.25:
                slow[piece] = seconds
    finally:
        gc.enable()

    assert slow == {}


def test_deep_nesting_and_long_numbers_are_refused_at_once():
    assert outcome(PLAN.replace("[[], [0]]", "[" * 90_000)) == "too_deep"
    assert outcome(PLAN.replace("3, 1", "7" * 90_000)) == "bad_model_id"
    assert outcome("model_id = [0]\n" * 2000) == "too_many_lists"


def test_an_ordinary_text_takes_well_under_a_millisecond():
    text = "Worker 3 draws well, worker 1 is a good critic. " * 20 + "\n\n" + PLAN
    parse(text, POOL)

    begun = time.process_time()
    for _ in range(100):
        parse(text, POOL)

    assert (time.process_time() - begun) / 100 < 0.001


def test_in_a_later_round_all_is_the_round_before_too_and_step_by_step():
    text = 'model_id = [0, 1, 0]\nsubtasks = ["a", "b", "c"]\naccess_list = [["all"], [0], "ALL"]'

    first, later = parse(text, 2), parse(text, 2, later=True)

    assert [(step.access, step.before) for step in first.steps] == [
        ((), False),
        ((0,), False),
        ((0, 1), False),
    ]
    assert [(step.access, step.before) for step in later.steps] == [
        ((), True),
        ((0,), False),
        ((0, 1), True),
    ]
    assert parse(render(later), 2, later=True) == later


def test_three_empty_lists_have_their_own_reason_in_every_round():
    for later in (False, True):
        with pytest.raises(ParseError) as refused:
            parse("model_id = []\nsubtasks = []\naccess_list = []", 2, later=later)
        assert refused.value.reason == "empty_plan"
