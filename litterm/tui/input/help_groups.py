"""Keys by what they are for: the groups in which the help lists them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from litterm.tui.input.keymap import KeyBinding

_GROUPS: Mapping[str, Sequence[str]] = {
    "move": (
        *("down", "up", "left", "right", "first", "last", "half-down", "half-up", "page-down", "page-up"),
        *("enter", "back", "next-evidence", "previous-evidence", "next-paper", "previous-paper"),
        *("history-back", "history-forward", "find"),
    ),
    "decide and note": ("accept", "reject", "star", "tags", "note", "read-status", "undo", "redo"),
    "select": ("select", "range", "select-all"),
    "evidence and citations": ("evidence", "unpin", "matrix", "model", "cite", "draft", "why"),
    "papers": (
        *("full-text", "full-texts", "references", "cited-by", "reading-list", "watch", "open-outside"),
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
_SCOPE_NAMES = {"typing": "typing in a field"}


def help_group(key: KeyBinding) -> str:
    """What the help calls the group of a key."""
    return _GROUP_BY_ID.get(key.id) or _SCOPE_NAMES.get(key.scope, key.scope)


def help_order(key: KeyBinding) -> int:
    """Where a key stands among those of its scope."""
    return _ORDER_BY_ID.get(key.id, 0)
