"""The command line (`:`), the help and the action menu, all made from the key table and named commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path

from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.base import Dialog
from litterm.tui.dialogs.choose import ChoiceDialog, ListChoice
from litterm.tui.dialogs.filter_list import FilterListDialog, RowFilter, filter_by_letters, filter_by_words
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.input.keymap import HINTS, KeyBinding, shown_key
from litterm.tui.state import PaneName
from litterm.tui.widgets.glyphs import Glyphs

_HELP_SCOPES = ("all", "results", "reader", "aspects", "matrix", "home", "typing")
"""Order of the help after the pane it was asked in."""
MIN_WIDTH_WITHOUT_WRAPPING = 110
"""Columns of a screen on which every row of the help fits on one line."""
_HELP_SCOPES_TYPING = ("typing", *_HELP_SCOPES)
_NOT_MOST_USED = frozenset(("all.help", "all.command-line", "all.commands", "all.help-anywhere"))
MAX_HISTORY = 50
"""Commands kept in the history."""
_PAPER_ACTIONS = (
    *(
        "all.enter",
        "all.evidence",
        "all.accept",
        "all.reject",
        "all.star",
        "all.tags",
        "all.note",
        "all.edit",
        "all.read-status",
    ),
    *("all.copy", "all.full-text", "all.references", "all.cited-by", "all.author", "all.cite", "all.open-outside"),
    "all.why",
)
ROW_ACTIONS: Mapping[PaneName, Sequence[str]] = {
    "results": (*_PAPER_ACTIONS, "all.select", "all.range", "all.matrix", "all.full-texts", "all.write", "results.add"),
    "reader": ("all.accept", "all.reject", "all.range", *_PAPER_ACTIONS[4:], "reader.outline", "all.find"),
    "evidence": ("all.enter", "all.accept", "all.reject", "all.copy", "all.copy-all", "all.why", "all.unpin"),
    "matrix": (
        "all.enter",
        "all.accept",
        "all.reject",
        "all.copy",
        "all.why",
        "matrix.hypothesis",
        "matrix.columns",
        "all.write",
    ),
    "home": ("all.enter", "all.retry", "all.reject", "all.why", "home.sync"),
}
"""By pane, the bindings that act on the row under the cursor."""

_GROUPS: Mapping[str, Sequence[str]] = {
    "move": (
        *("down", "up", "left", "right", "first", "last", "half-down", "half-up", "page-down", "page-up"),
        *("enter", "back", "next-evidence", "previous-evidence", "next-paper", "previous-paper"),
        *("history-back", "history-forward", "find"),
    ),
    "decide and note": ("accept", "reject", "star", "tags", "note", "edit", "read-status", "undo", "redo"),
    "select": ("select", "range", "select-all"),
    "evidence and citations": ("evidence", "unpin", "matrix", "model", "cite", "draft", "why"),
    "papers": (
        *("full-text", "full-texts", "references", "cited-by", "author", "reading-list", "watch", "open-outside"),
        *("copy", "copy-all", "write"),
    ),
    "panes": (
        *("query", "results", "reader", "evidence-pane", "home", "next-pane", "previous-pane", "hide", "preview"),
        *("zoom", "smaller", "larger", "options"),
    ),
    "litterm": (
        *("command-line", "commands", "menu", "help", "help-anywhere", "jobs", "retry", "cancel", "project"),
        *("suspend", "redraw", "quit"),
    ),
}
_GROUP_BY_ID = {f"all.{name}": group for group, names in _GROUPS.items() for name in names}
_ORDER_BY_ID = {f"all.{name}": place for place, name in enumerate(name for names in _GROUPS.values() for name in names)}
_COMMANDS_GROUP = "commands"
_COMMAND_GROUPS: Mapping[str, Sequence[str]] = {
    "search": ("ask", "answer", "find", "one-hop", "aspects", "blind", "rewrite", "first", "forget-watch"),
    "this paper": (
        *("open", "page", "note", "tag", "collect", "uncollect", "edit", "undo-edit", "split"),
        *("attach", "detach", "remove"),
    ),
    "library": ("add", "imports", "duplicates", "sync", "remove-import"),
    "citing": ("draft", "check", "citep", "bib", "copy", "export"),
    "reading lists": ("list", "delete-list"),
    "evidence": ("columns", "study", "study-add", "study-edit", "study-split", "cited-for", "delete-matrix"),
    "projects": ("project", "rename-project", "delete-project"),
    "litterm": ("home", "undo", "set", "theme", "screenshot", "help", "tour", "quit", "q", "wq"),
}
"""Commands by what they serve, in the order in which they are listed; what deletes comes last in its group."""
_COMMAND_ORDER = {name: place for place, name in enumerate(chain.from_iterable(_COMMAND_GROUPS.values()))}
_GROUP_OF_COMMAND = {name: group for group, names in _COMMAND_GROUPS.items() for name in names}
_SCOPE_NAMES = {"typing": "typing in a field"}


@dataclass(frozen=True, slots=True)
class Command:
    """A command with a name, as `:add PATH`."""

    name: str
    meaning: str
    run: Callable[[str], None]
    """Called with the argument."""
    argument: str = ""
    """`PATH`, `NAME`, ...; empty if it takes none."""
    values: Callable[[], Sequence[str]] = tuple
    """What the argument may be completed to."""
    meanings: Mapping[str, str] = field(default_factory=dict)
    """Explanations by value."""


class DialogHelp(ChoiceDialog):
    """The keys of the dialog below it; those of the panes do nothing there."""

    def __init__(self, dialog: Dialog[object], glyphs: Glyphs) -> None:
        rows = [ListChoice(meaning, key=keys) for keys, meaning in dialog.help_rows()]
        super().__init__(f"help {glyphs.dot} keys of this dialog", rows, glyphs, wrap=True, keys="close")


class CommandDialog(FilterListDialog):
    """The list of commands: completes their names, paths and values, and recalls those entered before."""

    def __init__(
        self,
        commands: Sequence[Command],
        choices: Sequence[ListChoice],
        names: Sequence[str],
        glyphs: Glyphs,
        *,
        history: tuple[str, ...],
        text: str = "",
    ) -> None:
        """`choices` begins with a row for each of `commands`; what is typed is looked for in `names`, one a row."""
        super().__init__("commands", choices, glyphs, narrow=_command_filter(commands, names), text=text)
        self._commands = commands
        self.history = history

    def complete(self, typed: str) -> str:
        """`typed` with its command name, path or value completed as far as it is unambiguous."""
        name, blank, argument = typed.partition(" ")
        if not blank:
            return _complete_common(
                [f"{command.name} " for command in self._commands if command.name.startswith(name)], typed
            )
        command = next((command for command in self._commands if command.name == name), None)
        if command is None:
            return typed
        values = matching_paths(argument) if command.argument == "PATH" else command.values()
        return f"{name} {_complete_common([value for value in values if value.startswith(argument)], argument)}"

    def values(self, typed: str) -> Sequence[ListChoice]:
        """What the argument of the command in `typed` may become; empty while its name is typed."""
        name, blank, argument = typed.strip(":").partition(" ")
        command = next((command for command in self._commands if command.name == name), None)
        if not blank or command is None:
            return ()
        candidates = matching_paths(argument) if command.argument == "PATH" else command.values()
        return [
            ListChoice(value, command.meanings.get(value.strip(), ""))
            for value in candidates
            if value.startswith(argument)
        ]

    def unmatched(self, typed: str) -> str:
        number = typed.strip().removeprefix(":").strip()
        return f"Goes to row or sentence {number}." if number.isdecimal() else "No command or key matches."


class CommandLine(ActionTarget):
    """Runs commands by name, actions of keys by their description, and `:12`, which goes to a row."""

    def __init__(self, context: WorkbenchContext, act: Callable[[str], None], number: Callable[[int], None]) -> None:
        self._context = context
        self._act = act
        self._number = number
        self._commands: list[Command] = []

    def register(self, *commands: Command) -> None:
        """Add commands with a name of their own, each in its group."""
        self._commands = sorted([*self._commands, *commands], key=lambda command: _COMMAND_ORDER[command.name])

    def action_open(self) -> None:
        """Open the command line with a list of all commands; also over another dialog."""
        context = self._context
        # Its key counts in dialogs too: a second press must not put a second list over the first.
        if self._is_open:
            return
        keys = [key for key in context.keys.table if key.scope != "typing" and key.owner != "pane"]
        choices = self._choices()
        choices += [ListChoice(key.meaning, help_group(key), key=shown_key(key.keys[0])) for key in keys]
        names = [
            f"{choice.key.removeprefix(':')} {choice.label} {choice.detail}"
            for choice in choices[: len(self._commands)]
        ]
        names += [f"{choice.label} {choice.detail}" for choice in choices[len(self._commands) :]]
        dialog = CommandDialog(self._commands, choices, names, context.glyphs, history=context.commands)
        dialog.about = "a command, words that describe it, or a row number"
        context.open(dialog, lambda answer: self._run(answer[0], answer[1], keys))

    def _choices(self) -> list[ListChoice]:
        """Rows of the commands: how each is typed, what it does, and its group."""
        return [
            ListChoice(
                command.meaning, _GROUP_OF_COMMAND[command.name], key=f":{command.name} {command.argument}".strip()
            )
            for command in self._commands
        ]

    @property
    def _is_open(self) -> bool:
        """Whether help or commands are open already."""
        return bool(self._context.dialogs) and isinstance(self._context.dialogs[-1], FilterListDialog | DialogHelp)

    def action_run(self, command: str) -> None:
        """Run a command, such as `page 3`, for which the user has set a key."""
        self._run(command, -1, ())

    def _run(self, typed: str, index: int, keys: Sequence[KeyBinding]) -> None:
        # The action is meant for the workbench, not for a dialog below the command line.
        self._context.close_all()
        typed = typed.strip().removeprefix(":").strip()
        if typed:
            self._context.commands = deduplicate_history((*self._context.commands, typed))
        if typed.isdecimal():
            self._number(int(typed))
            return
        for command in self._commands:
            if _matches(command, typed):
                argument = typed.partition(" ")[2].strip()
                # Commands raise what they cannot do; unguarded, a wrong path would end the workbench.
                self._context.attempt(partial(command.run, argument))
                return
        if index < 0:
            name = typed.partition(" ")[0]
            alone = any(command.name == name and not command.argument for command in self._commands)
            wrong = f":{name} takes nothing after it; enter it alone." if alone else f"No command {typed!r}."
            self._context.tell(wrong, warn=True)
        elif index < len(self._commands):
            self._run_chosen(self._commands[index])
        else:
            self._act_as(keys[index - len(self._commands)])

    def _act_as(self, key: KeyBinding) -> None:
        """Does what `key` does."""
        if key.id.startswith(":"):
            self.action_run(key.id)
        else:
            self._act(key.id)

    def _run_chosen(self, command: Command) -> None:
        if command.argument:
            self.open_with(f"{command.name} ")
        else:
            self._context.attempt(partial(command.run, ""))

    def open_with(self, text: str) -> None:
        """The command line with `text` in it already."""
        choices = self._choices()
        names = [choice.key for choice in choices]
        dialog = CommandDialog(
            self._commands, choices, names, self._context.glyphs, history=self._context.commands, text=text
        )
        self._context.open(dialog, lambda answer: self._run(answer[0], answer[1], ()))

    def action_menu(self) -> None:
        """Open a menu of all actions for the row under the cursor."""
        context = self._context
        if self._is_open:
            return
        ids = ROW_ACTIONS.get(context.focus, ROW_ACTIONS["results"])
        keys = [key for binding_id in ids for key in context.keys.table if key.id == binding_id]
        choices = [ListChoice(key.meaning_in(context.focus), key=shown_key(key.keys[0])) for key in keys]
        title = f"actions {context.glyphs.dot} {context.focus}"
        context.open(
            ChoiceDialog(title, choices, context.glyphs, keys="do it"), lambda index: self._act(keys[index].id)
        )

    def action_help(self) -> None:
        """Open the help: all keys with their meaning, those of this pane first, then commands; typing filters it."""
        context = self._context
        if self._is_open:
            return
        if context.dialogs:
            context.open(DialogHelp(context.dialogs[-1], context.glyphs))
            return
        first = context.focus
        order = self._help_order(first)
        dot = context.glyphs.dot
        groups = [help_group(key) if rank else f"most used {dot} {first}" for rank, key in order]
        commands = self._choices()
        groups += [_COMMANDS_GROUP for _ in commands]
        # A group is named where it begins.
        heads = [group if group != before else "" for before, group in zip(["", *groups], groups, strict=False)]
        choices = [
            ListChoice(key.meaning_in(first), head, key=_keys_text(key))
            for (_, key), head in zip(order, heads, strict=False)
        ]
        choices += [replace(command, detail=head) for command, head in zip(commands, heads[len(order) :], strict=True)]
        texts = [f"{choice.label} {choice.key} {group}" for choice, group in zip(choices, groups, strict=True)]
        dialog = FilterListDialog(
            f"help {dot} {first}",
            choices,
            context.glyphs,
            narrow=_help_filter(texts),
            keys=f"enter run {dot} esc leave {dot} shift-drag selects with the mouse",
        )
        # On a wide screen every row is one line, which spares measuring all of them before the first is drawn.
        dialog.about, dialog.choices.wraps = "type to search", context.screen.size.width < MIN_WIDTH_WITHOUT_WRAPPING
        context.open(dialog, lambda answer: self._run_from_help([key for _, key in order], answer[1]))

    def _help_order(self, first: PaneName) -> list[tuple[int, KeyBinding]]:
        """The most used keys of a pane, in the order of its key line, then its others, then by group."""
        table, hints = self._context.keys.table, HINTS[first]
        sections = [first, *(_HELP_SCOPES_TYPING if first == "query" else _HELP_SCOPES)]
        used = [(0, key) for name in hints for key in table if key.id == name and name not in _NOT_MOST_USED]
        unused_keys = [key for key in table if (0, key) not in used]
        return [
            *used,
            *((1, key) for key in sorted(unused_keys, key=lambda key: (sections.index(key.scope), help_order(key)))),
        ]

    def _run_from_help(self, order: Sequence[KeyBinding], index: int) -> None:
        if not 0 <= index < len(order) + len(self._commands):
            return
        self._context.close_all()
        if index >= len(order):
            self._run_chosen(self._commands[index - len(order)])
        elif order[index].owner == "field":
            self._context.tell("That key works only while you type in a text field.")
        else:
            self._act_as(order[index])


def deduplicate_history(commands: Sequence[str]) -> tuple[str, ...]:
    """The last of `commands`, each once: entered again it moves to the end."""
    return tuple(reversed(list(dict.fromkeys(reversed(commands)))))[-MAX_HISTORY:]


def _command_filter(commands: Sequence[Command], names: Sequence[str]) -> RowFilter:
    filter_letters = filter_by_letters(names)

    def narrow(typed: str) -> Sequence[int]:
        if not typed.strip(": "):
            # A short list; the keys are found once something is typed.
            return range(len(commands))
        typed_index = next((index for index, command in enumerate(commands) if _matches(command, typed)), None)
        # A command typed in full is meant, whatever else has its letters in it.
        return [typed_index] if typed_index is not None else filter_letters(typed.removeprefix(":"))

    return narrow


def _help_filter(texts: Sequence[str]) -> RowFilter:
    """A filter by whole words, else by abbreviated words, for a leading `/`."""
    filter_words, filter_letters = filter_by_words(texts), filter_by_letters(texts)
    return lambda typed: filter_words(typed) or filter_letters(typed.strip().removeprefix("/"))


def _keys_text(key: KeyBinding) -> str:
    return " ".join(shown_key(name) for name in key.keys)


def _matches(command: Command, typed: str) -> bool:
    """Whether `typed` is this command, with an argument if it takes one."""
    name, _, argument = typed.strip().removeprefix(":").strip().partition(" ")
    return command.name == name and bool(argument) == bool(command.argument)


def _complete_common(values: Sequence[str], typed: str) -> str:
    """The longest text all `values` begin with; `typed` when there are none."""
    if not values:
        return typed
    # What the first and the last in order share, all between them share.
    first, last = min(values), max(values)
    common = next((index for index, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[: min(common, len(last))] if common > len(typed) else typed


def matching_paths(typed: str) -> list[str]:
    """Files and folders that `typed` may become; folders end in `/`."""
    typed_path = Path(typed).expanduser() if typed.startswith("~") else Path(typed or ".")
    folder = typed_path if typed.endswith("/") or not typed else typed_path.parent
    start = "" if typed.endswith("/") else typed_path.name
    lead = typed[: len(typed) - len(start)] if start else typed
    try:
        entries = sorted(entry for entry in folder.iterdir() if entry.name.startswith(start))
    except OSError:
        return []
    # Cut at 200, as a folder may hold any number of files and each is asked for its kind.
    visible = [entry for entry in entries if start.startswith(".") or not entry.name.startswith(".")]
    return [f"{lead}{entry.name}{'/' if entry.is_dir() else ''}" for entry in visible[:200]]


def help_group(key: KeyBinding) -> str:
    """The group of a key in the help."""
    if key.id.startswith(":"):
        return _COMMANDS_GROUP
    return _GROUP_BY_ID.get(key.id) or _SCOPE_NAMES.get(key.scope, key.scope)


def help_order(key: KeyBinding) -> int:
    """The sort key of a binding within its scope."""
    return _ORDER_BY_ID.get(key.id, 0)
