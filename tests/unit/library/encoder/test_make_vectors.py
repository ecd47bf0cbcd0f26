"""Vectors beside the segments: made, stopped, gone on with, taken over when segments are merged, and searched."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from encoder_models import write_encoder
from libraries import record, store

from litterm.core.errors import ModelOffline
from litterm.core.settings import EncoderSettings
from litterm.core.tasks import run
from litterm.library.encoder.library_encoder import LibraryEncoder
from litterm.library.encoder.make_vectors import VectorMaker
from litterm.library.encoder.paper_encoder import PaperEncoder
from litterm.library.encoder.sentence_encoder import SentenceEncoder
from litterm.library.encoder.vector_folder import VectorFolder
from litterm.library.index.reader import IndexFolder
from litterm.library.index.static_embeddings import open_static
from litterm.library.segments.library import DuckLibrary
from litterm.library.segments.manifest import read_manifest
from litterm.library.workers.segments import compact
from litterm.library.writer.compaction import merge_segments
from litterm.model.search import Ranking
from litterm.search.hybrid import HybridSearcher
from litterm.text.queries.parser import parse_query

MEANINGS = [["tree", "parsing"], ["sea", "ocean"], ["speech"], ["words"], ["of", "the", "on"]]
TITLES = {"A": "Parsing of speech", "B": "Speech on the ocean", "C": "Words of the sea", "D": "Speech of words"}


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_encoder(tmp_path / "tiny", MEANINGS)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "library"
    store(folder, [record(key, title) for key, title in TITLES.items()])
    return folder


class Counting(SentenceEncoder):
    """Counts the texts of papers that it encodes."""

    encoded = 0

    def encode(self, texts, kind):  # type: ignore[no-untyped-def]
        self.encoded += len(texts)
        return super().encode(texts, kind)


def maker(root: Path, model: Path) -> tuple[VectorMaker, Counting, VectorFolder]:
    encoder = LibraryEncoder(root, DuckLibrary(root), EncoderSettings(str(model)))
    vectors, counting = VectorFolder(root, encoder.files), Counting(encoder.files)
    return VectorMaker(DuckLibrary(root), vectors, counting), counting, vectors


def searched(root: Path, model: Path | None, typed: str) -> Ranking:
    encoder = None if model is None else PaperEncoder(root, EncoderSettings(str(model)))
    library = DuckLibrary(root)
    searcher = HybridSearcher(library, IndexFolder(), embedder=open_static(), encoder=encoder)
    return run(searcher.search(parse_query(typed), k=10))


def test_a_paper_is_found_by_what_the_encoder_knows(root: Path, model: Path) -> None:
    before = searched(root, None, "tree")
    assert "acl:A" not in [ranked.paper.id for ranked in before.papers]
    made, _, _ = maker(root, model)
    status = run(made.make())
    assert (status.papers, status.encoded, status.missing) == (4, 4, 0)
    found = searched(root, model, "tree")
    assert found.papers[0].paper.id == "acl:A"
    why = found.papers[0].why
    assert why is not None and "encoder" in [share.name for share in why.shares]
    assert found.notices == before.notices


def test_without_vectors_the_search_is_what_it_was_and_says_how_many_there_are(root: Path, model: Path) -> None:
    plain, with_encoder = searched(root, None, "speech words"), searched(root, model, "speech words")
    assert [(each.paper.id, each.score) for each in plain.papers] == [
        (each.paper.id, each.score) for each in with_encoder.papers
    ]
    assert [notice for notice in with_encoder.notices if notice not in plain.notices] == [
        "0 of 4 papers have vectors by tiny; `litterm encode` makes the others."
    ]


def test_an_encoder_that_is_gone_leaves_the_search_and_is_named(root: Path, tmp_path: Path) -> None:
    found = searched(root, tmp_path / "nowhere", "speech")
    assert len(found.papers) == 3
    assert any("Ranked without the encoder" in notice and "nowhere" in notice for notice in found.notices)


def test_what_was_made_before_a_kill_is_not_made_again(
    root: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("litterm.library.encoder.make_vectors._BLOCK_ROWS", 2)
    made, counting, _ = maker(root, model)
    task = made.make()
    while made.status().encoded < 2:
        next(task)
    task.close()
    assert (made.status().encoded, made.status().running) == (2, False)
    again, later, _ = maker(root, model)
    assert run(again.make()).missing == 0
    assert (counting.encoded, later.encoded) == (2, 2)


def test_it_stops_when_it_is_told_to_and_goes_on_when_asked(root: Path, model: Path) -> None:
    made, counting, vectors = maker(root, model)
    vectors.set_stopped(True)
    assert run(made.make()).stopped and counting.encoded == 0
    vectors.set_stopped(False)
    assert run(made.make()).encoded == 4


def test_papers_that_come_later_are_encoded_alone(root: Path, model: Path) -> None:
    run(maker(root, model)[0].make())
    store(root, [record("E", "Trees of words")])
    made, counting, _ = maker(root, model)
    assert made.status().missing == 1
    assert run(made.make()).encoded == 5
    assert counting.encoded == 1


def test_merged_segments_take_their_vectors_over(tmp_path: Path, model: Path) -> None:
    root = tmp_path / "many"
    for number in range(4):
        store(root, [record(f"P{number}", f"Speech of tree {number}")])
    made, _, vectors = maker(root, model)
    run(made.make())
    assert len(list(vectors.folder.iterdir())) == 4
    manifest = read_manifest(root)
    merge_segments(root, manifest, manifest.segments, compact)
    store(root, [record("Q", "Words on the sea")])
    again, counting, vectors = maker(root, model)
    assert run(again.make()).missing == 0
    assert counting.encoded == 1
    assert len(list(vectors.folder.iterdir())) == 2


def test_a_damaged_file_is_made_again(root: Path, model: Path) -> None:
    made, _, vectors = maker(root, model)
    run(made.make())
    (file,) = vectors.folder.iterdir()
    file.write_bytes(file.read_bytes()[:-1])
    again, counting, _ = maker(root, model)
    assert again.status().encoded == 0
    assert run(again.make()).encoded == 4 and counting.encoded == 4


def test_a_stored_vector_differs_from_its_own_by_its_rounding_alone(root: Path, model: Path) -> None:
    made, counting, vectors = maker(root, model)
    run(made.make())
    snapshot = DuckLibrary(root).snapshot()
    file = vectors.vectors(snapshot.segments[0])
    assert file is not None
    query = counting.encode(["Words of the sea"], "paper")[0]
    cosines = file.scan(query)
    assert cosines.max() == pytest.approx(1, abs=0.01)
    assert file.cosines(query, np.arange(4)) == pytest.approx(cosines, abs=1e-6)


def test_time_and_room_are_said_before(root: Path, model: Path) -> None:
    made, _, _ = maker(root, model)
    estimate = made.estimate()
    assert estimate.papers == 4 and estimate.seconds > 0 and estimate.size == 4 * (8 + 8 + 4)
    assert made.status().encoded == 0


def test_a_process_of_its_own_makes_them_and_its_end_is_told(root: Path, model: Path) -> None:
    encoder = LibraryEncoder(root, DuckLibrary(root), EncoderSettings(str(model)))
    assert run(encoder.follow()).missing == 0


def test_a_process_that_fails_says_why(root: Path, model: Path) -> None:
    encoder = LibraryEncoder(root, DuckLibrary(root), EncoderSettings(str(model)))
    (model / "vocab.txt").write_text("nothing")
    with pytest.raises(Exception, match=r"vocabulary has no \[UNK\]"):
        run(encoder.follow())


def test_a_search_without_an_encoder_imports_none_of_it(root: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from litterm.build import build_engine;"
        "from litterm.core.settings import from_home; from litterm.core.tasks import run;"
        f"run(build_engine(from_home(Path({str(root.parent)!r}))).search('speech'));"
        "print([name for name in sys.modules if 'encoder' in name and name.startswith('litterm')])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_no_encoder_where_the_folder_has_none(root: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelOffline, match="holds no encoder"):
        LibraryEncoder(root, DuckLibrary(root), EncoderSettings(str(tmp_path)))
