"""The few words in which the schemas of the OpenAPI document are written (JSON Schema 2020-12)."""

from collections.abc import Mapping, Sequence

__all__ = [
    "ANYTHING",
    "FLAG",
    "NULL",
    "OBJECT",
    "Schema",
    "array",
    "choice",
    "integer",
    "maybe",
    "number",
    "one_of",
    "record",
    "ref",
    "text",
]

Schema = dict[str, object]

ANYTHING: Schema = {}
FLAG: Schema = {"type": "boolean"}
NULL: Schema = {"type": "null"}
OBJECT: Schema = {"type": "object"}


def ref(name: str) -> Schema:
    """The schema of this name among the components."""
    return {"$ref": f"#/components/schemas/{name}"}


def record(
    properties: Mapping[str, Schema], required: Sequence[str] = (), about: str = ""
) -> Schema:
    """An object with these fields, and any others."""
    schema: Schema = {"type": "object", "properties": dict(properties)}
    if required:
        schema["required"] = list(required)
    return _told(schema, about)


def array(items: Schema, most: int | None = None, least: int = 0, about: str = "") -> Schema:
    """A list."""
    schema: Schema = {"type": "array", "items": items}
    if most is not None:
        schema["maxItems"] = most
    if least:
        schema["minItems"] = least
    return _told(schema, about)


def text(about: str = "", *, least: int = 0, most: int | None = None) -> Schema:
    """A text of so many characters."""
    schema: Schema = {"type": "string"}
    if least:
        schema["minLength"] = least
    if most is not None:
        schema["maxLength"] = most
    return _told(schema, about)


def choice(*values: object, about: str = "") -> Schema:
    """One of these values."""
    return _told({"const": values[0]} if len(values) == 1 else {"enum": list(values)}, about)


def integer(about: str = "", least: int | None = None, most: int | None = None) -> Schema:
    """An integer, both ends included."""
    return _bounded("integer", least, most, about)


def number(about: str = "", least: float | None = None, most: float | None = None) -> Schema:
    """A number, both ends included."""
    return _bounded("number", least, most, about)


def one_of(*schemas: Schema, about: str = "") -> Schema:
    """What fits at least one of these."""
    return _told({"anyOf": list(schemas)}, about)


def maybe(schema: Schema) -> Schema:
    """The same, or null."""
    about = schema.get("description")
    inner = {name: value for name, value in schema.items() if name != "description"}
    return _told({"anyOf": [inner, NULL]}, about if isinstance(about, str) else "")


def _bounded(kind: str, least: float | None, most: float | None, about: str) -> Schema:
    schema: Schema = {"type": kind}
    if least is not None:
        schema["minimum"] = least
    if most is not None:
        schema["maximum"] = most
    return _told(schema, about)


def _told(schema: Schema, about: str) -> Schema:
    return schema | {"description": about} if about else schema
