"""Judges: one text against one problem's reference, into right, wrong or not judged.

    verdict.py    what a judge says
    judge.py      the seam, and the judges by name
    answers.py    where in a text the answer stands: reasoning, boxes, tags, statements
    maths.py      mathematics, in the steps maths_answer (where the answer stands), maths_text
                  (LaTeX in one spelling), maths_number (exact numbers), maths_shape, maths_leaf
                  and maths_read (lists, intervals, matrices), maths_alike (are two shapes equal),
                  maths_worker (math-verify, in a process that can be killed)
    units.py      percent, money and measures
    choice.py     multiple choice: choice_text (spellings), choice_line (a statement's letter)
    short.py      short answers
    code.py       programs: code_cases (input and output), code_source (asserts, test cases),
                  code_names (what tests want of a program), code_alike (are two outputs equal),
                  code_files (one run in the sandbox); inside/: what runs there
    pattern.py    exact text and regular expressions
    rubric.py     free text by a rubric, by a model's opinion
    marked.py     a text of unknown origin as a judge that is a model sees it
    killable.py   processes that are stopped from outside when a check takes too long;
                  checker.py: the inside of such a process

A text is what a model wrote and therefore hostile: it is bounded before it is read and never
evaluated as a program.
"""
