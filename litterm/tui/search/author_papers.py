"""`A`: the papers of the library by an author of the current paper."""

from __future__ import annotations

from litterm.model.paper import Author
from litterm.render.names import full_name
from litterm.text.queries.parser import append_filters
from litterm.tui.annotations.controller import AnnotationController
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.choose import ChoiceDialog, ListChoice
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.search.controller import SearchController


class AuthorPapers(ActionTarget):
    """Searches for the papers of an author; where a paper has several, one is chosen in a list."""

    def __init__(self, context: WorkbenchContext, annotations: AnnotationController, search: SearchController) -> None:
        self._context = context
        self._annotations = annotations
        self._search = search

    def action_open(self) -> None:
        """List the authors of the paper, and search for the papers of the one chosen."""
        papers = self._annotations.papers()
        authors = [author for author in papers[0].authors if author.surname] if papers else []
        if not authors:
            self._context.tell("This paper names no authors." if papers else "No paper here.")
        elif len(authors) == 1:
            self._search.submit_query(author_query(authors[0]))
        else:
            choices = [ListChoice(full_name(author)) for author in authors]
            dialog = ChoiceDialog("papers by", choices, self._context.glyphs, keys="find papers")
            self._context.open(dialog, lambda position: self._search.submit_query(author_query(authors[position])))


def author_query(author: Author) -> str:
    """`author:"Ada Lovelace"`: without middle names and initials, which records of one person write differently."""
    first_name = next(iter(author.given.split()), "")
    return append_filters("", [("author", f"{first_name} {author.surname}".strip())])
