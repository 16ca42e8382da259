"""Partbook: a Conductor writes a workflow in plain language, and a pool of workers plays it."""
