"""The real engine over a library of 36 papers written here; a test can hold its tasks back."""

from __future__ import annotations

import shutil
import tempfile
import threading
import weakref
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import libraries
from scripted_aspects import ScriptedGraders
from scripted_models import DryRunModel, ScriptedModel

from litterm.core.lazy import once
from litterm.core.settings import Settings, from_home
from litterm.core.tasks import Task, run
from litterm.engine import Engine
from litterm.engine.parts import Parts
from litterm.evidence.llm.extractor import LlmExtractor
from litterm.evidence.study.storage import StudyAspectStore
from litterm.evidence.study.studies import Studies
from litterm.importers.reader import FileReader
from litterm.library.writer.library_writer import LibraryWriter
from litterm.model.attribution.citation import Attribution, Excerpt
from litterm.model.document import Document, Reference
from litterm.model.events import Progress
from litterm.model.evidence import Evidence, EvidenceLlmOptions, Verdict
from litterm.model.library import Failure, ImportReport, Parsed
from litterm.model.paper import Author, Paper, PaperId
from litterm.model.search import Query, Ranking, RerankOptions
from litterm.search.aspects.aspects import Aspects
from litterm.search.rerank.llm_rerank import LlmReranker
from litterm.search.rerank.rerank import ModelRanking
from litterm.search.rewrites.model_rewriter import ModelRewriter
from litterm.text.documents.builder import Block, References, build_document
from tui.rerankers import shortest_first
from tui.scripted_evidence import first_shown


def paper(key: str, title: str, *, abstract: str = "", year: int = 2020, venue: str = "ACL", **more: object) -> Paper:
    made = Paper(
        id=PaperId(f"acl:{key}"),
        title=title,
        abstract=abstract,
        authors=(Author("Xia", "Mengzhou"), Author("Zhong", "Zexuan"), Author("Chen", "Danqi")),
        year=year,
        venue=venue,
        venue_keys=(venue.lower(),),
        urls=(f"https://aclanthology.org/{key}",),
        type="inproceedings",
    )
    return replace(made, **more)  # type: ignore[arg-type]


PRUNING = paper(
    "2022.acl-long.107",
    "Structured Pruning Learns Compact and Accurate Models",
    abstract="Pruning makes a model small. We prune layers and heads together, and reach tenfold speed-ups.",
    year=2022,
    full_text=True,
)
SHEARED = paper(
    "S24-1",
    "Sheared Llamas: Accelerating Language Model Pre-training by Structured Pruning",
    abstract="We cut a large language model to a small one by pruning and go on training it.",
    year=2024,
    venue="ICLR",
)
HOSTILE = paper(
    "H1-1",
    "[red]Bold[/red] \x1b[31mred\x1b[0m \x1b]8;;http://x\x07link\x1b]8;;\x07 a\u202eb\u202c z\u200bw [@click=quit]x[/]",
    abstract="[link=http://x]y[/link] \x9b31m tail",
    year=2019,
)
WIDE = paper("C1-1", "结构化剪枝学习紧凑而准确的模型及其在大规模语言模型中的应用研究", abstract="剪枝。", year=2021)
RTL = paper("R1-1", "تقليم منظم للنماذج اللغوية الكبيرة", year=2021)
BARE = paper(
    "B1-1", "Notes of an early workshop on corpora, parsing and pruning, without an abstract", year=2005, abstract=""
)
OTHER_ABSTRACT = "We compare sparse language models of several sizes on many tasks and data sets."
OTHERS = tuple(
    paper(
        f"O{number}-1",
        f"Pruning study number {number} on sparse language models",
        abstract=OTHER_ABSTRACT,
        year=2000 + number,
    )
    for number in range(1, 31)
)
PAPERS = (PRUNING, SHEARED, HOSTILE, WIDE, RTL, BARE, *OTHERS)


