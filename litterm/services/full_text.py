"""Fetches full texts of papers of the library, each by the first legal route that has it."""

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
from litterm.interfaces import Records
from litterm.interfaces.services import TextRoute
from litterm.library.import_files import take_all
from litterm.library.state.failures import mark_resolved
from litterm.model.document import Document
from litterm.model.events import Notice, Progress
from litterm.model.library import Failure, Parsed, ReadEvent
from litterm.model.paper import Paper, PaperId
from litterm.model.services import ArticleIds, FetchResult, OpenText
from litterm.services.sync import PaperSink
from litterm.text.licences import licence_name
from litterm.text.references.identity import key_in, paper_ids, scheme_of, title_key
from litterm.text.tokens import fold

if TYPE_CHECKING:
    from litterm.importers.reader import FileReader
    from litterm.services.ncbi.id_converter import PmcIdConverter
    from litterm.services.registry import ServiceRegistry


_MAX_PENDING_TEXTS, _MAX_PENDING_S = 20, 20.0
"""Texts stored together, and after how long those that are there are stored."""
_MIN_PAGE_SENTENCES = 8
"""Sentences of a paper: a page with less was converted by half, and the PDF is better."""
_TITLE_SEARCH_CHARACTERS = 6000
"""Characters of a text in which its title stands."""
_MIN_TITLE_SHARE = 0.7
"""Share of the words of the title that must be there: another paper under a wrong link has fewer."""


@dataclass(slots=True)
class _FetchedTexts:
    """Texts that were fetched but not stored yet."""

    readings: list[ReadEvent] = field(default_factory=list)
    since: float = field(default_factory=time.monotonic)

    @property
    def is_due(self) -> bool:
        return len(self.readings) >= _MAX_PENDING_TEXTS or time.monotonic() - self.since > _MAX_PENDING_S


@dataclass(frozen=True, slots=True)
class _TextTask:
    """A paper, its other ids, and a folder for what comes."""

    paper: Paper
    siblings: ArticleIds
    folder: Path


def fetch(
    sink: PaperSink, records: Records, services: ServiceRegistry, ids: Sequence[PaperId]
) -> Task[tuple[FetchResult, ...]]:
    """One result a paper, in order; those whose text is here are not fetched again.

    Each route that serves a paper, by any id that is known or can be learnt, is tried in turn until one gives its text.
    Transient trouble is kept in the list of failures under the paper's id.

    Raises:
        UnknownPaper: one of them is not in the library.
        Offline: the network is switched off.
    """
    results: list[FetchResult] = []
    pending, noted = _FetchedTexts(), 0
    papers = records.by_id(ids)
    # Before the first text, for all papers: one request instead of one each.
    siblings = yield from find_other_ids(services.converter, papers)
    with scratch_folder() as folder:
        for place, paper in enumerate(papers):
            yield Progress("full texts", place, len(ids))
            if paper.full_text:
                results.append(FetchResult(paper.id, "full text", paper.id, paper.title, via="library"))
                continue
            task = _TextTask(paper, siblings.get(paper.id, ArticleIds()), folder / str(place))
            results.append((yield from _fetch_one(sink.reader, services.routes, task, pending)))
            if pending.is_due:
                yield from _store_texts(sink, pending)
                # After storing: a failure counts as fixed only once the library has the text.
                noted = _record_failures(sink, records, results, since=noted)
        yield from _store_texts(sink, pending)
    _record_failures(sink, records, results, since=noted)
    return tuple(results)


def _fetch_one(
    reader: FileReader, routes: Sequence[TextRoute], task: _TextTask, pending: _FetchedTexts
) -> Task[FetchResult]:
    folder, paper = task.folder, add_other_ids(task.paper, task.siblings)
    folder.mkdir(parents=True)
    refusals = _embargo_errors(task.siblings)
    for route in routes:
        if not route.serves(paper):
            continue
        try:
            text = yield from route.fetch(paper, folder)
            parsed = yield from _read_text(reader, text, paper)
        except Offline:
            raise
        except SourceError as error:
            refusals.append(error)
            yield Notice(f"{paper.id}: {error}")
            continue
        finally:
            # What one route left must not be taken for what the next one brings.
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
        pending.readings.append(parsed)
        licence = parsed.document.licence if parsed.document is not None else ""
        result = FetchResult(paper.id, "full text", paper.id, paper.title, via=route.name, licence=licence)
        return replace(result, version=text.version.removesuffix("Version"))
    if paper is not task.paper:
        # No text, but ids that were not known before: the next try has more routes.
        pending.readings.append(Parsed(paper))
    return _summarise_refusals(paper, refusals)


def _embargo_errors(siblings: ArticleIds) -> list[SourceError]:
    """The refusal of an archive that holds a text under embargo; it is reported before all others."""
    if not siblings.released:
        return []
    return [NotOpen(f"Its text is under embargo at PubMed Central until {siblings.released}.")]


