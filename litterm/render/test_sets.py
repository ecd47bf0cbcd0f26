"""Items of test sets as lines of the files in which such sets are published."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from typing import Final

from litterm.model.document import SentenceKind
from litterm.model.test_sets import CitedHypothesis, MaskedExcerpt, QueriedList, SearchQuestion
from litterm.render.reading_lists.expert_list import expert_data
from litterm.text.escape import plain

EXCERPT_COLUMNS: Final = (
    *("id", "excerpt", "target_paper_title", "source_paper_title", "year", "split"),
    *("target_paper_id", "source_paper_id", "by"),
)
"""CiteME's, then ours."""
_SENTENCE_TYPES: Final[Mapping[SentenceKind, str]] = {
    "abstract": "abstract",
    "body": "normal_paragraph",
    "heading": "section_name",
}
"""What EvidenceBench calls the rows of a text; captions and tables are not in its pools."""


def question_line(item: SearchQuestion) -> str:
    """A question as a line of JSON that `litterm bench litsearch` reads.

    The judgements of a person, `specificity` and `quality`, are added by `litterm make judge`.
    """
    return _json_line(
        {
            "id": item.key,
            "query": plain(item.query),
            "gold": [target.id for target in item.targets],
            "set": "inline",
            "titles": [plain(target.title) for target in item.targets],
            "overlap": round(item.overlap, 3),
            "source": item.source.id,
            "source_title": plain(item.source.title),
            "passage": plain(item.passage),
            "by": item.by,
        }
    )


def excerpt_line(item: MaskedExcerpt) -> str:
    """An excerpt as a row of CiteME's file; the heading is `excerpt_heading`."""
    return _csv_line(
        item.key,
        " ".join(plain(item.text).split()),
        plain(item.target.title),
        plain(item.source.title),
        str(item.source.year or ""),
        "made",
        item.target.id,
        item.source.id,
        item.by,
    )


def excerpt_heading() -> str:
    """The first line of a file of excerpts."""
    return _csv_line(*EXCERPT_COLUMNS)


def list_line(item: QueriedList) -> str:
    """A reading list as a line of JSON that `litterm bench acl-rlg` reads."""
    query = {"keywords": plain(item.keywords), "sentence": plain(item.sentence)}
    return _json_line({**expert_data(item.expert), "queries": {"title": query}, "by": "title"})


def hypothesis_line(item: CitedHypothesis) -> str:
    """A hypothesis over the cited paper as a field of an object of JSON that `litterm bench evidencebench` reads."""
    rows = [sentence for sentence in item.document.sentences if sentence.kind in _SENTENCE_TYPES]
    place_of = {sentence.index: place for place, sentence in enumerate(rows)}
    ids = [str(number) for number in range(len(item.aspects))]
    sources = {key: [place_of[index] for index in stated] for key, (_, stated) in zip(ids, item.aspects, strict=True)}
    fields = {
        "paper_id": item.paper.id,
        "hypothesis": plain(item.text),
        "paper_as_candidate_pool": [plain(sentence.text) for sentence in rows],
        "sentence_types_in_candidate_pool": [_SENTENCE_TYPES[sentence.kind] for sentence in rows],
        "aspect_list_ids": ids,
        "aspect2sentence_indices": sources,
        "results_aspect_list_ids": [],
        "evidence_retrieval_at_optimal_evaluation": {"optimal": item.optimal},
        "results_evidence_retrieval_at_optimal_evaluation": None,
        "aspects": {key: plain(aspect) for key, (aspect, _) in zip(ids, item.aspects, strict=True)},
        "source": item.source.id,
        "passage": plain(item.passage),
        "by": item.by,
    }
    return f"{json.dumps(item.key)}: {json.dumps(fields, ensure_ascii=False)}\n"


def _csv_line(*values: str) -> str:
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerow(values)
    return file.getvalue()


def _json_line(fields: Mapping[str, object]) -> str:
    return json.dumps(fields, ensure_ascii=False) + "\n"
