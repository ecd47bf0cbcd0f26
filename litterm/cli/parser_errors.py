"""Rewords argparse's errors about a command line in plain words."""

from __future__ import annotations

import re
from collections.abc import Collection

_REQUIRED = re.compile(r"the following arguments are required: (?P<names>.+)", re.DOTALL)
_ONE_OF = re.compile(r"one of the arguments (?P<names>.+) is required", re.DOTALL)
_CHOICE = re.compile(
    r"argument (?P<name>[^:]+): invalid choice: (?P<value>.+) \(choose from (?P<choices>.+)\)", re.DOTALL
)
_NO_VALUE = re.compile(r"argument (?P<name>[^:]+): expected (?:one|at least one|\d+) arguments?")
_NO_FLAG = re.compile(r"argument (?P<name>[^:]+): ignored explicit argument .+", re.DOTALL)
_TOGETHER = re.compile(r"argument (?P<name>[^:]+): not allowed with argument (?P<other>.+)")
_ARGUMENT = re.compile(r"argument (?P<name>[^:]+): (?P<rest>.+)", re.DOTALL)


def reword_error(message: str) -> str:
    """`message` as people say it; one that argparse did not make is left alone."""
    if match := _REQUIRED.fullmatch(message):
        return f"give {_join_names(match['names'].split(', '), 'and')}"
    if match := _ONE_OF.fullmatch(message):
        return f"give {_join_names(match['names'].split(), 'or')}"
    if match := _CHOICE.fullmatch(message):
        return _no_such_value(match["name"], match["value"].strip("'"), match["choices"].replace("'", "").split(", "))
    if match := _NO_VALUE.fullmatch(message):
        return f"{match['name']} needs a value"
    if match := _NO_FLAG.fullmatch(message):
        return f"{match['name']} takes no value"
    if match := _TOGETHER.fullmatch(message):
        return f"{match['name']} and {match['other']} cannot be combined"
    if match := _ARGUMENT.fullmatch(message):
        return f"{match['name']}: {match['rest']}"
    return message


def surplus_error(word: str, options: Collection[str]) -> str:
    """Why `word`, which no argument takes, cannot stand there."""
    if not word.startswith("-"):
        return f"{word!r} is one argument too many"
    from litterm.core.settings.config_file import nearest

    name = word.partition("=")[0]
    return f"there is no option {name}{nearest(name, options)}"


def _no_such_value(name: str, value: str, choices: Collection[str]) -> str:
    from litterm.core.settings.config_file import nearest

    return f"{name}: there is no {value!r}{nearest(value, choices)}"


def _join_names(names: list[str], word: str) -> str:
    """`a, b and c`."""
    return f" {word} ".join(filter(None, (", ".join(names[:-1]), names[-1])))
