"""The verb *fetch*: the full text of papers of the library, by the first legal way that leads to it."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.core.errors import Malformed, NotFound, NotOpen, Offline, SourceError
from litterm.core.tasks import Task
from litterm.core.temporary_files import scratch_folder
from litterm.interfaces import PaperReader, Records
from litterm.interfaces.services import TextRoute
from litterm.library.failures import mend
from litterm.library.import_files import take_all
from litterm.model.document import Document
from litterm.model.events import Notice, Progress
from litterm.model.library import Failure, Parsed, Reading
from litterm.model.paper import Paper, PaperId
from litterm.model.services import ArticleIds, Obtained, OpenText
from litterm.services.alternative_ids import completed, siblings_of
from litterm.services.sync import PaperSink
from litterm.text.licences import licence_name
from litterm.text.references.identity import paper_ids, title_key
from litterm.text.tokens import fold

if TYPE_CHECKING:
    from litterm.services.registry import ServiceRegistry


_AT_ONCE, _PATIENCE_S = 20, 20.0
"""Texts stored together, and after how long those that are there are stored."""
_FEWEST = 8
"""Sentences of a paper: a page with less was converted by half, and the PDF is better."""
_BEGINNING = 6000
"""Characters of a text in which its title stands."""
_SHARED = 0.7
"""Share of the words of the title that must stand there: another paper under a wrong link has fewer."""


@dataclass(slots=True)
class _Haul:
    """What was fetched and is not stored yet."""

    readings: list[Reading] = field(default_factory=list)
    since: float = field(default_factory=time.monotonic)

    @property
    def is_due(self) -> bool:
        return len(self.readings) >= _AT_ONCE or time.monotonic() - self.since > _PATIENCE_S


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A paper, its other ids, and a folder for what comes."""

    paper: Paper
    siblings: ArticleIds
    folder: Path


def fetch(
    stock: PaperSink, records: Records, services: ServiceRegistry, ids: Sequence[PaperId]
) -> Task[tuple[Obtained, ...]]:
    """One result a paper, in order; those whose text is here are not fetched again.

    Each route that serves a paper, by any id that is known or can be learnt, is tried in turn until one gives its text.
    Transient trouble is kept in the list of failures under the paper's id.

    Raises:
        UnknownPaper: one of them is not in the library.
        Offline: the network is switched off.
    """
    done: list[Obtained] = []
    haul, noted = _Haul(), 0
    papers = records.by_id(ids)
    siblings = yield from siblings_of(services.converter, papers)
    with scratch_folder() as folder:
        for place, paper in enumerate(papers):
            yield Progress("full texts", place, len(ids))
            if paper.full_text:
                done.append(Obtained(paper.id, "full text", paper.id, paper.title, via="library"))
                continue
            wanted = _Wanted(paper, siblings.get(paper.id, ArticleIds()), folder / str(place))
            done.append((yield from _obtained(stock.reader, services.routes, wanted, haul)))
            if haul.is_due:
                yield from _store(stock, haul)
                noted = _note(stock, records, done, since=noted)
        yield from _store(stock, haul)
    _note(stock, records, done, since=noted)
    return tuple(done)


def _obtained(reader: PaperReader, routes: Sequence[TextRoute], wanted: _Wanted, haul: _Haul) -> Task[Obtained]:
    folder, paper = wanted.folder, completed(wanted.paper, wanted.siblings)
    folder.mkdir(parents=True)
    refusals = _held_back(wanted.siblings)
    for route in routes:
        if not route.serves(paper):
            continue
        try:
            text = yield from route.fetch(paper, folder)
            found = yield from _read(reader, text, paper)
        except Offline:
            raise
        except SourceError as error:
            refusals.append(error)
            yield Notice(f"{paper.id}: {error}")
            continue
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
        haul.readings.append(found)
        licence = found.document.licence if found.document is not None else ""
        came = Obtained(paper.id, "full text", paper.id, paper.title, via=route.name, licence=licence)
        return replace(came, version=text.version.removesuffix("Version"))
    if paper is not wanted.paper:
        haul.readings.append(Parsed(paper))
    return _refused(paper, refusals)


