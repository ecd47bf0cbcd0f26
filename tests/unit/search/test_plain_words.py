"""Forty questions of four fields: a plain word pulls up no paper by itself."""

from __future__ import annotations

import pytest

from litterm.core.tasks import run
from litterm.library.index.static_embeddings import open_static
from litterm.model.index import index_row
from litterm.model.library import Parsed
from litterm.model.paper import Paper, PaperId
from litterm.model.search import Ranking
from litterm.search.hybrid import HybridSearcher
from litterm.text.queries.parser import parse_query
from litterm_benchmarks.memory_library import MemoryIndex, MemoryLibrary

PAPERS = {
    "counting": "Counting objects with large language models. Models miscount the items of a list when it grows.",
    "negation": "Negation in pretrained language models. Models ignore the word not and fail on negated sentences.",
    "unanswerable": "Unanswerable questions in reading comprehension. Systems abstain where a text has no answer.",
    "hallucination": "Faithfulness of abstractive summarization. Summaries state facts that the source does not hold.",
    "lowresource": "Translation of low-resource languages. We translate with few parallel sentences by transfer.",
    "vitamin": "Vitamin D supplementation and covid-19. A trial of vitamin D in patients with respiratory infection.",
    "statins": "Statins and muscle pain. Adverse effects of statins on muscle are compared with placebo.",
    "sleep": "Sleep duration and memory in older adults. Short sleep is associated with loss of memory.",
    "asthma": "Inhaled corticosteroids in children with asthma. Growth of children is slower with inhaled steroids.",
    "antibiotics": "Antibiotic resistance of urinary infections. Resistance to antibiotics rises with repeated use.",
    "flutter": "Flutter of thin panels at supersonic speed. Aeroelastic vibration of heated panels is computed.",
    "boundary": "Separation of the laminar boundary layer. Pressure gradients separate the flow on a wing.",
    "oscillator": "Stable crystal oscillators. The frequency of a crystal oscillator drifts with temperature.",
    "antenna": "Noise of antenna amplifiers. Low noise amplifiers for receiving antennas at microwave frequency.",
    "shock": "Shock waves on blunt bodies. The heat transfer behind a shock wave at hypersonic speed.",
    "cataloguing": "Catalogues of libraries. How cataloguing rules for titles and headings are used by readers.",
    "citation": "Citation counts of journals. Impact of scientific journals measured by citations of articles.",
    "retrieval": "Relevance feedback in document retrieval. Queries are expanded by terms of relevant documents.",
    "indexing": "Automatic indexing of documents. Index terms are assigned to documents by word frequency.",
    "borrowing": "Interlibrary loans. Costs of lending books between university libraries.",
}
DECOYS = (
    "Bad news. Bad things happen, and then they say bad things badly.",
    "Say the right thing. What people say, and the way they are saying it, makes things better or worse.",
    "A better way to make things go well. Good, great and nice things that come, go, take and keep.",
    "The good, the poor and the worst. Huge lots of really big things turn bad, quite well put.",
)
QUESTIONS = [
    ("large language models are bad at counting", "counting"),
    ("why do models count things badly", "counting"),
    ("models that say things about negated sentences", "negation"),
    ("language models go wrong on the word not, negation is poorly handled", "negation"),
    ("is there a good way to abstain when a text has no answer", "unanswerable"),
    ("making reading comprehension say nothing where there is no answer", "unanswerable"),
    ("summaries that say things the source does not", "hallucination"),
    ("how to make abstractive summarization keep to the source", "hallucination"),
    ("a good way to translate with few parallel sentences", "lowresource"),
    ("making translation better for low-resource languages", "lowresource"),
    ("is vitamin D good for covid", "vitamin"),
    ("does vitamin D make covid-19 better or worse", "vitamin"),
    ("do statins make muscles go bad", "statins"),
    ("bad things statins do to muscle", "statins"),
    ("is short sleep bad for memory", "sleep"),
    ("does sleep make memory better in older adults", "sleep"),
    ("do inhaled steroids make children grow poorly", "asthma"),
    ("a good treatment for children with asthma", "asthma"),
    ("does taking antibiotics make resistance worse", "antibiotics"),
    ("antibiotics that go bad by resistance", "antibiotics"),
    ("what makes thin panels flutter", "flutter"),
    ("how bad is vibration of heated panels", "flutter"),
    ("what makes the laminar boundary layer separate", "boundary"),
    ("a good way to keep the flow on a wing from separation", "boundary"),
    ("how to make crystal oscillators better", "oscillator"),
    ("oscillators whose frequency goes bad with temperature", "oscillator"),
    ("a good amplifier for receiving antennas", "antenna"),
    ("making the noise of antennas better", "antenna"),
    ("how big is heat transfer behind a shock wave", "shock"),
    ("what shock waves do to blunt bodies, and how bad it is", "shock"),
    ("what makes cataloguing rules good for readers", "cataloguing"),
    ("a better way to put titles in catalogues of libraries", "cataloguing"),
    ("are citation counts a good measure of journals", "citation"),
    ("bad journals by citations", "citation"),
    ("does relevance feedback make document retrieval better", "retrieval"),
    ("a good way to expand queries by relevant documents", "retrieval"),
    ("is automatic indexing as good as indexing by hand", "indexing"),
    ("index terms that say things about documents", "indexing"),
    ("what makes interlibrary loans worse for university libraries", "borrowing"),
    ("is lending books between libraries worth big costs", "borrowing"),
]


@pytest.fixture(scope="module")
def searcher() -> HybridSearcher:
    texts = [*PAPERS.items(), *((f"decoy{number}", text) for number, text in enumerate(DECOYS))]
    made = [
        Paper(PaperId(f"local:{key}"), title, abstract)
        for key, text in texts
        for title, _, abstract in [text.partition(". ")]
    ]
    model = open_static()
    return HybridSearcher(
        MemoryLibrary(map(Parsed, made)), MemoryIndex(map(index_row, made), model=model), embedder=model
    )


def search(searcher: HybridSearcher, query: str) -> Ranking:
    return run(searcher.search(parse_query(query), k=5))


@pytest.mark.parametrize(("question", "answer"), QUESTIONS)
def test_a_plain_word_pulls_up_no_paper_by_itself(searcher: HybridSearcher, question: str, answer: str) -> None:
    assert search(searcher, question).papers[0].paper.id == f"local:{answer}"


def test_plain_words_alone_are_still_searched(searcher: HybridSearcher) -> None:
    assert search(searcher, "bad news").papers[0].paper.id == "local:decoy0"
