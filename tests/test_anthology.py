"""The ACL Anthology, and a second source of a tenth of it, through reader, children, store and attributor.

It is read and imported once for all tests here: that takes most of their time. By default it is every twelfth volume
and those with the papers that tests name; with `-m extra` all of them.
"""

from __future__ import annotations

import json
import tarfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from libraries import record
from samples import every_nth_line

from litterm.build import build_engine
from litterm.core.settings.model import from_home
from litterm.core.tasks import run
from litterm.engine import Engine
from litterm.importers.reader import FileReader
from litterm.library.import_files import add
from litterm.library.index.reader import IndexFolder
from litterm.library.segments.library import DuckLibrary
from litterm.library.workers.segment_builder import ChildSegmentBuilder
from litterm.library.writer.library_writer import BATCH_PAPERS, LibraryWriter
from litterm.model.library import ImportReport, Parsed, ReadEvent
from litterm.model.paper import Paper, PaperId
from litterm.reading_lists.series import keep_first_of_each_series
from litterm.search.lexical import LexicalSearcher
from litterm.text.queries.parser import parse_query
from litterm_benchmarks.attribution import citances
from litterm_benchmarks.data_rows import read_rows
from litterm_benchmarks.readers.citances import citance
from litterm_benchmarks.search.litterm_methods import open_subject

ARCHIVE, RECENT = "acl-anthology-xml.tar.gz", "acl-recent.jsonl.gz"
STEP = 12
NAMED_VOLUMES = frozenset(
    "N18 L18 P18 N19 D19 J93 W02 P02 P08 H92 P93 J07 C04 2020.acl 2021.naacl 2021.acl".split(),
)
KNOWN_BY_HEART = ("P18-1001", "N19-1423", "D19-1001", "J93-2004", "D19-5701", "W02-1808")


@dataclass(frozen=True, slots=True)
class Expected:
    """What is known of a part of the Anthology."""

    step: int
    """Between the lines of the second source."""
    papers: int
    counts: tuple[int, int, int]
    """Abstracts, papers without authors, languages."""
    retractions: tuple[int, int]
    """Removed and retracted papers."""
    recent: tuple[int, int]
    """Added and merged from the second source."""
    floors: Mapping[str, float]
    """Of the attributor, on excerpts whose paper is there."""


SAMPLE = Expected(4, 13_682, (8_875, 64, 92), (0, 4), (2_182, 533), {"recall@1": 26.0, "recall@10": 65.0, "mrr": 37.0})
ALL = Expected(
    # 10,118 rows name their Anthology id; four more have title, year and first author of a paper there.
    1, 108_962, (64_389, 717, 4_198), (1, 10), (735, 10_122), {"recall@1": 18.0, "recall@10": 36.0, "mrr": 24.0}
)  # fmt: skip


def some_volumes(archive: Path, out: Path) -> None:
    """Writes every twelfth volume of the Anthology to `out`, and those with papers that tests name."""
    with tarfile.open(archive) as volumes, tarfile.open(out, "w:gz", compresslevel=1) as chosen:
        for number, member in enumerate(volumes):
            if member.isfile() and (number % STEP == 0 or Path(member.name).stem in NAMED_VOLUMES):
                chosen.addfile(member, volumes.extractfile(member))


