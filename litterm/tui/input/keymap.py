"""The key table as data: the single source of bindings, help, hints and remapping."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from textual.binding import Binding

from litterm.tui.platform.textual_compat import key_name

Scope = Literal["typing", "all", "results", "reader", "aspects", "matrix", "home"]
"""When a key counts: in a text field, or at every other time in all panes or in one."""
Owner = Literal["field", "app", "workbench", "pane", "results", "reader", "evidence", "aspects", "matrix", "home"]
"""The class that declares the binding: `Field`, `LittermApp`, `Workbench`, each class of a pane, or that of one pane:
`ResultsPane`, `PageView` of the reader, `EvidencePane`, `AspectsPane`, `MatrixPane`, `HomeSection`.
"""


@dataclass(frozen=True, slots=True)
class KeyBinding:
    """One row of the table: some keys and the action they run."""

    scope: Scope
    keys: tuple[str, ...]
    """As a user names them: `n`, `?`, `ctrl+p`."""
    id: str
    """What `[keys]` in the settings calls it."""
    action: str
    """`find.open` is `action_open` of the part `find` (`Workbench.part`); without a dot, of `owner`."""
    owner: Owner
    meaning: str
    hint: str = ""
    """One or two words for the key line; `HINTS` says where it is shown."""
    everywhere: bool = False
    """Also while typing and in dialogs."""
    in_pane: tuple[tuple[str, str], ...] = ()
    """Panes in which the key does something else, each with its action."""

    def meaning_in(self, pane: str) -> str:
        """What the key does in `pane`, in words."""
        return MEANINGS_BY_PANE.get((pane, self.id), self.meaning)

    def action_in(self, pane: str) -> str:
        """What the key does in `pane`."""
        return dict(self.in_pane).get(pane, self.action)


def _field_key(keys: str, name: str, action: str, meaning: str, hint: str = "") -> KeyBinding:
    return KeyBinding("typing", tuple(keys.split()), f"typing.{name}", action, "field", meaning, hint)


def _pane_key(keys: str, name: str, action: str, meaning: str, hint: str = "", **panes: str) -> KeyBinding:
    return KeyBinding(
        "all", tuple(keys.split()), f"all.{name}", action, "pane", meaning, hint, in_pane=tuple(panes.items())
    )


def _screen_key(keys: str, name: str, action: str, meaning: str, hint: str = "", **panes: str) -> KeyBinding:
    return KeyBinding(
        "all", tuple(keys.split()), f"all.{name}", action, "workbench", meaning, hint, in_pane=tuple(panes.items())
    )


def _app_key(keys: str, name: str, action: str, meaning: str, hint: str = "") -> KeyBinding:
    return KeyBinding("all", tuple(keys.split()), f"all.{name}", action, "app", meaning, hint, everywhere=True)


TABLE: tuple[KeyBinding, ...] = (
    _field_key("enter", "run", "submit", "run, and go to the first result", "run"),
    _field_key("escape", "leave", "leave", "NORMAL mode, the text stays", "normal mode"),
    _field_key("down", "down", "below", "next line; from the last line, to the results", "results"),
    _field_key("up", "up", "above", "previous line; from the first line, an older query", "older"),
    _field_key("tab", "complete", "complete", "complete a filter; press again for the next one", "complete"),
    _field_key("shift+tab", "previous-completion", "before", "previous completion"),
    _field_key("ctrl+o", "online", "online", "search online too, in the service that `,` sets", "online"),
    _field_key("ctrl+t", "correction", "correction", "use the suggested spelling"),
    _field_key("ctrl+j", "new-line", "new_line", "new line", "new line"),
    _field_key("ctrl+u", "clear", "clear", "clear the field", "clear"),
    _field_key("ctrl+underscore", "undo", "undo", "undo typing"),
    _app_key("ctrl+p", "commands", "commands.open", "commands", "commands"),
    _app_key("f1", "help-anywhere", "commands.help", "help", "help"),
    _app_key("ctrl+q", "quit", "quit", "quit (`:quit` too)"),
    _app_key("ctrl+z", "suspend", "suspend_process", "back to the shell; `fg` returns"),
    _app_key("ctrl+l", "redraw", "redraw", "draw the screen again"),
    _screen_key("1", "query", "panes.go('query')", "to the query"),
    _screen_key("2", "results", "panes.go('results')", "to the results"),
    _screen_key("3", "reader", "panes.go('reader')", "to the reader"),
    _screen_key("4", "evidence-pane", "panes.go('evidence')", "to the evidence"),
    _screen_key("0", "home", "home.toggle", "home: new matches, reading, jobs; press again to go back", "home"),
    _screen_key("W", "watch", "saved_searches.add", "watch this search: home shows new matches"),
    _screen_key("P", "project", "projects.open", "projects: switch, new, rename, delete", "projects"),
    _screen_key("tab", "next-pane", "panes.step(1)", "next pane", "next",
           home="home.step(1)"),
    _screen_key("shift+tab", "previous-pane", "panes.step(-1)", "previous pane",
           home="home.step(-1)"),
    _pane_key("j down", "down", "move(1)", "down", "down"),
    _pane_key("k up", "up", "move(-1)", "up"),
    _pane_key("h left", "left", "left", "back: evidence, reader, results, query",
           results="panes.sideways('results', -1)", reader="panes.sideways('reader', -1)",
           evidence="panes.sideways('evidence', -1)", home="home.sideways(-1)"),
    _pane_key("l right", "right", "right", "open",
           results="navigation.into_result", reader="panes.sideways('reader', 1)",
           evidence="panes.sideways('evidence', 1)", home="home.sideways(1)"),
    _pane_key("g home", "first", "edge(-1)", "first"),
    _pane_key("G end", "last", "edge(1)", "last"),
    _pane_key("ctrl+d", "half-down", "page(0.5)", "half a page down"),
    _pane_key("ctrl+u", "half-up", "page(-0.5)", "half a page up"),
    _pane_key("pagedown", "page-down", "page(1)", "page down"),
    _pane_key("pageup", "page-up", "page(-1)", "page up"),
    _pane_key("enter", "enter", "enter", "open", "open",
           results="reader.open_result", reader="explanations.deeper", evidence="show",
           aspects="aspect_editing.edit", matrix="cells.enter", home="home.enter"),
    _pane_key("space", "select", "pick", "select or deselect", "select, mute",
           aspects="aspect_editing.mute"),
    _pane_key("v", "range", "range", "select a range, which grows with j and k; v ends it", "select",
           aspects="aspect_editing.mute"),
    _pane_key("*", "select-all", "everything", "select all results",
           aspects="aspect_editing.unmute_all"),
    _screen_key("escape", "back", "navigation.back", "one step back",
           matrix="cells.back", home="home.leave"),
    _screen_key("q", "hide", "panes.hide", "hide this pane; never quits",
           aspects="aspects.remove_all", home="home.leave"),
    _screen_key(":", "command-line", "commands.open", "commands; `:12` goes to rank or sentence 12", "commands"),
    _screen_key(";", "menu", "commands.menu", "menu of all actions for this row", "actions"),
    _screen_key("?", "help", "commands.help", "help for this pane, searchable", "help"),
    _screen_key("/", "find", "find.open", "find in the paper, filter a list", "find"),
    _screen_key("n", "next-evidence", "navigation.walk(1)", "next evidence sentence", "evidence",
           matrix="cells.walk(1)"),
    _screen_key("N", "previous-evidence", "navigation.walk(-1)", "previous evidence sentence",
           matrix="cells.walk(-1)"),
    _screen_key("<", "previous-paper", "reader.neighbour(-1)", "previous paper of the list",
           matrix="cells.neighbour(-1)"),
    _screen_key(">", "next-paper", "reader.neighbour(1)", "next paper of the list", "next paper",
           matrix="cells.neighbour(1)"),
    _screen_key("b", "history-back", "reader.back(-1)", "back to the previous paper"),
    _screen_key("B", "history-forward", "reader.back(1)", "forward again"),
    _screen_key("z", "zoom", "panes.zoom", "zoom this pane, or show all again"),
    _screen_key("-", "smaller", "panes.resize(-1)", "smaller pane"),
    _screen_key("=", "larger", "panes.resize(1)", "larger pane"),
    _screen_key(",", "options", "options.open", "options for this pane"),
    _screen_key("i", "why", "explanations.why", "explain ranking: rank, score, matched words", "why",
           aspects="aspect_editing.why", matrix="cells.why", home="home.why"),
    _screen_key("a", "accept", "annotations.decide('accept')", "accept this; press again to clear", "accept",
           aspects="aspect_editing.decide('accept')", matrix="cells.decide('accept')", home="home.decide('accept')"),
    _screen_key("x", "reject", "annotations.decide('reject')",
           "reject this; press again to clear", "reject",
           aspects="aspect_editing.decide('reject')", matrix="cells.decide('reject')", home="home.decide('reject')"),
    _screen_key("u", "undo", "annotations.undo", "undo; if a filter hides the hits, show them (`:undo` lists changes)",
           aspects="aspects.undo"),
    _screen_key("U ctrl+r", "redo", "annotations.redo", "redo",
           aspects="aspects.redo"),
    _screen_key("e", "evidence", "navigation.evidence", "evidence for a hypothesis in this paper", "evidence",
           matrix="cells.enter"),
    _screen_key("X", "unpin", "evidence.unpin", "drop the pinned hypothesis; press again to bring it back",
           "drop hypothesis"),
    _screen_key("E", "matrix", "matrices.open", "evidence matrix of selected papers (or list matrices)", "matrix"),
    _screen_key("M", "model", "evidence_llm.open", "ask the language model (shows cost first)", "model",
           results="rerank.open", aspects="aspects_llm.open", matrix="matrix_llm.open"),
    _screen_key("c", "cite", "attribution.open_selected", "which paper an excerpt cites", "cite"),
    _screen_key("C", "draft", "drafts.open", "check a draft: its open citations, and what its citations say", "draft"),
    _screen_key("L", "reading-list", "reading_lists.open", "reading lists: open one, or make one for this query",
           "list"),
    _screen_key("f", "full-text", "full_texts.one", "fetch the full text of this paper", "full text"),
    _screen_key("F", "full-texts", "full_texts.several", "fetch the full texts of all selected papers"),
    _screen_key("r", "references", "references.open('references')", "references of this paper; b goes back",
           "references"),
    _screen_key("R", "cited-by", "references.open('citations')", "papers that cite this one; b goes back", "cited by"),
    _screen_key("A", "author", "authors.open", "papers by an author of this paper", "author"),
    _screen_key("y", "copy", "export.copy", "copy this with its citation", "copy",
           matrix="cells.copy"),
    _screen_key("Y", "copy-all", "export.copy_all", "copy all accepted and hand-marked quotes", "copy all"),
    _screen_key("w", "write", "export.write", "export papers: this one, selection, list, project or all", "export",
           matrix="cells.write"),
    _screen_key("s", "star", "notes.star", "star", "star"),
    _screen_key("t", "tags", "notes.tags", "tags"),
    _screen_key("m", "note", "notes.note", "note"),
    _screen_key("T", "edit", "revision.edit", "correct title, authors, year or citation key"),
    _screen_key("d", "read-status", "notes.read_status", "mark as to read, reading, read, or none"),
    _screen_key("o", "preview", "preview.toggle", "preview: the reader follows the cursor of the results", "preview"),
    _screen_key("V", "open-outside", "outside.open", "view the PDF or page outside"),
    _screen_key("!", "jobs", "jobs.open", "jobs and failures", "jobs"),
    _screen_key(".", "retry", "imports.retry", "retry what failed here", "again",
           reader="evidence.retry", evidence="retry", aspects="aspects_llm.retry",
           matrix="matrix.retry", home="home.retry"),
    _screen_key("ctrl+c", "cancel", "navigation.cancel", "cancel this pane's job"),
    KeyBinding("results", ("S",), "results.sort", "sort", "results",
               "sort: relevance, aspects, newest, oldest, ...", "sort"),
    KeyBinding("results", ("p",), "results.facets", "narrow", "results", "narrow by year, venue, type", "narrow"),
    KeyBinding("results", ("I",), "results.mine", "mine", "results",
               "only papers that an import of yours brought, and all again", "mine"),
    KeyBinding("results", ("Q",), "results.rewrite", "rewriting.open", "results",
               "search other queries of a model, too; edit them, or end it", "rewrite"),
    KeyBinding("results", ("ctrl+t",), "results.correction", "correct", "results", "use the suggested spelling"),
    KeyBinding("results", ("+",), "results.add", "online.keep", "results",
               "add a paper found online to the library", "add"),
    KeyBinding("reader", ("O",), "reader.outline", "explanations.outline", "reader", "outline with tables", "outline"),
    KeyBinding("reader", ("J",), "reader.next-section", "section(1)", "reader", "next section"),
    KeyBinding("reader", ("K",), "reader.previous-section", "section(-1)", "reader", "previous section"),
    KeyBinding("reader", ("H",), "reader.hypothesis", "hypotheses.propose", "reader",
               "evidence of the paper cited here for what is said of it", "what it is cited for"),
    KeyBinding("aspects", ("+",), "aspects.add", "aspect_editing.add", "aspects", "add an aspect", "add"),
    KeyBinding("aspects", ("&",), "aspects.merge", "aspect_editing.merge", "aspects",
               "merge this aspect with the next", "merge"),
    KeyBinding("aspects", ("#",), "aspects.grade", "aspect_grading.grade", "aspects",
               "grade papers yourself for this aspect, from the one under the cursor of the results on", "grade"),
    KeyBinding("matrix", ("+",), "matrix.hypothesis", "matrix.add", "matrix", "add a hypothesis", "hypothesis"),
    KeyBinding("matrix", ("#",), "matrix.columns", "columns.open", "matrix",
               "table of what these papers state, each value with its sentence", "columns"),
    KeyBinding("home", ("+",), "home.sync", "sync.all", "home", "update all subscriptions", "sync"),
)  # fmt: skip
BY_ID = {key.id: key for key in TABLE}


MEANINGS_BY_PANE: Mapping[tuple[str, str], str] = {
    ("query", "all.enter"): "edit the query",
    ("query", "all.down"): "to the results",
    ("query", "all.left"): "previous filter",
    ("query", "all.right"): "next filter",
    ("query", "all.reject"): "remove this filter",
    ("aspects", "all.left"): "previous aspect",
    ("aspects", "all.right"): "next aspect",
    ("aspects", "all.select"): "mute or unmute this aspect",
    ("aspects", "all.hide"): "read the query as one again",
    ("reader", "all.find"): "find in the paper",
    ("reader", "all.next-evidence"): "next evidence sentence, in the order of the text",
    ("reader", "all.previous-evidence"): "previous evidence sentence, in the order of the text",
    ("reader", "all.accept"): "accept the sentence selected or of the evidence, else include the paper; again to clear",
    ("reader", "all.reject"): "reject the sentence selected or of the evidence, else exclude the paper; again to clear",
    ("evidence", "all.enter"): "show this sentence in the paper",
    ("results", "all.accept"): "include this paper; press again to clear",
    ("results", "all.reject"): "exclude this paper; press again to clear",
    ("results", "all.find"): "filter the list",
    ("matrix", "all.find"): "filter the rows",
    ("matrix", "all.left"): "previous column",
    ("matrix", "all.right"): "next column",
    ("matrix", "all.next-evidence"): "next paper with evidence in this column",
    ("matrix", "all.previous-evidence"): "previous paper with evidence in this column",
    ("home", "all.next-pane"): "next section",
    ("home", "all.previous-pane"): "previous section",
    ("home", "all.reject"): "stop this, or drop it from the list",
    ("home", "all.retry"): "continue this, or try it again",
    ("home", "all.hide"): "back to the workbench",
    ("home", "all.back"): "back to the workbench",
}
"""By pane and binding, what a key does there in words, where that is another thing than elsewhere."""


_HELP_HINTS = ("all.help", "all.command-line")
HINTS: Mapping[str, tuple[str, ...]] = {
    "typing": (
        *("typing.run", "typing.leave", "typing.down", "all.commands", "all.help-anywhere"),
        *("typing.complete", "typing.up", "typing.online", "typing.new-line"),
    ),
    "query": ("all.enter", "all.down", "all.reject", "all.cite", *_HELP_HINTS),
    "results": (
        *("all.enter", "all.accept", "all.reject", "all.evidence", "all.cite", "all.find", "results.sort"),
        *("results.facets", *_HELP_HINTS, "all.full-text", "all.write", "all.star"),
    ),
    "reader": (
        *("all.next-evidence", "all.accept", "all.reject", "all.range", "all.evidence", "all.cite", "all.find"),
        *(*_HELP_HINTS, "reader.outline", "all.references", "all.full-text", "all.next-paper"),
    ),
    "evidence": (
        *("all.next-evidence", "all.accept", "all.reject", "all.enter", "all.copy", "all.copy-all", "all.write"),
        *("all.evidence", *_HELP_HINTS),
    ),
    "aspects": (
        *("all.select", "all.enter", "aspects.add", "aspects.merge", "all.reject", "all.model", "aspects.grade"),
        *_HELP_HINTS,
    ),
    "matrix": (
        *("all.enter", "all.accept", "all.reject", "matrix.hypothesis", "all.next-evidence", "all.write", "all.find"),
        *("all.copy", "all.matrix", *_HELP_HINTS),
    ),
    "home": (
        *("all.enter", "all.retry", "all.reject", "home.sync", "all.home", "all.next-pane", "all.why", "all.project"),
        *("all.jobs", *_HELP_HINTS),
    ),
}
"""By mode or pane, the bindings of the key line, the most telling first."""
HINT_WORDS: Mapping[tuple[str, str], str] = {
    ("query", "all.enter"): "edit",
    ("query", "all.down"): "results",
    ("query", "all.reject"): "remove filter",
    ("home", "all.reject"): "drop",
    ("home", "all.home"): "back",
    ("reader", "all.next-evidence"): "next in text",
    ("results", "all.accept"): "include",
    ("results", "all.reject"): "exclude",
    ("reader", "all.accept"): "accept sentence",
    ("reader", "all.reject"): "reject sentence",
}
"""By pane and binding, another word than elsewhere."""
PAPER_HINT_WORDS: Mapping[str, str] = {"all.accept": "include paper", "all.reject": "exclude paper"}
"""By binding, the word in the reader where no sentence is selected and the decision is for the paper."""


def bindings(owner: Owner, *ids: str) -> list[Binding]:
    """The bindings of the class `owner`, and those that mean something else in it; with `ids`, those rows only."""
    own_keys = [key for key in TABLE if key.owner == owner or owner in dict(key.in_pane)]
    return [
        # Priority lets a key through to the application before a field or a dialog can take it.
        Binding(textual_key(name), bound_action(key.action_in(owner)), key.meaning, id=key.id, priority=key.everywhere)
        for key in own_keys
        if not ids or key.id in ids
        for name in key.keys
    ]


def bound_action(action: str) -> str:
    """An action of the table as Textual runs it: one with a dot is performed by the screen, which knows its parts."""
    return f"screen.perform({action!r})" if "." in action.partition("(")[0] else action


def textual_key(name: str) -> str:
    """Textual's name of a key: `question_mark` for `?`; a letter keeps its own name."""
    return key_name(name) if len(name) == 1 else name


