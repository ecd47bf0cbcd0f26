"""What panes ask of the parts of the workbench that are no widgets."""

from __future__ import annotations

from textual.message import Message


class PartMessage(Message):
    """A message of a pane that a part handles, by a method with `@on`; `Workbench` builds the parts for it if need be.

    For other messages no parts are built: many come before the first frame, which would wait.
    """
