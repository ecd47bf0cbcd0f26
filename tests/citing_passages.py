"""Invented citing paragraphs for tests of test sets."""

from __future__ import annotations

from libraries import by, paper

from litterm.model.document import Span
from litterm.model.paper import Paper
from litterm.model.test_sets import CitationGroup, CitingPassage, PassageSentence

SOURCE = paper("C1", "Gadgets at work", year=2020, authors=by("Own, Olga"))
FERN = paper("F1", "Learning grammars of gadgets", year=2010, authors=by("Fern, Ada"))
LIM = paper("L1", "ZORP: a treebank", year=2012, authors=by("Lim, Bo"))


def passage(*texts: str, cites: dict[str, tuple[Paper, ...]], unknown: tuple[str, ...] = ()) -> CitingPassage:
    """A paragraph whose marks, as printed, cite the papers given, or works that nobody knows."""
    sentences = []
    for number, text in enumerate(texts):
        groups = [
            CitationGroup(Span(text.index(mark), text.index(mark) + len(mark)), tuple(each.id for each in papers))
            for mark, papers in cites.items()
            if mark in text
        ]
        groups += [
            CitationGroup(Span(text.index(mark), text.index(mark) + len(mark)), (), 1)
            for mark in unknown
            if mark in text
        ]
        groups.sort(key=lambda group: group.span.start)
        sentences.append(PassageSentence(number, text, tuple(groups)))
    held = {each.id: each for papers in cites.values() for each in papers}
    return CitingPassage(SOURCE, tuple(sentences), held)
