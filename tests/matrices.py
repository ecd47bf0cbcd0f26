"""A matrix over five small papers, on disk: what its tests are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from litterm.annotations.annotations import open_annotations
from litterm.core.errors import LittermError, ModelOffline, ServiceError, UnknownPaper
from litterm.core.tasks import Task
from litterm.evidence.lexical import LexicalExtractor
from litterm.evidence.llm.extractor import LlmExtractor
from litterm.evidence.matrix.matrices import Matrices
from litterm.evidence.matrix.run import MatrixFill
from litterm.evidence.matrix.storage import MatrixStore
from litterm.interfaces import EvidenceExtractor
from litterm.library.journal import FileJournal
from litterm.library.state.connection import StateDatabase
from litterm.library.state.sessions import project_session
from litterm.llm.model import ChatModel
from litterm.model.document import Document
from litterm.model.events import CostUpdate, Progress
from litterm.model.evidence import Evidence, EvidenceLlmOptions, EvidenceScope, EvidenceSentence
from litterm.model.library import Failure
from litterm.model.llm import ModelCost
from litterm.model.paper import Author, Paper, PaperId
from litterm.text.documents.builder import Block, build_document
from litterm.text.tokens import words

HYPOTHESES = ("Dropout lowers the error of networks", "Zebras sleep while standing")
FULL = Paper(
    PaperId("acl:A"),
    "Dropout for small corpora",
    "Dropout lowers error. It is cheap.",
    (Author("Okafor", "Chidi"),),
    2018,
    aliases=(PaperId("doi:10.1/a"),),
    full_text=True,
)
ABSTRACT = Paper(PaperId("acl:B"), "More dropout", "Dropout lowers the error of networks by half. Nobody knows why.")
TITLE = Paper(PaperId("acl:C"), "Even more dropout")
BROKEN = Paper(PaperId("acl:D"), "Dropout, scanned")
OTHER = Paper(PaperId("acl:E"), "Graphs", "We colour graphs with three colours. Four are enough.")
PAPERS = (FULL, ABSTRACT, TITLE, BROKEN, OTHER)
KEYS = ("acl:A", "doi:10.1/a", "B", "acl:C", "acl:D", "acl:E", "acl:nowhere")
"""Six papers and one of them twice."""
FAILURES = (Failure("/papers/D.pdf", "It is a picture."),)
_FILLER = ("We describe the corpus here.", "The weather was fine all week.", "Our code is public and small.")


def full_text(paper: Paper = FULL) -> Document:
    """A text with two results on dropout."""
    heads = [Block("title", paper.title), Block("abstract", paper.abstract)]
    body = [Block("heading", "Introduction", number="1"), *(Block("body", each) for each in _FILLER * 3)]
    results = (
        "Dropout lowers the error of deep networks by 12% (p < 0.01). Without dropout the error of networks is higher."
    )
    return build_document(
        paper.id,
        [*heads, *body, Block("heading", "Results", number="2"), Block("body", results)],
        origin="jats",
        parser="t",
    )


@dataclass
class FakeRecords:
    """Records of `PAPERS`."""

    papers: tuple[Paper, ...] = PAPERS
    documents: dict[PaperId, Document] = field(default_factory=lambda: {FULL.id: full_text()})
    opened: list[PaperId] = field(default_factory=list)
    broken: str = ""
    """Why documents cannot be read; empty if they can."""

    def find(self, keys: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        return tuple(
            tuple(paper.id for paper in self.papers if key in (paper.id, paper.id[4:], *paper.aliases)) for key in keys
        )

    def by_id(self, ids: Sequence[PaperId]) -> tuple[Paper, ...]:
        found = self.find(ids)
        if not all(found):
            raise UnknownPaper("It is not in the library.")
        by_key = {paper.id: paper for paper in self.papers}
        return tuple(by_key[each[0]] for each in found)

    def document(self, paper_id: PaperId) -> Document | None:
        self.opened.append(paper_id)
        if self.broken:
            raise LittermError(self.broken)
        return self.documents.get(paper_id)


@dataclass
class Counting:
    """Takes sentences with two words of the hypothesis; notes what it was asked, also where a kill cannot reach."""

    log: Path | None = None
    asked: list[tuple[PaperId, str]] = field(default_factory=list)
    failing: set[str] = field(default_factory=set)
    """Hypotheses for which the service is down."""
    before: Callable[[], None] = lambda: None
    cost: ModelCost | None = None
    """Of every paper it is asked about."""
    paid: ModelCost = field(default=ModelCost())
    name: str = "h1"

    def extract(
        self, document: Document, hypothesis: str, *, k: int, scope: EvidenceScope, everything: bool = False
    ) -> Task[Evidence]:
        self.before()
        self.asked.append((document.paper_id, hypothesis))
        if self.log is not None:
            with self.log.open("a") as file:
                file.write(f"{document.paper_id}\t{hypothesis}\n")
        yield Progress("reading")
        if self.cost is not None:
            self.paid = self.paid.plus(self.cost)
            yield CostUpdate(self.paid, self.paid, self.paid, self.cost)
        if hypothesis in self.failing:
            raise ServiceError("The model is down.")
        wanted = set(words(hypothesis))
        shared = [(len(wanted & set(words(row.text))), row) for row in document.sentences if row.kind != "title"]
        best = sorted((pair for pair in shared if pair[0] > 1), key=lambda pair: (-pair[0], pair[1].index))[:k]
        found = tuple(
            EvidenceSentence(rank, row, float(count), "strong" if count > 2 else "medium")
            for rank, (count, row) in enumerate(best, 1)
        )
        return Evidence(document.paper_id, document.id, hypothesis, scope, self.name, found, _notices(document))


def _notices(document: Document) -> tuple[str, ...]:
    return ("Only title and abstract are in the library.",) if document.origin == "abstract" else ()


def matrices(
    root: Path,
    extractor: EvidenceExtractor | None = None,
    *,
    records: FakeRecords | None = None,
    failures: Sequence[Failure] = FAILURES,
) -> Matrices:
    """Matrices, annotations and journal in `root`, as another process would open them."""
    asked: EvidenceExtractor = extractor or Counting()
    filling = MatrixFill(
        MatrixStore(StateDatabase(root)), records or FakeRecords(), lambda: asked, lambda: failures, "0.1.0"
    )
    return Matrices(filling, open_annotations(FileJournal(root / "journal"), project_session(StateDatabase(root), "")))


def judged(root: Path, model: ChatModel | None, *, records: FakeRecords | None = None) -> Matrices:
    """The same with a language model; `None` stands for one that cannot be asked."""
    offline = LexicalExtractor()

    def judge(use: EvidenceLlmOptions) -> LlmExtractor:
        if model is None:
            raise ModelOffline("The model is not on this machine, and litterm is offline.")
        return LlmExtractor(offline, model.start_run(fresh=not use.cached), use)

    made = matrices(root, offline, records=records)
    return replace(made, filling=replace(made.filling, build_extractor=judge, build_dry_run=judge))
