from __future__ import annotations

import gzip
import json
from pathlib import Path

from litterm.text.tokens import tokens
from litterm_training.benchmark_texts import BenchTexts, papers_apart, read_bench_texts

ABSTRACT = "Large trees were parsed with success by a grammar of seven hundred rules nobody had written down before."


def stems(text: str) -> list[list[str]]:
    return [tokens(text)]


def test_a_paper_of_a_bench_is_known_by_title_id_and_text() -> None:
    rows = [{"title": "Parsing With Trees"}, {"gold": ["P18-1001"]}, {"claim": "x", "sentences": [ABSTRACT]}]
    benches = BenchTexts([("trees", rows), ("other", [{"query": "Does speech help?"}])])
    assert benches.bench_of("acl:1", "Parsing with trees.", []) == "trees"
    assert benches.bench_of("acl:P18-1001", "Another", stems("Speech.")) == "trees"
    assert benches.bench_of("acl:2", "Another", stems(ABSTRACT)) == "trees"
    assert benches.bench_of("pmid:3", "Does speech help?", []) == "other", "a question may be a paper's title"


def test_an_answer_without_an_abstract_is_no_text_of_a_bench() -> None:
    rows = [{"excerpt": "As in [CITATION].", "target_id": "P90-1", "target_title": "Parsing"}, {"query": "Speech?"}]
    benches = BenchTexts([("cites", rows)])
    assert benches.bench_of("acl:P90-1", "Parsing", []) is None
    assert benches.bench_of("acl:P90-9", "Parsing", stems("Trees.")) == "cites", "its abstract is"
    assert benches.bench_of("acl:P90-2", "Speech?", []) == "cites", "a title that is a question is"


def test_a_text_cut_or_continued_is_still_the_same() -> None:
    benches = BenchTexts([("trees", [{"text": ABSTRACT}])])
    assert benches.bench_of("a:1", "T", stems(ABSTRACT[:100])) == "trees"
    assert benches.bench_of("a:1", "T", stems(f"{ABSTRACT} Then others wrote some more about it.")) == "trees"


def test_a_text_that_shares_a_phrase_is_another() -> None:
    benches = BenchTexts([("trees", [{"text": ABSTRACT}])])
    other = f"{ABSTRACT[:45]} and then sold on the market of a town far away, where the price of wood had risen."
    assert benches.bench_of("a:1", "T", stems(other)) is None
    assert benches.bench_of("a:1", "T", stems("Short and new.")) is None
    assert BenchTexts([]).bench_of("a:1", "T", stems(other)) is None


def test_every_file_of_a_folder_is_read(tmp_path: Path) -> None:
    for bench in ("one", "two/three"):
        (tmp_path / bench).mkdir(parents=True)
    (tmp_path / "one" / "a.json").write_text(json.dumps({"x": {"hypothesis": ABSTRACT}}))
    with gzip.open(tmp_path / "two" / "three" / "b.jsonl.gz", "wt") as file:
        file.write(json.dumps({"id": "1", "title": "Speech"}) + "\n\n")
    papers = [("a:1", "Else"), ("a:2", "Speech"), ("a:3", "Neither")]
    texts = [stems(ABSTRACT), [], stems("Something that no bench asks about, in as many words as it takes to say it.")]
    apart, counts = papers_apart(papers, texts, read_bench_texts(tmp_path))
    assert apart == {0, 1}
    assert counts == {"one": 1, "two/three": 1}
