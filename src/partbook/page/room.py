"""Room: all that the page's routes share, and who may see what in it.

Where keys exist, a key sees the runs that were begun with it; those of others, spending and reports
are for keys that were made with `--traces`. Without keys, whoever is on this machine sees all.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from starlette.requests import Request

from partbook.page.asks import Ask, Asks
from partbook.server.admission import Admission, Holder
from partbook.server.refusal import Refusal
from partbook.server.running import Running
from partbook.server.served import Served
from partbook.store import ApiKeys, Store

__all__ = ["PageSetup", "Room", "Visitor", "not_found"]


@dataclass(frozen=True, slots=True)
class PageSetup:
    """What the page is started with."""

    served: Served
    admission: Admission
    store: Store
    """Where runs are read."""
    keys: ApiKeys
    conductor: str | None = None
    """Name of the Conductor; None: there is none."""
    pool_about: str = ""
    """What the pool file says about itself."""
    reports: Path | None = None
    """Folder in which evaluations and trainings are looked for; None: nowhere."""
    flush: Callable[[], Awaitable[None]] | None = None
    """Writes what is to be kept to the store; None: nothing is kept."""


class Visitor(NamedTuple):
    """Who asks for something."""

    holder: Holder
    sees_all: bool
    """Whether runs of others, spending and reports are shown."""

    def may_see(self, ask: Ask) -> bool:
        """Whether a run of the page is shown."""
        return self.sees_all or ask.key_id == self.holder.key_id


@dataclass(frozen=True, slots=True)
class Room:
    """What the routes share."""

    setup: PageSetup
    asks: Asks
    running: Running

    async def admit(self, request: Request, *, all_runs: bool = False) -> Visitor:
        """Who asks.

        Args:
            request: its headers say so.
            all_runs: whether what is asked for is for those alone who see everything.

        Raises:
            Refusal: they may not ask, or not for this; or a page of another site does.
        """
        if request.headers.get("sec-fetch-site") == "cross-site":
            raise _forbidden("this is for the page of this server alone", "cross_site")
        admission = self.setup.admission
        holder = await admission.admit(request.headers)
        visitor = Visitor(holder, not admission.needs_key or holder.sees_traces)
        if all_runs and not visitor.sees_all:
            raise _forbidden(
                "this is shown to keys that were made for it: partbook keys create NAME --traces",
                "traces_not_allowed",
            )
        return visitor


def not_found(what: str, name: str) -> Refusal:
    """What is said of a run, a report or a training that is not there, or not for who asks."""
    return Refusal(
        f"there is no {what} {name[:80]!r} here",
        status=404,
        kind="invalid_request_error",
        code=f"{what}_not_found",
    )


def _forbidden(message: str, code: str) -> Refusal:
    return Refusal(message, status=403, kind="permission_error", code=code)
