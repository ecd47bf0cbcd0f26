"""Where litterm reaches into Textual behind its public interface: all overrides of private names, in one place.

Checked against Textual 8.2.8; `tests/tui/test_textual_compat.py` fails when one of these names goes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from textual.app import App
from textual.dom import DOMNode


class ActionTarget:
    """Something whose `action_*` methods a key can name, as `search.again`, though it is no widget."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether the action can be done now; else the key goes on to what is bound further out."""
        return True


class ActionNamespaces(App[None]):
    """Lets actions name parts of the application, beside Textual's own `app`, `screen` and `focused`."""

    def action_targets(self) -> Mapping[str, ActionTarget]:
        """Each part by the name that stands before the dot of its actions."""
        return {}

    def _parse_action(
        self,
        action: str | tuple[str, str, tuple[object, ...]],
        default_namespace: DOMNode,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> tuple[DOMNode, str, tuple[object, ...]]:
        """Pass the names of `action_targets` whenever an action is run, or asked whether it can be.

        Textual takes `namespaces` for the actions of links only. Of a namespace it uses `check_action` and `action_*`,
        so that the target need not be the node that the type demands.
        """
        if isinstance(action, str) and "." in action.partition("(")[0]:
            targets = cast(Mapping[str, DOMNode], self.action_targets())
            namespaces = {**targets, **(namespaces or {})}
        return super()._parse_action(action, default_namespace, namespaces)
