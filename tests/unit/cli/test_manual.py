"""`litterm help`: commands and topics as lines, and the man pages."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from commands import Command
from documents import page

from litterm.cli.commands import COMMANDS, Subcommand
from litterm.cli.manual import TOPICS, HelpTopic, man_page, write_man_pages
from litterm.cli.parser import build_parser
from litterm.core.settings.options import OPTIONS
from litterm.render.plain_page import plain_lines
from litterm.text.queries.fields import FIELDS


def test_without_a_topic_all_are_listed(litterm: Command) -> None:
    done = litterm("help")
    assert done.status == 0
    assert [topic.name for topic in TOPICS if f"  {topic.name} " not in done.out] == []


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.name)
def test_a_topic_is_plain_lines(litterm: Command, topic: HelpTopic) -> None:
    done = litterm("help", topic.name)
    assert (done.status, done.err) == (0, "")
    outside_examples = [line for line in done.out.splitlines() if not line.startswith("    ")]
    assert [line for line in outside_examples if re.search(r"^\| |\]\(|^#+ |```|\*\*", line)] == []


def test_a_command_is_its_own_help(litterm: Command) -> None:
    assert litterm("help", "search").out == litterm("search", "--help").out


def test_the_query_language_names_every_field(litterm: Command) -> None:
    said = litterm("help", "query").out
    # Abbreviations of other fields, and the filters below the table of the page.
    assert [
        name for name in ("title", "venue", "year", "author", "tag", "cited", "import") if f"{name}:" not in said
    ] == []
    assert [name for name in FIELDS if f"{name}:" not in page("docs/guide/search.md")] == []


def test_settings_are_those_of_the_table(litterm: Command) -> None:
    said = litterm("help", "settings").out
    assert [option.name for option in OPTIONS if f"{option.name}\n" not in said] == []
    assert [option.variable for option in OPTIONS if option.variable not in said] == []


def test_an_unknown_topic_names_the_nearest(litterm: Command) -> None:
    done = litterm("help", "kyes")
    assert (done.status, "did you mean 'keys'?" in done.err) == (2, True)


def test_a_topic_has_no_man_page(litterm: Command) -> None:
    done = litterm("help", "--man", "keys")
    assert (done.status, "no man page" in done.err) == (2, True)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_a_man_page_has_every_option_of_its_command(litterm: Command, command: Subcommand) -> None:
    said = litterm("help", "--man", command.name).out.replace(r"\-", "-")
    shown = [action for action in build_parser((command,)).parser_of(command.name).actions() if action.option_strings]
    assert [name for action in shown for name in action.option_strings if not re.search(rf"{name}\b", said)] == []


def test_the_man_page_of_litterm_has_every_command_and_exit_status() -> None:
    said = man_page("").replace(r"\-", "-")
    assert [command.name for command in COMMANDS if rf"litterm-{command.name}\fR(1)" not in said] == []
    assert re.findall(r"^\\fB(\d+)\\fR$", said, re.MULTILINE) == ["0", "1", "2", "3", "4", "5", "6", "130"]


@pytest.mark.skipif(shutil.which("groff") is None, reason="needs groff")
def test_groff_reads_every_man_page_without_a_warning(tmp_path: Path) -> None:
    write_man_pages(tmp_path)
    files = sorted(map(str, tmp_path.glob("*.1")))
    assert len(files) == len(COMMANDS) + 1
    done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", *files], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_page_becomes_lines_that_a_screen_reader_reads_in_order() -> None:
    table = "| a | b |\n|---|---|\n| x\\|y | **z** |\n"
    text = f"# Owls\n\nSee [the page](a.md) of\n`owls`.\n\n![picture](a.svg)\n\n{table}\n- one\n  two\n- three\n"
    entries = ["a", "    b", "x|y", "    z"]
    shown = ["OWLS", "", "See the page of owls.", "", *entries, "", "- one two", "- three"]
    assert plain_lines(text, 80) == shown
    assert plain_lines(f"{text}\n```sh\nrun | it\n```\n", 80) == [*shown, "", "    run | it"]
