from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from litterm.core.errors import LibraryError, SegmentGone
from litterm.library.index.build import build_part
from litterm.library.index.full_text import FullTextIndex, full_text_arrays
from litterm.library.index.reader import INDEX_FOLDER, IndexFolder
from litterm.library.index.static_embeddings import (
    StaticModel,
    open_model,
    open_static,
    own_directions,
    shipped_name,
    write_model,
)
from litterm.library.index.vectors import SCAN_DIMS, VECTORS_FILE, Vectors
from litterm.model.attribution.citation import WeightedWord
from litterm.model.index import IndexRow
from litterm.model.library import Segment
from litterm.model.paper import PaperId
from litterm.text.tokens import STOP_WORDS, stem, tokens
from litterm_benchmarks.memory_library import MemoryIndex

STEMS = sorted({stem(word) for word in "parser tree grammar translation model speech".split()})
ROWS = (
    IndexRow(PaperId("acl:a"), "Tree parsers", "Parsers of trees and a grammar."),
    IndexRow(PaperId("acl:b"), "Unheard words", ""),
    IndexRow(PaperId("acl:c"), "Speech translation", "A model of speech. Speech!"),
)


def weighted(text: str, weight: float = 1.0) -> list[WeightedWord]:
    return [WeightedWord(word, weight) for word in text.split()]


@pytest.fixture
def table() -> np.ndarray:
    return np.random.default_rng(1).standard_normal((len(STEMS), 96)).astype(np.float32)


@pytest.fixture
def model(tmp_path: Path, table: np.ndarray) -> StaticModel:
    write_model(tmp_path / "small.pack", STEMS, table)
    return open_model(tmp_path / "small.pack", "small-1")


def by_hand(text: str, table: np.ndarray) -> np.ndarray:
    """The definition: each distinct stem once, times 1 + ln tf, at length 1."""
    found = tokens(text)
    total = sum((1 + math.log(found.count(each))) * of_stem(each, table) for each in set(found))
    return total / np.linalg.norm(total)


def of_stem(stem: str, table: np.ndarray) -> np.ndarray:
    """What was learned, else a direction of its own, as long as nearly the longest (of the first, of so few)."""
    if stem in STEMS:
        return table[STEMS.index(stem)]
    return own_directions([stem], table.shape[1])[0] * np.linalg.norm(table[0])


@pytest.fixture
def segment(tmp_path: Path, model: StaticModel) -> Segment:
    build_part(ROWS, tmp_path / "seg" / INDEX_FOLDER, average_length=None, model=model)
    return Segment("seg", tmp_path / "seg", len(ROWS))


def test_a_query_is_the_direction_of_its_words(model: StaticModel, table: np.ndarray) -> None:
    found = model.query_vector(weighted("parsing the unheard Trees trees"))
    assert found is not None and found.dtype == np.float32
    assert float(np.linalg.norm(found)) == pytest.approx(1, abs=1e-5)
    assert found @ by_hand("parsing the unheard trees trees", table) == pytest.approx(1, abs=1e-3)


def test_weights_of_words_tell(model: StaticModel, table: np.ndarray) -> None:
    found = model.query_vector([*weighted("speech", 2.0), *weighted("grammar", 0.5)])
    expected = 2 * table[STEMS.index("speech")] + 0.5 * table[STEMS.index("grammar")]
    assert found is not None
    assert found @ (expected / np.linalg.norm(expected)) == pytest.approx(1, abs=1e-3)


def test_a_query_of_unknown_words_has_no_direction(model: StaticModel) -> None:
    assert model.query_vector(weighted("the unheard")) is None
    assert model.query_vector([]) is None
    assert model.query_vector([WeightedWord("speech", 0.0)]) is None


def test_a_word_that_was_not_learned_is_near_to_itself_alone(model: StaticModel) -> None:
    first, again, other = (model.query_vector(weighted(f"speech {word}")) for word in ("unheard", "unheard", "unseen"))
    speech = model.query_vector(weighted("speech"))
    assert first is not None and again is not None and other is not None and speech is not None
    assert (first == again).all()
    assert 0.3 < first @ other < 0.75
    assert float(first @ speech) == pytest.approx(float(other @ speech), abs=0.25)


def test_every_word_of_a_segment_knows_its_stem_in_the_model(segment: Segment, model: StaticModel) -> None:
    index = IndexFolder("small-1")
    part, vectors = index.part(segment), index.vectors(segment)
    assert vectors is not None and vectors.word_places is not None
    words = [part.word(place) for place in range(part.word_count)]
    assert {"", "and", "trees", "unheard"} <= set(words)
    expected = ["" if word in STOP_WORDS else stem(word) for word in words]
    assert vectors.word_places.tolist() == model.places(expected).tolist()


def test_papers_near_in_meaning_have_the_cosine_of_their_whole_vectors(
    segment: Segment, model: StaticModel, table: np.ndarray
) -> None:
    vectors = IndexFolder("small-1").vectors(segment)
    query = model.query_vector(weighted("tree grammar"))
    assert vectors is not None and query is not None
    assert (vectors.count, vectors.dims, vectors.embedder) == (3, 96, "small-1")
    texts = [f"{row.title} {row.abstract}" for row in ROWS]
    expected = [query @ by_hand(text, table) for text in texts]
    assert vectors.rescore(query, np.arange(3)) == pytest.approx(expected, abs=0.01)
    assert vectors.rescore(query, np.array([2, 0])) == pytest.approx([expected[2], expected[0]], abs=0.01)


