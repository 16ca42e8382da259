"""The API reference, as Markdown from the docstrings: `docs/reference/`, one page a layer.

griffe reads the sources and imports nothing. What a module lists in `__all__` is in the reference,
with every public method and field; what has no docstring of its own is shown by its signature.
`generate_docs.py` writes the pages or compares them.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import griffe

logging.getLogger("griffe").setLevel(logging.ERROR)  # combined names are shown as they are

ROOT = Path(__file__).parent.parent
FOLDER = Path("docs") / "reference"

PARTS: Mapping[str, tuple[str, Sequence[str]]] = {
    "api": (
        "From Python: ask, evaluate, draw; what goes in and comes out is on the page of values.",
        ("api",),
    ),
    "plugins": (
        "What a package that extends Partbook is written with; these names are kept stable.",
        ("plugin_api",),
    ),
    "values": (
        "What is passed around: immutable values, and the one seam that whatever answers fits.",
        ("message", "model", "workflow", "pool", "price", "event", "trace", "step_trace", "errors"),
    ),
    "core": (
        "Text to workflow, the shape of a workflow, limits, usage and rewards: pure functions.",
        ("parse", "plan", "prompt", "fixed", "budget", "ledger", "reward", "rounds"),
    ),
    "running": (
        "From a question to a trace.",
        ("conduct", "propose", "check", "execute"),
    ),
    "adapters": (
        "To files, prices, recordings and the store.",
        (
            *("config", "keys", "own_prices", "list_prices", "trace_json"),
            *("models.recorded", "models.replayed", "store", "store.store"),
        ),
    ),
    "measuring": (
        "Problems, judges, systems to compare, and the scripted world.",
        (
            *("tasks.problem", "tasks.catalogue", "tasks.own"),
            *("tasks.judges.judge", "tasks.judges.verdict", "tasks.formats"),
            *(
                "evaluate.system",
                "evaluate.systems.kinds",
                "evaluate.systems.catalogue",
                "evaluate.running.protocol",
            ),
            *("evaluate.reporting.statistics", "lab.problem", "lab.pool", "lab.optimum"),
        ),
    ),
    "training": (
        "Rows, the environment that rewards, presets.",
        ("train.row", "train.environment", "train.preset", "train.recipe", "train.policy"),
    ),
}
"""Page -> what it is about, and its modules in the order in which they are best read."""

SECTIONS = {
    griffe.DocstringSectionKind.parameters: "Arguments",
    griffe.DocstringSectionKind.returns: "Returns",
    griffe.DocstringSectionKind.yields: "Yields",
    griffe.DocstringSectionKind.raises: "Raises",
    griffe.DocstringSectionKind.attributes: "Fields",
}


def reference_pages() -> dict[Path, str]:
    """Path below the repository -> text, of every page of the reference."""
    loader = griffe.GriffeLoader(search_paths=[ROOT / "src"], docstring_parser="google")
    package = loader.load("partbook")
    pages = {}
    for name, (about, modules) in PARTS.items():
        parts = [f"# API: {name}", about, _made_by()]
        for module in modules:
            parts += _module(package[module])
        pages[FOLDER / f"{name}.md"] = "\n\n".join(parts) + "\n"
    return pages


def _made_by() -> str:
    return "This page is made from the docstrings by `scripts/generate_docs.py`."


def _module(module: griffe.Object) -> Iterator[str]:
    yield f"## {module.path}"
    yield from _docstring(module)
    for name in module.exports or ():
        member = module[str(name)]
        # A package offers what its modules hold.
        target = member.final_target if member.is_alias else member
        if target.is_class:
            yield from _class(target)
        elif target.is_function:
            yield from _function(target, "###")
        elif target.is_attribute:
            yield f"### {target.name}"
            yield _code(f"{target.name} = {target.value}")
            yield from _docstring(target)


def _class(cls: griffe.Class) -> Iterator[str]:
    yield f"### {cls.name}"
    bases = ", ".join(str(base) for base in cls.bases)
    yield _code(f"class {cls.name}({bases})" if bases else f"class {cls.name}")
    yield from _docstring(cls)
    fields = [_field(one) for one in cls.members.values() if _is_shown(one) and one.is_attribute]
    if fields:
        yield "\n".join(fields)
    for method in cls.members.values():
        if _is_shown(method) and method.is_function:
            yield from _function(method, "####", cls.name)


def _is_shown(member: griffe.Object) -> bool:
    return not member.is_alias and not member.name.startswith("_")


def _field(field: griffe.Attribute) -> str:
    declared = f"{field.name}: {field.annotation}" if field.annotation else field.name
    plain = field.value is not None and "property" not in field.labels
    if plain and not str(field.value).startswith("field("):
        declared += f" = {field.value}"
    about = " ".join(field.docstring.value.split()) if field.docstring else ""
    return f"- `{' '.join(declared.split())}`" + (f": {about}" if about else "")


def _function(function: griffe.Function, heading: str, owner: str = "") -> Iterator[str]:
    yield f"{heading} {owner}{'.' if owner else ''}{function.name}"
    parameters = [_parameter(one) for one in function.parameters if one.name not in ("self", "cls")]
    starts = [i for i, one in enumerate(function.parameters) if one.kind is _BY_NAME]
    if starts and not any(one.kind is _REST for one in function.parameters):
        shift = sum(one.name in ("self", "cls") for one in function.parameters)
        parameters.insert(starts[0] - shift, "*")
    head = ("async " if "async" in function.labels else "") + f"def {function.name}("
    tail = f") -> {function.returns}" if function.returns else ")"
    line = head + ", ".join(parameters) + tail
    if len(line) > 80:
        line = head + "\n    " + ",\n    ".join(parameters) + ",\n" + tail
    yield _code(line)
    yield from _docstring(function)


_BY_NAME = griffe.ParameterKind.keyword_only
_REST = griffe.ParameterKind.var_positional


def _parameter(parameter: griffe.Parameter) -> str:
    stars = {_REST: "*", griffe.ParameterKind.var_keyword: "**"}.get(parameter.kind, "")
    text = stars + parameter.name
    if parameter.annotation:
        text += f": {parameter.annotation}"
    if parameter.default is not None and not stars:
        text += f" = {parameter.default}" if parameter.annotation else f"={parameter.default}"
    return text


def _docstring(of: griffe.Object) -> Iterator[str]:
    if of.docstring is None:
        return
    for section in of.docstring.parse("google"):
        if section.kind is griffe.DocstringSectionKind.text:
            yield section.value
        elif section.kind is griffe.DocstringSectionKind.examples:
            for _, example in section.value:
                yield f"```pycon\n{example}\n```"
        elif section.kind in SECTIONS:
            yield f"**{SECTIONS[section.kind]}**"
            yield "\n".join(_item(item) for item in section.value)
        elif section.kind is griffe.DocstringSectionKind.admonition:
            yield f"**{section.title}** {section.value.description}"


def _item(item: griffe.DocstringNamedElement) -> str:
    about = " ".join(item.description.split())
    name = getattr(item, "name", "") or ""
    if isinstance(item, griffe.DocstringRaise):
        name = str(item.annotation)
    return f"- `{name}`: {about}" if name else f"- {about}"


def _code(text: str) -> str:
    return f"```python\n{text}\n```"
