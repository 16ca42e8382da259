"""Training: a Conductor that learns from reward whom to ask, and how to divide a question.

A run as data
    preset.py         whole runs, in presets/; recipe.py, data.py, estimate.py: tables of a preset
    options.py        TRL's options; launching.py: how it is started on GPUs, by accelerate/
    needs.py          what a run will take
    fit.py            does it fit on this machine?

Problems, rollouts, rewards
    row.py            one prompt with all that is random about it
    task_rows.py      rows of real problems
    course.py         rows, environment and exams of a run: the lab's, or real tasks and a pool
    environment.py    from a completion to a reward, whatever trains on it
    ablation.py       workflows that are played otherwise than they are written
    playing_loop.py   where rollouts are played; spreading.py: on other machines
    truth.py          are right answers rewarded?

The policy
    tokens.py         the tokenizer of a net from scratch
    policy.py         the net: built, opened, kept, sampled
    warm_start.py     supervised steps that teach the format
    demonstration.py  what they show; disguise.py: problems made less familiar

GRPO
    scoring.py        the environment as TRL wants a reward function
    recursion.py      first and second rounds in pairs, or second rounds alone
    overlap.py        groups in flight while the policy learns; group_queue.py, in_flight.py
    grpo.py           GRPO by TRL
    alarm.py          stops a run that makes no sense; watch.py: warns of what comes before
    hush.py           the libraries say only what is wrong
    verl.py           data and score for verl; verl_launch.py, verl_plugin.py

A run and what came of it
    run.py            a run from its preset to its directory
    run_folder.py     that directory
    same_run.py       does a checkpoint belong to a run?
    progress.py       what a person sees of a step
    exam.py           held-out rows on the way
    measure.py        what a policy does, split by format and orchestration
    second_look.py    what a second round is worth
    reproduce.py      several seeds and their table; bars.py: what they have to reach
    plot.py           curves of a run
    export.py         the policy for others; card.py: its model card
    gguf_weights.py   as a GGUF file; gguf_words.py: its tokenizer; gguf_net.py: and back

What imports torch, TRL or matplotlib needs the extra `train`; the environment, rows and presets do
not.
"""
