"""Evaluation: a Conductor beside everything that a user would pick in its place.

`system` is the seam: whatever answers a question with a pool is a `System`, and what runs,
counts and reports knows nothing else about it.

    system.py     the seam: System, and the Sitting in which it meets a problem
    posed.py      a problem as all systems meet it
    systems/      what is compared: Conductors, workers alone, fixed workflows, mixtures, routers
    running/      a whole evaluation: plays what is missing, pays no call twice
    reporting/    what was found: statistics, text, page
    shadowing/    the running verdict on a system that answers live requests in secret
"""
