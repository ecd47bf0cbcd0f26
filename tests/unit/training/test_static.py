from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from litterm.library.index.static_embeddings import MODEL_FILE, MODEL_RECORD, open_model, write_model
from litterm.model.document import Document, DocumentId, Section, Sentence, Span
from litterm.model.paper import Author, Paper, PaperId
from litterm_training.static import join_tables, read_banned, rotate_table, titles_finding_abstracts, withheld
from litterm_training.static_corpus import Recipe, bags, batches, make_corpus, thin_bags, views
from litterm_training.static_texts import Banned, Text, TextPair, as_text, citing_pairs, kindred_pairs, read_papers

TREES = Paper(
    PaperId("acl:1"),
    "Parsing with trees",
    "We parse trees. The trees are large.",
    (Author("Lee"), Author("Abe")),
    2001,
    keywords=("Syntax",),
)
WORDS = Paper(PaperId("acl:2"), "Counting words", authors=(Author("Lee"), Author("Abe")), year=2002)
OTHER = Paper(PaperId("acl:3"), "Speech", authors=(Author("Lee"), Author("Abe")), year=2009)
SENTENCE = "Large trees were parsed with success by Lee and Abe (2001) and before that."


def document(text: str, paper: str = "acl:9") -> Document:
    return Document(
        DocumentId("d"),
        PaperId(paper),
        text,
        (Section(0, "One"),),
        (Sentence(0, text, Span(0, len(text)), "body", 0, 1, 1),),
        "jsonl",
    )


def texts(count: int = 40) -> list[Text]:
    """Half of them about one thing, half about another; each with a word of its own in title and abstract."""
    made = []
    for number in range(count):
        theme = ("parser", "tree", "grammar") if number % 2 else ("speech", "voic", "sound")
        own = f"own{number}"
        made.append(Text((theme[0], own), ((theme[1], own), (theme[2],), (theme[1], theme[0])), (theme[2],)))
    return made


def test_a_paper_becomes_stems_by_sentence() -> None:
    found = as_text(TREES)
    assert found == Text(("pars", "tree"), (("we", "pars", "tree"), ("tree", "larg")), ("syntax",))
    assert found.runs == (found.title, *found.sentences, found.keywords)


def test_each_title_is_read_once_with_its_longest_abstract(tmp_path: Path) -> None:
    rows = [{"id": "a", "title": "One thing"}, {"id": "b", "title": "One Thing.", "abstract": "Said."}]
    (tmp_path / "a.jsonl").write_text("\n".join(json.dumps(row | {"year": 2020, "venue": "ICLR"}) for row in rows))
    papers, documents = read_papers([tmp_path / "a.jsonl"])
    assert [paper.abstract for paper in papers] == ["Said."]
    assert documents == []


def test_a_citing_sentence_is_a_pair_without_its_citations() -> None:
    pairs = list(citing_pairs([document(SENTENCE)], [OTHER, TREES], Banned()))
    assert [pair.paper for pair in pairs] == [1]
    assert "lee" not in pairs[0].stems and "2001" not in pairs[0].stems
    assert {"larg", "tree", "pars", "success"} <= set(pairs[0].stems)


def test_what_a_benchmark_asks_is_not_trained_on() -> None:
    row = {"citing_id": "P1", "excerpt": "Large trees were parsed with success by [CITATION] and before that."}
    banned = read_banned([json.dumps(row)])
    assert list(citing_pairs([document(SENTENCE)], [TREES], banned)) == []
    assert list(citing_pairs([document(SENTENCE, "acl:P1")], [TREES], Banned(["acl:P1"]))) == []
    assert not banned.holds("Quite another sentence that was parsed with other words in it.")
    assert not banned.holds("Large trees were parsed")


def test_papers_of_the_same_two_people_within_a_year_are_kindred() -> None:
    papers = [TREES, WORDS, OTHER]
    pairs = list(kindred_pairs(papers, [as_text(paper) for paper in papers]))
    assert len(pairs) == 1
    assert pairs[0] in (TextPair(("pars", "tree"), 1), TextPair(("count", "word"), 0))


def test_the_two_sides_of_a_paper_are_parts_of_it() -> None:
    corpus = make_corpus(texts(), fewest=1)
    places = corpus.usable.repeat(8)
    left, right, papers = views(corpus, places, np.random.default_rng(1))
    assert papers.tolist() == places.tolist()
    for one, other, place in zip(left, right, places, strict=True):
        whole = corpus.flat[corpus.edges[place][0] : corpus.edges[place][-1]].tolist()
        assert len(one) and len(other)
        assert set(one.tolist()) | set(other.tolist()) <= set(whole)
        assert len(one) + len(other) <= len(whole)


def test_pairs_are_about_their_paper_and_have_their_share_of_a_batch() -> None:
    corpus = make_corpus(
        texts(), [[TextPair(("tree",), 3), TextPair(("speech",), 4)], [TextPair(("grammar",), 5)]], fewest=1
    )
    found = list(batches(corpus, np.random.default_rng(1), size=10, shares=(0.2, 0.1)))
    assert len(found) == 5
    assert all((batch < 0).sum() == 3 for batch in found)
    seen = np.concatenate(found)
    assert sorted(seen[seen >= 0].tolist()) == sorted(set(seen[seen >= 0].tolist()))
    left, right, papers = views(corpus, np.array([-3, -1]), np.random.default_rng(1))
    assert papers.tolist() == [5, 3]
    assert [corpus.stems[at] for at in left[0]] == ["grammar"]
    assert "own5" in [corpus.stems[at] for at in right[0]]


