"""Reports of evaluations: the list, and one as `partbook evaluate` wrote it."""

import asyncio
from pathlib import Path
from typing import Any

from partbook.page.folders import find_folders, json_object
from partbook.page.room import not_found
from partbook.page.summary import SHOWN_CHARS

__all__ = ["list_reports", "show_report"]

_FILE = "report.json"


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
        raise not_found("report", name)
    return report


def _all(root: Path | None) -> list[dict[str, Any]]:
    return [
        {
            "id": name,
            "name": folder.name,
            "about": str(report.get("title", ""))[:SHOWN_CHARS],
            "at": at,
            "systems": [
                str(system.get("system", ""))
                for system in report["systems"]
                if isinstance(system, dict)
            ],
            "problems": report.get("problems"),
        }
        for name, (folder, at) in find_folders(root, _FILE).items()
        if isinstance((report := json_object(folder / _FILE)).get("systems"), list)
    ]


def _one(root: Path | None, name: str) -> dict[str, Any]:
    found = find_folders(root, _FILE).get(name)
    return {} if found is None else json_object(found.folder / _FILE)
