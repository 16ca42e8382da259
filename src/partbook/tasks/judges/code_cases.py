"""Cases of input and output: runs the program in the sandbox, compares outside it.

No expected output ever enters the sandbox, so a program can only pass by giving it. Cases share a
sandbox in growing groups: a wrong program mostly fails in the first, a right one needs few.
"""

import asyncio
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from partbook.errors import ConfigError
from partbook.sandbox import SandboxLimits, SandboxResult
from partbook.tasks.judges.code_alike import same_value, unlike
from partbook.tasks.judges.code_files import NotRun, run_inside
from partbook.tasks.judges.code_names import starting_imports
from partbook.tasks.programs import Case, CaseTests

__all__ = ["failing_case"]

_FIRST_GROUP, _GROWTH = 2, 4
_GROUP_BYTES = 8 * 1024 * 1024
"""Input and expected output of a group that has more than one case."""
_SPARE_BYTES = 64 * 1024
"""That a program may print beyond the expected output before it is stopped."""
_START_S = 2.0
"""For a run in the sandbox beyond its cases."""


async def failing_case(
    program: str, tests: CaseTests, limits: SandboxLimits, total_s: float
) -> str | None:
    """The first case that the program fails, in words; None where it passes all.

    Args:
        program: Python.
        tests: the cases.
        limits: of each case.
        total_s: for all cases together.

    Raises:
        NotRun: the cases are unusable, or the sandbox did not work.
        ConfigError, WorkerError: there is no sandbox, or it failed.
    """
    try:
        # Unpacking can take a second.
        cases = await asyncio.to_thread(tests.cases)
    except ConfigError as error:
        raise NotRun(str(error)) from error
    if tests.function:
        program = f"{starting_imports(program)}\n{program}"
        _check_json(cases)
    end, first = time.monotonic() + total_s, 0
    for group in _groups(cases):
        left_s = end - time.monotonic()
        if left_s <= 0:
            return f"after {first} of {len(cases)} tests the time for all ({total_s:g} s) was up"
        run = _Run(program, tests.function, limits, left_s)
        if (failed := await run.failing(group)) is not None:
            return f"test {first + failed.place + 1} of {len(cases)}: {failed.why}"
        first += len(group)
    return None


class _Failure(NamedTuple):
    place: int
    why: str


class _Run(NamedTuple):
    """Of one group of cases in one sandbox."""

    program: str
    function: str
    limits: SandboxLimits
    left_s: float

    async def failing(self, group: Sequence[Case]) -> _Failure | None:
        """The first case of the group that fails."""
        most = [len(case.expected.encode("utf-8", "replace")) + _SPARE_BYTES for case in group]
        head = {
            "program": self.program,
            "function": self.function,
            "cpu_s": self.limits.cpu_s,
            "wall_s": self.limits.wall_s,
            "cases": len(group),
        }
        pairs = zip(group, most, strict=True)
        rows = [{"given": case.given, "most_bytes": size} for case, size in pairs]
        limits = replace(
            self.limits,
            wall_s=min(self.limits.wall_s * len(group) + _START_S, self.left_s + _START_S),
            cpu_s=(self.limits.cpu_s + 1) * len(group) + _START_S,
            # JSON may need six characters for one.
            output_bytes=6 * sum(most) + 64 * 1024 * (1 + len(group)),
        )
        result, reports = await run_inside("cases", [head, *rows], limits)
        for i, case in enumerate(group):
            if i >= len(reports) and result.limit is None and result.stderr:
                # Only what runs the cases writes there.
                raise NotRun(f"the cases could not be run: {result.stderr.strip()[-200:]}")
            if i >= len(reports):
                return _Failure(i, _no_report(result))
            if why := self._fault(reports[i], case):
                return _Failure(i, why)
        return None

    def _fault(self, report: dict[str, object], case: Case) -> str | None:
        if report.get("stopped") == "wall":
            return f"its time ({self.limits.wall_s:g} s) was up"
        if report.get("stopped") == "output":
            return "it wrote far more than was expected"
        status = report.get("status")
        if status in (-9, -24):
            return f"it was killed: {self.limits.cpu_s:g} s of computing were up, or its memory"
        if status != 0:
            last = str(report.get("err")).strip().rpartition("\n")[2][:200]
            return f"it ended with status {status}{f' ({last})' if last else ''}"
        out = str(report.get("out"))
        if not self.function:
            return unlike(out, case.expected)
        try:
            found = json.loads(out)
        except (ValueError, RecursionError):
            return "it returned nothing" if not out else "its result cannot be read"
        if same_value(found, json.loads(case.expected)):
            return None
        return f"expected {_shown(case.expected.strip())}, returned {_shown(out)}"


def _no_report(result: SandboxResult) -> str:
    ends = {
        "wall": "the time for all tests was up",
        "cpu": "its computing time was up",
        "memory": "it used more memory than it may",
        "output": "it wrote far more than was expected",
        None: "it ended without a result",
    }
    return ends[result.limit]


def _groups(cases: Sequence[Case]) -> Iterator[Sequence[Case]]:
    size, group, group_bytes = _FIRST_GROUP, list[Case](), 0
    for case in cases:
        case_bytes = len(case.given) + len(case.expected)
        if group and (len(group) >= size or group_bytes + case_bytes > _GROUP_BYTES):
            yield group
            size, group, group_bytes = size * _GROWTH, [], 0
        group.append(case)
        group_bytes += case_bytes
    yield group


def _check_json(cases: Sequence[Case]) -> None:
    for i, case in enumerate(cases):
        try:
            json.loads(case.expected)
            for line in filter(str.strip, case.given.split("\n")):
                json.loads(line)
        except (ValueError, RecursionError) as error:
            raise NotRun(f"test {i + 1} of {len(cases)} is not JSON: {error}") from error


def _shown(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."
