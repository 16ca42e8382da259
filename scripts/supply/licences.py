"""Writes docs/licences.md and checks it: whose work Partbook uses, and under which licences.

Packages are those that the core and each extra lead to, as installed here; models are those of
registry.toml; the built page tells itself what it is made of. A licence that is unknown, or not
permitted by licences.toml and no exception there, is an error. No network. The page is compared
only where it can be the same, on Linux with the Python that it names: elsewhere some packages are
others.
"""

import argparse
import re
import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from scripts.supply.asked import ROOT, Asked, normal
from scripts.supply.closure import Missing, closure, installed
from scripts.supply.licence_of import allowed, licence_of, parts

from partbook.models.registry import known_models

__all__ = ["Item", "Rules", "check", "items", "page", "page_parts"]

PAGE = ROOT / "docs" / "licences.md"
RULES = Path(__file__).with_name("licences.toml")
NOTICES = ROOT / "src/partbook/page/static/assets/licences.txt"
CONDUCTOR = ROOT / "src/partbook/conductors/embedded.md"
REFERENCE = (3, 11)
"""The Python, on Linux, whose packages the page lists."""


_HEAD = """\
# Licences

This page is made by `make licences` from the metadata of the packages as they are installed for \
Python {}.{} on Linux.
`make docs` compares it and refuses a licence that is unknown or not permitted \
([supply-chain.md](supply-chain.md)).
Partbook itself is under Apache-2.0.
Its wheel holds none of these packages: pip installs them as their authors made them.
`LicenseRef-BSD` is where metadata say BSD and not which."""

