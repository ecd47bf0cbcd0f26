"""`litterm help TOPIC`: a command, or a page of the documents, which ship with litterm; and the man pages."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from litterm.cli.commands import COMMANDS, COMMANDS_BY_NAME, Subcommand
from litterm.cli.context import Context
from litterm.core.errors import LittermError, UsageError

MAN_SECTION = 1
_COLUMNS = 80
"""Where the output is no terminal."""


@dataclass(frozen=True, slots=True)
class HelpTopic:
    """What `litterm help NAME` prints that is no command."""

    name: str
    meaning: str
    page: str = ""
    """The page below `docs/`; empty where the text is made from a table."""
    section: str = ""
    """The heading of the part that is printed; empty for the whole page."""


TOPICS = (
    HelpTopic("commands", "every command, each with its meaning"),
    HelpTopic("query", "the query language", "guide/search.md", "The query language"),
    HelpTopic("keys", "the keys of the workbench", "reference/keys.md"),
    HelpTopic("settings", "every setting, its variable and default"),
    HelpTopic("exit-codes", "what the exit status says", "reference/exit-codes.md"),
    HelpTopic("plain", "which commands serve a screen reader", "guide/screen-reader.md"),
    HelpTopic("json", "the fields of each --json", "reference/json.md"),
    HelpTopic("formats", "files of other programs", "reference/exchange-formats.md"),
    HelpTopic("citation-keys", "formulas of citation keys", "reference/citation-keys.md"),
    HelpTopic("jsonl", "papers as JSON Lines", "reference/jsonl-format.md"),
    HelpTopic("views", "what `litterm sql` can read", "reference/sql.md"),
    HelpTopic("templates", "Markdown files of papers", "reference/paper-template.md"),
    HelpTopic("stable", "what later versions keep", "reference/stability.md"),
    HelpTopic("install", "ways to install litterm and its extras", "guide/installation.md"),
    HelpTopic("coming-from", "coming from Zotero, JabRef, papis or Elicit", "guide/coming-from.md"),
    HelpTopic("workbench", "panes, home, projects and jobs", "guide/workbench.md"),
    HelpTopic("model", "setting up a language model", "guide/language-model.md"),
    HelpTopic("sources", "records and full texts from services", "guide/sources.md"),
    HelpTopic("security", "what is protected, and what is sent where", "security.md"),
)
TOPICS_BY_NAME = {topic.name: topic for topic in TOPICS}


def declare(_command: str, parser: argparse.ArgumentParser) -> None:
    """Adds the topic."""
    parser.add_argument("topic", nargs="?", metavar="TOPIC", help="a command, or one of the topics that `help` lists")
    parser.add_argument("--man", action="store_true", help="print the man page of litterm, or of the command TOPIC")


def run(_command: str, args: argparse.Namespace, context: Context) -> int:
    """Prints the topic, or the list of topics."""
    if args.topic and args.topic not in TOPICS_BY_NAME and args.topic not in COMMANDS_BY_NAME:
        from litterm.core.settings.config_file import suggest_nearest

        nearest = suggest_nearest(args.topic, (*TOPICS_BY_NAME, *COMMANDS_BY_NAME))
        raise UsageError(f"there is no topic {args.topic!r}{nearest}; `litterm help` lists all")
    if args.man:
        if args.topic and args.topic not in COMMANDS_BY_NAME:
            raise UsageError(
                f"{args.topic!r} is no command, and has no man page; `litterm help {args.topic}` prints it"
            )
        context.output.write(man_page(args.topic or ""))
        return 0
    columns = context.output.columns or _COLUMNS
    context.output.write_lines(topic_lines(args.topic, columns) if args.topic else _list_lines())
    return 0


def topic_lines(name: str, columns: int) -> list[str]:
    """The lines of the topic or command `name`, at most `columns` cells wide where words allow it."""
    if name == "commands":
        return [*_commands_lines(columns)]
    if name == "settings":
        return [*_settings_lines(columns)]
    topic = TOPICS_BY_NAME.get(name)
    if topic is None:
        return _command_help(COMMANDS_BY_NAME[name])
    from litterm.render.plain_page import plain_lines, section

    text = _page(topic.page)
    return plain_lines(section(text, topic.section) if topic.section else text, columns)


def _page(name: str) -> str:
    """A page of the documents, by its path below `docs/`."""
    import litterm

    package = Path(litterm.__file__).resolve().parent
    # In the wheel, and beside the package in a checkout.
    for folder in (package / "docs", package.parent / "docs"):
        if (folder / name).is_file():
            return (folder / name).read_text("utf-8")
    raise LittermError(f"The page {name} is missing from this installation of litterm; install it again.")


def _list_lines() -> list[str]:
    wide = max(len(topic.name) for topic in TOPICS)
    return [
        "litterm help COMMAND prints the options of a command, litterm help TOPIC one of these:",
        *(f"  {topic.name:<{wide}}  {topic.meaning}" for topic in TOPICS),
    ]


def _commands_lines(columns: int) -> Iterator[str]:
    from litterm.render.plain_page import entry_lines

    for command in COMMANDS:
        yield from entry_lines(f"litterm {command.name}", command.meaning, columns)


def _settings_lines(columns: int) -> Iterator[str]:
    from litterm.core.settings.options import OPTIONS
    from litterm.render.plain_page import entry_lines

    for option in OPTIONS:
        default = "auto" if option.default is None else str(option.default).lower() or "empty"
        yield from entry_lines(
            option.name, f"{option.meaning} ({option.variable}; default: {default})".replace("`", ""), columns
        )


def _command_help(command: Subcommand) -> list[str]:
    from litterm.cli.parser import build_parser

    return build_parser((command,)).parser_of(command.name).format_help().splitlines()


def man_page(name: str) -> str:
    """The man page of the command `name`, or of litterm itself where it is empty, in the language of `man`."""
    from litterm.cli.parser import COMMON_OPTIONS_TITLE, build_parser, version_line

    commands = (COMMANDS_BY_NAME[name],) if name else ()
    parser = build_parser(commands)
    common = [action for action in parser.actions() if action.option_strings]
    title = f"litterm-{name}" if name else "litterm"
    lines = [f'.TH "{title.upper()}" {MAN_SECTION} "" "{version_line()}" "litterm"']
    if name:
        command = COMMANDS_BY_NAME[name]
        sub = parser.parser_of(name)
        lines += [".SH NAME", _roff(f"{title} - {command.meaning}"), ".SH SYNOPSIS", _roff(_usage(sub))]
        common_names = {action.dest for action in common}
        own = [action for action in sub.actions() if action.dest not in common_names and action.help != "==SUPPRESS=="]
        lines += [".SH OPTIONS", *_option_lines(own)]
    else:
        lines += [".SH NAME", _roff("litterm - a literature workbench for the terminal"), ".SH SYNOPSIS"]
        lines += [_roff("litterm [OPTIONS] [COMMAND ...]"), ".SH DESCRIPTION"]
        lines += [_roff("Without a command it opens the workbench."), ".SH COMMANDS"]
        for command in COMMANDS:
            lines += [".TP", rf"\fBlitterm\-{_roff(command.name)}\fR(1)", _roff(f"{_sentence(command.meaning)}")]
    lines += [f".SH {COMMON_OPTIONS_TITLE.upper()}", *_option_lines(common)]
    lines += [".SH EXIT STATUS", *_exit_lines(), ".SH SEE ALSO"]
    see = [r"\fBlitterm\fR(1)"] if name else []
    lines.append(", ".join([*see, _roff("`litterm help` for keys, query language and settings").replace("`", '"')]))
    return "\n".join(lines) + "\n"


def _usage(parser: argparse.ArgumentParser) -> str:
    """The first line of its help, without all its options."""
    return parser.format_help().partition("\n\n")[0].removeprefix("usage: ")


def _option_lines(actions: list[argparse.Action]) -> Iterator[str]:
    formatter = argparse.HelpFormatter("")
    for action in actions:
        yield ".TP"
        shown = formatter._format_action_invocation(action)
        yield rf"\fB{_roff(shown)}\fR"
        yield _roff(_sentence(formatter._expand_help(action))) if action.help else r"\&"


def _exit_lines() -> Iterator[str]:
    for row in _page("reference/exit-codes.md").splitlines():
        if found := re.match(r"\| (\d+) \| ([^|]*) \|$", row):
            yield from (".TP", rf"\fB{found[1]}\fR", _roff(_sentence(found[2].replace("`", ""))))


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith((".", "!", "?")) else ".")


def _roff(text: str) -> str:
    """`text` on one line, in which nothing is an instruction to `man`."""
    line = " ".join(text.split()).replace("\\", r"\e").replace("-", r"\-").replace("'", r"\(aq").replace("`", r"\(ga")
    return rf"\&{line}" if line.startswith(".") else line


def write_man_pages(folder: Path) -> None:
    """Writes the man page of litterm and of each command into `folder`, as `litterm-search.1`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("", *COMMANDS_BY_NAME):
        file = f"litterm-{name}" if name else "litterm"
        (folder / f"{file}.{MAN_SECTION}").write_text(man_page(name), "utf-8")
