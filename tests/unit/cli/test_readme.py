"""The reference says every command, option, field, setting and exit status there is."""

from __future__ import annotations

import re

import pytest
from documents import page
from fakes import ZEBRA, document

from litterm.cli.commands import COMMANDS
from litterm.cli.parser import build_parser
from litterm.core.settings.options import OPTIONS
from litterm.importers.jsonl import rows as reading
from litterm.model.annotations import PaperNotes
from litterm.model.library import ImportReport
from litterm.render import json
from litterm.render.imports import import_report_data


@pytest.mark.parametrize("verb", COMMANDS, ids=lambda verb: verb.name)
def test_every_command_and_option_is_in_the_reference(verb: object) -> None:
    commands = page("docs/reference/commands.md")
    assert f"`litterm {verb.name}" in commands  # type: ignore[attr-defined]
    options = [
        option
        for action in build_parser((verb,)).parser_of(verb.name).actions()  # type: ignore[attr-defined, arg-type]
        for option in action.option_strings
    ]
    missing = [option for option in options if option not in commands and option not in ("-h", "--help")]
    assert missing == []


def test_every_setting_is_in_the_reference_with_its_variable_and_meaning() -> None:
    settings = page("docs/reference/settings.md")
    for option in OPTIONS:
        row = next((line for line in settings.splitlines() if line.startswith(f"| `{option.name}` |")), "")
        assert f"`{option.variable}`" in row, option.name
        assert option.meaning in row


def test_every_field_of_the_records_is_in_the_reference() -> None:
    said = page("docs/reference/json.md")
    fields = [*json.show(ZEBRA, document(), PaperNotes()), *import_report_data(ImportReport())]
    fields += list(json.show(ZEBRA, document(), PaperNotes())["document"])  # type: ignore[call-overload]
    assert [field for field in fields if f"`{field}`" not in said and f'"{field}"' not in said] == []


def test_the_fields_of_json_lines_are_those_that_are_read() -> None:
    rows = re.findall(r"^\| (`\w+`[^|]*)\|", page("docs/reference/jsonl-format.md"), re.MULTILINE)
    said = set(re.findall(r"`(\w+)`", " ".join(rows)))
    read = set(re.findall(r"`(\w+)`", str(reading.__doc__)))
    assert len(said) > 30
    assert said - read == set()