_NOTICES = """\
The wheel holds these, and their licences' texts twice: where the page serves them \
(`assets/licences.txt`), and beside its own licence."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What is allowed: licences.toml."""

    permitted: frozenset[str]
    stated: dict[str, tuple[str, str]]
    """Package to licence and where that was read."""
    exceptions: dict[tuple[str, str], str]
    """Package and licence to the reason why it is all right."""
    only: dict[tuple[str, str], frozenset[str]]
    """Package and licence to who alone may need it; absent: whoever does."""

    @classmethod
    def read(cls, path: Path = RULES) -> "Rules":
        """Read the file."""
        told = tomllib.loads(path.read_text(encoding="utf-8"))
        return cls(
            permitted=frozenset(told["permitted"]),
            stated={row["package"]: (row["licence"], row["where"]) for row in told["stated"]},
            exceptions={(r["package"], r["licence"]): r["reason"] for r in told["exception"]},
            only={
                (row["package"], row["licence"]): frozenset(row["only"])
                for row in told["exception"]
                if "only" in row
            },
        )


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that is used or shipped."""

    kind: str
    """package, model, conductor or page."""
    name: str
    licence: str
    """An SPDX expression; empty: unknown."""
    used_by: tuple[str, ...] = ()
    """Of a package: `core`, or the extras that lead to it; `build` and `files` are groups."""
    note: str = ""


def items(rules: Rules) -> list[Item]:
    """All that is used or shipped.

    Raises:
        Missing: not everything is installed here.
    """
    models = [Item("model", one.name, one.licence, (), one.note) for one in known_models()]
    front = CONDUCTOR.read_text(encoding="utf-8").split("---")[1]
    licence = re.search(r"^license: (\S+)$", front, re.MULTILINE)
    base = re.search(r"^base_model: (\S+)$", front, re.MULTILINE)
    shipped = Item(
        "conductor",
        "embedded",
        licence[1].replace("apache-2.0", "Apache-2.0") if licence else "",
        (),
        f"An adapter over {base[1]}, comes with the package." if base else "",
    )
    return [*_packages(rules), *models, shipped, *page_parts()]


def _packages(rules: Rules) -> list[Item]:
    asked, there = Asked.read(), installed()
    wanted = {"core": asked.core, **asked.extras, "build": asked.build}
    leads = {name: closure(rows, there) for name, rows in wanted.items()}
    leads["files"] = {
        normal(row): there[normal(row)] for row in asked.files if normal(row) in there
    }
    every = {name: one for found in leads.values() for name, one in found.items()}
    rows = []
    for name, package in sorted(every.items()):
        licence = rules.stated[name][0] if name in rules.stated else licence_of(package)
        by = tuple(each for each, found in leads.items() if name in found)
        rows.append(Item("package", name, licence, ("core",) if "core" in by else by))
    return rows


def page_parts(notices: Path = NOTICES) -> list[Item]:
    """What the built page is made of, as its notices head each licence."""
    text = notices.read_text(encoding="utf-8")
    heads = re.findall(r"^== (\S+) (\S+) \((.+)\)$", text, re.MULTILINE)
    return [Item("page", name, licence, (), version) for name, version, licence in heads]


def check(every: Iterable[Item], rules: Rules) -> list[str]:
    """What is not allowed, and rules that nothing needs, in sentences."""
    wrong, used = [], set()
    names = set()
    for one in every:
        names.add(one.name)
        if not one.licence:
            wrong.append(
                f"{one.kind} {one.name} names no licence that is known; read the files that come "
                "with it and state it in scripts/supply/licences.toml, or do without it"
            )
            continue
        excepted = {each for each in parts(one.licence) if (one.name, each) in rules.exceptions}
        used |= {(one.name, each) for each in excepted}
        for each in excepted:
            if beyond := set(one.used_by) - rules.only.get((one.name, each), set(one.used_by)):
                wrong.append(
                    f"package {one.name} is under {each}, which is all right only for fewer than "
                    f"need it: {', '.join(sorted(beyond))} needs it too"
                )
        if not allowed(one.licence, rules.permitted | excepted):
            bad = [each for each in parts(one.licence) if each not in rules.permitted | excepted]
            wrong.append(
                f"{one.kind} {one.name} is under {one.licence}, and {', '.join(bad)} is not "
                "permitted; do without it, or add an exception with its reason to licences.toml"
            )
    unused = [f"{name} ({licence})" for name, licence in rules.exceptions.keys() - used]
    unused += list(rules.stated.keys() - names)
    wrong += [
        f"scripts/supply/licences.toml has a rule that nothing needs: {one}" for one in unused
    ]
    return sorted(wrong)


def page(every: Iterable[Item], rules: Rules) -> str:
    """docs/licences.md."""
    rows: Mapping[str, list[Item]] = {"package": [], "model": [], "conductor": [], "page": []}
    for one in every:
        rows[one.kind].append(one)
    packages = [(i.name, i.licence, ", ".join(i.used_by)) for i in rows["package"]]
    exceptions = [(name, licence, why) for (name, licence), why in rules.exceptions.items()]
    stated = [(name, licence, where) for name, (licence, where) in rules.stated.items()]
    models = [(i.name, i.licence, i.note) for i in [*rows["model"], *rows["conductor"]]]
    in_page = [(i.name, i.note, i.licence) for i in rows["page"]]
    said = (
        _HEAD.format(*REFERENCE),
        "Permitted: " + ", ".join(sorted(rules.permitted)) + ".",
        "## Packages",
        _table(("package", "licence", "needed by"), packages),
        "## Exceptions",
        _table(("package", "licence", "why it is all right"), sorted(exceptions)),
        "## Read in their files",
        "The metadata of these name no licence, or not all of them.",
        _table(("package", "licence", "where"), sorted(stated)),
        "## Models",
        "Fetched only by `partbook models pull`; the Conductor `embedded` comes along.",
        _table(("model", "licence", "note"), models),
        "## In the built page",
        _NOTICES,
        _table(("package", "version", "licence"), in_page),
    )
    return "\n\n".join(said) + "\n"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines
    )


def main(arguments: list[str]) -> int:
    """Write the page, or check it; 0: done, or as it should be."""
    parser = argparse.ArgumentParser(description="list the licences, or check them")
    parser.add_argument("--check", action="store_true", help="write nothing; 1 where it is stale")
    given = parser.parse_args(arguments)
    rules = Rules.read()
    try:
        every = items(rules)
    except Missing as missing:
        sys.exit(f"error: {missing}; run make dev")
    wrong = check(every, rules)
    made = page(every, rules)
    same = sys.platform == "linux" and sys.version_info[:2] == REFERENCE
    if not given.check:
        PAGE.write_text(made, encoding="utf-8")
    elif same and (not PAGE.exists() or PAGE.read_text(encoding="utf-8") != made):
        wrong.append(f"{PAGE.relative_to(ROOT)} is not current; run make licences")
    sys.stderr.writelines(f"error: {sentence}\n" for sentence in wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
