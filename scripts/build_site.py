"""Builds the documentation: `make site`. Says every broken link, and fails if there is one."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def main() -> None:
    """Build into the folder that the argument names."""
    site = Path(sys.argv[1])
    known = site.with_name(site.name + "-known")
    strict = [
        "--quiet",
        "--fresh-env",
        "--write-all",
        "--fail-on-warning",
        "--keep-going",
        "--doctree-dir",
        str(known),
    ]
    called = [sys.executable, "-m", "sphinx", *strict, "--conf-dir", "docs/site", ".", str(site)]
    if status := subprocess.run(called, cwd=ROOT, check=False).returncode:
        sys.exit(status)
    sys.stdout.write(f"the site is {site}/index.html\n")


if __name__ == "__main__":
    main()
