"""Economy: what a team pays now, and what it would pay if its work were done otherwise.

`read.py` turns bills of providers into one `Bill`; `estimated.py` and `measured.py` answer from it,
and never mix what was computed with what was run.
"""
