"""What `--json` prints, held against the JSON Schemas of the reference."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType
from typing import Any

from documents import CHECKOUT

TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
    "array": (list,),
    "object": (dict,),
}


@cache
def schema_tool() -> ModuleType:
    """`tools/schemas.py`."""
    spec = spec_from_file_location("schemas", CHECKOUT / "tools/schemas.py")
    assert spec and spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def schema_of(command: str) -> dict[str, Any]:
    schema: dict[str, Any] = schema_tool().answer_schema(command)
    return schema


def faults(answer: dict[str, Any]) -> list[str]:
    """Where an answer differs from the schema that it names; a field that the schema lacks is a fault, too."""
    schema = schema_of(answer["schema"].partition("/")[0])
    body = {name: value for name, value in answer.items() if name != "schema"}
    if answer["schema"] != schema["$id"]:
        return [f"schema: {answer['schema']}"]
    tried = [list(_faults(body, kind, schema["$defs"], "")) for kind in schema["anyOf"]]
    return min(tried, key=len)


def answer(out: str) -> dict[str, Any]:
    """What a command printed with `--json`, without the name of its schema, which it has to keep to."""
    parsed: dict[str, Any] = json.loads(out)
    assert faults(parsed) == []
    return {name: value for name, value in parsed.items() if name != "schema"}


def text_without_schema(out: str) -> str:
    """What a command printed with `--json`, letter by letter, as a server answers: without the name of the schema."""
    answer(out)
    brace, schema, rest = out.split("\n", 2)
    assert schema.startswith('  "schema": ')
    return f"{brace}\n{rest}"


def _faults(value: Any, schema: dict[str, Any], parts: dict[str, Any], place: str) -> Iterator[str]:
    if "$ref" in schema:
        schema = parts[schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema:
        yield from min((list(_faults(value, kind, parts, place)) for kind in schema["anyOf"]), key=len)
        return
    names = [schema["type"]] if isinstance(schema.get("type"), str) else schema.get("type", [])
    if names and not any(_is(value, name) for name in names):
        yield f"{place}: {value!r} is no {' or '.join(names)}"
    elif isinstance(value, list) and "items" in schema:
        for item in value:
            yield from _faults(item, schema["items"], parts, f"{place}[]")
    elif isinstance(value, dict):
        fields, others = schema.get("properties", {}), schema.get("additionalProperties")
        yield from (f"{place}.{name} is missing" for name in schema.get("required", ()) if name not in value)
        for name, item in value.items():
            if name in fields or others is not None:
                yield from _faults(item, fields.get(name, others), parts, f"{place}.{name}")
            elif fields:
                yield f"{place}.{name} is not in the schema"


def _is(value: Any, name: str) -> bool:
    return isinstance(value, TYPES[name]) and not (isinstance(value, bool) and name in ("integer", "number"))
