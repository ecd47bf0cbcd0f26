"""The parser of the command line; a command's module is imported only when the command is used."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Collection, Sequence
from typing import Any, NoReturn, cast

from litterm.cli.commands import COMMANDS, COMMANDS_BY_NAME, GROUPS, Subcommand
from litterm.core.errors import UsageError

COMMON_OPTIONS_TITLE = "options of every command"
_OPTIONS_WITH_VALUE = frozenset({"--home", "--project", "--server"})
# argparse's own messages, as patterns. Not compiled here: only a mistake pays for them.
_MISSING_ARGUMENTS = r"(?s)the following arguments are required: (?P<names>.+)"
_MISSING_ONE_OF = r"(?s)one of the arguments (?P<names>.+) is required"
_INVALID_CHOICE = r"(?s)argument (?P<name>[^:]+): invalid choice: (?P<value>.+) \(choose from (?P<choices>.+)\)"
_MISSING_VALUE = r"argument (?P<name>[^:]+): expected (?:one|at least one|\d+) arguments?"
_UNEXPECTED_VALUE = r"(?s)argument (?P<name>[^:]+): ignored explicit argument .+"
_EXCLUSIVE_OPTIONS = r"argument (?P<name>[^:]+): not allowed with argument (?P<other>.+)"
_OTHER_ERROR = r"(?s)argument (?P<name>[^:]+): (?P<rest>.+)"


class SingleValueOption(argparse._StoreAction):
    """An option with a value that may be given once; argparse would silently let the second replace the first.

    Options that may be repeated are declared with `action="append"`. Flags without a value may be, as nothing changes.
    """

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        """Stores the value.

        Raises:
            UsageError: there was one before.
        """
        cast(Parser, parser).record_option(self.dest, option_string)
        setattr(namespace, self.dest, values)


class ToggleOption(argparse.BooleanOptionalAction):
    """A switch of two forms, `--name` and `--no-name`, of which one may be given once."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        """Stores the choice.

        Raises:
            UsageError: there was one before.
        """
        cast(Parser, parser).record_option(self.dest, option_string)
        setattr(namespace, self.dest, not (option_string or "").startswith("--no-"))


class Parser(argparse.ArgumentParser):
    """A parser that raises `UsageError`, refuses options given twice, and prints everyday options first."""

    reads_options_after_dashes = False
    """Whether `--` ends only the values of an option, and options may follow it; set by the command that wants it."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self.seen_options: dict[str, str] = {}
        """Options of the last line read: destination to the option as it was typed."""
        self._in_intermixed_pass = False
        super().__init__(*args, **options)
        # `None` is the action of an argument declared without one.
        for name in (None, "store"):
            self.register("action", name, SingleValueOption)

    def record_option(self, name: str, typed: str | None) -> None:
        """Records that an option for the destination `name` was typed as `typed`; `None` is an argument.

        Raises:
            UsageError: there was one before.
        """
        if typed is None:
            return
        if name in self.seen_options:
            earlier = self.seen_options[name]
            self.error(f"{typed} is given twice" if earlier == typed else f"{earlier} and {typed} cannot be combined")
        self.seen_options[name] = typed

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """The values typed, and the words that no argument takes.

        Raises:
            UsageError: the line cannot be parsed.
        """
        if self._in_intermixed_pass:
            return super().parse_known_args(args, namespace)
        self.seen_options.clear()
        if not self._takes_word_list() or not self._plain_words.isdisjoint(args or ()):
            return super().parse_known_args(args, namespace)
        # argparse calls this very method for each of its two passes.
        self._in_intermixed_pass = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._in_intermixed_pass = False

    @property
    def _plain_words(self) -> set[str]:
        # In the first of the two passes a help has no arguments, and in the second a word after `--` that begins with
        # a dash is an option.
        return {"-h", "--help"} if self.reads_options_after_dashes else {"-h", "--help", "--"}

    def _takes_word_list(self) -> bool:
        # `search neural -k 3 parsing`: argparse itself takes the words of one list only side by side.
        counts = {action.nargs for action in self._actions if not action.option_strings}
        return bool(counts & {"*", "+"}) and not counts & {argparse.REMAINDER, argparse.PARSER}

    def format_help(self) -> str:
        """Arguments and everyday options first; options of all commands come last, and the usage line is short."""
        formatter = self.formatter_class(prog=f"{self.prog} [OPTIONS]")
        formatter.add_usage(self.usage, [action for action in self._actions if not action.option_strings], ())
        formatter.add_text(self.description)
        for group in sorted(self._action_groups, key=lambda group: group.title == COMMON_OPTIONS_TITLE):
            formatter.start_section(group.title)
            formatter.add_text(group.description)
            formatter.add_arguments(group._group_actions)
            formatter.end_section()
        formatter.add_text(self.epilog)
        return formatter.format_help()

    def error(self, message: str) -> NoReturn:
        """Raises an error with the place of the help, where argparse would print and exit.

        Raises:
            UsageError: always.
        """
        raise UsageError(f"{reword_error(message)}; see `{self.prog} --help`")

    def actions(self) -> tuple[argparse.Action, ...]:
        """Every option and argument, in order."""
        return tuple(self._actions)

    def parser_of(self, command: str) -> Parser:
        """The parser of a subcommand."""
        subparsers = (action.choices for action in self._actions if isinstance(action, argparse._SubParsersAction))
        return cast(Parser, next(subparsers)[command])