class Counting(FileReader):
    """Counts what it reads, and keeps a few papers."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: Counter[str] = Counter()
        self.papers: dict[str, Paper] = {}

    def read(self, path: Path, known: Callable[[str], bool]) -> Iterator[ReadEvent]:
        for each in super().read(path, known):
            if isinstance(each, Parsed):
                self._count(each.paper)
            yield each

    def _count(self, paper: Paper) -> None:
        self.counts["abstracts"] += bool(paper.abstract)
        self.counts["no authors"] += not paper.authors
        self.counts["languages"] += bool(paper.imprint.language)
        self.counts[paper.retraction.partition(":")[0]] += 1
        self.counts["incomplete"] += not (paper.title and paper.year and paper.venue)
        self.counts["unprintable"] += not (paper.title + paper.abstract).isprintable()
        name = paper.id.removeprefix("acl:")
        if name in KNOWN_BY_HEART:
            self.papers[name] = paper


@dataclass(frozen=True, slots=True)
class Imported:
    """A library, the folder of the files in it, what the import of each said, and what was read of the Anthology."""

    expected: Expected
    library: DuckLibrary
    folder: Path
    reports: dict[str, ImportReport]
    read: Counting


def imported(library: DuckLibrary, path: Path, reader: FileReader) -> ImportReport:
    writer = LibraryWriter(library.root, ChildSegmentBuilder(), library=library)
    return run(add(writer, reader, library.failures, [path]))


@pytest.fixture(
    scope="module", params=[pytest.param(SAMPLE, id="sample"), pytest.param(ALL, id="all", marks=pytest.mark.extra)]
)
def anthology(
    request: pytest.FixtureRequest, shared: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Imported]:
    expected: Expected = request.param
    library, reader = DuckLibrary(tmp_path_factory.mktemp("anthology") / "library"), Counting()
    folder = shared / "data"
    if expected is SAMPLE:
        folder = tmp_path_factory.mktemp("files")
        some_volumes(shared / "data" / ARCHIVE, folder / ARCHIVE)
        recent_file = every_nth_line(shared / "data" / RECENT, expected.step, folder)
        recent_file.rename(folder / RECENT)
    archive = imported(library, folder / ARCHIVE, reader)
    recent = imported(library, folder / RECENT, FileReader())
    yield Imported(expected, library, folder, {ARCHIVE: archive, RECENT: recent}, reader)
    library.close()


def test_what_is_read_has_the_fields_the_anthology_gives(anthology: Imported) -> None:
    counts = anthology.read.counts
    assert (counts["abstracts"], counts["no authors"], counts["languages"]) == anthology.expected.counts
    assert (counts["removed"], counts["retracted"]) == anthology.expected.retractions
    assert (counts["incomplete"], counts["unprintable"]) == (0, 0)


def test_papers_known_by_heart(anthology: Imported) -> None:
    papers = anthology.read.papers
    paper = papers["P18-1001"]
    assert paper.title == "Probabilistic FastText for Multi-Sense Word Embeddings"
    assert (paper.venue, paper.year, paper.date, paper.imprint.pages) == ("ACL", 2018, "2018-07", "1–11")
    assert papers["N19-1423"].title.startswith("BERT: Pre-training of Deep Bidirectional Transformers")
    assert papers["D19-1001"].venue == "EMNLP-IJCNLP"
    assert papers["J93-2004"].imprint.journal == "Computational Linguistics"
    assert set(papers) == set(KNOWN_BY_HEART)


def test_every_paper_of_the_anthology_once(anthology: Imported) -> None:
    report = anthology.reports[ARCHIVE]
    assert (report.added, report.merged, report.unchanged, report.failures) == (anthology.expected.papers, 0, 0, ())
    segments = anthology.library.snapshot().segments
    assert all(segment.count <= BATCH_PAPERS for segment in segments)


def test_the_second_source_merges_by_id_and_leaves_only_what_is_new(anthology: Imported) -> None:
    report = anthology.reports[RECENT]
    assert (report.added, report.merged + report.unchanged) == anthology.expected.recent
    status = anthology.library.status()
    assert status.papers == anthology.expected.papers + report.added


def test_a_merged_paper_keeps_its_id_and_has_the_fields_of_both(anthology: Imported) -> None:
    (paper,) = anthology.library.by_id([PaperId("acl:2021.acl-long.1")])
    assert paper.id == "acl:2021.acl-long.1"
    assert paper.imprint.bibkey and paper.provenance.format == "anthology"
    assert len(paper.urls) > 1


def test_two_publications_of_one_work_are_linked_and_the_origin_of_a_field_is_no_repetition(
    anthology: Imported,
) -> None:
    keys = [PaperId(f"acl:{key}") for key in ("H92-1026", "P93-1005", "J07-1003", "C04-1046")]
    papers = anthology.library.by_id(keys)
    assert [paper.id for paper in papers] == keys
    assert (keys[0], keys[1]) in anthology.library.linked_pairs("version")
    kept = keep_first_of_each_series(papers, lambda paper: paper, ["quality estimation", "machine translation"])
    assert [paper.id for paper in kept] == [keys[0], *keys[2:]]


def test_the_same_files_again_change_nothing(anthology: Imported) -> None:
    before = anthology.library.snapshot().generation
    for name in (ARCHIVE, RECENT):
        again = imported(anthology.library, anthology.folder / name, FileReader())
        assert (again.added, again.merged, again.unchanged, again.skipped_files) == (0, 0, 0, 1)
    assert anthology.library.snapshot().generation == before


def test_one_paper_more_is_found_at_once(anthology: Imported) -> None:
    library = anthology.library
    writer = LibraryWriter(library.root, ChildSegmentBuilder(), library=library)
    run(writer.begin())
    writer.add_item(record("local:quokka", "Quokkas in the wild", abstract="A marsupial unknown to parsing."))
    assert run(writer.finish()).added == 1
    writer.close()
    found = run(LexicalSearcher(library, IndexFolder()).search(parse_query("quokka marsupial"), k=3))
    assert [each.paper.id for each in found.papers] == ["local:quokka"]


def test_the_shipped_attributor_stays_above_its_floor_and_plain_bm25(
    anthology: Imported, shared: Path, tmp_path: Path
) -> None:
    lines = (shared / "data/bench/citance-attr/citances.jsonl").read_text("utf-8").splitlines()
    if anthology.expected is SAMPLE:
        targets = [str(json.loads(line)["target_id"]) for line in lines]
        rows = zip(lines, anthology.library.find(targets), strict=True)
        lines = [line for line, ids in rows if ids]
    excerpts = tmp_path / "citances.jsonl"
    excerpts.write_text("\n".join(lines[::4]), "utf-8")
    last = max(each.citing_year or 0 for each in read_rows(excerpts, citance))
    settings = from_home(anthology.library.root.parent)
    subject = run(open_subject(settings, until=last))
    report = run(citances.measure(excerpts, subject, methods=["litterm", "bm25"]))
    ours, plain, _ = ({metric.name: metric.mean for metric in row.metrics} for row in report.rows)
    for metric, floor in anthology.expected.floors.items():
        assert ours[metric] >= floor
        assert ours[metric] > plain[metric]


@pytest.fixture(scope="module")
def engine(anthology: Imported) -> Engine:
    return build_engine(from_home(anthology.library.root.parent))


@pytest.mark.parametrize(
    ("excerpt", "first"),
    [
        ("ESIM is used with ELMo embeddings [CITATION]", "acl:N18-1202"),
        ("We start from contextual word vectors, ELMo [CITATION].", "acl:N18-1202"),
        ("BLEU [CITATION], the usual automatic evaluation of machine translation", "acl:P02-1040"),
        ("We fine-tune BART [CITATION] for abstractive summarization of dialogues.", "acl:2020.acl-main.703"),
        ("Mentions are linked by BART [CITATION], which resolves coreference.", "acl:P08-4003"),
    ],
)
def test_a_name_leads_to_the_paper_that_is_meant(engine: Engine, excerpt: str, first: str) -> None:
    assert run(engine.cite(excerpt)).candidates[0].paper.id == first


@pytest.mark.parametrize(
    ("excerpt", "wrong"),
    [
        ("Such content is often factual, as was confirmed for BART [CITATION].", "acl:P08-4003"),
        ("BART [CITATION] is pre-trained by denoising and generates summaries.", "acl:P08-4003"),
        ("Anaphora are found with BART [CITATION] before entities are clustered.", "acl:2020.acl-main.703"),
        ("DART [CITATION] is our corpus of Arabic dialects on Twitter.", "acl:2021.naacl-main.37"),
        ("We generate text from triples and tables, as in DART [CITATION].", "acl:L18-1579"),
    ],
)
def test_no_paper_of_another_field_is_told_as_certain_for_its_name_alone(
    engine: Engine, excerpt: str, wrong: str
) -> None:
    confidences = {item.paper.id: item.confidence or 0.0 for item in run(engine.cite(excerpt)).candidates}
    assert confidences.get(PaperId(wrong), 0.0) < 0.5


def test_authors_at_a_mark_are_looked_up_in_the_whole_anthology(engine: Engine) -> None:
    answer = run(engine.cite("Papineni et al. [CITATION]"))
    assert answer.verdict != "absent"
    assert answer.candidates[0].paper.authors[0].family == "Papineni"
