"""Hands the figures of one benchmark on to the page that shows them all (`sheet.py`)."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def keep(figures: Mapping[str, Any]) -> None:
    """Write them as JSON to the file that `FIGURES` names; nowhere, where it names none."""
    if path := os.environ.get("FIGURES"):
        Path(path).write_text(json.dumps(figures), encoding="utf-8")
