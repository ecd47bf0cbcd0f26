"""The examples of the guide: read by what they are written for, and started with options that there are."""

from __future__ import annotations

import configparser
import re
import shlex
from collections.abc import Iterator

import yaml
from documents import CHECKOUT

from litterm.cli.parser import parse

EXAMPLES = CHECKOUT / "docs" / "examples" / "group-library"


def commands(text: str) -> Iterator[list[str]]:
    """The arguments of every `litterm serve` in an example, comments included."""
    for line in re.findall(r"litterm (serve [^\"\n]*)", text):
        yield shlex.split(line)


def test_the_unit_runs_a_command_that_there_is_as_a_user_of_its_own() -> None:
    text = (EXAMPLES / "litterm.service").read_text("utf-8")
    unit = configparser.ConfigParser(interpolation=None)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read_string(text)
    assert unit["Service"]["User"] == "litterm"
    program, *argv = shlex.split(unit["Service"]["ExecStart"])
    assert program.endswith("/litterm")
    args = parse(argv)
    assert (args.host, args.port, args.home) == ("127.0.0.1", 8765, unit["Service"]["ReadWritePaths"])
    assert [parse(each).command for each in commands(text)] == ["serve", "serve"]


def test_the_containers_hold_together() -> None:
    text = (EXAMPLES / "compose.yaml").read_text("utf-8")
    composed = yaml.safe_load(text)
    services = composed["services"]
    (args,) = [parse(each) for each in commands(services["litterm"]["command"][2])]
    assert str(args.port) in services["litterm"]["expose"]
    assert services["proxy"]["command"][-1] == f"litterm:{args.port}"
    assert services["proxy"]["depends_on"] == ["litterm"]
    mounted = [volume.split(":") for service in services.values() for volume in service["volumes"]]
    assert {name for name, _ in mounted} == set(composed["volumes"])
    assert services["litterm"]["environment"]["LITTERM_HOME"] == mounted[0][1]
    assert [parse(each).command for each in commands(text)] == ["serve", "serve"]


def test_the_guide_shows_both() -> None:
    guide = (CHECKOUT / "docs" / "guide" / "group-library.md").read_text("utf-8")
    for path in EXAMPLES.iterdir():
        assert f"../examples/group-library/{path.name}" in guide
