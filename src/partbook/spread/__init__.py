"""Spread: work that is played on several machines, while one process keeps the money and the files.

The process that was started is the driver. It holds what must exist once: the budget, the limits of
the workers' accounts, the log of calls, the results. Nodes play: they propose, call models, judge.
A node makes no call without the driver's leave, and the driver notes how it ended before the node
goes on, so that nothing depends on a node coming back.

`letters` is what the two say to each other, `station` a node's side, `line` and `fleet` the
driver's. They know nothing of Ray; `ray_nodes` carries their letters, and alone imports it.
"""