def full_text(of: Paper) -> Document:
    blocks = [
        Block("title", of.title),
        Block("heading", "Abstract", section_kind="abstract"),
        Block("abstract", of.abstract),
        Block("heading", "Introduction", number="1", section_kind="introduction"),
        *(
            Block("body", f"Models grow every year (Smith et al., {2000 + at}). Pruning makes them small.")
            for at in range(8)
        ),
        Block("heading", "Results", number="4", section_kind="results"),
        Block("heading", "Speed", number="4.2", level=2, section_kind="results"),
        Block(
            "body",
            "At 95% sparsity the pruned model is ten times faster while keeping more than 90% of the accuracy. "
            "Distillation alone loses four points at the same speed. Gains shrink on small datasets.",
            pages=((0, 6),),
        ),
        Block("table", label="Table 1", caption="Speed", cells=(("model", "speed"), ("ours", "10x"), ("theirs", "4x"))),
        Block("heading", "Conclusion", number="5", section_kind="conclusion"),
        Block("body", "Structured pruning reaches large speed-ups with little loss. " * 12),
    ]
    references = References(
        (
            Reference(0, "Smith and others. 2019. A survey of pruning.", label="1", target=SHEARED.id),
            Reference(1, "Nobody. 1999. Never found.", label="2"),
        ),
        known=True,
    )
    return build_document(of.id, blocks, origin="jats", parser="fake-1", references=references)


@cache
def _stored_library(papers: tuple[Paper, ...]) -> Path:
    """The folder of a library that holds `papers`; made once in a process, and copied for each engine."""
    folder = tempfile.TemporaryDirectory(prefix="litterm-tests-")
    root = Path(folder.name) / "library"
    libraries.store(root, [Parsed(item, full_text(item) if item.full_text else None) for item in papers])
    run(Engine(Parts(replace(from_home(root.parent), starter=False))).after_import())
    # Removed with the process.
    weakref.finalize(threading.main_thread(), folder.cleanup)
    return root


