"""What keys can name beside widgets: a part whose methods are actions."""

from __future__ import annotations


class ActionTarget:
    """A controller whose `action_*` methods a key can name, as in `navigation.back`, though it is no widget."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether the action can be done now; else the key continues to what is bound further out."""
        return True
