"""What `partbook serve` opens beside the pool: who keeps runs, and the page."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from partbook.cli.setup import Setup
from partbook.errors import ConfigError, StoreError
from partbook.trace import Trace

if TYPE_CHECKING:
    from partbook.server.admission import Admission
    from partbook.server.app import ExtraRoutes
    from partbook.server.served import Served
    from partbook.store import ApiKeys, BatchWriter, Store

__all__ = ["Keeper", "opened_keeper", "page_of", "reports_folder"]


@dataclass(frozen=True, slots=True)
class Keeper:
    """Keeps runs, and finds those that were kept."""

    store: "Store"
    writer: "BatchWriter"

    def put(self, trace: Trace) -> None:
        """Take a run to be written soon."""
        self.writer.put(trace)

    async def kept(self, run_id: str) -> Trace | None:
        """The run of this whole id; None: there is none."""
        try:
            await self.writer.flush()
            trace = await asyncio.to_thread(self.store.load, run_id)
        except StoreError:
            return None
        return trace if trace.run_id == run_id else None


async def opened_keeper(stack: AsyncExitStack) -> Keeper:
    """What keeps runs; leaving the stack writes what waits."""
    from partbook.store import BatchWriter, Store, default_url

    store = stack.enter_context(Store.open(default_url()))
    return Keeper(store, await stack.enter_async_context(BatchWriter(store)))


def page_of(
    stack: AsyncExitStack,
    setup: Setup,
    keys: "ApiKeys",
    served: "Served",
    admission: "Admission",
    keeper: Keeper | None,
    reports: Path | None,
) -> "ExtraRoutes":
    """What makes the routes of the page.

    Args:
        stack: closes what is opened for it.
        setup: what the server was started with.
        keys: of the server.
        served: what it offers.
        admission: who may ask.
        keeper: who keeps runs; None: nobody.
        reports: folder of evaluations and trainings; None: there is none.
    """
    from partbook.page.room import PageSetup
    from partbook.page.routes import page_routes
    from partbook.store import Store, default_url

    return page_routes(
        PageSetup(
            served,
            admission,
            stack.enter_context(Store.open(default_url())),
            keys,
            setup.choice.name or None,
            setup.config.about,
            reports,
            None if keeper is None else keeper.writer.flush,
        )
    )


def reports_folder(given: Path | None) -> Path | None:
    """The folder with reports.

    Raises:
        ConfigError: it was named, and is not there.
    """
    if given is None:
        usual = Path("runs")
        return usual.absolute() if usual.is_dir() else None
    if not given.is_dir():
        raise ConfigError(f"--reports {given}: a folder was expected, there is none")
    return given.absolute()
