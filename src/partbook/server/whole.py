"""WholeAnswer: the reply to a request that is not streamed, and the headers of both kinds."""

import asyncio
from typing import Any

from starlette.types import Receive, Scope, Send

from partbook.price import total_usd
from partbook.server.body import json_reply
from partbook.server.dialect import Dialect
from partbook.server.job import Hearing, Job
from partbook.server.reply import Reply
from partbook.server.running import Running, ending, until_gone
from partbook.spend_json import money

__all__ = ["WholeAnswer", "common_headers", "noted"]


class WholeAnswer:
    """Plays the job once it is called, and sends its reply."""

    def __init__(self, job: Job, dialect: Dialect, running: Running, note: dict[str, Any]) -> None:
        self._job = job
        self._dialect = dialect
        self._running = running
        self._note = note

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or stop working as soon as the client has gone.

        Raises:
            Refusal: there is no answer.
        """
        job = self._job
        reasoning: list[str] = []
        task = self._running.start(job.play(Hearing(reasoning.append)))
        gone = asyncio.get_running_loop().create_task(until_gone(receive))
        gone.add_done_callback(lambda _: task.cancel())  # which changes nothing once it is done
        try:
            reply = await task
        except asyncio.CancelledError:
            if gone.done():
                job.metrics.client_gone()
                self._note["gone"] = True
                return
            if self._running.is_stopping:
                raise ending() from None
            raise
        finally:
            gone.cancel()
            self._note.update(noted(job))
        text = "".join(reasoning) if job.served.reasoning else ""
        headers = common_headers(job) | _headers(job, reply)
        await json_reply(self._dialect.whole(reply, text), 200, headers)(scope, receive, send)


def common_headers(job: Job) -> dict[str, str]:
    """Headers that are known before anything is played."""
    headers = {"Cache-Control": "no-store", "x-request-id": job.run_id}
    if job.warnings:
        headers["x-partbook-warning"] = _header(f"passed over: {', '.join(job.warnings)}")
    if job.turn is not None:
        headers["x-partbook-plan"] = job.turn.plan
    if job.holder.rate is not None:
        headers |= job.holder.rate.headers()
    return headers


def _headers(job: Job, reply: Reply) -> dict[str, str]:
    cost = money(reply.cost_usd)
    headers = {
        "x-partbook-run-id": reply.run_id,
        "x-partbook-calls": str(reply.calls),
        "x-partbook-cost-usd": "unknown" if cost is None else cost,
    }
    unknown = list(job.remarks)
    unknown += [] if reply.is_usage_whole else ["the usage of some calls is unknown"]
    unknown += ["the cost is unknown"] if cost is None else []
    if unknown:
        passed = [f"passed over: {', '.join(job.warnings)}"] if job.warnings else []
        headers["x-partbook-warning"] = _header("; ".join([*passed, *unknown]))
    return headers


def _header(text: str) -> str:
    """A text that may hold what a client wrote, as a header can hold it."""
    return "".join(c if c.isascii() and c.isprintable() else "?" for c in text)[:1000]


def noted(job: Job) -> dict[str, Any]:
    """What the access log says about a job that is over; no word of what was said."""
    usages = [entry.usage for entry in job.ledger if entry.usage is not None]
    return {
        "id": job.run_id,
        "key": job.holder.key_id,
        "model": job.offer.model,
        "plan": None if job.turn is None else job.turn.plan,
        "stream": job.asked.stream,
        "calls": sum(entry.calls for entry in job.ledger),
        "prompt_tokens": sum(usage.prompt_tokens for usage in usages),
        "completion_tokens": sum(usage.completion_tokens for usage in usages),
        "cost_usd": money(total_usd(entry.cost_usd for entry in job.ledger)),
    }