def _summarise_refusals(paper: Paper, refusals: Sequence[SourceError]) -> FetchResult:
    known = FetchResult(paper.id, "abstract only" if paper.abstract else "not open", paper.id, paper.title)
    if not refusals:
        return replace(known, why="No service is known to hold its text.")
    # It comes before every other reason: while one route may still give the text, "not open" would be wrong.
    passing = next((refusal for refusal in refusals if refusal.transient), None)
    if passing is not None:
        return replace(known, outcome="failed", why=str(passing), transient=True)
    other = next((refusal for refusal in refusals if not isinstance(refusal, NotOpen | NotFound)), None)
    reason = next((refusal for refusal in refusals if isinstance(refusal, NotOpen)), refusals[0])
    if other is not None and not any(isinstance(refusal, NotOpen) for refusal in refusals):
        return replace(known, outcome="failed", why=str(other))
    return replace(known, why=str(reason))


def _read_text(reader: FileReader, text: OpenText, paper: Paper) -> Task[Parsed]:
    """`paper` with the full text in the file, and with what that says of a retraction.

    Raises:
        Malformed: there is no text, or it is that of another paper.
    """
    trouble = "the file holds no text"
    for item in reader.read(text.path, lambda _sha256: False):
        yield Progress(f"reading {paper.id}")
        if isinstance(item, Failure):
            trouble = item.cause
        if isinstance(item, Parsed) and item.document is not None and item.document.sentences:
            if not _is_same_paper(item.document, item.paper, paper, stated=text.kind != "pdf"):
                raise Malformed(f"What was found at {text.url} is another paper: “{item.paper.title[:80]}”.")
            if (
                text.kind == "html"
                and sum(sentence.kind == "body" for sentence in item.document.sentences) < _MIN_PAGE_SENTENCES
            ):
                raise Malformed(f"The page at {text.url} holds almost none of the paper's text.")
            licence = licence_name(item.document.licence or text.licence)
            document = replace(item.document, paper_id=paper.id, licence=licence)
            retraction = item.paper.retraction or ("retracted" if text.retracted else "")
            return Parsed(replace(paper, retraction=paper.retraction or retraction), document)
    raise Malformed(f"What was found at {text.url} cannot be read: {trouble}")


def _is_same_paper(document: Document, read_paper: Paper, paper: Paper, *, stated: bool) -> bool:
    # The id of a PDF is only that of the file's name, which was given to it here.
    same_id = stated and not set(paper_ids(read_paper)).isdisjoint(paper_ids(paper))
    if same_id or title_key(read_paper.title) == title_key(paper.title):
        return True
    # A preprint's title often differs from the published one by a word or two.
    title_words = set(fold(paper.title).split())
    beginning = fold(document.text[:_TITLE_SEARCH_CHARACTERS])
    return sum(word in beginning for word in title_words) >= _MIN_TITLE_SHARE * len(title_words)


def _store_texts(sink: PaperSink, pending: _FetchedTexts) -> Task[None]:
    readings, pending.readings, pending.since = pending.readings, [], time.monotonic()
    if readings:
        yield from take_all(sink.writer(), sink.failures, _iterate(readings))


def _iterate(readings: Sequence[ReadEvent]) -> Iterator[ReadEvent]:
    yield from readings


def _record_failures(sink: PaperSink, records: Records, done: Sequence[FetchResult], *, since: int) -> int:
    """Keeps what may be tried again, and forgets what is fixed, of the results from `since` on; how many there are."""
    fresh = done[since:]
    failed = [
        Failure(result.asked, result.why, transient=result.transient, missing="text")
        for result in fresh
        if result.outcome == "failed"
    ]
    still = {failure.origin for failure in failed}
    tried = [result.paper_id for result in fresh if result.paper_id is not None]
    mark_resolved(sink.failures, records, tried=tried, still=still)
    sink.failures.record(failed)
    return len(done)


_UNCONVERTED_SCHEMES = ("pmc", "acl", "iclr", "arxiv")
"""Papers with such an id have a home of their own, or need no converting."""
_CONVERTIBLE_SCHEMES = ("pmid", "doi")


def find_other_ids(converter: PmcIdConverter, papers: Sequence[Paper]) -> Task[dict[PaperId, ArticleIds]]:
    """What PubMed Central knows of those of `papers` that might be there under another id, by paper.

    Trouble is reported and leaves them out: whoever needs the ids has other ways.

    Raises:
        Offline: the network is switched off.
    """
    # Together for all of them: the converter takes 200 ids in one request.
    askable = {
        paper.id: item for paper in papers if not paper.full_text and (item := _convertible_id(paper)) is not None
    }
    if not askable:
        return {}
    yield Progress("asking PubMed Central for other ids")
    try:
        converted = yield from converter.convert(list(askable.values()))
    except Offline:
        raise
    except SourceError as error:
        yield Notice(str(error))
        return {}
    return {paper_id: item for paper_id, item in zip(askable, converted, strict=True) if item.ids}


def add_other_ids(paper: Paper, siblings: ArticleIds) -> Paper:
    """`paper` with those ids as aliases whose scheme it has none of yet."""
    known = {scheme_of(paper_id) for paper_id in paper_ids(paper)}
    new_ids = tuple(paper_id for paper_id in siblings.ids if scheme_of(paper_id) not in known)
    return replace(paper, aliases=(*paper.aliases, *new_ids)) if new_ids else paper


def _convertible_id(paper: Paper) -> PaperId | None:
    if any(key_in(paper, scheme) for scheme in _UNCONVERTED_SCHEMES):
        return None
    return next((PaperId(f"{scheme}:{key}") for scheme in _CONVERTIBLE_SCHEMES if (key := key_in(paper, scheme))), None)
