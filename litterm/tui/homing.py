"""`0`: home. What is new, half read, unfinished, failed, and was decided last; `enter` opens the thing."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType

from litterm.model.home import Home
from litterm.model.paper import PaperId
from litterm.model.watch import News
from litterm.render.matrix_words import summary_line
from litterm.tui.arranging import Arranging
from litterm.tui.dialogs.pick import Choice, Pick
from litterm.tui.glyphs import Glyphs
from litterm.tui.keys import BY_ID, long_key
from litterm.tui.reading import Reading
from litterm.tui.searching import Searching
from litterm.tui.stage import Stage
from litterm.tui.surveying import Surveying

GROUP = "home"
_NEW = 5
"""Papers named under a watch; the search shows the others."""
_ID = re.compile(r"\b(?:acl|iclr|pmc|pmid|doi|arxiv|s2|local|starter):\S*\w")


@dataclass(frozen=True, slots=True)
class _Row:
    choice: Choice
    go: Callable[[], None]


class HomePage(Pick):
    """The list; `0` goes back to the workbench as it was."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(long_key(BY_ID["all.home"].keys[0]), "close", "back to the workbench", id="home.close")
    ]

    def __init__(self, title: str, choices: list[Choice], glyphs: Glyphs, *, start: int) -> None:
        super().__init__(title, choices, glyphs, start=start, keys=f"open {glyphs.dot} 0 back")


class Homing:
    """Gathers home in the background and goes where its rows lead."""

    def __init__(
        self,
        stage: Stage,
        arranging: Arranging,
        searching: Searching,
        reading: Reading,
        surveying: Surveying,
        jobs: Callable[[], None],
    ) -> None:
        """`jobs` shows what runs and what failed."""
        self._stage = stage
        self._arranging = arranging
        self._searching = searching
        self._reading = reading
        self._surveying = surveying
        self._jobs = jobs

    def open(self) -> None:
        """Show home over the workbench, which stays as it is."""
        # What is being read now is half read too.
        self._reading.keep_place()
        self._stage.work.start(GROUP, "looking at home", self._stage.engine.home, self._show)

    def watch(self) -> None:
        """Watch this search from now on."""
        stage = self._stage
        query = " ".join(stage.query.state.text.split())
        if not query or stage.query.state.sample:
            stage.tell("Search first: what is searched is watched.")
            return

        def added(new: bool) -> None:
            stage.tell(f"Watching “{query}”: 0 shows what is new." if new else f"“{query}” is watched already.")

        stage.work.start("watch", "beginning to watch", lambda: stage.engine.watching.add(query), added)

    def forget(self, query: str) -> None:
        """Watch a search no more."""
        gone = self._stage.attempt(lambda: self._stage.engine.watching.forget(query))
        self._stage.tell(f"“{query}” is watched no more." if gone else f"“{query}” is not watched.")

    def _show(self, found: Home) -> None:
        rows = self._rows(found)
        dot = self._stage.glyphs.dot
        title = f"home {dot} project {found.project}" if found.project else "home"
        page = HomePage(title, [row.choice for row in rows], self._stage.glyphs, start=min(1, len(rows) - 1))
        self._stage.open(page, lambda at: rows[at].go())

    def _rows(self, found: Home) -> list[_Row]:
        rows = [_Row(Choice("query and results alone", key="start"), self._arranging.home)]
        for news in found.news:
            rows += self._new(news)
        for half in found.reading:
            left = f"left at sentence {half.place + 1}" if half.place else "being read"
            rows.append(_Row(Choice(half.paper.title, left, key="reading"), self._opening(half.paper.id, half.place)))
        for each in found.matrices:
            detail = f"{each.cells:,}/{each.papers * len(each.hypotheses):,} cells"
            rows.append(_Row(Choice(summary_line(each), detail, key="matrix"), self._surveying_of(each.id)))
        for each_one in found.subscriptions:
            name = f"{each_one.source} {each_one.scope.query}".strip()
            tell = f"`litterm sync` goes on with {name} where it stopped."
            rows.append(_Row(Choice(name, f"{each_one.papers:,} papers so far", key="sync"), self._telling(tell)))
        if found.failures:
            first = found.failures[0]
            label = f"{len(found.failures):,} failed: {first.origin}: {first.cause}"
            rows.append(_Row(Choice(label, first.at[:10], key="failed"), self._jobs))
        for done in found.decisions:
            named = _ID.search(done.sentence)
            go = self._opening(PaperId(named[0]), None) if named else self._telling(done.sentence)
            rows.append(_Row(Choice(done.sentence, done.at[:16].replace("T", " "), key="decided"), go))
        return rows

    def _new(self, news: News) -> list[_Row]:
        count = f"{len(news.papers):,} new" if news.papers else "nothing new"
        rows = [_Row(Choice(news.query, count, key="watch"), lambda: self._search(news))]
        for paper in news.papers[:_NEW]:
            seen = paper.provenance.imported_at[:10]
            rows.append(_Row(Choice(paper.title, f"first seen {seen}", indent=1), self._opening(paper.id, None)))
        return rows

    def _search(self, news: News) -> None:
        """The watch as a search; what was new has then been seen."""
        stage = self._stage
        stage.work.start("watch", "reading the watch", lambda: stage.engine.watching.look(news.query), lambda _: None)
        self._searching.asked(news.query)

    def _opening(self, paper_id: PaperId, place: int | None) -> Callable[[], None]:
        return lambda: self._reading.open_id(paper_id, at=place or None)

    def _surveying_of(self, key: str) -> Callable[[], None]:
        return lambda: self._surveying.bring(key)

    def _telling(self, text: str) -> Callable[[], None]:
        return lambda: self._stage.tell(text)
