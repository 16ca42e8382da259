"""The page: what `partbook serve` shows in a browser, and the JSON that it lives on.

The page itself is in `static/`, built from `web/`; here are its routes, the runs that are begun
from it, and what it reads of runs, reports and trainings that are kept. Who may ask, what a request
may spend and how the server ends are those of `server`; the routes are handed to its endpoint.
"""

__all__: list[str] = []
