"""Reading lists: made for a topic, kept in the project, changed with undo, made again around what is pinned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from litterm.annotations.journal_codec import RegisterChange
from litterm.core.errors import ReadOnly, UnknownReadingList, UsageError
from litterm.model.paper import PaperId
from litterm.model.reading_list import ListSummary
from litterm.reading_lists import edits, storage
from litterm.reading_lists.series import series_paper
from litterm.reading_lists.topic import content_stems, read_topic
from litterm.text.queries.requests import without_request
from litterm.text.terminal_width import clip
from litterm.text.tokens import words

if TYPE_CHECKING:
    from litterm.annotations.annotations import Annotations
    from litterm.core.tasks import Task
    from litterm.library.combined_library import CombinedLibrary
    from litterm.model.annotations import ReadStatus
    from litterm.model.paper import Paper
    from litterm.model.reading_list import ListRequest, ReadingList
    from litterm.reading_lists.builder import ListBuilder
    from litterm.reading_lists.llm_builder import ModelListBuilder

LAST = "last"
# Typed on a command line, where any unambiguous beginning of it does.
_ID_LENGTH = 40
_TITLE_CELLS = 44
"""Of a title or a topic in what undo says, which is one line."""
_NOT_KEPT = "This library is read-only, so the list is not saved."


class ListMaker(Protocol):
    """Request to list, in whatever way."""

    def build(self, request: ListRequest) -> Task[ReadingList]:
        """The list of a request."""
        ...


class BuilderChoice(Protocol):
    """Gives what makes lists by the fitted weights."""

    def __call__(self, *, starter_only: bool = False) -> ListBuilder:
        """Over the user's papers or, while there are none or with `starter_only`, those of the starter library."""
        ...


class ModelMaker(Protocol):
    """Gives what makes lists with the language model of the settings."""

    def __call__(
        self, *, fresh: bool = False, rehearse: bool = False, online: bool = False, starter_only: bool = False
    ) -> ModelListBuilder:
        """With `fresh` kept replies do not answer; with `rehearse` nothing is sent; `online`: titles the library lacks
        are looked up in services."""
        ...