def test_rare_stems_get_no_vector() -> None:
    corpus = make_corpus(texts(), fewest=3)
    assert set(corpus.stems) == {"parser", "tree", "grammar", "speech", "voic", "sound"}
    assert corpus.idf == pytest.approx([np.log(2)] * 6)


def test_the_same_texts_have_the_same_digest() -> None:
    pairs = [[TextPair(("tree",), 3)]]
    one = make_corpus(texts(), pairs, fewest=1).digest
    assert one == make_corpus(texts(), pairs, fewest=1).digest
    assert len({one, make_corpus(texts(), fewest=1).digest, make_corpus(texts(38), pairs, fewest=1).digest}) == 3


def test_thinning_takes_away_what_could_be_matched() -> None:
    one, other = bags([np.array([1, 2, 2]), np.array([3])], 9), bags([np.array([2, 2, 4]), np.array([2])], 9)
    assert other.weights.tolist() == pytest.approx([1 + np.log(2), 1, 1])
    chance = np.random.default_rng(1)
    none_shared = thin_bags(one, other, chance, vocabulary=9, shared=1.0, any_stem=0.0)
    assert list(zip(none_shared.rows.tolist(), none_shared.stems.tolist(), strict=True)) == [(0, 4), (1, 2)]
    assert len(thin_bags(one, other, chance, vocabulary=9, shared=0.0, any_stem=1.0).rows) == 0
    assert thin_bags(one, other, chance, vocabulary=9, shared=0.0, any_stem=0.0).stems.tolist() == other.stems.tolist()


def test_turning_keeps_the_cosines_and_puts_what_tells_most_first() -> None:
    corpus = make_corpus(texts(), fewest=1)
    chance = np.random.default_rng(1)
    table = join_tables([chance.standard_normal((len(corpus.stems), 3)).astype(np.float32) for _ in range(2)])
    whole = rotate_table(table, corpus, 6)
    assert whole @ whole.T == pytest.approx(table @ table.T, abs=1e-5)
    spread = np.square(whole).sum(axis=0)
    assert rotate_table(table, corpus, 2) == pytest.approx(whole[:, :2])
    assert spread[0] > spread[-1]


def test_tables_are_joined_at_equal_weight() -> None:
    one = np.ones((4, 2), np.float32)
    found = join_tables([one, 100 * one])
    assert found[:, :2] == pytest.approx(found[:, 2:])


def test_papers_are_found_again_by_their_titles() -> None:
    asked = [Text(("a",), (("b",),)), Text(("c",), (("d",),)), Text(("unknown",), (("b",),))]
    table = np.array([[1, 0], [1, 0.1], [0, 1], [0, 1]], np.float32)
    assert titles_finding_abstracts(asked[:2], ("a", "b", "c", "d"), table) == {"r@1": 100.0, "r@10": 100.0}
    crossed = table[[0, 2, 2, 0]]
    assert titles_finding_abstracts(asked[:2], ("a", "b", "c", "d"), crossed)["r@1"] == 0.0


def test_one_paper_in_fifty_is_withheld_whatever_the_order() -> None:
    made = [Text((f"own{number}",), (("x",),)) for number in range(5000)]
    assert 60 < sum(map(withheld, made)) < 140
    assert not any(withheld(Text(text.title)) for text in made)


def test_the_shipped_record_describes_the_shipped_file() -> None:
    import hashlib

    told = json.loads(MODEL_RECORD.read_text("utf-8"))
    assert told["sha256"] == hashlib.sha256(MODEL_FILE.read_bytes()).hexdigest()
    assert told["name"] == f"static-{told['sha256'][:12]}"
    assert MODEL_FILE.stat().st_size < 16_000_000


@pytest.mark.extra
def test_training_twice_gives_one_table_that_knows_what_belongs_together() -> None:
    from litterm_training.static_optimizer import fit

    corpus = make_corpus(texts(200), fewest=1)
    recipe = Recipe(dims=8, epochs=8, batch=20, token_dropout=0.0)
    losses: list[float] = []
    table = fit(corpus, recipe, lambda _epoch, loss: losses.append(loss))
    assert np.array_equal(table, fit(corpus, recipe))
    assert losses[-1] < losses[0]
    vectors = {stem: row / np.linalg.norm(row) for stem, row in zip(corpus.stems, table, strict=True)}
    assert vectors["tree"] @ vectors["grammar"] > vectors["tree"] @ vectors["voic"]


def test_only_fitting_needs_torch() -> None:
    code = "import sys; sys.modules['torch'] = None; import litterm_training.static"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_model_survives_its_file(tmp_path: Path) -> None:
    table = np.random.default_rng(1).standard_normal((3, 4)).astype(np.float32)
    write_model(tmp_path / "m.pack", ["a", "b", "ç"], table)
    model = open_model(tmp_path / "m.pack", "m")
    assert model.places(["ç", "none", "a"]).tolist() == [2, -1, 0]
    assert model.vectors(np.array([2, 0])) == pytest.approx(table[[2, 0]], abs=0.02)


def test_a_model_tells_which_papers_it_was_trained_on(tmp_path: Path) -> None:
    write_model(tmp_path / "m.pack", ["tree"], np.ones((1, 4), np.float32), ["Parsing with Trees", "Speech"])
    model = open_model(tmp_path / "m.pack", "m")
    assert model.trained_on(["parsing with trees.", "Parsing", "SPEECH", ""]).tolist() == [True, False, True, False]
    write_model(tmp_path / "old.pack", ["tree"], np.ones((1, 4), np.float32))
    assert not open_model(tmp_path / "old.pack", "old").trained_on(["Speech"]).any()
