"""The reading lists of a project: build, save, edit with undo, and regenerate them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from litterm.annotations.journal_codec import RegisterChange
from litterm.core.errors import ReadOnly, UnknownReadingList, UsageError
from litterm.model.events import Notice
from litterm.model.paper import PaperId
from litterm.model.reading_list import ListLlmOptions, ListSummary
from litterm.reading_lists import edits, storage
from litterm.reading_lists.series import as_series_paper
from litterm.reading_lists.topic import content_stems, read_topic
from litterm.text.plural import count_phrase
from litterm.text.queries.topic_words import remove_request
from litterm.text.terminal_width import clip
from litterm.text.tokens import words

if TYPE_CHECKING:
    from litterm.annotations.annotations import Annotations
    from litterm.core.tasks import Task
    from litterm.library.paper_lookup import PaperLookup
    from litterm.model.annotations import ReadStatus
    from litterm.model.paper import LibraryName, Paper
    from litterm.model.reading_list import ExpertList, ListRequest, ReadingList
    from litterm.reading_lists.builder import ListBuilder
    from litterm.reading_lists.expert_lists import ExpertLists
    from litterm.reading_lists.llm_builder import ModelListBuilder

LAST_CHANGED = "last"
_MAX_ID_CHARACTERS = 40
"""Ids are typed on the command line, where an unambiguous beginning is enough."""
_MAX_TITLE_CELLS = 44
"""Maximum width of a title or topic in the one-line message of undo."""
_NOT_SAVED = "This library is read-only, so the list is not saved."


class ReadingListBuilder(Protocol):
    """Builds a list from a request: `ListBuilder`, or `ModelListBuilder` with a language model."""

    def build(self, request: ListRequest) -> Task[ReadingList]:
        """The list of a request."""
        ...


@dataclass(frozen=True, slots=True)
class ReadingLists:
    """The lists of the current project. Every change is durable when the method returns, and can be undone."""

    annotations: Annotations
    records: PaperLookup
    builder: Callable[[LibraryName | None], ListBuilder]
    """The builder with fitted weights, over the papers of a library or those that a list is made of by default."""
    open_model_builder: Callable[[ListLlmOptions], ModelListBuilder]
    """The builder with the language model of the settings; raises `UsageError` or `ModelError` where there is none."""
    expert_lists: ExpertLists | None = None
    """The lists that tutorials and surveys of the library print; `None` where their texts cannot be asked."""
    damage_notice: Callable[[], str] = lambda: ""
    """Says which part of the library is damaged; else empty."""

    def preview(self, request: ListRequest, *, library_name: LibraryName | None = None) -> Task[tuple[str, ...]]:
        """The exact request that would be sent to the model.

        Raises:
            UsageError: no model is set, or the topic has no word to search for.
            ModelError: it cannot be asked.
        """
        from litterm.core.tasks import collect_outgoing

        request_task = self.open_model_builder(ListLlmOptions(dry_run=True, library_name=library_name)).build(request)
        return (yield from collect_outgoing(request_task))

    def build(self, request: ListRequest, builder: ReadingListBuilder | None = None) -> Task[ReadingList]:
        """Builds the list of a request without saving it; `builder` replaces the default builder.

        The works that experts list on the topic come into question, too; a notice says first whose lists these are.

        Raises:
            UsageError: the topic has no word to search for.
        """
        experts = (
            (yield from self.expert_lists.on_topic(read_topic(request.topic), request)) if self.expert_lists else ()
        )
        for expert in experts:
            yield Notice(expert_sentence(expert))
        listed = tuple(dict.fromkeys(paper_id for expert in experts for paper_id in expert.held))
        if listed:
            request = replace(request, seeds=tuple(dict.fromkeys((*request.seeds, *listed))))
        built = yield from (builder or self.builder(None)).build(request)
        notice = self.damage_notice()
        return replace(built, notices=(*built.notices, notice)) if notice else built

    def make(self, request: ListRequest, builder: ReadingListBuilder | None = None) -> Task[ReadingList]:
        """Builds and saves the list of a request; an existing list on the topic is regenerated around its pins.

        Raises:
            UsageError: the topic has no word to search for.
            DiskFull: it could not be written.
        """
        before = next(
            (reading_list for reading_list in self._load_all() if _is_same_topic(reading_list.topic, request.topic)),
            None,
        )
        if before is not None:
            return (yield from self._regenerate(before, request, builder))
        built = yield from self.build(request, builder)
        if not built.entries:
            # An empty list, as of a misspelt topic, is not saved.
            return built
        reading_list = replace(built, id=self._new_id(request.topic))
        return self._save(reading_list, f"made the reading list {_quote(request.topic)}")

    def regenerate(self, list_id: str, builder: ReadingListBuilder | None = None) -> Task[ReadingList]:
        """Regenerates a saved list: pinned papers stay, dropped ones do not come back.

        Raises:
            UnknownReadingList: there is no such list.
        """
        before = self.open(list_id)
        return (yield from self._regenerate(before, before.request, builder))

    def all(self) -> tuple[ListSummary, ...]:
        """Summaries of the lists of the project, the most recently changed last."""
        return tuple(
            ListSummary(
                reading_list.id,
                reading_list.topic,
                len(reading_list.entries),
                self.read_count(reading_list),
                reading_list.made,
            )
            for reading_list in self._load_all()
        )

    def open(self, list_id: str) -> ReadingList:
        """Opens a saved list by its id or an unambiguous beginning of it; `last` is the most recently changed one.

        Raises:
            UnknownReadingList: there is none.
            UsageError: several begin so, or it cannot be read.
        """
        saved_texts = self._saved_texts()
        name = self._find_id(list_id, tuple(saved_texts))
        reading_list = storage.loads(saved_texts[name], name, self._resolve)
        if reading_list is None:
            raise UsageError(f"The reading list {name} cannot be read; `litterm list --delete {name}` removes it.")
        return reading_list

    def delete(self, list_id: str) -> str:
        """Deletes a list and returns its id; undo restores it.

        Raises:
            UnknownReadingList: there is none.
            UsageError: several begin so.
        """
        name = self._find_id(list_id, tuple(self._saved_texts()))
        reading_list = storage.loads(self._saved_texts()[name], name, self._resolve)
        called = name if reading_list is None else _quote(reading_list.topic)
        self.annotations.undo_log.write(
            f"deleted the reading list {called}", [RegisterChange("reading_list", self._register_key(), None, name)]
        )
        return name

    def pin(self, reading_list: ReadingList, paper_id: PaperId, pinned: bool = True) -> ReadingList:
        """Pins a paper, which is then kept when the list is regenerated, or unpins it."""
        changed = edits.pin(reading_list, paper_id, pinned)
        return self._save(changed, f"{'pinned' if pinned else 'unpinned'} {_quote_title(reading_list, paper_id)}")

    def drop(self, reading_list: ReadingList, paper_id: PaperId) -> ReadingList:
        """Drops a paper from a list for good."""
        return self._save(edits.drop(reading_list, paper_id), f"dropped {_quote_title(reading_list, paper_id)}")

    def replace(self, reading_list: ReadingList, paper_id: PaperId) -> ReadingList:
        """Replaces a paper by the most similar spare.

        Raises:
            UsageError: no other paper is left.
        """
        papers = self._resolve((paper_id, *reading_list.spares))
        keywords = read_topic(reading_list.topic).keywords
        other_papers = [
            as_series_paper(entry.paper, keywords) for entry in reading_list.entries if entry.paper.id != paper_id
        ]
        available = tuple(
            spare for spare in reading_list.spares if spare in papers and spare not in reading_list.dropped
        )
        # A spare of a series that the list already has is used only if nothing else is left.
        distinct = tuple(
            spare
            for spare in available
            if not any(map(as_series_paper(papers[spare], keywords).is_alike, other_papers))
        )
        usable = replace(reading_list, spares=distinct or available)
        chosen = edits.choose_spare(usable, paper_id, lambda first, second: _similarity(papers[first], papers[second]))
        changed = edits.substitute(replace(reading_list, spares=available), paper_id, papers[chosen])
        changed = replace(changed, links=self.builder(None).find_links([entry.paper.id for entry in changed.entries]))
        return self._save(changed, f"replaced {_quote_title(reading_list, paper_id)}")

    def move(self, reading_list: ReadingList, paper_id: PaperId, by: int) -> ReadingList:
        """Moves a paper down, or up where `by` is negative."""
        return self._save(edits.move(reading_list, paper_id, by), f"moved {_quote_title(reading_list, paper_id)}")

    def rename(self, reading_list: ReadingList, name: str, new: str) -> ReadingList:
        """Renames a section."""
        return self._save(edits.rename(reading_list, name, new), f"renamed the heading {_quote(name)}")

    def write_note(self, reading_list: ReadingList, paper_id: PaperId, text: str) -> ReadingList:
        """Writes a note on a paper of the list."""
        changed = edits.write_note(reading_list, paper_id, text)
        return self._save(changed, f"wrote a note on {_quote_title(reading_list, paper_id)}")

    def papers_of(self, project: str) -> tuple[PaperId, ...]:
        """Papers included or starred in a project.

        Raises:
            UsageError: there is no such project.
        """
        return self.annotations.papers_in_project(project)

    def undo(self) -> str | None:
        """Undoes the last change of a list; returns a sentence that names it, or `None` if there is none."""
        description = self.annotations.undo_log.undo("reading_list")
        return None if description is None else f"Undone: {description}."

    def status(self, paper_id: PaperId) -> ReadStatus:
        """The reading status of a paper; empty if none is set."""
        return self.annotations.notes(paper_id).status

    def read_count(self, reading_list: ReadingList) -> int:
        """How many papers of a list are marked as read."""
        return sum(self.status(entry.paper.id) == "read" for entry in reading_list.entries)

    def _regenerate(
        self, before: ReadingList, request: ListRequest, builder: ReadingListBuilder | None
    ) -> Task[ReadingList]:
        pinned = tuple(entry.paper.id for entry in before.entries if entry.pinned)
        exclude = request.exclude | frozenset(before.dropped)
        rebuilt = yield from self.build(replace(request, include=pinned, exclude=exclude), builder)
        merged = replace(edits.merge_edits(before, rebuilt), request=request)
        return self._save(merged, f"made the reading list {_quote(before.topic)} again")

    def _save(self, reading_list: ReadingList, description: str) -> ReadingList:
        change = RegisterChange("reading_list", self._register_key(), storage.dumps(reading_list), reading_list.id)
        try:
            self.annotations.undo_log.write(description, [change])
        except ReadOnly:
            # The list is still shown, but without an id, because it cannot be edited.
            return replace(reading_list, id="", notices=(*reading_list.notices, _NOT_SAVED))
        return reading_list

    def _load_all(self) -> list[ReadingList]:
        lists = [storage.loads(text, name, self._resolve) for name, text in self._saved_texts().items()]
        return [reading_list for reading_list in lists if reading_list is not None]

    def _saved_texts(self) -> Mapping[str, str]:
        """The saved lists as text by id, the most recently changed last."""
        places = self.annotations.undo_log.state().places("reading_list", self._register_key())
        return {name: value for name, value in places if isinstance(value, str)}

    def _find_id(self, list_id: str, names: Sequence[str]) -> str:
        if list_id == LAST_CHANGED and names:
            return names[-1]
        fitting = [name for name in names if name == list_id] or [name for name in names if name.startswith(list_id)]
        if not fitting or not list_id:
            raise UnknownReadingList(f"There is no reading list {list_id}; `litterm list --list` shows all.")
        if len(fitting) > 1:
            raise UsageError(f"Several reading lists begin with {list_id}: {', '.join(fitting)}.")
        return fitting[0]

    def _new_id(self, topic: str) -> str:
        # For "a reading list on X, please" the id is made of X.
        base = "-".join(words(remove_request(topic)))[:_MAX_ID_CHARACTERS].strip("-") or "list"
        known, name, number = self._saved_texts(), base, 2
        while name in known:
            name, number = f"{base}-{number}", number + 1
        return name

    def _register_key(self) -> PaperId:
        # Journal registers are keyed by paper id; for lists the key is the project.
        return PaperId(f"project:{self.annotations.project}")

    def _resolve(self, ids: Sequence[PaperId]) -> dict[PaperId, Paper]:
        """Maps `ids` to papers, without those that have left the library."""
        distinct_ids = tuple(dict.fromkeys(ids))
        names = [matches[0] if matches else None for matches in self.records.find(distinct_ids)]
        papers = iter(self.records.by_id([name for name in names if name is not None]))
        return {paper_id: next(papers) for paper_id, name in zip(distinct_ids, names, strict=True) if name is not None}


def expert_sentence(expert: ExpertList) -> str:
    """One sentence for the user: whose list exists, and how much of it the library holds."""
    year = f" ({expert.paper.year})" if expert.paper.year else ""
    works = f"lists {count_phrase(len(expert.references), 'work')}, {len(expert.held)} of them in your library"
    return (
        f"An expert's list exists: {_quote(expert.paper.title)}{year} {works};"
        f" `litterm list --expert {expert.paper.id}` shows it."
    )


def _quote(text: str) -> str:
    return f"“{clip(text, _MAX_TITLE_CELLS)}”"


def _quote_title(reading_list: ReadingList, paper_id: PaperId) -> str:
    """The quoted title of a paper of the list, for a message."""
    return _quote(next((entry.paper.title for entry in reading_list.entries if entry.paper.id == paper_id), paper_id))


def _is_same_topic(first: str, second: str) -> bool:
    return words(first) == words(second)


def _similarity(first: Paper, second: Paper) -> float:
    first_stems, second_stems = (content_stems(f"{paper.title} {paper.abstract}") for paper in (first, second))
    return len(first_stems & second_stems) / len(first_stems | second_stems) if first_stems and second_stems else 0.0
