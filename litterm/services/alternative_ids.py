"""The other ids of papers, so that every way to their text can be tried: most biomedical records carry only a DOI."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from litterm.core.errors import Offline, SourceError
from litterm.core.tasks import Task
from litterm.model.events import Notice, Progress
from litterm.model.paper import Paper, PaperId
from litterm.model.services import ArticleIds
from litterm.text.references.identity import key_in, paper_ids, scheme_of

if TYPE_CHECKING:
    from litterm.services.ncbi.id_converter import PmcIdConverter


_ELSEWHERE = ("pmc", "acl", "iclr", "arxiv")
"""Papers with such an id have a home of their own, or need no converting."""
_CONVERTIBLE = ("pmid", "doi")


def siblings_of(converter: PmcIdConverter, papers: Sequence[Paper]) -> Task[dict[PaperId, ArticleIds]]:
    """What PubMed Central knows of those of `papers` that might be there under another id, by paper.

    Trouble is told and leaves them out: whoever needs the ids has other ways.

    Raises:
        Offline: the network is switched off.
    """
    # Together for all of them: the converter takes 200 ids in one request.
    askable = {paper.id: item for paper in papers if not paper.full_text and (item := _askable(paper)) is not None}
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


def completed(paper: Paper, siblings: ArticleIds) -> Paper:
    """`paper` with those ids as aliases whose scheme it has none of yet."""
    known = {scheme_of(paper_id) for paper_id in paper_ids(paper)}
    news = tuple(paper_id for paper_id in siblings.ids if scheme_of(paper_id) not in known)
    return replace(paper, aliases=(*paper.aliases, *news)) if news else paper


def _askable(paper: Paper) -> PaperId | None:
    if any(key_in(paper, scheme) for scheme in _ELSEWHERE):
        return None
    return next((PaperId(f"{scheme}:{key}") for scheme in _CONVERTIBLE if (key := key_in(paper, scheme))), None)
