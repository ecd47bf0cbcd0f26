"""Questions with the sentences that answer them, over the papers of their set: what `bench ask` measures on.

Three sets: claims of SciFact over its abstracts, hypotheses of EvidenceBench over its papers, questions of QASPER over
the evidence paragraphs of its papers. A question of QASPER is put to one paper ("what baselines are used?"): there the
papers that a search for the title of that paper finds are read, and the question has to find its sentence among them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from litterm.core.errors import BadInput
from litterm.evidence.answers.answers import read_papers
from litterm.evidence.answers.question import read_question
from litterm.evidence.learned import LinearExtractor
from litterm.library.index.bm25_weights import TYPICAL_LENGTH
from litterm.library.index.static_embeddings import open_static
from litterm.model.events import Progress
from litterm.model.index import index_row
from litterm.model.library import Parsed
from litterm.model.paper import Paper, PaperId
from litterm.search.hybrid import HybridSearcher
from litterm.text.documents.builder import Block, build_document
from litterm.text.queries.parser import parse_query
from litterm_benchmarks.data_rows import read_rows
from litterm_benchmarks.evidence.extractors import Extractors
from litterm_benchmarks.memory_library import MemoryIndex, MemoryLibrary
from litterm_benchmarks.readers import claims, evidencebench

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.evidence.answers.features import ReadPaper
    from litterm.evidence.hypothesis import Hypothesis
    from litterm.model.document import Document
    from litterm.model.search import Ranking

PAPERS_READ: Final = 20
MAX_QUESTIONS: Final = 300
"""Of a set; of more, so many evenly spread ones are asked."""
Gold = Mapping[PaperId, frozenset[int]]
"""By paper the indices of the sentences that answer."""


@dataclass(frozen=True, slots=True)
class SetQuestion:
    """A question of a set."""

    text: str
    gold: Gold
    about: str = ""
    """The title of the paper that it is put to; empty where it is put to all."""
    seen: str = ""
    """The paper by which weights that have not seen the question are found."""

    @property
    def cluster(self) -> str:
        """Questions with the same papers are no independent samples."""
        return " ".join(sorted(self.gold))


@dataclass(frozen=True, slots=True)
class AnsweredSet:
    """The questions of a set and its papers."""

    name: str
    questions: tuple[SetQuestion, ...]
    library: MemoryLibrary
    searcher: HybridSearcher

    def read(
        self, question: SetQuestion, extractor: LinearExtractor, *, without: frozenset[PaperId] = frozenset()
    ) -> Task[tuple[Hypothesis, tuple[ReadPaper, ...]]]:
        """The first papers of a search for the question, read and measured; those of `without` are not there."""
        ranking = yield from self._search(question, without)
        statement = read_question(question.text).aspects[0].statement
        hypotheses, papers = yield from read_papers(
            ranking.papers[:PAPERS_READ], (statement,), self.document, extractor
        )
        return hypotheses[0], papers[0]

    def document(self, paper_id: PaperId) -> Task[Document]:
        """The text of a paper."""
        yield Progress("reading")
        document = self.library.document(paper_id)
        if document is None:
            raise BadInput(f"{self.name}: {paper_id} has no text.")
        return document

    def _search(self, question: SetQuestion, without: frozenset[PaperId]) -> Task[Ranking]:
        within = frozenset(paper.id for paper in self.library.all) - without if without else None
        if question.about:
            about = replace(parse_query(""), text=question.about, words=tuple(question.about.split()))
            pool = yield from self.searcher.search(about, k=PAPERS_READ, within=within)
            asked = frozenset() if without else frozenset(question.gold)
            within = frozenset(item.paper.id for item in pool.papers[: PAPERS_READ - 1]) | asked
        query = replace(parse_query(""), text=question.text, words=tuple(question.text.split()), kind="question")
        return (yield from self.searcher.search(query, k=PAPERS_READ, within=within))


def read_set(path: Path) -> AnsweredSet:
    """The set in a file, recognised by its form.

    Raises:
        BadInput: it is in none of the three forms.
    """
    if path.suffix == ".json":
        return _evidencebench(path)
    first = next(read_rows(path, lambda row, _number: row), {})
    return _qasper(path) if "questions" in first else _claims(path)


def fitted_without(question: SetQuestion, shipped: Extractors) -> LinearExtractor:
    """The extractor with weights that have not seen the question."""
    return LinearExtractor(shipped.trained.weights_without(question.seen) or shipped.trained.shipped)


def _answered_set(name: str, questions: Sequence[SetQuestion], parsed: Sequence[Parsed]) -> AnsweredSet:
    model = open_static()
    papers = [record.paper for record in parsed]
    index = MemoryIndex(map(index_row, papers), average_length=TYPICAL_LENGTH, model=model)
    library = MemoryLibrary(parsed)
    step = max(1.0, len(questions) / MAX_QUESTIONS)
    spread = [questions[int(number * step)] for number in range(min(len(questions), MAX_QUESTIONS))]
    return AnsweredSet(name, tuple(spread), library, HybridSearcher(library, index, embedder=model))


def _claims(path: Path) -> AnsweredSet:
    parsed: dict[PaperId, Parsed] = {}
    gold: defaultdict[str, dict[PaperId, frozenset[int]]] = defaultdict(dict)
    for pair in claims.read_claims(path):
        document, numbers = claims.as_document(pair)
        document = replace(document, origin="abstract")
        parsed.setdefault(pair.paper, Parsed(Paper(pair.paper, pair.title, " ".join(pair.sentences)), document))
        rows = frozenset(row for row, number in enumerate(numbers) if number in pair.gold)
        if rows:
            gold[pair.claim][pair.paper] = rows
    questions = [SetQuestion(claim, of_claim, seen=str(next(iter(of_claim)))) for claim, of_claim in gold.items()]
    return _answered_set("scifact", questions, list(parsed.values()))


def _evidencebench(path: Path) -> AnsweredSet:
    parsed: dict[PaperId, Parsed] = {}
    questions: list[SetQuestion] = []
    for item in evidencebench.read_items(path):
        document, numbers = evidencebench.as_document(item)
        abstract = " ".join(
            text for text, kind in zip(item.sentences, item.types, strict=True) if kind == "abstract"
        ) or " ".join(item.sentences[:8])
        parsed.setdefault(document.paper_id, Parsed(Paper(document.paper_id, "", abstract), document))
        sources = frozenset().union(*item.aspects) if item.aspects else frozenset()
        rows = frozenset(row for row, number in enumerate(numbers) if number in sources)
        if rows:
            questions.append(SetQuestion(item.hypothesis, {document.paper_id: rows}, seen=item.paper_key))
    return _answered_set("evidencebench", questions, list(parsed.values()))


def _qasper(path: Path) -> AnsweredSet:
    parsed: dict[PaperId, Parsed] = {}
    questions: list[SetQuestion] = []
    for record, asked in read_rows(path, _qasper_paper):
        if record.paper.id not in parsed:
            parsed[record.paper.id] = record
            questions += asked
    return _answered_set("qasper", questions, list(parsed.values()))


def _qasper_paper(row: Mapping[str, object], _number: int) -> tuple[Parsed, list[SetQuestion]]:
    paper_id, title = PaperId(str(row["acl"])), str(row["title"])
    asked = cast("Sequence[Mapping[str, object]]", row["questions"])
    paragraphs = list(dict.fromkeys(text for question in asked for text in _evidence(question)))
    blocks = [Block("title", title), Block("heading"), *(Block("body", text) for text in paragraphs)]
    document = build_document(paper_id, blocks, origin="jsonl", parser="qasper-1")
    questions: list[SetQuestion] = []
    for question in asked:
        places = {paragraphs.index(text) + 1 for text in _evidence(question)}
        rows = frozenset(
            sentence.index
            for sentence in document.sentences
            if sentence.kind == "body" and sentence.paragraph in places
        )
        text = str(question["question"])
        if rows:
            questions.append(SetQuestion(text, {paper_id: rows}, title))
    return Parsed(Paper(paper_id, title, " ".join(paragraphs)), document), questions


def _evidence(question: Mapping[str, object]) -> Iterator[str]:
    for text in cast("Sequence[object]", question["evidence"]):
        # Tables and figures are named by their captions alone.
        if str(text).strip() and not str(text).startswith("FLOAT"):
            yield str(text)
