"""What is private to Textual is named in one module, and is still there."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from pathlib import Path

import pytest
import textual
from textual import on
from textual.app import App
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Button

import litterm.tui
from litterm.tui.platform import textual_compat
from litterm.tui.platform.textual_compat import part_handlers

PACKAGE = Path(litterm.__file__).parent
TEXTUAL = Path(textual.__file__).parent
COMPAT = PACKAGE / "tui" / "platform" / "textual_compat.py"


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def attributes(tree: ast.AST) -> set[str]:
    """Private names read or written on anything."""
    return {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and is_private(node.attr)}


def made(tree: ast.AST) -> set[str]:
    """Private names that a class gives to itself."""
    defined = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    stored = {
        node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }
    declared = {
        node.target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    assigned = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return {name for name in defined | stored | declared | assigned if is_private(name)}


def modules() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text("utf-8")) for path in (PACKAGE / "tui").rglob("*.py") if path != COMPAT}


def test_no_other_module_uses_a_private_name_of_textual() -> None:
    trees = modules()
    own = set().union(*map(made, trees.values()))
    # What we define nowhere and still use belongs to somebody else.
    foreign = {path.name: attributes(tree) - own - {"_exit"} for path, tree in trees.items()}
    assert {name: found for name, found in foreign.items() if found} == {}
    imported = [
        f"{path.name}: {node.module}.{alias.name}"
        for path, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("textual")
        for alias in node.names
        if is_private(alias.name) or "._" in (node.module or "")
    ]
    assert imported == []


def test_no_class_of_ours_overrides_a_private_name_of_textual_by_accident() -> None:
    for module in pkgutil.walk_packages(litterm.tui.__path__, "litterm.tui."):
        importlib.import_module(module.name)
    overridden = []
    for kind in (*subclasses(App), *subclasses(Widget)):
        if not kind.__module__.startswith("litterm.") or kind.__module__ == textual_compat.__name__:
            continue
        bases = [base for base in kind.__mro__ if base.__module__.startswith("textual.")]
        taken = set().union(*(vars(base) for base in bases))
        # Textual itself makes these for every class.
        given = {"_merged_bindings", "_css_type_name", "_css_type_names", "_decorated_handlers", "_reactives"}
        names = {name for name in vars(kind) if is_private(name)} & taken
        overridden += [f"{kind.__name__}.{name}" for name in sorted(names - given - set(generated(kind)))]
    assert overridden == []


def generated(kind: type) -> set[str]:
    """Private attributes that are not in the source of the class."""
    path = PACKAGE.parent / (kind.__module__.replace(".", "/") + ".py")
    written = made(ast.parse(path.read_text("utf-8")))
    return {name for name in vars(kind) if name not in written}


def subclasses(kind: type) -> set[type]:
    return set().union(*({sub} | subclasses(sub) for sub in kind.__subclasses__()), set())


@pytest.mark.parametrize("name", sorted(attributes(ast.parse(COMPAT.read_text("utf-8")))))
def test_every_private_name_that_is_used_is_still_in_textual(name: str) -> None:
    sources = (path.read_text("utf-8") for path in TEXTUAL.rglob("*.py"))
    assert any(f"def {name}(" in source or f"self.{name} " in source or f"self.{name}:" in source for source in sources)


def test_the_overridden_methods_are_those_that_textual_calls() -> None:
    assert callable(App.__dict__["_fatal_error"])
    assert callable(Screen.__dict__["_update_focus_styles"])
    assert callable(MessagePump.__dict__["_get_dispatch_methods"])
    assert textual_compat.CHECKED_TEXTUAL_VERSION.split(".")[0] == textual.__version__.split(".")[0]


class _Part:
    @on(Button.Pressed, "#wanted")
    def press(self, message: Button.Pressed) -> None:
        """Never called here."""


def test_a_method_with_on_handles_messages_of_the_widgets_that_match() -> None:
    ((message_type, handler),) = part_handlers(_Part())
    assert message_type is Button.Pressed
    assert handler.handles(Button.Pressed(Button(id="wanted")))
    assert not handler.handles(Button.Pressed(Button(id="other")))
