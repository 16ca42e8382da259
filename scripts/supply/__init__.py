"""What Partbook is made of: locked, licensed, listed, measured and built.

Each module is a command, `python -m scripts.supply.NAME`, behind a target of the Makefile.
docs/supply-chain.md says what they promise.
"""
