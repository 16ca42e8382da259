"""What a deployment or a training run would do on machines that are not there: a simulation.

    world.py      a heap of moments, and tasks that wait
    limits.py     turns, a minute, a breaker: the limits in front of a worker
    desk.py       a worker that answers after a drawn time
    playing.py    one request by the executor's rules
    serving.py    requests that come at a rate
    training.py   a policy that writes, waits and is updated
    outcome.py    quantiles, use of limits, who is full first
    figures.py    what is known of workers and workflows: measured.py, assumed.py
    staging.py    from a pool's specs and all figures to what is played on

How a pool, a store and a preset become these values is left to the command.
"""
