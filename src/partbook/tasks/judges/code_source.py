"""Test source: runs it in the sandbox against the program.

Which of the two ways (`inside/tests.py`, `inside/together.py`) is a matter of the tests alone.
"""

from dataclasses import replace

from partbook.sandbox import SandboxLimits
from partbook.tasks.judges.code_files import NotRun, run_inside
from partbook.tasks.judges.code_names import needed_modules, needs_one_process, wanted_names
from partbook.tasks.programs import SourceTests

__all__ = ["failing_source"]

_REPORT_BYTES = 64 * 1024


async def failing_source(program: str, tests: SourceTests, limits: SandboxLimits) -> str | None:
    """What the program fails, in words; None where it passes.

    Raises:
        NotRun: the tests are unusable, or the sandbox did not work.
        ConfigError, WorkerError: there is no sandbox, or it failed.
    """
    together, names = needs_one_process(tests), wanted_names(tests)
    if not names:
        raise NotRun("the tests name nothing that the program must define")
    modules = "".join(f"\nimport {name}" for name in needed_modules(tests))
    head = {
        "program": program,
        "before": f"{tests.before}{modules}",
        "entry": tests.entry_point,
        "together": together,
    }
    rest = {"source": tests.source, "style": tests.style, "names": names}
    limits = replace(limits, output_bytes=_REPORT_BYTES)
    result, reports = await run_inside("tests", [head, rest], limits)
    if result.limit in ("wall", "cpu"):
        return f"the time for the tests ({limits.cpu_s:g} s of computing) was up"
    if result.limit == "memory":
        return "it used more memory than it may"
    report = reports[-1] if len(reports) == 1 else {}
    if "unusable" in report:
        raise NotRun(f"the tests cannot be run: {report['unusable']}")
    if "passed" in report:
        return None
    return str(report.get("failed", "it ended before the tests did"))[:500]
