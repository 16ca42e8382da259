"""Reports of evaluations: the list, and one as `partbook evaluate` wrote it."""

import asyncio
from pathlib import Path
from typing import Any

from partbook.page.folders import find_folders, json_object
from partbook.server.refusal import Refusal

__all__ = ["list_reports", "show_report"]

_FILE = "report.json"
_SHOWN_CHARS = 300


async def list_reports(root: Path | None) -> dict[str, Any]:
    """The answer of `GET /page/reports`."""
    return {"reports": await asyncio.to_thread(_all, root)}


async def show_report(root: Path | None, name: str) -> dict[str, Any]:
    """The answer of `GET /page/reports/ID`.

    Raises:
        Refusal: there is no such report, or it cannot be read.
    """
    report = await asyncio.to_thread(_one, root, name)
    if not report:
        raise Refusal(
            f"there is no report {name[:80]!r} here",
            status=404,
            kind="invalid_request_error",
            code="report_not_found",
        )
    return report


def _all(root: Path | None) -> list[dict[str, Any]]:
    return [
        {
            "id": name,
            "name": name.rpartition("/")[2] if name != "." else folder.name,
            "about": str(report.get("title", ""))[:_SHOWN_CHARS],
            "at": (folder / _FILE).stat().st_mtime,
            "systems": [
                str(system.get("system", ""))
                for system in report["systems"]
                if isinstance(system, dict)
            ],
            "problems": report.get("problems"),
        }
        for name, folder in find_folders(root, _FILE).items()
        if isinstance((report := json_object(folder / _FILE)).get("systems"), list)
    ]


def _one(root: Path | None, name: str) -> dict[str, Any]:
    folder = find_folders(root, _FILE).get(name)
    return {} if folder is None else json_object(folder / _FILE)
