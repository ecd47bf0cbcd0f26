"""Papers for the tests of evidence, and what a model server says about them."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from fakes_model_server import Received, Script, says_json

from litterm.model.document import Document
from litterm.model.paper import Paper, PaperId
from litterm.text.documents.builder import Block, abstract_document, build_document

HYPOTHESIS = "Dropout lowers the error of deep networks on small corpora."

ABSTRACT = (
    "We study dropout as a way to keep deep networks from overfitting.",
    "Dropout lowers the error of deep networks by 3.1 points on two small corpora.",
    "The gain vanishes on corpora with more than a million sentences.",
)
INTRODUCTION = (
    "Deep networks overfit when labelled text is scarce (Miller and Chen 1998).",
    "Several remedies have been suggested over the years by many groups.",
    "Early stopping may be the oldest of these remedies.",
)
METHODS = (
    "We trained recurrent networks with 512 units on each of the four corpora.",
    "Units were dropped with probability 0.5 during training only.",
    "All runs were repeated with ten seeds on one machine.",
)
RESULTS = (
    "Dropout significantly lowered the error on the small corpora from 21.4% to 18.3% (p < 0.01).",
    "On the largest corpus the error of the deep network rose by 0.2 points with dropout.",
    "Training took 1.7 times longer when units were dropped.",
)
ACKNOWLEDGEMENTS = ("We thank the system administrators for their patience with us.",)


def paper(*, abstract: Sequence[str] = ABSTRACT, headings: bool = True) -> Document:
    blocks = [Block("title", "Dropout for small corpora")]
    if abstract:
        blocks += [Block("heading", "Abstract", section_kind="abstract"), Block("abstract", sentences=tuple(abstract))]
    parts = (
        ("Introduction", "introduction", INTRODUCTION),
        ("Experiments", "methods", METHODS),
        ("Results", "results", RESULTS),
        ("Acknowledgements", "back", ACKNOWLEDGEMENTS),
    )
    for title, kind, sentences in parts:
        if headings:
            blocks.append(Block("heading", title, section_kind=kind))  # type: ignore[arg-type]
        blocks.append(Block("body", sentences=sentences))
    return build_document(PaperId("local:dropout"), blocks, origin="jats", parser="test")


def plain(*sentences: str) -> Document:
    return build_document(PaperId("local:x"), [Block("body", sentences=sentences)], origin="jats", parser="test")


def long_document(count: int) -> Document:
    """One section of `count` sentences that share their words."""
    words = "error network corpus model dropout unit training score layer sentence token tree graph parser".split()
    sentences = tuple(
        " ".join(words[(number * step + number // 7) % len(words)] for step in range(1, 22)) + f" {number}."
        for number in range(count)
    )
    return build_document(
        PaperId("local:long"),
        [Block("heading", "Everything"), Block("body", sentences=sentences)],
        origin="pdf",
        parser="test",
    )


def on_dropout(asked: Received) -> Script:
    """A model that picks the sentences that begin with *Dropout*, and keeps the first three of all picks."""
    numbers = [int(number) for number in re.findall(r"^\[(\d+)\] Dropout", asked.last, re.MULTILINE)]
    if "do you keep" in asked.last:
        return says_json({"thoughts": "few", "numbers": numbers[:3]})
    picks = [{"number": number, "stance": "supports", "reason": "Says so."} for number in numbers]
    return says_json({"thoughts": "few", "picks": picks})


SHAPES = [
    pytest.param(document, hypothesis, said, id=name)
    for name, document, hypothesis, said in (
        ("no abstract", paper(abstract=()), HYPOTHESIS, None),
        ("no headings", paper(headings=False), HYPOTHESIS, None),
        ("one section", plain(*INTRODUCTION, *METHODS, *RESULTS, *ABSTRACT), HYPOTHESIS, None),
        ("one short sentence", plain("Dropout helps."), HYPOTHESIS, "imited evidence"),
        (
            "French",
            plain("Le dropout réduit l'erreur des réseaux profonds sur les petits corpus."),
            "erreur",
            "English",
        ),
        ("Greek", plain(*("Η μέθοδος μειώνει το σφάλμα των δικτύων σε μικρά σώματα.",) * 12), "σφάλμα", "English"),
        ("Chinese", plain(*("我们发现随机失活降低了小语料上深层网络的错误率。",) * 12), "错误率降低", "English"),
        ("Chinese for English", plain("我们发现随机失活降低了错误率。"), HYPOTHESIS, "No word of the hypothesis"),
        ("something else", plain(*INTRODUCTION), "Zebras migrate northwards in autumn", "No word of the hypothesis"),
        (
            "abstract only",
            abstract_document(Paper(PaperId("acl:A"), "A title", " ".join(ABSTRACT))),
            HYPOTHESIS,
            "No full text: limited",
        ),
        ("title only", abstract_document(Paper(PaperId("acl:A"), "A title only")), HYPOTHESIS, "Title only"),
    )
]
"""Documents of every shape, each with a hypothesis, and what is said about its limits, if anything."""
