"""Options with a value: given twice they add up, or are refused; the last one never wins in silence."""

from __future__ import annotations

import argparse

import pytest

from litterm.cli.commands import COMMANDS
from litterm.cli.parser import SingleValueOption, ToggleOption, build_parser, parse
from litterm.core.errors import UsageError

WORDS = ("1", "20", "2020", "acl:P18-1001", "a || b", "60%", "text", "bash", "https://papers.example.org")
"""Every reader of values takes one of these."""

ARGUMENTS = {"bench": ("speed",), "check": ("refs.bib",), "edit": ("acl:P1",)}
"""What a command cannot be read without."""


def valued() -> list[tuple[str, str, argparse.Action]]:
    """Verb, option and action of every option that takes a value, in all its spellings."""
    parser = build_parser()
    found = []
    for verb in COMMANDS:
        for action in parser.parser_of(verb.name).actions():
            if action.option_strings and (action.nargs != 0 or isinstance(action, ToggleOption)):
                found += [(verb.name, option, action) for option in action.option_strings]
    return found


def values_of(action: argparse.Action) -> list[str]:
    if isinstance(action, ToggleOption):
        return []
    number = action.nargs if isinstance(action.nargs, int) else 1
    if action.choices:
        return [str(next(iter(action.choices)))] * number
    read = action.type if callable(action.type) else str
    for word in WORDS:
        try:
            read(word)
        except (argparse.ArgumentTypeError, ValueError, UsageError):
            continue
        return [word] * number
    raise AssertionError(f"no value for {action.option_strings}")


def test_there_are_options_to_look_at() -> None:
    assert len(valued()) > 60
    assert {"--setting", "--home", "-o", "-k", "--in-full-text", "--venue"} <= {option for _, option, _ in valued()}


@pytest.mark.parametrize(
    ("verb", "option", "action"), [pytest.param(*each, id=f"{each[0]} {each[1]}") for each in valued()]
)
def test_an_option_given_twice_adds_up_or_is_refused(verb: str, option: str, action: argparse.Action) -> None:
    words = values_of(action)
    try:
        args = (
            build_parser()
            .parser_of(verb)
            .parse_known_args([option, *words, option, *words, *ARGUMENTS.get(verb, ())])[0]
        )
    except UsageError as error:
        assert f"{option} is given twice" in str(error)
    else:
        assert len(getattr(args, action.dest)) == 2, "it adds up"
        assert not isinstance(action, SingleValueOption | ToggleOption)


@pytest.mark.parametrize(
    "argv",
    [
        ["--home", "a", "search", "x", "--home", "b"],
        ["--home", "a", "--home", "b"],
        ["search", "x", "-k", "3", "-k", "4"],
        ["cite", "x", "--pick", "1", "--mark", "2"],
        ["search", "x", "--in-full-text", "--no-in-full-text"],
        ["add", "a", "--ids", "one", "b", "--ids", "two"],
    ],
)
def test_two_values_for_one_thing_are_refused(argv: list[str]) -> None:
    with pytest.raises(UsageError, match=r"given twice|cannot be combined"):
        parse(argv)


def test_once_is_enough_and_arguments_are_no_options() -> None:
    args = parse(["--home", "a", "search", "x", "y", "--venue", "ACL", "--venue", "EMNLP", "--plain", "--plain"])
    assert (args.home, args.venue) == ("a", ["ACL", "EMNLP"])
    assert parse(["search", "x", "-k", "3"]).k == 3
    assert parse(["search", "x", "--no-in-full-text"]).in_full_text is False