COMMAND_KEYS = frozenset(
    textual_key(name) for key in TABLE if key.scope != "typing" and not key.everywhere for name in key.keys
)
"""Keys that mean something in command mode only."""


def shown_key(name: str) -> str:
    """A key as the help and the key line show it."""
    return {"escape": "esc", "pagedown": "pgdn", "pageup": "pgup", "ctrl+underscore": "ctrl+_"}.get(name, name)


@dataclass(frozen=True, slots=True)
class RemappedKeys:
    """The table with the user's keys, what Textual needs to know, and what is wrong with them."""

    table: tuple[KeyBinding, ...]
    keymap: Mapping[str, str]
    conflicts: tuple[str, ...]
    """One sentence each; a conflicting or unknown entry is left at its default."""

    @property
    def commands(self) -> tuple[KeyBinding, ...]:
        """The keys that run commands of the command line; the classes declare no bindings for them."""
        return tuple(key for key in self.table if key.id.startswith(":"))

    def shown_key_of(self, binding_id: str) -> str:
        """The first key of a binding, as shown."""
        return next((shown_key(key.keys[0]) for key in self.table if key.id == binding_id), "")


def remap(chosen: Mapping[str, str]) -> RemappedKeys:
    """`chosen` maps binding ids, or commands with their colon, to comma-separated keys.

    A clash within one scope is refused and reported.
    """
    table = list(TABLE)
    conflicts: list[str] = []
    for binding_id, keys in sorted(chosen.items()):
        if binding_id.startswith(":"):
            table.append(_command_key(binding_id))
        place = next((index for index, key in enumerate(table) if key.id == binding_id), None)
        if place is None:
            conflicts.append(_unknown_binding(binding_id))
            continue
        remapped = replace(table[place], keys=tuple(_split_keys(keys)))
        # Against the table as changed so far: two keys of the settings may also clash with each other.
        clash = next(_clashes(remapped, [key for index, key in enumerate(table) if index != place]), "")
        if not clash:
            table[place] = remapped
            continue
        conflicts.append(clash)
        if binding_id.startswith(":"):
            del table[place]
    # Textual wants only what differs from the bindings the classes declare.
    changed = [new for new, old in zip(table, TABLE, strict=False) if new.keys != old.keys]
    keymap = {key.id: ",".join(textual_key(name) for name in key.keys) for key in changed}
    return RemappedKeys(tuple(table), keymap, tuple(conflicts))


