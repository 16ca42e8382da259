"""The lab: a scripted world in which claims about orchestration are tested in minutes.

Its workers are scripts, and nothing here is evidence about language models. What it can show is
whether a policy, a trainer or an executor does what it should where the truth is known: problems
have a right answer, workers a known reliability, and every problem a computed best workflow.

    values.py     what questions are about; operations.py: what is done with it
    phrases.py    how that is said; reading.py: how it is understood; carrying.py: carried out
    problem.py    questions of one to four operations, in three disjoint splits; draft.py
    worker.py     workers that read what they are given and compute, reliably or not
    slips.py      how they go wrong
    pool.py       the eight of them, their cards and prices
    optimum.py    expected accuracy of a workflow; the best workflow of a problem
    table.py      how much there is to learn
    serve.py      the workers as an OpenAI-compatible endpoint
"""

from partbook.lab.optimum import Optimum, expected_accuracy, optimum, parts_workflow, perform
from partbook.lab.pool import lab_pool
from partbook.lab.problem import LabProblem, Part, lab_problem, lab_problems
from partbook.lab.table import Row, lab_table
from partbook.lab.worker import LabWorker

__all__ = [
    "LabProblem",
    "LabWorker",
    "Optimum",
    "Part",
    "Row",
    "expected_accuracy",
    "lab_pool",
    "lab_problem",
    "lab_problems",
    "lab_table",
    "optimum",
    "parts_workflow",
    "perform",
]
