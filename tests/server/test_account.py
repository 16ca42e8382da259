"""What several requests of one key, and several servers, do to its account at the same moment."""

import asyncio
import datetime
import functools
import threading
from decimal import Decimal

import pytest

from partbook.errors import BudgetError, StoreError
from partbook.server.account import Account
from partbook.store import ApiKeys
from tests.store.elsewhere import ask, change

DAY = datetime.date(2026, 11, 30)


@pytest.fixture
def place(tmp_path):
    return str(tmp_path / "keys.db")


@pytest.fixture
def keys(place):
    with ApiKeys.open(place) as opened:
        yield opened


def account_of(keys: ApiKeys, key_id: str, usd: int, **more) -> Account:
    book = functools.partial(keys.spend, key_id)
    account = Account(Decimal(usd), today=lambda: DAY, book=book, **more)
    account.begin(DAY, Decimal(0), Decimal(0))
    return account


def spent(keys: ApiKeys, key_id: str) -> Decimal:
    return keys.spent("2026-11")[key_id]["2026-11-30"]


async def test_what_is_reserved_here_is_not_written_before_the_limit_was_looked_at(keys):
    """A request comes to its end and writes, just when another one has begun to reserve."""
    kept, _ = keys.create("ann")
    goes_on = threading.Event()
    account = account_of(keys, kept.key_id, 100)
    store = account.book
    account.book = lambda *news: (goes_on.wait(10), store(*news))[1]
    keys.spend(kept.key_id, "2026-11-30", Decimal(90), 0)  # another server, which we know not of
    telling = [asyncio.create_task(account.close_request()) for _ in range(2)]
    await asyncio.sleep(0)
    reserving = asyncio.create_task(account.hold(Decimal(60)))
    await asyncio.sleep(0)
    goes_on.set()

    with pytest.raises(BudgetError):
        await reserving
    await asyncio.gather(*telling)
    await account.tell()
    assert spent(keys, kept.key_id) == Decimal(90)
    assert account.budgets()[0].usd == Decimal(90)


async def test_of_what_is_reserved_at_once_as_much_is_granted_as_there_is(keys):
    kept, _ = keys.create("ann")
    one, other = (account_of(keys, kept.key_id, 100) for _ in range(2))
    found = await asyncio.gather(
        *(account.hold(Decimal(30)) for account in (one, other) for _ in range(3)),
        return_exceptions=True,
    )

    assert sum(isinstance(each, BudgetError) for each in found) == 3
    assert spent(keys, kept.key_id) == Decimal(90)


async def test_a_caller_that_goes_while_it_reserves_leaves_nothing_reserved(keys):
    kept, _ = keys.create("ann")
    account = account_of(keys, kept.key_id, 100)
    reserving = asyncio.create_task(account.hold(Decimal(60)))
    await asyncio.sleep(0)
    reserving.cancel()
    await asyncio.wait([reserving])
    await account.tell()
    await account.tell()

    assert spent(keys, kept.key_id) == 0
    await account.hold(Decimal(100))


async def test_requests_that_end_while_another_is_written_are_written_together(keys, place):
    kept, _ = keys.create("ann")
    account = account_of(keys, kept.key_id, 100)
    store, told = account.book, []
    account.book = lambda *news: (told.append(news[2]), store(*news))[1]
    await asyncio.gather(*(account.close_request() for _ in range(20)))

    assert ask(place, "SELECT requests FROM key_days") == 20
    assert told == [20]


async def test_a_request_that_could_not_be_written_is_counted_with_the_next(keys, place):
    kept, _ = keys.create("ann")
    account = account_of(keys, kept.key_id, 100)
    change(place, "ALTER TABLE key_days RENAME TO away")
    with pytest.raises(StoreError):
        await account.close_request()
    change(place, "ALTER TABLE away RENAME TO key_days")
    await account.close_request()

    assert ask(place, "SELECT requests FROM key_days") == 2


async def test_what_the_account_above_lacks_is_given_back_to_none(keys):
    kept, _ = keys.create("ann")
    keys.open_total()
    total = account_of(keys, "total", 50, whose="this server")
    account = account_of(keys, kept.key_id, 100, above=total)
    await account.hold(Decimal(40))

    with pytest.raises(BudgetError, match="of \\$50 are left"):
        await account.hold(Decimal(40))
    await account.close_request()
    assert (spent(keys, kept.key_id), keys.spent_in_all("2026-11")) == (
        Decimal(40),
        {"2026-11-30": Decimal(40)},
    )
