"""Which sentence of a full text comes first: the one that says what the claim says, not one that shares more words."""

from __future__ import annotations

import pytest

from litterm.core.tasks import run
from litterm.evidence.learned import LinearExtractor
from litterm.evidence.verdict import MIN_FULL_TEXT_SENTENCES
from litterm.evidence.weights import read_weights
from litterm.model.paper import PaperId
from litterm.text.documents.builder import Block, build_document

PAIRS = [
    (
        "Removing the pooling layer hurts sentence vectors.",
        "We see that removing the pooling layer and keeping only the last state leads to a clear decrease in quality.",
        "Surprisingly, adding a second loss (next to the pooling layer) hurts sentence vectors.",
    ),
    (
        "Dropping the dictionary harms recognition of rare names.",
        "When the dictionary is dropped from the input, results on rare words fall by four points.",
        "Adding gazetteers on top of the dictionary harms recognition of names in headlines.",
    ),
    (
        "Longer training improves segmentation of cells.",
        "With longer training the masks of the cells were better on all slides.",
        "Segmentation of cells improves with larger patches.",
    ),
    (
        "Leaving out the warm-up slows convergence of the optimiser.",
        "Without any warm-up, runs that leave it out need twice the steps, so that convergence is much slower.",
        "A smaller batch slows convergence of the optimiser as well.",
    ),
    (
        "More annotators increase agreement on sarcasm.",
        "With more annotators agreement rose from 0.41 to 0.58.",
        "Longer guidelines increase agreement on sarcasm and on irony.",
    ),
    (
        "Sharing the embeddings reduces memory of the tagger.",
        "Once the embeddings are shared, the tagger takes a third less memory.",
        "Pruning the heads reduces memory of the tagger and of the parser.",
    ),
    (
        "Delaying irrigation lowers the yield of maize.",
        "Plots where irrigation was delayed by a week gave lower yields.",
        "Early frost lowers the yield of maize in the northern valleys.",
    ),
    (
        "Night work raises blood pressure in drivers.",
        "In drivers who work at night, pressure was higher by 6 mmHg.",
        "Coffee raises blood pressure in drivers and in pilots for an hour.",
    ),
    (
        "Masking the title weakens retrieval of theses.",
        "Masking the title results in a substantial drop in recall.",
        "Masking numbers weakens retrieval of theses on chemistry only a little.",
    ),
    (
        "Feeding the larvae less delays their moult.",
        "Larvae moulted more slowly when feeding stopped early and they ate less.",
        "Cold water delays the moult of the larvae, too.",
    ),
]
FILLER = (
    "The work was carried out over two winters in three places.",
    "Every run was repeated five times with other seeds.",
    "The remaining settings follow common practice.",
    "A list of all material is in the appendix.",
)


@pytest.mark.parametrize(("claim", "saying", "neighbour"), PAIRS)
@pytest.mark.parametrize("is_later", [False, True], ids=["first in the text", "later in the text"])
def test_the_sentence_that_says_so_comes_before_one_that_shares_more_words(
    claim: str, saying: str, neighbour: str, *, is_later: bool
) -> None:
    both = (neighbour, saying) if is_later else (saying, neighbour)
    filler = tuple(f"{text[:-1]} ({number})." for number in range(MIN_FULL_TEXT_SENTENCES) for text in FILLER)
    blocks = (
        Block("title", "A study of what matters"),
        Block("heading", "Methods", section_kind="methods"),
        Block("body", sentences=filler),
        Block("heading", "Results", section_kind="results"),
        Block("body", sentences=(filler[0], *both, filler[1])),
    )
    document = build_document(PaperId("local:x"), blocks, origin="jats", parser="test")
    extractor = LinearExtractor(read_weights().shipped)
    evidence = run(extractor.extract(document, claim, k=4, scope="all", everything=True))
    assert evidence.sentences[0].sentence.text == saying