class SmallParts(Parts):
    """The real parts, with language models that a test scripts, and importing in this process."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.settings = settings
        self.evidence_model = ScriptedModel(first_shown)
        self.ranking_model = shortest_first()
        self.rewriting_model = ScriptedModel(lambda _request: '{"terms": "parsing", "names": "BERT", "wording": ""}')
        self.graders = ScriptedGraders()

    @once
    def reader(self) -> FileReader:
        return FileReader()

    def writer(self) -> LibraryWriter:
        return LibraryWriter(self.settings.library, libraries.HereBuilder(), library=self.library.stored)

    @once
    def aspects(self) -> Aspects:
        return self.graders.aspects(lambda: self)  # type: ignore[arg-type, return-value]

    def _build_rewriter(self, *, dry_run: bool = False) -> ModelRewriter:
        return ModelRewriter(DryRunModel(self.rewriting_model.reply) if dry_run else self.rewriting_model)

    @once
    def model_ranking(self) -> ModelRanking:
        def build(options: RerankOptions) -> LlmReranker:
            return LlmReranker(self.ranking_model, options)

        def build_dry_run(options: RerankOptions) -> LlmReranker:
            return LlmReranker(DryRunModel(self.ranking_model.reply), options)

        return ModelRanking(lambda: self.searcher, lambda: self.hops, build, build_dry_run)

    def _build_llm_extractor(self, options: EvidenceLlmOptions, *, dry_run: bool = False) -> LlmExtractor:
        return LlmExtractor(self.extractor, DryRunModel(first_shown) if dry_run else self.evidence_model, options)

    @once
    def studies(self) -> Studies:
        return Studies(
            lambda: StudyAspectStore(lambda: self.state, lambda: self.annotations.project),
            lambda: self.evidence_model,
            lambda: DryRunModel(self.evidence_model.reply),
        )


class SmallEngine(Engine):
    """The real engine over a copy of a small library; gates hold a task back until a test opens them."""

    def __init__(
        self,
        papers: Sequence[Paper] = PAPERS,
        *,
        settings: Settings | None = None,
        starter: bool = False,
        failures: Sequence[Failure] = (),
        error: BaseException | None = None,
        spellings: Mapping[str, str] = MappingProxyType({}),
        verdicts: Mapping[PaperId, Verdict] = MappingProxyType({}),
        notices: tuple[str, ...] | None = None,
    ) -> None:
        """The other answers are real; these are the test's.

        Args:
            starter: whether the starter library is searched, too.
            failures: inputs that could not be imported.
            error: what every slow task raises.
            spellings: by query, the spelling that is offered.
            verdicts: by paper, what evidence is said to be there; with `nothing` there are key findings only.
            notices: those of every answer on evidence.
        """
        folder = tempfile.mkdtemp(prefix="litterm-tests-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self.settings = settings or replace(from_home(Path(folder)), starter=starter, network_notice=False)
        if papers and not self.settings.library.exists():
            shutil.copytree(_stored_library(tuple(papers)), self.settings.library)
        self.parts = SmallParts(self.settings)
        super().__init__(self.parts)
        self.papers = tuple(papers)
        self.gates: dict[str, threading.Event] = {}
        self.error, self.spellings, self.verdicts, self.notices = error, spellings, verdicts, notices
        self.searched_texts: list[str] = []
        """The texts of the queries, in order."""
        self.evidence_requests: list[tuple[PaperId, str]] = []
        """Papers and hypotheses that evidence was asked for, in order."""
        self.cite_requests: list[tuple[Excerpt, str]] = []
        """Excerpts that `cite` was asked about, each with the paper it is from."""
        self.parts.failures.record(failures)

    @property
    def evidence_model(self) -> ScriptedModel:
        return self.parts.evidence_model

    @property
    def ranking_model(self) -> ScriptedModel:
        return self.parts.ranking_model

    @property
    def rewriting_model(self) -> ScriptedModel:
        return self.parts.rewriting_model

    @property
    def graders(self) -> ScriptedGraders:
        return self.parts.graders

    def gate(self, text: str) -> threading.Event:
        """Holds back the task for `text` (a query, a paper's id, a hypothesis, `cite` or `add`) until it is set."""
        return self.gates.setdefault(text, threading.Event())

    def _pass(self, text: str) -> Iterable[Progress]:
        gate = self.gates.get(text)
        while gate is not None and not gate.wait(0.01):
            yield Progress("waiting", 1, 2)
        if self.error:
            raise self.error

    def search(self, typed: str | Query, **options: Any) -> Task[Ranking]:
        query = self.parse(typed) if isinstance(typed, str) else typed
        self.searched_texts.append(query.text)
        yield from self._pass(query.text)
        ranking = yield from super().search(query, **options)
        spelling = self.spellings.get(query.text)
        return replace(ranking, suggestion=spelling) if spelling else ranking

    def read(self, paper_id: PaperId) -> Task[Document]:
        yield from self._pass(paper_id)
        return (yield from super().read(paper_id))

    def evidence(self, paper_id: PaperId, hypothesis: str, **options: Any) -> Task[Evidence]:
        self.evidence_requests.append((paper_id, hypothesis))
        yield from self._pass(hypothesis)
        evidence = yield from super().evidence(paper_id, hypothesis, **options)
        if self.notices is not None:
            evidence = replace(evidence, notices=self.notices)
        verdict = self.verdicts.get(paper_id)
        if verdict is None:
            return evidence
        return replace(evidence, verdict=verdict, sentences=() if verdict == "nothing" else evidence.sentences)

    def cite(self, text: str | Excerpt, **options: Any) -> Task[Attribution]:
        if isinstance(text, Excerpt):
            self.cite_requests.append((text, options.get("source", "")))
        yield from self._pass("cite")
        return (yield from super().cite(text, **options))

    def add(self, paths: Sequence[Path], *, retry: bool = False) -> Task[ImportReport]:
        yield from self._pass("add")
        return (yield from super().add(paths, retry=retry))
