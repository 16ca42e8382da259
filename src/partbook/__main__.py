"""`python -m partbook`."""

from partbook.cli.main import main

main()