class OverviewParser(Parser):
    """The parser of `litterm` itself: its help is all commands on one screen of 80 by 24."""

    def format_help(self) -> str:
        """The commands in their groups, two in a line; the help of each has its options and those of every command."""
        lines = ["usage: litterm [OPTIONS] [COMMAND [--help] | help TOPIC]; alone: the workbench"]
        for group in GROUPS:
            cells = [f"{command.name:<10} {command.summary}" for command in COMMANDS if command.group == group]
            left_column, right_column = cells[::2], [*cells[1::2], ""]
            lines += [
                # What everybody knows needs no heading, for which a small screen has no room.
                *([group] if group != GROUPS[0] else []),
                *(f"  {left:<39}{right}".rstrip() for left, right in zip(left_column, right_column, strict=False)),
            ]
        return "\n".join(lines) + "\n"


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The arguments as values; `command` is empty when only the workbench is wanted.

    Raises:
        UsageError: they cannot be parsed.
        SystemExit: help or the version was asked for and printed.
    """
    # Of the command typed alone, as each brings its module along.
    parser = build_parser(_commands_for(argv))
    args, surplus = parser.parse_known_args(list(argv))
    args.command = args.command or ""
    sub = parser.parser_of(args.command) if args.command else parser
    if surplus:
        sub.error(surplus_error(surplus[0], [name for action in sub.actions() for name in action.option_strings]))
    if args.command:
        for name, typed in parser.seen_options.items():
            # An option given before the command and after it, where the second would win.
            if name in sub.seen_options:
                sub.error(f"{typed} is given twice")
    return args


def _commands_for(argv: Sequence[str]) -> tuple[Subcommand, ...]:
    """The command typed; empty where there is none, and where the help of all of them is asked for."""
    words = iter(argv)
    for word in words:
        if word in ("-h", "--help"):
            return ()
        if word in _OPTIONS_WITH_VALUE:
            # The next word is its value, whatever command it looks like.
            next(words, None)
        elif not word.startswith("-"):
            if word not in COMMANDS_BY_NAME:
                # Refused here, where the nearest name is known: the parser is built for the one command typed.
                from litterm.core.settings.config_file import suggest_nearest

                raise UsageError(
                    f"there is no command {word!r}{suggest_nearest(word, COMMANDS_BY_NAME)}; see `litterm --help`"
                )
            return (COMMANDS_BY_NAME[word],)
    return ()


def build_parser(commands: Sequence[Subcommand] = COMMANDS) -> Parser:
    """The parser for these commands; imports the module of each."""
    common = _common_options()
    parser = OverviewParser(prog="litterm", allow_abbrev=False, parents=[common])
    parser.add_argument("--version", action="version", version=version_line())
    parser.set_defaults(command="")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands", parser_class=Parser)
    # Abbreviations are off: an option added later must not change what `--no` means in a script.
    for command in commands:
        sub = subparsers.add_parser(
            command.name,
            help=command.meaning,
            description=f"{command.meaning[0].upper()}{command.meaning[1:]}.",
            parents=[common],
            allow_abbrev=False,
        )
        command.load().declare(command.name, sub)
    return parser


def _common_options() -> Parser:
    """Options taken before and after the command."""
    # Absent from the namespace unless typed: a default after the command would overwrite what was typed before it.
    options = Parser(add_help=False, argument_default=argparse.SUPPRESS)
    group = options.add_argument_group(COMMON_OPTIONS_TITLE)
    group.add_argument("--offline", action="store_true", help="never use the network")
    group.add_argument("--home", metavar="DIR", help="keep all files in DIR (like LITTERM_HOME)")
    group.add_argument("--project", metavar="NAME", help="work in this project, created if it is new")
    group.add_argument("--server", metavar="URL", help="use the library of a group's server")
    group.add_argument("--plain", action="store_true", help="plain lines for screen readers: no colour, no workbench")
    return options


def reword_error(message: str) -> str:
    """An error message of argparse in plain words; any other message unchanged."""
    if match := re.fullmatch(_MISSING_ARGUMENTS, message):
        return f"give {_join_names(match['names'].split(', '), 'and')}"
    if match := re.fullmatch(_MISSING_ONE_OF, message):
        return f"give {_join_names(match['names'].split(), 'or')}"
    if match := re.fullmatch(_INVALID_CHOICE, message):
        return _no_such_value(match["name"], match["value"].strip("'"), match["choices"].replace("'", "").split(", "))
    if match := re.fullmatch(_MISSING_VALUE, message):
        return f"{match['name']} needs a value"
    if match := re.fullmatch(_UNEXPECTED_VALUE, message):
        return f"{match['name']} takes no value"
    if match := re.fullmatch(_EXCLUSIVE_OPTIONS, message):
        return f"{match['name']} and {match['other']} cannot be combined"
    if match := re.fullmatch(_OTHER_ERROR, message):
        return f"{match['name']}: {match['rest']}"
    return message


def surplus_error(word: str, options: Collection[str]) -> str:
    """The error message for a word that no argument accepts."""
    if not word.startswith("-"):
        return f"{word!r} is one argument too many"
    from litterm.core.settings.config_file import suggest_nearest

    name = word.partition("=")[0]
    return f"there is no option {name}{suggest_nearest(name, options)}"


def _no_such_value(name: str, value: str, choices: Collection[str]) -> str:
    from litterm.core.settings.config_file import suggest_nearest

    return f"{name}: there is no {value!r}{suggest_nearest(value, choices)}"


def _join_names(names: list[str], word: str) -> str:
    """`a, b and c`."""
    return f" {word} ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def int_between(least: int, most: int) -> Callable[[str], int]:
    """Returns a parser of whole numbers in `least`..`most`, for `type=`."""

    def read(word: str) -> int:
        number = _parse_int(word)
        if number is None or not least <= number <= most:
            raise argparse.ArgumentTypeError(f"{word!r} is not a whole number from {least} to {most}")
        return number

    return read


def float_between(least: float, most: float) -> Callable[[str], float]:
    """Returns a parser of numbers in `least`..`most`, for `type=`."""

    def read(word: str) -> float:
        try:
            number = float(word)
        except ValueError:
            number = least - 1
        if not least <= number <= most:
            raise argparse.ArgumentTypeError(f"{word!r} is not a number from {least:g} to {most:g}")
        return number

    return read


def parse_capped_int(most: int) -> Callable[[str], int]:
    """Returns a parser of whole numbers of 1 or more, capped at `most`, for `type=`."""

    def read(word: str) -> int:
        number = _parse_int(word)
        if number is None or number < 1:
            raise argparse.ArgumentTypeError(f"{word!r} is not a whole number of 1 or more")
        return min(number, most)

    return read


def _parse_int(word: str) -> int | None:
    """The number that `word` is, or `None`."""
    # Twenty digits are beyond every limit here, and Python refuses to read numbers of thousands of digits.
    digits = word.removeprefix("-")
    return int(word[:20]) if digits.isascii() and digits.isdecimal() else None


def join_words(words: Sequence[str]) -> str:
    """Joins arguments to one text; bytes that are not UTF-8 become U+FFFD."""
    return " ".join(words).encode("utf-8", "surrogateescape").decode("utf-8", "replace").strip()


def version_line() -> str:
    """The name and the version, as in `litterm 1.0.0`."""
    from litterm.core.version import __version__

    return f"litterm {__version__}"
