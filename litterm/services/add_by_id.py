"""Papers by id or address: the command `add` for arguments that are no files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from litterm.core.errors import NotFound, Offline, SourceError
from litterm.core.tasks import Task
from litterm.importers.ids import parse_doi, parse_manuscript, rank_ids, recognize_id
from litterm.interfaces import Records
from litterm.interfaces.services import IdLookup
from litterm.library.import_files import take_all
from litterm.model.events import Notice, Progress
from litterm.model.library import Failure, Parsed
from litterm.model.paper import PaperId
from litterm.model.services import FetchOutcome, FetchResult, service_name
from litterm.services.sync import PaperSink
from litterm.text.licences import licence_name
from litterm.text.references.identity import scheme_of

if TYPE_CHECKING:
    from litterm.services.ncbi.id_converter import PmcIdConverter
    from litterm.services.registry import ServiceRegistry


_NO_ID_MESSAGE = "It is neither an id nor an address of a paper that litterm recognises."
_NO_SERVICE_MESSAGE = "No service is known that could be asked for it."
_SEPARATORS = re.compile(r"[\s,]+|(?<!;);+(?=\s|$)")
"""A semicolon inside a word belongs to it: old DOIs have some."""
_ID_WITH_BLANK = re.compile(r"\b(doi|pmid|pmcid|pmc|arxiv|corpusid):?\s+(?=\w)", re.IGNORECASE)
"""`PMC 7029759`, `doi: 10.1000/x`: one id with a blank in it."""
_RECORD_FORMATS = {"jats": "pmc", "anthology": "acl"}
"""By format, the service that gives records in it, where the names differ."""
_RIS = re.compile(r"^(?P<tag>[A-Z][A-Z0-9])\s{1,2}-\s*(?P<value>.*)$")
_RIS_IDS = ("DO", "UR", "AN", "C2")
"""Tags of RIS that hold ids: DOI, address, accession number, PMC id."""


def ids_in(text: str) -> tuple[str, ...]:
    """The ids of a list or a RIS file, as written: one a line or separated by blanks or commas; without repeats."""
    lines = [match for line in text.splitlines() if (match := _RIS.match(line.strip("\ufeff")))]
    if any(match["tag"] == "TY" for match in lines):
        return tuple(dict.fromkeys(_ids_in_ris(lines)))
    uncommented = (line.strip("\ufeff \t") for line in text.splitlines() if not line.lstrip().startswith("#"))
    # Before cutting at blanks: `PMC 7029759` would become two words.
    joined_lines = (_ID_WITH_BLANK.sub(r"\1:", line) for line in uncommented)
    return tuple(dict.fromkeys(word for line in joined_lines for word in _SEPARATORS.split(line) if word))


def is_id(word: str) -> bool:
    """Whether `word` names a paper, and so is no path."""
    return bool(recognize_id(word) or parse_manuscript(word))


def _ids_in_ris(lines: Sequence[re.Match[str]]) -> list[str]:
    ids: list[str] = []
    best: dict[str, str] = {}
    for match in lines:
        if match["tag"] in _RIS_IDS and recognize_id(match["value"].strip()) is not None:
            best.setdefault(match["tag"], match["value"].strip())
        if match["tag"] == "ER":
            ids += [next(best[tag] for tag in _RIS_IDS if tag in best)] if best else []
            best = {}
    return ids


def obtain(
    sink: PaperSink, records: Records, services: ServiceRegistry, words: Sequence[str]
) -> Task[tuple[FetchResult, ...]]:
    """The records of ids and addresses into the library; one result a word, in order.

    Raises:
        Offline: the network is switched off, and something has to be asked for.
    """
    named_words = yield from _name_papers(services.converter, words)
    obtained: dict[str, FetchResult] = {}
    missing: dict[str, PaperId] = {}
    for word, answer in named_words.items():
        # Asked of the library first: what is there needs no network.
        known = records.find([answer])[0] if isinstance(answer, str) else ()
        if known:
            obtained[word] = _report_held(word, records, known[0])
        elif isinstance(answer, FetchResult):
            obtained[word] = answer
        else:
            missing[word] = answer
    answers = yield from _look_up(services.lookups, list(missing.values()))
    papers = [item for item in answers.values() if isinstance(item, Parsed)]
    if papers:
        yield from take_all(sink.writer(), sink.failures, iter(tuple(papers)))
    for word, paper_id in missing.items():
        obtained[word] = _result(word, paper_id, answers, records)
    failed = [Failure(item.asked, item.why, item.transient) for item in obtained.values() if item.outcome == "failed"]
    sink.failures.forget_read(words, still=[item.origin for item in failed])
    sink.failures.record(failed)
    return tuple(obtained[word] for word in words)


def _report_held(word: str, records: Records, paper_id: PaperId) -> FetchResult:
    (paper,) = records.by_id([paper_id])
    outcome: FetchOutcome = "full text" if paper.full_text else "abstract only"
    return FetchResult(word, outcome, paper.id, paper.title, via="library")


def _name_papers(converter: PmcIdConverter, words: Sequence[str]) -> Task[dict[str, PaperId | FetchResult]]:
    """The id that each word names, or the message about a word that names none.

    Manuscripts are known by a number of their own, which only leads to an id.
    """
    manuscripts = {word: number for word in words if (number := parse_manuscript(word)) is not None}
    answers: dict[str, PaperId | FetchResult] = {}
    for word in words:
        paper_id = recognize_id(word) or parse_doi(word)
        answers[word] = paper_id or FetchResult(word, "not found", why=_NO_ID_MESSAGE)
    if not manuscripts:
        return answers
    yield Progress("asking PubMed Central for ids")
    try:
        converted = yield from converter.convert(list(manuscripts.values()))
    except Offline:
        raise
    except SourceError as error:
        failed_result = FetchResult("", "failed", why=str(error), transient=error.transient)
        return answers | {word: replace(failed_result, asked=word) for word in manuscripts}
    for word, siblings in zip(manuscripts, converted, strict=True):
        best = next(iter(rank_ids(siblings.ids)), None)
        answers[word] = best or FetchResult(
            word, "not found", why="PubMed Central knows no article of this manuscript."
        )
    return answers


_Answer = Parsed | Failure | SourceError
"""A record; that a service does not have it; why it could not be asked."""


def _look_up(lookups: Sequence[IdLookup], ids: Sequence[PaperId]) -> Task[dict[PaperId, _Answer]]:
    """What the first service that knows it says of each id; a later one is asked where the abstract is missing."""
    answers: dict[PaperId, _Answer] = {}
    services_by_id: dict[PaperId, list[str]] = {}
    for lookup in lookups:
        open_ids = (paper_id for paper_id in ids if not _is_whole(answers.get(paper_id)))
        askable = [paper_id for paper_id in open_ids if scheme_of(paper_id) in lookup.schemes]
        if not askable:
            continue
        yield Progress(f"asking {lookup.name}", len(answers), len(ids))
        try:
            results: Sequence[_Answer] = yield from lookup.lookup(askable)
        except Offline:
            raise
        except NotFound as error:
            results = [Failure(paper_id, str(error)) for paper_id in askable]
        except SourceError as error:
            yield Notice(str(error))
            # An answer, too: "not found" must not be reported where one of the services could not be asked.
            results = [error for _ in askable]
        for paper_id, result in zip(askable, results, strict=True):
            answers[paper_id] = result if paper_id not in answers else max(answers[paper_id], result, key=_worth)
            services_by_id.setdefault(paper_id, []).append(service_name(lookup.name))
    return {paper_id: _report_unknown(result, services_by_id[paper_id]) for paper_id, result in answers.items()}


def _is_whole(result: _Answer | None) -> bool:
    return isinstance(result, Parsed) and bool(result.paper.abstract)


def _worth(result: _Answer) -> int:
    """A record with an abstract before one without, trouble that may pass before any other, a plain no last."""
    if isinstance(result, Parsed):
        return 4 if result.paper.abstract else 3
    return 0 if isinstance(result, Failure) else 1 + result.transient


def _report_unknown(result: _Answer, services: Sequence[str]) -> _Answer:
    """'Not found' with the names of all services that were asked."""
    if not isinstance(result, Failure) or len(services) < 2:
        return result
    return replace(result, cause=f"Not known to {', '.join(services[:-1])} or {services[-1]}.")


def _result(word: str, paper_id: PaperId, answers: dict[PaperId, _Answer], records: Records) -> FetchResult:
    result = answers.get(paper_id)
    if isinstance(result, Parsed):
        (ids,) = records.find([result.paper.id])
        return _report_stored(word, ids[0] if ids else result.paper.id, result)
    if isinstance(result, SourceError):
        return FetchResult(word, "failed", why=str(result), transient=result.transient)
    return FetchResult(word, "not found", why=result.cause if result is not None else _NO_SERVICE_MESSAGE)


def _report_stored(word: str, stored_id: PaperId, result: Parsed) -> FetchResult:
    """Some archives give a record only as the head of its text, or in a form of their own."""
    format_, document = result.paper.provenance.format, result.document
    via = _RECORD_FORMATS.get(format_, format_)
    if document is None or document.origin == "abstract":
        return FetchResult(word, "abstract only", stored_id, result.paper.title, via=via)
    return FetchResult(
        word, "full text", stored_id, result.paper.title, via=via, licence=licence_name(document.licence)
    )