def _command_key(binding_id: str) -> KeyBinding:
    """The binding of a command of the command line, `:citep` or `:page 3`, still without a key."""
    command = binding_id.removeprefix(":")
    return KeyBinding("all", (), binding_id, f"commands.run({command!r})", "app", f"your key for {binding_id}")


def _split_keys(keys: str) -> Iterator[str]:
    # A lone comma is a key, not a separator.
    yield from [","] if keys == "," else (name.strip() for name in keys.split(",") if name.strip())


def _unknown_binding(binding_id: str) -> str:
    # Only for a fault in the settings, which no start should pay for.
    from difflib import get_close_matches

    similar_ids = get_close_matches(binding_id, BY_ID, n=1, cutoff=0.75)
    return f"keys: unknown binding {binding_id!r}" + (f"; did you mean {similar_ids[0]!r}?" if similar_ids else ".")


def _clashes(remapped: KeyBinding, other_bindings: list[KeyBinding]) -> Iterator[str]:
    for name in remapped.keys:
        if remapped.scope == "typing" and len(name) == 1:
            yield f"keys: {remapped.id} cannot be {name!r}, a field needs it as a letter."
        for other in other_bindings:
            if name in other.keys and _can_conflict(remapped, other):
                standard_keys = " ".join(BY_ID[remapped.id].keys) if remapped.id in BY_ID else "no key"
                yield f"keys: {name!r} is {other.id} already ({other.meaning}); {remapped.id} keeps {standard_keys}."


def _can_conflict(first: KeyBinding, second: KeyBinding) -> bool:
    """Whether both can be in force at the same time."""
    if first.everywhere or second.everywhere:
        return True
    # In a field letters are text, so that what acts there never meets what acts elsewhere.
    if "typing" in (first.scope, second.scope):
        return first.scope == second.scope
    return first.scope == second.scope or "all" in (first.scope, second.scope)