def test_the_scan_looks_at_the_first_dimensions(segment: Segment, model: StaticModel, table: np.ndarray) -> None:
    vectors = IndexFolder("small-1").vectors(segment)
    query = model.query_vector(weighted("tree grammar"))
    assert vectors is not None and query is not None
    short, paper = query[:SCAN_DIMS], by_hand(f"{ROWS[0].title} {ROWS[0].abstract}", table)[:SCAN_DIMS]
    expected = short @ paper / np.linalg.norm(short) / np.linalg.norm(paper)
    scanned = vectors.scan(query)
    assert scanned.dtype == np.float32
    assert scanned[0] == pytest.approx(expected, abs=0.01)


def test_memory_and_disk_agree(segment: Segment, model: StaticModel) -> None:
    query = model.query_vector(weighted("speech model"))
    on_disk = IndexFolder("small-1").vectors(segment)
    in_memory = MemoryIndex(ROWS, model=model).vectors(segment)
    assert query is not None and on_disk is not None and in_memory is not None
    assert in_memory.scan(query).tolist() == on_disk.scan(query).tolist()


def test_vectors_of_another_model_are_passed_over(segment: Segment) -> None:
    folder = IndexFolder("small-2")
    assert folder.vectors(segment) is None
    assert folder.part(segment).count == 3


def test_a_segment_of_an_older_litterm_has_neither_vectors_nor_texts(tmp_path: Path) -> None:
    build_part(ROWS, tmp_path / INDEX_FOLDER, average_length=None)
    segment = Segment("old", tmp_path, 3)
    assert IndexFolder("small-1").vectors(segment) is None
    assert IndexFolder("small-1").bodies(segment) is None
    assert MemoryIndex(ROWS).vectors(segment) is None


def test_a_segment_that_is_gone_is_told_from_one_without_vectors(tmp_path: Path) -> None:
    with pytest.raises(SegmentGone):
        IndexFolder("small-1").vectors(Segment("gone", tmp_path / "gone", 3))


def test_damaged_vectors_are_an_error_that_says_where(segment: Segment) -> None:
    (segment.folder / INDEX_FOLDER / VECTORS_FILE).write_bytes(b"nothing of the kind")
    with pytest.raises(LibraryError, match="vectors"):
        IndexFolder("small-1").vectors(segment)


def test_an_opened_segment_is_opened_once(segment: Segment) -> None:
    folder = IndexFolder("small-1")
    held = folder.vectors(segment)
    assert folder.vectors(segment) is held


def test_no_papers_have_no_vectors(tmp_path: Path, model: StaticModel) -> None:
    build_part((), tmp_path / INDEX_FOLDER, average_length=None, model=model)
    vectors = IndexFolder("small-1").vectors(Segment("none", tmp_path, 0))
    query = model.query_vector(weighted("speech"))
    assert isinstance(vectors, Vectors) and query is not None
    assert vectors.scan(query).tolist() == []


def test_titles_are_a_field_of_their_own(segment: Segment) -> None:
    part = IndexFolder().part(segment)
    rows, weights = part.title_postings(stem("speech"))
    assert rows.tolist() == [2]
    assert weights.tolist() == pytest.approx([1 / (1.2 * (0.5 + 0.5 * 2 / 7) + 1)])
    assert part.title_postings(stem("grammar"))[0].tolist() == []
    assert part.title_postings("absent")[0].tolist() == []
    in_memory = MemoryIndex(ROWS).part(segment).title_postings(stem("speech"))
    assert in_memory[1].tolist() == weights.tolist()


def test_full_texts_are_a_field_of_their_own(tmp_path: Path, model: StaticModel) -> None:
    texts = [(PaperId("acl:c"), "Speech and more speech."), (PaperId("acl:a"), "Trees."), (PaperId("acl:c"), "Speech.")]
    build_part(ROWS, tmp_path / INDEX_FOLDER, average_length=None, bodies=lambda: full_text_arrays(texts))
    bodies = IndexFolder().bodies(Segment("s", tmp_path, 3))
    assert bodies is not None
    assert bodies.papers == ("acl:c", "acl:a", "acl:c")
    rows, weights = bodies.postings(stem("speech"))
    assert rows.tolist() == [0, 2]
    assert weights[0] == pytest.approx(2 / (1.5 * (0.25 + 0.75 * 3 / 3000) + 2))
    assert bodies.postings("absent")[0].tolist() == []
    in_memory = MemoryIndex(ROWS, bodies=texts).bodies(Segment("s", tmp_path, 3))
    assert in_memory is not None and in_memory.papers == bodies.papers
    assert FullTextIndex(full_text_arrays(())).papers == ()


def test_the_model_that_is_shipped_knows_what_is_near() -> None:
    model = open_static()
    assert model.name == shipped_name()

    def near(one: str, other: str) -> float:
        first, second = model.query_vector(weighted(one)), model.query_vector(weighted(other))
        assert first is not None and second is not None
        return float(first @ second)

    assert near("dependency parsing", "treebank syntax") > near("dependency parsing", "speech recognition") + 0.1
    assert near("abstractive summarization", "headline generation") > near("abstractive summarization", "morphology")
