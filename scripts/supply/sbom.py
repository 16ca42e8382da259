"""Writes bills of materials in CycloneDX's JSON: dist/sbom-core.cdx.json and dist/sbom.cdx.json.

The first lists what a plain installation has, the second all extras and the models too. Versions
are those installed here. What is in the wheel without being a package (the page's parts, the small
Conductor) is in both. Models carry the hash of their file; the hashes of packages, of which
each has many files, are in locks/. The same tree and environment give the same bytes.
"""

import hashlib
import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import Distribution, version
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL
from scripts.supply.asked import ROOT, Asked
from scripts.supply.closure import Missing, installed, links
from scripts.supply.licences import CONDUCTOR, Item, Rules, items

from partbook.models.registry import known_models

__all__ = ["bill", "main", "written"]

_LICENCES = LicenseFactory()


def bill(everything: bool) -> Bom:
    """The bill of the core, or of everything.

    Raises:
        Missing: not everything is installed here.
    """
    asked = Asked.read()
    here = installed()
    needs = links([*asked.everything, *asked.build] if everything else asked.core, here)
    listed = items(Rules.read())
    root = Component(
        name="partbook",
        version=version("partbook"),
        type=ComponentType.APPLICATION,
        bom_ref="partbook",
        purl=PackageURL("pypi", name="partbook", version=version("partbook")),
        licenses=[_LICENCES.make_from_string("Apache-2.0")],
    )
    packages = {
        one.name: _package(one, here[one.name])
        for one in listed
        if one.kind == "package" and one.name in needs
    }
    others = [_shipped(one) for one in listed if one.kind in ("page", "conductor")]
    others += _models() if everything else []
    made = Bom(components=[*packages.values(), *others])
    made.metadata = BomMetaData(component=root, timestamp=_time())
    said = sorted(f"{one.name} {one.version}" for one in made.components)
    made.serial_number = uuid5(NAMESPACE_URL, f"{made.metadata.timestamp} {said}")
    made.register_dependency(root, [*(packages[name] for name in needs["partbook"]), *others])
    for name, component in packages.items():
        made.register_dependency(component, [packages[each] for each in needs[name]])
    return made


def written(made: Bom) -> str:
    """The bill as JSON, checked against CycloneDX's schema.

    Raises:
        ValueError: the schema refuses it.
    """
    text = JsonV1Dot6(made).output_as_string(indent=2)
    if fault := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
        raise ValueError(f"not a bill of CycloneDX 1.6: {fault}")
    return json.dumps(json.loads(text), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _package(item: Item, package: Distribution) -> Component:
    scope = ComponentScope.REQUIRED if item.used_by == ("core",) else ComponentScope.OPTIONAL
    if set(item.used_by) <= {"dev", "build", "files"}:
        scope = ComponentScope.EXCLUDED
    return Component(
        name=item.name,
        version=package.version,
        type=ComponentType.LIBRARY,
        bom_ref=f"pypi:{item.name}",
        purl=PackageURL("pypi", name=item.name, version=package.version),
        scope=scope,
        licenses=[_LICENCES.make_from_string(item.licence)],
        properties=[Property(name="partbook:needed-by", value=", ".join(item.used_by))],
    )


def _shipped(item: Item) -> Component:
    licences = [_LICENCES.make_from_string(item.licence)]
    if item.kind == "page":
        group, _, name = item.name.rpartition("/")
        return Component(
            name=name,
            group=group or None,
            version=item.note,
            type=ComponentType.LIBRARY,
            bom_ref=f"npm:{item.name}",
            purl=PackageURL("npm", namespace=group or None, name=name, version=item.note),
            scope=ComponentScope.REQUIRED,
            licenses=licences,
        )
    content = CONDUCTOR.with_suffix(".gguf").read_bytes()
    return Component(
        name=item.name,
        type=ComponentType.MACHINE_LEARNING_MODEL,
        bom_ref=f"conductor:{item.name}",
        description=item.note,
        scope=ComponentScope.REQUIRED,
        hashes=[_sha256(hashlib.sha256(content).hexdigest())],
        licenses=licences,
    )


def _models() -> list[Component]:
    return [
        Component(
            name=one.name,
            type=ComponentType.MACHINE_LEARNING_MODEL,
            bom_ref=f"model:{one.name}",
            description=f"{one.what}. {one.note}",
            scope=ComponentScope.OPTIONAL,
            hashes=[_sha256(one.sha256)],
            licenses=[_LICENCES.make_from_string(one.licence)],
            properties=[Property(name="partbook:size-bytes", value=str(one.size_bytes))],
        )
        for one in known_models()
    ]


def _sha256(content: str) -> HashType:
    return HashType(alg=HashAlgorithm.SHA_256, content=content)


def _time() -> datetime:
    """SOURCE_DATE_EPOCH, or the time of the commit."""
    if not (seconds := os.environ.get("SOURCE_DATE_EPOCH")):
        asked = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
        seconds = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    return datetime.fromtimestamp(int(seconds), UTC)


def main(folder: Path = ROOT / "dist") -> None:
    """Write both bills."""
    folder.mkdir(exist_ok=True)
    try:
        for name, everything in (("sbom-core", False), ("sbom", True)):
            path = folder / f"{name}.cdx.json"
            path.write_text(written(bill(everything)), encoding="utf-8")
            sys.stderr.write(f"{path}\n")
    except Missing as missing:
        sys.exit(f"error: {missing}; run make dev")


if __name__ == "__main__":
    main()
