"""Reading lists by experts: those that tutorials and surveys of the library print in a section of their own.

Presenters of tutorials at ACL conferences are asked for one, and ACL-rlg (Aumiller et al. 2025) is made of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from litterm.library.title_lookup import resolve_document
from litterm.model.document import Document, Reference, Section
from litterm.model.reading_list import ExpertList, ExpertSection
from litterm.reading_lists.selection import find_covered_keywords
from litterm.text.references.parser import fill_fields
from litterm.text.references.resolution import resolve_references

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.interfaces import WorkLookup
    from litterm.library.paper_lookup import PaperLookup
    from litterm.model.paper import Paper, PaperId
    from litterm.model.reading_list import ListRequest, Topic

SECTION_TITLE = (
    r"^\W*(annotated |suggested |recommended |small |selected )*(reading list|(pre-?requisite|suggested|recommended"
    r"|further|essential|background) readings?|pre-?requisite reading list|reading material|readings)\b[^a-z]*"
    r"(for (the )?(audience|participants|attendees|tutorial))?\W*$"
)
"""A title of a section, in small letters, that holds a reading list; the first and the third are those of ACL-rlg."""
_WORD = "reading"
"""In every title that fits."""
_IS_LIST = re.compile(SECTION_TITLE)
MIN_WORKS = 3
"""With fewer it is a remark and no list."""
_BULLET = re.compile(r"(?:^|\s)[•▪‣●–*]\s+|(?:^|\s)\[\d{1,3}\]\s+")
_MIN_TITLE_WORDS = 2
_MIN_COVERED = 0.5
"""Share of the keywords of a topic that the tutorial must be about."""


@dataclass(frozen=True, slots=True)
class ExpertLists:
    """Finds the lists that papers of the user's library print; thread-safe."""

    listing: Callable[[str, str], Sequence[PaperId]]
    """The papers with a section whose title in small letters has a word and fits a pattern."""
    lookup: PaperLookup
    works: Callable[[], WorkLookup]

    def all(self) -> Task[tuple[ExpertList, ...]]:
        """All lists of the library, by id of their paper."""
        lists = []
        for paper_id in self.listing(_WORD, SECTION_TITLE):
            lists.append((yield from self.of_paper(paper_id)))
        return tuple(found for found in lists if found is not None)

    def of_paper(self, paper_id: PaperId) -> Task[ExpertList | None]:
        """The list that one paper prints; `None` where it prints none."""
        document = self.lookup.document(paper_id)
        if document is None:
            return None
        works = self.works()
        resolved = yield from resolve_document(document, works)
        (paper,) = self.lookup.by_id([paper_id])
        return read_expert_list(resolved, paper, works)

    def on_topic(self, topic: Topic, request: ListRequest) -> Task[tuple[ExpertList, ...]]:
        """The lists on a topic, of papers up to the year of the request that it does not exclude."""
        ids = [paper_id for paper_id in self.listing(_WORD, SECTION_TITLE) if paper_id not in request.exclude]
        lists = []
        for paper in self.lookup.by_id(ids):
            is_early = request.until is None or (paper.year is not None and paper.year <= request.until)
            covered = find_covered_keywords(paper, topic.keywords)
            if is_early and covered and len(covered) >= _MIN_COVERED * len(topic.keywords):
                lists.append((yield from self.of_paper(paper.id)))
        return tuple(found for found in lists if found is not None)


def read_expert_list(document: Document, paper: Paper, works: WorkLookup) -> ExpertList | None:
    """The list in a document whose references are resolved; `None` where it has none of at least `MIN_WORKS` works."""
    first = next((section for section in document.sections if _IS_LIST.search(section.title.lower())), None)
    if first is None:
        return None
    parts = [first]
    for section in document.sections[first.index + 1 :]:
        if section.level <= first.level:
            break
        parts.append(section)
    sections = tuple(
        ExpertSection("" if section is first else section.title, references)
        for section in parts
        if (references := tuple(_works_of(section, document, works)))
    )
    found = ExpertList(paper, first.title, sections)
    return found if len(found.references) >= MIN_WORKS else None


def _works_of(section: Section, document: Document, works: WorkLookup) -> Iterator[Reference]:
    """What one section lists: the entries that it cites, else what is printed there like an entry."""
    numbers = {sentence.index for sentence in document.sentences if sentence.section == section.index}
    cited = [context.reference for context in document.contexts if context.sentence in numbers]
    if document.references_known and cited:
        yield from (document.references[index] for index in dict.fromkeys(cited))
        return
    printed = [fill_fields(Reference(number, text)) for number, text in enumerate(_entries(section, document))]
    yield from resolve_references(
        [entry for entry in printed if len(entry.title.split()) >= _MIN_TITLE_WORDS and entry.year], works
    )


def _entries(section: Section, document: Document) -> Iterator[str]:
    """The texts of a section that may each be an entry: its paragraphs, divided at bullets."""
    in_section = [
        sentence
        for sentence in document.sentences
        if sentence.section == section.index and sentence.kind in ("body", "abstract")
    ]
    for _, sentences in groupby(in_section, key=lambda sentence: sentence.paragraph):
        paragraph = " ".join(sentence.text for sentence in sentences)
        yield from (text.strip() for text in _BULLET.split(paragraph) if text.strip())
