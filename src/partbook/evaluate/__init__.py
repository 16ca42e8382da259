"""Evaluation: a Conductor beside everything that a user would pick in its place.

`system` is the seam: whatever answers a question with a pool is a `System`, and the runner, the
statistics and the report know nothing else about it.
"""
