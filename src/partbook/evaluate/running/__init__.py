"""Plays every system on every problem, and keeps what came of it.

protocol.py      a whole evaluation as a file; preparing.py: all that systems learn from
runner.py        plays what is missing; desk.py: one cell; spreading.py: on other machines
calls.py         no call is paid twice; till.py: what lies before a model
cell.py          what came of it; results.py: the file; identity.py: whose results they are
estimate.py      what it would take; rehearsing.py: for systems that learn
"""
