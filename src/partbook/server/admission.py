"""Admission: who asks, and whether they may.

Without keys, only this machine may ask, and a page in somebody's browser may not: it could reach
the loopback address as well, so requests that carry a foreign `Origin` or `Host` are refused. With
keys, a request carries one as `Authorization: Bearer` or `x-api-key`. Keys are read from the store
again every `REFRESH_S`, so a key that is revoked or made while the server runs is known soon; what
they spend is written by their accounts.
"""

import asyncio
import functools
import ipaddress
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from partbook.errors import StoreError
from partbook.server.account import Account
from partbook.server.rate import Rate
from partbook.server.refusal import Refusal
from partbook.store.api_keys import TOTAL, ApiKey, ApiKeys, hash_of

__all__ = ["Admission", "Holder", "KeyDesk", "OpenDoor", "is_loopback", "total_account"]

log = logging.getLogger(__name__)

REFRESH_S = 2.0
"""How old what is known of the keys may be."""

_ZERO = Decimal(0)


@dataclass(slots=True)
class Holder:
    """Who holds a key, or is on this machine."""

    key_id: str
    """`local` where no key is asked for."""
    workers: frozenset[str] | None = None
    """Names of the workers that may be used; None: all."""
    account: Account | None = None
    rate: Rate | None = None
    sees_traces: bool = False
    """Whether whole traces are shown to it."""

    async def settle(self) -> None:
        """Write that a request came to its end, and what it has spent."""
        if self.account is None:
            return
        try:
            await self.account.close_request()
        except StoreError as err:
            log.error("what %s has spent cannot be written: %s", self.key_id, err)


class OpenDoor:
    """Lets everybody in who is on this machine."""

    needs_key = False

    def __init__(self, total: Account | None = None) -> None:
        """With the account of all that is asked; None: there is no limit to it."""
        self._total = total

    async def admit(self, headers: Mapping[str, str]) -> Holder:
        """Who asks.

        Raises:
            Refusal: a page of another host asks.
        """
        origin, host = headers.get("origin"), headers.get("host", "")
        if not is_loopback(host) or (origin is not None and not is_loopback(origin)):
            raise Refusal(
                "without keys, only this machine is answered; make a key: partbook keys create",
                status=403,
                kind="permission_error",
                code="not_local",
            )
        return Holder("local", account=self._total)


class KeyDesk:
    """Lets those in who have a good key."""

    needs_key = True

    def __init__(
        self,
        keys: ApiKeys,
        total: Account | None = None,
        *,
        is_shared: bool = False,
        refresh_s: float = REFRESH_S,
    ) -> None:
        """Open it.

        Args:
            keys: where they are.
            total: the account of all keys together; None: there is no limit to it.
            is_shared: whether other servers answer them too, so that rates are in the store.
            refresh_s: how old what is known of the keys may be.
        """
        self._keys = keys
        self._total = total
        self._is_shared = is_shared
        self._refresh_s = refresh_s
        self._holders: dict[str, tuple[ApiKey, Holder]] = {}
        self._read_at = float("-inf")
        self._reading = asyncio.Lock()

    async def admit(self, headers: Mapping[str, str]) -> Holder:
        """Who asks, by the key.

        Raises:
            Refusal: there is no key, or it is none that is good.
        """
        key = _key_in(headers)
        if time.monotonic() - self._read_at > self._refresh_s:
            await self._read()
        found = self._holders.get(hash_of(key)) if key else None
        if found is None:
            raise Refusal(
                "a good key was expected as Authorization: Bearer KEY"
                if key
                else "no key; send it as Authorization: Bearer KEY",
                status=401,
                kind="authentication_error",
                code="invalid_api_key",
            )
        return found[1]

    async def _read(self) -> None:
        async with self._reading:
            if time.monotonic() - self._read_at <= self._refresh_s:
                return  # another request has read them meanwhile
            try:
                keys = await asyncio.to_thread(self._keys.all_keys)
                today = Account().today()
                month = today.isoformat()[:7]
                spent = await asyncio.to_thread(self._keys.spent, month)
            except StoreError as err:
                log.error("keys cannot be read, those known before stay: %s", err)
                self._read_at = time.monotonic()
                return
            holders: dict[str, tuple[ApiKey, Holder]] = {}
            for key in keys:
                if key.revoked_at is not None:
                    continue
                known = self._holders.get(key.hash)
                if known is not None and known[0] == key:
                    holders[key.hash] = known
                    continue
                by_day = spent.get(key.key_id, {})
                book = functools.partial(self._keys.spend, key.key_id)
                account = Account(key.usd_per_day, key.usd_per_month, book=book, above=self._total)
                today_usd = by_day.get(today.isoformat(), _ZERO)
                account.begin(today, today_usd, sum(by_day.values(), start=_ZERO))
                holders[key.hash] = key, self._holder(key, account)
            self._holders = holders
            self._read_at = time.monotonic()

    def _holder(self, key: ApiKey, account: Account) -> Holder:
        workers = None if key.workers is None else frozenset(key.workers)
        take = functools.partial(self._keys.counting.take, key.key_id) if self._is_shared else None
        rate = None
        if key.requests_per_minute is not None:
            rate = Rate(key.requests_per_minute, shared=take)
        return Holder(key.key_id, workers, account, rate, key.sees_traces)


def total_account(
    keys: ApiKeys, usd_per_day: Decimal | None, usd_per_month: Decimal | None
) -> Account | None:
    """The account of all that servers on the store answer; None: there is no limit to it.

    Raises:
        StoreError: the store cannot be read or written.
    """
    if usd_per_day is None and usd_per_month is None:
        return None
    keys.open_total()
    book = functools.partial(keys.spend, TOTAL)
    account = Account(usd_per_day, usd_per_month, book=book, whose="this server")
    today = account.today()
    spent = keys.spent_in_all(today.isoformat()[:7])
    account.begin(today, spent.get(today.isoformat(), _ZERO), sum(spent.values(), start=_ZERO))
    return account


Admission = OpenDoor | KeyDesk


def _key_in(headers: Mapping[str, str]) -> str:
    scheme, _, key = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and key.strip():
        return key.strip()
    return headers.get("x-api-key", "").strip()


@functools.lru_cache(maxsize=64)
def is_loopback(host: str) -> bool:
    """Whether a host, a `Host` header or an `Origin` names this machine's loopback address."""
    name = host.partition("://")[2] or host
    if name.startswith("["):
        name = name[1:].partition("]")[0]
    elif name.count(":") == 1:
        name = name.partition(":")[0]
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
