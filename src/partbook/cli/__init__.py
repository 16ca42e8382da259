"""The command line: one command a file, and the only place that wires everything together.

`main.py` registers the commands. COMMAND.py has the options of a command, COMMAND_….py its parts:
`…_screen` draws for a person, `…_json` writes for programs. What several commands share:

| | |
|---|---|
| what is asked | options: `asking`, `selecting`, `amounts`, `grading`; input: `case`; `files` |
| who plays | `conductors`, `choosing`, `settling`, `opening`, `spreading`, `probing`, `extra` |
| a run | `setup` (how it was asked for), `playing`, `live`, `spans` |
| what is printed | `plain`, `figures`, `drawing`, and the score: `score`, `score_lines`, `canvas` |

Two modules are called by other programs: `inspect_model` by Inspect, `verl_reward` by verl.
"""
