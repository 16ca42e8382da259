"""The command line: one command a file, and the only place that wires everything together."""
