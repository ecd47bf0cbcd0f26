"""`litterm completion SHELL`: a static script, so that a TAB never waits for Python."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from litterm.cli.context import Context
from litterm.model.services import CATALOGUES, FINDERS

SHELLS = ("bash", "zsh", "fish")
_FILE_COMMANDS = frozenset({"add", "cite"})
"""Commands whose arguments may be files."""
SERVICE_NAMES: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("sync", "source"): (*CATALOGUES, "counts"),
    ("find", "service"): FINDERS,
}
"""By command and argument: names of services, which the parser leaves to the service to check."""


@dataclass(frozen=True, slots=True)
class _Command:
    name: str
    meaning: str
    options: tuple[tuple[str, str], ...]
    """Long or short option and its meaning."""
    values: tuple[tuple[str, tuple[str, ...]], ...]
    """Options whose value is one of a closed set, and that set."""
    choices: tuple[str, ...]
    """What its argument may be, where that is a closed set."""


def declare(_command: str, parser: argparse.ArgumentParser) -> None:
    """Adds the argument that names the shell."""
    parser.add_argument("shell", choices=SHELLS, help="bash, zsh or fish")


def run(_command: str, args: argparse.Namespace, context: Context) -> int:
    """Prints the script of the shell named."""
    writers = {"bash": _bash_script, "zsh": _zsh_script, "fish": _fish_script}
    context.output.write_lines(writers[args.shell](_commands()))
    return 0


def _commands() -> list[_Command]:
    from litterm.cli.commands import COMMANDS
    from litterm.cli.parser import build_parser

    commands = []
    for entry in COMMANDS:
        # With its module, as options are declared there and nowhere else.
        parser = build_parser((entry,)).parser_of(entry.name)
        options: list[tuple[str, str]] = []
        choices: tuple[str, ...] = ()
        values: list[tuple[str, tuple[str, ...]]] = []
        for action in parser.actions():
            options += [(option, action.help or "") for option in action.option_strings]
            names = SERVICE_NAMES.get((entry.name, action.dest), ())
            allowed = names if action.choices is None else tuple(map(str, action.choices))
            values += [(option, allowed) for option in action.option_strings if allowed]
            choices = allowed if allowed and not action.option_strings else choices
        commands.append(_Command(entry.name, entry.meaning, tuple(options), tuple(values), choices))
    return commands


def _bash_script(commands: list[_Command]) -> Iterator[str]:
    names = " ".join(command.name for command in commands)
    yield "# bash: put this in ~/.local/share/bash-completion/completions/litterm"
    yield "_litterm() {"
    yield '  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" verb="" words="" each'
    yield '  for each in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do'
    yield f'    case "$each" in {"|".join(command.name for command in commands)}) verb="$each"; break;; esac'
    yield "  done"
    yield '  case "$verb $before" in'
    for command in commands:
        for option, allowed in command.values:
            yield f'    "{command.name} {option}") COMPREPLY=($(compgen -W "{" ".join(allowed)}" -- "$word")); return;;'
    yield "  esac"
    yield '  case "$verb" in'
    for command in commands:
        words = " ".join(option for option, _meaning in command.options)
        files = ' $(compgen -f -- "$word")' if command.name in _FILE_COMMANDS else ""
        # Where a value is expected, options come once a dash is typed.
        values = f'[[ "$word" != -* ]] && words="{" ".join(command.choices)}"; ' if command.choices else ""
        yield f'    {command.name}) words="{words}"; {values}COMPREPLY=($(compgen -W "$words" -- "$word"){files});;'
    yield f'    *) COMPREPLY=($(compgen -W "{names} --help --version --offline --home --plain" -- "$word"));;'
    yield "  esac"
    yield "}"
    yield "complete -o filenames -F _litterm litterm"


def _zsh_script(commands: list[_Command]) -> Iterator[str]:
    yield "#compdef litterm"
    yield "# zsh: put this as _litterm in a folder of $fpath"
    yield "_litterm() {"
    yield "  local -a verbs"
    yield "  verbs=("
    for command in commands:
        yield f"    {_quote(f'{command.name}:{command.meaning}')}"
    yield "  )"
    yield "  if (( CURRENT == 2 )); then _describe command verbs; return; fi"
    yield '  local verb="$words[2]"; shift words; (( CURRENT-- ))'
    yield '  case "$verb" in'
    for command in commands:
        allowed = dict(command.values)
        options = " ".join(
            _quote(
                f"{option}[{_bracket(meaning)}]"
                + (f":value:({' '.join(allowed[option])})" if option in allowed else "")
            )
            for option, meaning in command.options
        )
        words = " ".join(command.choices)
        arguments = "'*:file:_files'" if command.name in _FILE_COMMANDS else _quote(f"*:argument:({words})")
        yield f"    {command.name}) _arguments {options} {arguments};;"
    yield "  esac"
    yield "}"
    yield '_litterm "$@"'


def _fish_script(commands: list[_Command]) -> Iterator[str]:
    yield "# fish: put this in ~/.config/fish/completions/litterm.fish"
    yield "complete -c litterm -f"
    for command in commands:
        yield f"complete -c litterm -n __fish_use_subcommand -a {command.name} -d {_quote(command.meaning)}"
    for command in commands:
        condition = _quote(f"__fish_seen_subcommand_from {command.name}")
        for option, meaning in command.options:
            values = dict(command.values).get(option, ())
            values_argument = f" -xa {_quote(' '.join(values))}" if values else ""
            form = f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}"
            yield f"complete -c litterm -n {condition} {form}{values_argument} -d {_quote(meaning)}"
        if command.choices:
            yield f"complete -c litterm -n {condition} -a {_quote(' '.join(command.choices))}"
        if command.name in _FILE_COMMANDS:
            yield f"complete -c litterm -n {condition} -F"


def _quote(text: str) -> str:
    """`text` in single quotes."""
    # Each of the three shells escapes a quotation mark differently; the typographic one needs no escape in any.
    return "'" + text.replace("'", "’") + "'"


def _bracket(text: str) -> str:
    # zsh ends a description at a bracket, and its fields at a colon.
    return text.replace("[", "(").replace("]", ")").replace(":", "\\:")
