"""The commands of `litterm`, each with its group, its summary and the module that runs it."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from litterm.cli.context import Context


class CommandModule(Protocol):
    """A module that holds one or more commands."""

    def declare(self, command: str, parser: argparse.ArgumentParser) -> None:
        """Adds the options of `command`."""
        ...

    def run(self, command: str, args: argparse.Namespace, context: Context) -> int:
        """Runs `command` and returns its exit status."""
        ...


GROUPS = ("find, read, judge and cite", "library")
"""What commands are for, in the order of `litterm --help`."""
HELP_GROUP = "help"
"""Of `litterm help` itself, which stands in the first line of `litterm --help`."""


@dataclass(frozen=True, slots=True)
class Subcommand:
    """A command as the parser, the help and shell completion know it, without its module."""

    name: str
    module: str
    group: str
    """One of `GROUPS`, or `HELP_GROUP`."""
    summary: str
    """At most 26 characters, for the overview of all commands."""
    meaning: str
    """One sentence, for its own help and for completion."""

    def load(self) -> CommandModule:
        """Its module, imported now."""
        return cast(CommandModule, import_module(f"litterm.cli.{self.module}"))


_PAPERS, _LIBRARY = GROUPS
# A table and not a decorator in each module, so that the overview of all commands imports none of them.
COMMANDS = (
    Subcommand("search", "search.search", _PAPERS, "search the library", "search the library"),
    Subcommand(
        "ask",
        "search.ask",
        _PAPERS,
        "sentences that answer",
        "answer a question by sentences of your papers, each with its place and key",
    ),
    Subcommand(
        "first",
        "citations.first_papers",
        _PAPERS,
        "where a topic comes from",
        "show where a topic comes from: the oldest relevant papers, and who names them as its origin",
    ),
    Subcommand(
        "list",
        "reading_list",
        _PAPERS,
        "papers to read on a topic",
        "make a reading list on a topic, in the order in which a newcomer best reads it",
    ),
    Subcommand("find", "library.fetch", _PAPERS, "search an online service", "search an online service now"),
    Subcommand("refs", "citations.references", _PAPERS, "what a paper cites", "list what a paper cites"),
    Subcommand(
        "watch", "search.watch", _PAPERS, "saved searches, new papers", "save a search, and see what is new in it"
    ),
    Subcommand("cited-by", "citations.references", _PAPERS, "what cites a paper", "list what cites a paper"),
    Subcommand(
        "rerun",
        "search.rerun",
        _PAPERS,
        "a recorded search again",
        "make a search that `search --record` wrote down once more, and say what has changed",
    ),
    Subcommand("read", "library.show", _PAPERS, "open a paper", "open the workbench at a paper"),
    Subcommand(
        "evidence",
        "evidence.evidence",
        _PAPERS,
        "sentences for a hypothesis",
        "find the sentences of a paper that bear on a hypothesis",
    ),
    Subcommand(
        "extract",
        "evidence.extract",
        _PAPERS,
        "values from many papers",
        "make a table of what many papers state, such as sample size or data set, each with its sentence",
    ),
    Subcommand(
        "show", "library.show", _PAPERS, "details of a paper", "show everything that the library holds about a paper"
    ),
    Subcommand(
        "mark",
        "annotations.mark",
        _PAPERS,
        "stars, decisions, tags",
        "star papers, include or exclude them, set their reading status, tags, collections and notes",
    ),
    Subcommand(
        "collections",
        "annotations.collections",
        _PAPERS,
        "your collections",
        "list your collections with the number of their papers, rename or delete them",
    ),
    Subcommand(
        "cite",
        "attribution.cite",
        _PAPERS,
        "the paper a mark refers to",
        "find the paper that a [CITATION] in a text refers to",
    ),
    Subcommand(
        "check",
        "attribution.check",
        _PAPERS,
        "is a bibliography right",
        "hold each entry of a bibliography, draft or PDF against what is known of it",
    ),
    Subcommand(
        "export",
        "library.export",
        _PAPERS,
        "papers for other programs",
        "export papers as BibTeX, RIS, CSL-JSON, Markdown or CSV",
    ),
    Subcommand(
        "add", "library.add", _LIBRARY, "import files and archives", "import papers from files, folders and archives"
    ),
    Subcommand(
        "failures", "library.add", _LIBRARY, "what could not be imported", "list or retry what could not be imported"
    ),
    Subcommand(
        "imports",
        "library.imports",
        _LIBRARY,
        "what you imported",
        "list the files, folders and services that papers came from, or take one of these imports back",
    ),
    Subcommand(
        "sql",
        "library.sql",
        _LIBRARY,
        "your library in SQL",
        "read your papers, full texts, citations and marks with a statement in SQL",
    ),
    Subcommand(
        "sync",
        "library.sync",
        _LIBRARY,
        "papers from a service",
        "import papers from a service, and later what is new there; without SOURCE, update all subscriptions",
    ),
    Subcommand(
        "config",
        "config",
        _LIBRARY,
        "set up a model",
        "set up a language model and check that it answers, or a sentence encoder for searches",
    ),
    Subcommand(
        "encode",
        "library.encode",
        _LIBRARY,
        "vectors by your encoder",
        "make the vectors of papers by the sentence encoder that `config encoder` has set, or say how far they are",
    ),
    Subcommand(
        "fetch",
        "library.fetch",
        _LIBRARY,
        "full texts of papers",
        "fetch full texts, each from the first legal source that has it",
    ),
    Subcommand(
        "cache",
        "cache",
        _LIBRARY,
        "cached replies of models",
        "show how much is cached, or clear the cache",
    ),
    Subcommand(
        "duplicates",
        "library.duplicates",
        _LIBRARY,
        "possible duplicates",
        "list possible duplicates, merge them, keep them apart, or take a merged record apart",
    ),
    Subcommand(
        "attach",
        "library.attach",
        _LIBRARY,
        "give a paper its PDF",
        "attach a PDF to a paper, with the highlights and notes in it, or undo that",
    ),
    Subcommand(
        "edit",
        "library.edit",
        _LIBRARY,
        "correct a record",
        "correct title, authors, year or citation key of a record by hand, or undo that",
    ),
    Subcommand(
        "doctor",
        "diagnostics.doctor",
        _LIBRARY,
        "check the installation",
        "check versions, folders, library, model and terminal, and say what is missing",
    ),
    Subcommand(
        "remove",
        "library.duplicates",
        _LIBRARY,
        "hide papers",
        "hide papers from search, lists and exports, or take a whole import back; nothing is deleted",
    ),
    Subcommand(
        "undo",
        "annotations.undo",
        _LIBRARY,
        "take a change back",
        "undo the last change to marks, decisions, tags, notes or records, or redo it",
    ),
    Subcommand(
        "backup", "library.backup", _LIBRARY, "all of it in one file", "write your library and settings to a file"
    ),
    Subcommand(
        "restore",
        "library.backup",
        _LIBRARY,
        "a library from a backup",
        "restore what `backup` wrote, where no library is",
    ),
    Subcommand("serve", "serve", _LIBRARY, "a library for a group", "serve the library to a group over HTTP"),
    Subcommand(
        "mcp",
        "mcp",
        _PAPERS,
        "your library for an agent",
        "give the library to an agent as tools, by the Model Context Protocol",
    ),
    Subcommand(
        "make",
        "test_sets.make",
        _LIBRARY,
        "test sets of your field",
        "make a test set from your own library, in the form that `litterm bench` reads",
    ),
    Subcommand(
        "agree",
        "agreement.agree",
        _LIBRARY,
        "people against the model",
        "let people grade what a model judges, and test whether the model agrees as a person does",
    ),
    Subcommand("bench", "bench", _LIBRARY, "measure speed and quality", "measure speed and quality"),
    Subcommand(
        "completion", "completion", _LIBRARY, "completion for your shell", "print a completion script for your shell"
    ),
    Subcommand(
        "help",
        "manual",
        HELP_GROUP,
        "keys, query language, ...",
        "print the options of a command, or a topic: keys, query language, settings, exit codes",
    ),
)
COMMANDS_BY_NAME = {command.name: command for command in COMMANDS}