def _held_back(siblings: ArticleIds) -> list[SourceError]:
    """What an archive that holds the text back until later says of it; stands before all other refusals."""
    if not siblings.released:
        return []
    return [NotOpen(f"Its text is under embargo at PubMed Central until {siblings.released}.")]


def _refused(paper: Paper, refusals: Sequence[SourceError]) -> Obtained:
    known = Obtained(paper.id, "abstract only" if paper.abstract else "not open", paper.id, paper.title)
    if not refusals:
        return replace(known, why="No service is known to hold its text.")
    passing = next((each for each in refusals if each.transient), None)
    if passing is not None:
        return replace(known, outcome="failed", why=str(passing), transient=True)
    other = next((each for each in refusals if not isinstance(each, NotOpen | NotFound)), None)
    why = next((each for each in refusals if isinstance(each, NotOpen)), refusals[0])
    if other is not None and not any(isinstance(each, NotOpen) for each in refusals):
        return replace(known, outcome="failed", why=str(other))
    return replace(known, why=str(why))


def _read(reader: PaperReader, text: OpenText, paper: Paper) -> Task[Parsed]:
    """`paper` with the full text in the file, and with what that says of a retraction.

    Raises:
        Malformed: there is none, or it is that of another paper.
    """
    trouble = "the file holds no text"
    for item in reader.read(text.path, lambda _sha256: False):
        yield Progress(f"reading {paper.id}")
        if isinstance(item, Failure):
            trouble = item.cause
        if isinstance(item, Parsed) and item.document is not None and item.document.sentences:
            if not _is_of(item.document, item.paper, paper, stated=text.kind != "pdf"):
                raise Malformed(f"What was found at {text.url} is another paper: “{item.paper.title[:80]}”.")
            if text.kind == "html" and sum(each.kind == "body" for each in item.document.sentences) < _FEWEST:
                raise Malformed(f"The page at {text.url} holds almost none of the paper's text.")
            licence = licence_name(item.document.licence or text.licence)
            document = replace(item.document, paper_id=paper.id, licence=licence)
            retraction = item.paper.retraction or ("retracted" if text.retracted else "")
            return Parsed(replace(paper, retraction=paper.retraction or retraction), document)
    raise Malformed(f"What was found at {text.url} cannot be read: {trouble}")


def _is_of(document: Document, read: Paper, paper: Paper, *, stated: bool) -> bool:
    # The id of a PDF is only that of the file's name, which was given to it here.
    same_id = stated and not set(paper_ids(read)).isdisjoint(paper_ids(paper))
    if same_id or title_key(read.title) == title_key(paper.title):
        return True
    wanted = set(fold(paper.title).split())
    there = fold(document.text[:_BEGINNING])
    return sum(word in there for word in wanted) >= _SHARED * len(wanted)


def _store(stock: PaperSink, haul: _Haul) -> Task[None]:
    readings, haul.readings, haul.since = haul.readings, [], time.monotonic()
    if readings:
        yield from take_all(stock.writer(), stock.failures, _each(readings))


def _each(readings: Sequence[Reading]) -> Iterator[Reading]:
    yield from readings


def _note(stock: PaperSink, records: Records, done: Sequence[Obtained], *, since: int) -> int:
    """Keeps what may be tried again, and forgets what is mended, of the results from `since` on; how many there are."""
    fresh = done[since:]
    failed = [
        Failure(each.asked, each.why, transient=each.transient, missing="text")
        for each in fresh
        if each.outcome == "failed"
    ]
    still = {each.origin for each in failed}
    mend(stock.failures, records, tried=[each.paper_id for each in fresh if each.paper_id is not None], still=still)
    stock.failures.record(failed)
    return len(done)
