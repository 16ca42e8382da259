"""What a deployment or a training run would do on machines that are not there: a simulation.

A heap of moments (`world.py`), the limits in front of a worker (`limits.py`), a worker that answers
after a drawn time (`desk.py`), and runs that are played by the executor's rules (`playing.py`).
What is drawn comes from measured figures (`measured.py`) or from stated ones (`assumed.py`). How a
pool, a store and a preset become these values is left to the command.
"""
