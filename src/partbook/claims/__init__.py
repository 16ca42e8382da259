"""The paper's claims in the lab: trained for, examined, and decided one by one.

Eight claims of arXiv:2512.04388 are put as statements that can fail (docs/claims.md). A programme
of stages trains and examines what they need, and a table says of each whether it holds here.

    answers.py    what a policy or a system did, problem by problem
    effect.py     differences with their intervals, over problems and over seeds
    work.py       what a stage does: train, teach, examine, look again, let rivals answer
    programme.py  which stages there are, and what each takes
    stages.py     runs them, several at a time, and skips those that are finished
    material.py   everything that the stages found
    verdicts.py   when a statement holds, and when a claim does
    statements.py the eight claims as statements
    table.py      the verdicts as Markdown and as JSON; plot.py: as a picture
"""
