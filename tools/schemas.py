"""`python tools/schemas.py`: writes the JSON Schemas of settings and of each `--json` into docs/reference/schemas.

They are made from the types that `litterm/render/json_types.py` names and from the table of settings. A schema that
changes under the same version is refused: raise it in `JSON_VERSIONS` of `litterm/render/json.py`, or `VERSION` of the
settings.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
import types
import typing
from pathlib import Path
from typing import Any, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from litterm.core.settings.options import OPTIONS, VERSION, SettingOption
from litterm.render.json import schema_name
from litterm.render.json_types import ANSWERS

FOLDER = Path(__file__).resolve().parent.parent / "docs/reference/schemas"
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_NAMES = {str: "string", int: "integer", float: "number", bool: "boolean", types.NoneType: "null"}
_ADVICE = "changed under the same version; raise it in litterm/render/json.py, or VERSION of the settings"

Schema = dict[str, Any]


def answer_schema(command: str) -> Schema:
    """Of what `command` prints with `--json`: one of several objects, each with the field `schema`."""
    parts: Schema = {}
    kinds = [_of_type(answer, parts) for answer in ANSWERS[command]]
    return {
        "$schema": _DIALECT,
        "$id": schema_name(command),
        "title": f"litterm {command} --json",
        "type": "object",
        "properties": {"schema": {"const": schema_name(command)}},
        "required": ["schema"],
        "anyOf": kinds,
        "$defs": dict(sorted(parts.items())),
    }


def _of_type(kind: Any, parts: Schema) -> Schema:
    """Of one type; a typed object is kept in `parts`, and referred to."""
    if is_typeddict(kind):
        if kind.__name__ not in parts:
            parts[kind.__name__] = {}
            parts[kind.__name__] = _of_object(kind, parts)
        return {"$ref": f"#/$defs/{kind.__name__}"}
    if kind in _NAMES:
        return {"type": _NAMES[kind]}
    if kind is object:
        return {}
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (list, dict):
        inside = _of_type(arguments[-1], parts)
        return {"type": "array", "items": inside} if origin is list else _mapping(inside)
    if origin not in (Union, types.UnionType):
        raise TypeError(f"{kind} has no schema")
    if all(argument in _NAMES for argument in arguments):
        return {"type": [_NAMES[argument] for argument in arguments]}
    return {"anyOf": [_of_type(argument, parts) for argument in arguments]}


def _mapping(values: Schema) -> Schema:
    return {"type": "object", "additionalProperties": values}


def _of_object(kind: Any, parts: Schema) -> Schema:
    hints = get_type_hints(kind, include_extras=True)
    fields, required = {}, []
    for name, hint in hints.items():
        if get_origin(hint) is NotRequired:
            (hint,) = get_args(hint)
        else:
            required.append(name)
        fields[name] = _of_type(hint, parts)
    about = inspect.getdoc(kind) or ""
    described = {} if about.startswith("dict(") else {"description": " ".join(about.split())}
    return {**described, "type": "object", "properties": fields, "required": sorted(required)}


def settings_schema() -> Schema:
    """Of the settings file, as the data that its TOML holds."""
    tables: Schema = {}
    for option in OPTIONS:
        table, _, name = option.name.rpartition(".")
        tables.setdefault(table, {})[name] = _of_option(option)
    fields = tables.pop("")
    for name, values in tables.items():
        fields[name] = {"type": "object", "properties": values, "additionalProperties": False}
    key = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
    fields["keys"] = {"description": "binding id to key or keys", "type": "object", "additionalProperties": key}
    head = {"$schema": _DIALECT, "$id": f"settings/{VERSION}", "title": "litterm's config.toml"}
    return {**head, "type": "object", "properties": fields, "additionalProperties": False}


def _of_option(option: SettingOption) -> Schema:
    # What a reader wants is known from how it refuses: it is the one place that says so.
    try:
        option.read(object())
    except ValueError as refused:
        wanted = str(refused)
    else:
        raise TypeError(f"{option.name} takes anything")
    default = "auto" if option.default is None else option.default
    return {"description": option.meaning, "default": default, **_wanted(wanted)}


def _wanted(words: str) -> Schema:
    if words.endswith(', or "auto"'):
        return {"anyOf": [_wanted(words.removesuffix(', or "auto"')), {"const": "auto"}]}
    if words == 'true, false or "auto"':
        return {"anyOf": [{"type": "boolean"}, {"const": "auto"}]}
    if words == "true or false":
        return {"type": "boolean"}
    if found := re.fullmatch(r"a (whole )?number from (\S+) to (\S+)", words):
        least, most = (int(float(bound)) for bound in found.group(2, 3))
        return {"type": "integer" if found[1] else "number", "minimum": least, "maximum": most}
    if words.startswith('"'):
        return {"enum": re.findall(r'"([^"]*)"', words)}
    return {"type": "string"}


def schemas() -> dict[str, Schema]:
    """All of them, by the name of their files without its ending."""
    return {"settings": settings_schema(), **{command: answer_schema(command) for command in ANSWERS}}


def write_schemas(folder: Path, made: typing.Mapping[str, Schema]) -> list[str]:
    """Writes what is new or has a new version, and returns the names of those that changed without one."""
    folder.mkdir(parents=True, exist_ok=True)
    refused = []
    for name, schema in made.items():
        file = folder / f"{name}.json"
        known = json.loads(file.read_text("utf-8")) if file.is_file() else {}
        if known == schema:
            continue
        if known.get("$id") == schema["$id"]:
            refused.append(name)
        else:
            file.write_text(json.dumps(schema, ensure_ascii=False, indent=2) + "\n", "utf-8")
    return refused


if __name__ == "__main__":
    without_version = write_schemas(FOLDER, schemas())
    sys.stderr.writelines(f"{name}: {_ADVICE}\n" for name in without_version)
    sys.exit(1 if without_version else 0)
