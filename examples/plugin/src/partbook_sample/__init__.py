"""A sample of everything that a package can add to Partbook."""
