"""Tasks: families of problems, one data set a file, and the judges that read their answers.

    problem.py     Problem, Task
    programs.py    what a program must pass
    formats.py     what a worker is shown, and what its answer must look like
    catalogue.py   the tasks by name
    family.py      from the rows of a published data set to a task
    source.py      where a published data set lies; hub.py: fetching it
    math500.py ... one published data set each
    gym.py         generated problems; gym_source.py: their generators; gym_judge.py, gym_worker.py
    own.py         a task file of your own
    rows.py        data files row by row; parquet.py, columns.py, offences.py, latex.py
    judging.py     from a problem to its judge
    ground_truth.py  does a task's own reference pass its own judge?
    judges/        one text against one reference

A judge says whether one text answers one problem. What a verdict is worth is a matter of
`partbook.reward`, and running a task is a matter of `partbook.evaluate`. No text of a published
data set is in this package; each module shows a problem of our own in the same columns.
"""