@dataclass(frozen=True, slots=True)
class ReadingLists:
    """The lists of the project in use; every change is durable when it returns and can be undone."""

    annotations: Annotations
    both_libraries: CombinedLibrary
    builder: BuilderChoice
    with_model: ModelMaker
    """Raises `UsageError` where no model is set, `ModelError` where the one that is set cannot be asked."""

    def preview(self, request: ListRequest, *, starter_only: bool = False) -> Task[tuple[str, ...]]:
        """The request a model would be sent, to the letter.

        Raises:
            UsageError: no model is set, or the topic has no word to search for.
            ModelError: it cannot be asked.
        """
        from litterm.core.tasks import collect_outgoing

        return (yield from collect_outgoing(self.with_model(rehearse=True, starter_only=starter_only).build(request)))

    def build(self, request: ListRequest, maker: ListMaker | None = None) -> Task[ReadingList]:
        """The list of a request, not kept; `maker` makes it in another way than by the fitted weights.

        Raises:
            UsageError: the topic has no word to search for.
        """
        return (yield from (maker or self.builder()).build(request))

    def make(self, request: ListRequest, maker: ListMaker | None = None) -> Task[ReadingList]:
        """The list of a request, kept; one there is on the same topic is made again around what is pinned in it.

        Raises:
            UsageError: the topic has no word to search for.
            DiskFull: it could not be written.
        """
        before = next(
            (reading_list for reading_list in self._lists() if _same(reading_list.topic, request.topic)), None
        )
        if before is not None:
            return (yield from self._again(before, request, maker))
        made = yield from self.build(request, maker)
        if not made.entries:
            # A list of nothing would stand among the others for ever after one misspelt topic.
            return made
        kept = replace(made, id=self._new_id(request.topic))
        return self._keep(kept, f"made the reading list {_quoted(request.topic)}")

    def again(self, list_id: str, maker: ListMaker | None = None) -> Task[ReadingList]:
        """A kept list made anew: pinned papers stay, dropped ones do not come back.

        Raises:
            UnknownReadingList: there is no such list.
        """
        before = self.open(list_id)
        return (yield from self._again(before, before.request, maker))

    def all(self) -> tuple[ListSummary, ...]:
        """The lists of the project, the newest last."""
        return tuple(
            ListSummary(
                reading_list.id,
                reading_list.topic,
                len(reading_list.entries),
                self.read_count(reading_list),
                reading_list.made,
            )
            for reading_list in self._lists()
        )

    def open(self, list_id: str) -> ReadingList:
        """A kept list by its id, or an unambiguous beginning of it; `last` is the one changed last.

        Raises:
            UnknownReadingList: there is none.
            UsageError: several begin so, or it cannot be read.
        """
        held = self._held()
        name = self._named(list_id, tuple(held))
        reading_list = storage.read(held[name], name, self._resolve)
        if reading_list is None:
            raise UsageError(f"The reading list {name} cannot be read; `litterm list --delete {name}` removes it.")
        return reading_list

    def delete(self, list_id: str) -> str:
        """Deletes a list, which undo brings back, and returns its id.

        Raises:
            UnknownReadingList: there is none.
            UsageError: several begin so.
        """
        name = self._named(list_id, tuple(self._held()))
        reading_list = storage.read(self._held()[name], name, self._resolve)
        called = name if reading_list is None else _quoted(reading_list.topic)
        self.annotations.undo_log.write(
            f"deleted the reading list {called}", [RegisterChange("reading_list", self._key(), None, name)]
        )
        return name

    def pin(self, reading_list: ReadingList, paper_id: PaperId, pinned: bool = True) -> ReadingList:
        """Pins a paper, so that it stays when the list is made again, or unpins it."""
        changed = edits.pin(reading_list, paper_id, pinned)
        return self._keep(changed, f"{'pinned' if pinned else 'unpinned'} {_title(reading_list, paper_id)}")

    def drop(self, reading_list: ReadingList, paper_id: PaperId) -> ReadingList:
        """Drops a paper from a list for good."""
        return self._keep(edits.drop(reading_list, paper_id), f"dropped {_title(reading_list, paper_id)}")

    def replace(self, reading_list: ReadingList, paper_id: PaperId) -> ReadingList:
        """Replaces a paper of a list by the spare that is most like it.

        Raises:
            UsageError: no other paper is left.
        """
        papers = self._resolve((paper_id, *reading_list.spares))
        keywords = read_topic(reading_list.topic).keywords
        others = [series_paper(entry.paper, keywords) for entry in reading_list.entries if entry.paper.id != paper_id]
        here = tuple(spare for spare in reading_list.spares if spare in papers and spare not in reading_list.dropped)
        # One more of a series that stands in the list only where nothing else is left.
        single = tuple(spare for spare in here if not any(map(series_paper(papers[spare], keywords).is_alike, others)))
        usable = replace(reading_list, spares=single or here)
        chosen = edits.next_spare(usable, paper_id, lambda first, second: _likeness(papers[first], papers[second]))
        changed = edits.substitute(replace(reading_list, spares=here), paper_id, papers[chosen])
        changed = replace(changed, links=self.builder().links([entry.paper.id for entry in changed.entries]))
        return self._keep(changed, f"replaced {_title(reading_list, paper_id)}")

    def move(self, reading_list: ReadingList, paper_id: PaperId, by: int) -> ReadingList:
        """Moves a paper down, or up where `by` is negative."""
        return self._keep(edits.move(reading_list, paper_id, by), f"moved {_title(reading_list, paper_id)}")

    def rename(self, reading_list: ReadingList, name: str, new: str) -> ReadingList:
        """Gives a section another heading."""
        return self._keep(edits.rename(reading_list, name, new), f"renamed the heading {_quoted(name)}")

    def note(self, reading_list: ReadingList, paper_id: PaperId, text: str) -> ReadingList:
        """Writes a note on a paper of the list."""
        changed = edits.write_note(reading_list, paper_id, text)
        return self._keep(changed, f"wrote a note on {_title(reading_list, paper_id)}")

    def papers_of(self, project: str) -> tuple[PaperId, ...]:
        """The papers that are included or starred in a project.

        Raises:
            UsageError: there is no such project.
        """
        return self.annotations.listed_in(project)

    def undo(self) -> str | None:
        """Takes back the last change of a list; a sentence that names it, or `None` where there is none."""
        description = self.annotations.undo_log.undo("reading_list")
        return None if description is None else f"Undone: {description}."

    def status(self, paper_id: PaperId) -> ReadStatus:
        """How far the reader says a paper is read; empty where nothing is said."""
        return self.annotations.notes(paper_id).status

    def read_count(self, reading_list: ReadingList) -> int:
        """How many papers of a list are marked as read."""
        return sum(self.status(entry.paper.id) == "read" for entry in reading_list.entries)

    def _again(self, before: ReadingList, request: ListRequest, maker: ListMaker | None) -> Task[ReadingList]:
        pinned = tuple(entry.paper.id for entry in before.entries if entry.pinned)
        exclude = request.exclude | frozenset(before.dropped)
        made = yield from self.build(replace(request, include=pinned, exclude=exclude), maker)
        merged = replace(edits.merged(before, made), request=request)
        return self._keep(merged, f"made the reading list {_quoted(before.topic)} again")

    def _keep(self, reading_list: ReadingList, description: str) -> ReadingList:
        change = RegisterChange("reading_list", self._key(), storage.written(reading_list), reading_list.id)
        try:
            self.annotations.undo_log.write(description, [change])
        except ReadOnly:
            # The list is shown all the same, without an id: nothing was kept that could be changed.
            return replace(reading_list, id="", notices=(*reading_list.notices, _NOT_KEPT))
        return reading_list

    def _lists(self) -> list[ReadingList]:
        lists = [storage.read(text, name, self._resolve) for name, text in self._held().items()]
        return [reading_list for reading_list in lists if reading_list is not None]

    def _held(self) -> Mapping[str, str]:
        """By id, what is kept; the one changed last at the end."""
        places = self.annotations.undo_log.state().places("reading_list", self._key())
        return {name: value for name, value in places if isinstance(value, str)}

    def _named(self, list_id: str, names: Sequence[str]) -> str:
        if list_id == LAST and names:
            return names[-1]
        fitting = [name for name in names if name == list_id] or [name for name in names if name.startswith(list_id)]
        if not fitting or not list_id:
            raise UnknownReadingList(f"There is no reading list {list_id}; `litterm list --list` shows all.")
        if len(fitting) > 1:
            raise UsageError(f"Several reading lists begin with {list_id}: {', '.join(fitting)}.")
        return fitting[0]

    def _new_id(self, topic: str) -> str:
        # The id names the subject: of "a reading list on X, please" only X.
        base = "-".join(words(without_request(topic)))[:_ID_LENGTH].strip("-") or "list"
        known, name, number = self._held(), base, 2
        while name in known:
            name, number = f"{base}-{number}", number + 1
        return name

    def _key(self) -> PaperId:
        # Registers are kept by paper; a list belongs to a project, which stands in a paper's place here.
        return PaperId(f"project:{self.annotations.project}")

    def _resolve(self, ids: Sequence[PaperId]) -> dict[PaperId, Paper]:
        """By the id asked for, the papers that are still there."""
        distinct_ids = tuple(dict.fromkeys(ids))
        names = [matches[0] if matches else None for matches in self.both_libraries.find(distinct_ids)]
        papers = iter(self.both_libraries.by_id([name for name in names if name is not None]))
        return {paper_id: next(papers) for paper_id, name in zip(distinct_ids, names, strict=True) if name is not None}


def _quoted(text: str) -> str:
    return f"“{clip(text, _TITLE_CELLS)}”"


def _title(reading_list: ReadingList, paper_id: PaperId) -> str:
    """How a sentence names a paper of the list."""
    return _quoted(next((entry.paper.title for entry in reading_list.entries if entry.paper.id == paper_id), paper_id))


def _same(first: str, second: str) -> bool:
    return words(first) == words(second)


def _likeness(first: Paper, second: Paper) -> float:
    mine, theirs = (content_stems(f"{paper.title} {paper.abstract}") for paper in (first, second))
    return len(mine & theirs) / len(mine | theirs) if mine and theirs else 0.0
