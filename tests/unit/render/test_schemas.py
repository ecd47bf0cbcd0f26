"""JSON Schemas of settings and `--json`: made from the types, and changed only with a new version."""

from __future__ import annotations

import json
import tomllib
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from documents import CHECKOUT, page
from json_answers import faults, schema_tool

from litterm.cli.commands import COMMANDS
from litterm.cli.parser import build_parser
from litterm.core.settings.options import OPTIONS
from litterm.render.json import schema_name
from litterm.render.json_types import ANSWERS

SCHEMAS: dict[str, Any] = schema_tool().schemas()
FOLDER = CHECKOUT / "docs/reference/schemas"


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_schema_of_the_reference_is_that_of_the_types(name: str) -> None:
    kept = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    advice = "raise its version (JSON_VERSIONS in litterm/render/json.py), then run python tools/schemas.py"
    assert kept == SCHEMAS[name], f"{name} has changed: {advice}"


def test_the_reference_has_no_other_schema() -> None:
    assert {file.stem for file in FOLDER.iterdir()} == set(SCHEMAS)


def test_every_command_with_json_has_a_schema() -> None:
    parser = build_parser()
    # The options of `make` and `agree` stand on their actions; all are declared by the command's own parser.
    with_json = {
        command.name
        for command in COMMANDS
        if any("--json" in action.option_strings for action in parser.parser_of(command.name).actions())
    }
    assert with_json == set(ANSWERS)


def test_a_change_without_a_version_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    tool = schema_tool()
    assert tool.write_schemas(tmp_path, SCHEMAS) == []
    changed = deepcopy(SCHEMAS)
    changed["search"]["$defs"]["SearchData"]["properties"]["novel"] = {"type": "string"}
    assert tool.write_schemas(tmp_path, changed) == ["search"]
    assert json.loads((tmp_path / "search.json").read_text()) == SCHEMAS["search"]
    changed["search"]["$id"] = "search/2"
    assert tool.write_schemas(tmp_path, changed) == []
    assert json.loads((tmp_path / "search.json").read_text()) == changed["search"]


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({"schema": "cache/1"}, ".folder is missing"),
        ({"schema": "remove/1", "removed": "two"}, ".removed: 'two' is no integer"),
        ({"schema": "remove/1", "removed": 2, "more": 1}, ".more is not in the schema"),
        ({"schema": "remove/0", "removed": 2}, "schema: remove/0"),
        ({"schema": "remove/1", "removed": True}, ".removed: True is no integer"),
    ],
)
def test_an_answer_that_differs_is_noticed(answer: dict[str, Any], told: str) -> None:
    assert told in faults(answer)


def test_an_answer_that_fits_has_no_fault() -> None:
    assert faults({"schema": schema_name("remove"), "removed": 2}) == []


def test_the_schema_of_the_settings_names_each_with_its_meaning_and_default() -> None:
    fields = SCHEMAS["settings"]["properties"]
    for option in OPTIONS:
        table, _, name = option.name.rpartition(".")
        field = (fields[table]["properties"] if table else fields)[name]
        assert field["description"] == option.meaning
        assert field["default"] == ("auto" if option.default is None else option.default)


def test_the_settings_of_the_reference_keep_to_the_schema() -> None:
    example = page("docs/reference/settings.md").partition("```toml\n")[2].partition("```")[0]
    fields = SCHEMAS["settings"]["properties"]
    for name, value in tomllib.loads(example).items():
        assert name in fields
        if isinstance(value, dict) and name != "keys":
            assert set(value) <= set(fields[name]["properties"])
    assert fields["pdf"]["properties"]["pages"]["type"] == "integer"
    assert fields["results_layout"]["enum"] == ["auto", "table", "cards"]
    assert fields["model"]["properties"]["timeout_s"]["anyOf"][1] == {"const": "auto"}
