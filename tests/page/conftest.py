"""Where the store of a server is, and the browser that looks at its page."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Path of the store."""
    return tmp_path / "runs.db"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Any]:
    """The system's Chromium, for all tests of a file."""
    needs = "needs pip install playwright"
    async with pytest.importorskip("tests.page.browser", reason=needs).chromium() as opened:
        yield opened
