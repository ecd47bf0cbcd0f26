"""Draws cells for people and a model to grade, and encodes a set of them as JSON."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Final

from litterm.annotations.highlights import normalize_sentence
from litterm.core.errors import BadInput, UsageError
from litterm.model.agreement import CellKind, Freeze, GradedCell, GradedSet
from litterm.model.document import Document
from litterm.model.evidence import Evidence
from litterm.model.paper import Paper, PaperId
from litterm.text.plural import count_phrase

_FORMAT: Final = "litterm agreement 1"
_SENTENCE_KINDS = frozenset(("abstract", "body"))


def aspect_cells(papers: Sequence[Paper], criteria: Sequence[str]) -> dict[PaperId, list[GradedCell]]:
    """Every aspect with every paper that has an abstract, by paper."""
    texts = list(dict.fromkeys(" ".join(text.split()) for text in criteria))
    return {paper.id: [GradedCell(paper.id, text) for text in texts] for paper in papers if paper.abstract}


def sentence_cells(document: Document, evidence: Evidence, count: int, source: random.Random) -> list[GradedCell]:
    """At most `count` sentences of a paper: one half the closest to the hypothesis, the others drawn from the rest.

    Sentences that bear on a hypothesis are so rare that a plain draw would hold next to none of them.
    """
    closest = [item.sentence.index for item in evidence.sentences]
    rest = [row.index for row in document.sentences if row.kind in _SENTENCE_KINDS and row.index not in set(closest)]
    near = closest[: math.ceil(count / 2)]
    indices = near + source.sample(rest, min(len(rest), count - len(near)))
    hypothesis = " ".join(evidence.hypothesis.split())
    rows = (" ".join(document.sentences[index].text.split()) for index in indices)
    return [GradedCell(document.paper_id, hypothesis, text) for text in dict.fromkeys(rows) if text]


def draw(
    kind: CellKind,
    query: str,
    by_paper: Mapping[PaperId, Sequence[GradedCell]],
    *,
    development: int,
    test: int,
    seed: int,
    earlier: GradedSet | None = None,
) -> GradedSet:
    """Draws cells by chance, none of a paper both for development and for the test.

    With `earlier`, all cells of that set become development cells, and only a new test set is drawn.

    Raises:
        UsageError: there are too few papers or cells.
    """
    source = random.Random(seed)
    known = set(earlier.development + earlier.test) if earlier else set()
    papers = [paper_id for paper_id in by_paper if not any(cell in known for cell in by_paper[paper_id])]
    source.shuffle(papers)
    # So many papers for each part as fits its share of the cells, and at least one.
    share = 0.0 if earlier else development / (development + test)
    first = 0 if earlier else min(max(1, round(share * len(papers))), len(papers) - 1)
    drawn: list[tuple[GradedCell, ...]] = []
    for part, chosen, wanted in (("development", papers[:first], development), ("test", papers[first:], test)):
        cells = [cell for paper_id in chosen for cell in by_paper[paper_id]]
        if earlier and part == "development":
            drawn.append(earlier.development + earlier.test)
            continue
        if len(cells) < wanted:
            raise UsageError(
                f"Only {count_phrase(len(cells), 'cell')} of {count_phrase(len(chosen), 'paper')} can be drawn for the "
                f"{part} set, and {wanted:,} are wanted; ask for fewer with -n and --dev, or take more papers with -k."
            )
        drawn.append(tuple(source.sample(cells, wanted)))
    if earlier:
        return replace(earlier, development=drawn[0], test=drawn[1], seed=seed, freeze=None, measured=())
    return GradedSet(kind, query, seed, drawn[0], drawn[1])


def find_neighbours(cell: GradedCell, document: Document) -> tuple[str, str]:
    """The sentences before and after that of `cell`; empty where there is none, or the parse has it no more."""
    rows, wanted = document.sentences, normalize_sentence(cell.sentence)
    index = next((at for at, row in enumerate(rows) if normalize_sentence(row.text) == wanted), None)
    if index is None:
        return "", ""
    return rows[index - 1].text if index else "", rows[index + 1].text if index + 1 < len(rows) else ""


def dumps(drawn: GradedSet) -> str:
    """The set as JSON, to be read by `loads`."""
    body = {
        "format": _FORMAT,
        "kind": drawn.kind,
        "query": drawn.query,
        "seed": drawn.seed,
        "freeze": asdict(drawn.freeze) if drawn.freeze else None,
        "measured": [asdict(freeze) for freeze in drawn.measured],
        "development": [_encode_cell(cell) for cell in drawn.development],
        "test": [_encode_cell(cell) for cell in drawn.test],
    }
    return json.dumps(body, ensure_ascii=False, indent=1) + "\n"


def loads(text: str, name: str) -> GradedSet:
    """Reads a set; `name` is what it is called in errors.

    Raises:
        BadInput: it is none, or damaged.
    """
    try:
        body = json.loads(text)
        if not isinstance(body, dict) or body.get("format") != _FORMAT:
            raise BadInput(f"{name}: is no set of `litterm agree draw`.")
        kind: CellKind = "evidence" if body["kind"] == "evidence" else "aspects"
        cells = {part: tuple(_decode_cell(row, kind) for row in body[part]) for part in ("development", "test")}
        return GradedSet(
            kind,
            str(body["query"]),
            int(body["seed"]),
            cells["development"],
            cells["test"],
            _decode_freeze(body["freeze"]) if body["freeze"] else None,
            tuple(_decode_freeze(row) for row in body["measured"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BadInput(f"{name}: cannot be read as a set of `litterm agree draw` ({error}).") from error


def _encode_cell(cell: GradedCell) -> dict[str, str]:
    body = {"paper": cell.paper_id, "text": cell.text}
    return {**body, "sentence": cell.sentence} if cell.sentence else body


def _decode_cell(row: Mapping[str, object], kind: CellKind) -> GradedCell:
    # Squeezed again: a line break would become another place in the journal.
    paper, text, sentence = (" ".join(str(row.get(name, "")).split()) for name in ("paper", "text", "sentence"))
    cell = GradedCell(PaperId(paper), text, sentence)
    if not paper or not text or cell.kind != kind:
        raise ValueError("a cell lacks its paper, text or sentence")
    return cell


def _decode_freeze(row: Mapping[str, object]) -> Freeze:
    return Freeze(*(str(row[name]) for name in ("model", "model_hash", "prompt_hash", "at")))
