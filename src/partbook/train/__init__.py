"""Training: a Conductor that learns from reward whom to ask, and how to divide a question.

    row.py            one prompt with all that is random about it
    prompting.py      what the policy is shown
    environment.py    from a completion to a reward, whatever trains on it
    demonstration.py  what the warm start shows
    measure.py        what a policy does, split by format and orchestration
    preset.py         whole runs as data; presets/, data.py, expected.py
    task_rows.py      rows of real problems
    truth.py          are right answers rewarded?
    course.py         rows, environment and exams of a run: the lab's, or real tasks and a pool
    playing_loop.py   where rollouts are played
    estimate.py       what a run will take
    fit.py            does it fit on this machine?
    tokens.py         the tokenizer of a net from scratch
    policy.py         the net: built, opened, kept, sampled
    warm_start.py     supervised steps that teach the format
    scoring.py        the environment as TRL wants a reward function
    options.py        TRL's options
    grpo.py           GRPO by TRL
    alarm.py          stops a run that makes no sense
    exam.py           held-out rows on the way
    progress.py       what a person sees of a step
    run_folder.py     a run's directory
    same_run.py       does a checkpoint belong to a run?
    run.py            a run from its preset to its directory
    verl.py           data, command and score for verl
    accelerate/       configurations for several GPUs
    reproduce.py      several seeds and their table
    plot.py           curves of a run

What imports torch, TRL or matplotlib needs the extra `train`; the environment, rows and presets do
not.
"""
