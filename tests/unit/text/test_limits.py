"""Whatever a record holds, what is kept of it is small enough to be read again, and what was cut is told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litterm.core.errors import BadInput
from litterm.model.document import CitingContext, Reference, Span
from litterm.model.library import Parsed
from litterm.model.paper import Author, Paper, PaperId, PublicationDetails
from litterm.text.documents.builder import Block, References, build_document
from litterm.text.limits import MAX_CHARS, MAX_ENTRIES, MAX_REFERENCE_CHARS, MAX_REFERENCES, cut_to_limits

LONG = "word " * 20_000
LENGTHS = st.sampled_from([0, 1, 20, 299, 1_000, 1_001, 3_001, 40_001])
TEXTS = st.builds(lambda letter, size: letter * size, st.sampled_from("aé文"), LENGTHS)
LISTS = st.lists(TEXTS, max_size=4).map(tuple)


def paper(**fields: object) -> Paper:
    return Paper(**({"id": PaperId("local:1"), "title": "A title"} | fields))  # type: ignore[arg-type]


def text_of(name: str, paper: Paper) -> str:
    return str(getattr(paper, name) if hasattr(paper, name) else getattr(paper.imprint, name))


@given(
    st.fixed_dictionaries(dict.fromkeys(("title", "abstract", "venue", "status", "retraction", "date"), TEXTS)),
    st.fixed_dictionaries(dict.fromkeys(("booktitle", "journal", "volume", "pages", "bibkey", "publisher"), TEXTS)),
    st.fixed_dictionaries(dict.fromkeys(("keywords", "aliases", "urls", "venue_keys"), LISTS)),
    st.lists(st.builds(Author, TEXTS, TEXTS), max_size=4).map(tuple),
)
def test_no_field_stays_longer_than_its_limit(
    texts: dict[str, str], imprint: dict[str, str], lists: dict[str, tuple[str, ...]], people: tuple[Author, ...]
) -> None:
    before = paper(**texts, **lists, authors=people, imprint=PublicationDetails(**imprint, editors=people))
    after, cut = cut_to_limits(Parsed(before))
    for name, most in MAX_CHARS.items():
        assert len(text_of(name, after.paper)) <= most
    for name, (most, longest) in MAX_ENTRIES.items():
        entries = getattr(after.paper, name, None) or getattr(after.paper.imprint, name, ())
        assert len(entries) <= most
        assert all(len(each) <= longest for each in entries if isinstance(each, str))
    assert (cut == "") == (after.paper == before)
    assert cut_to_limits(after) == (after, "")


def test_an_ordinary_record_is_the_same_object() -> None:
    one = Parsed(paper(authors=tuple(Author(f"Family{n}", "Given") for n in range(3_000))))
    assert cut_to_limits(one) == (one, "")
    assert cut_to_limits(one)[0] is one


@pytest.mark.parametrize("name", MAX_CHARS)
def test_a_text_that_is_too_long_is_cut_and_named(name: str) -> None:
    fields = {name: LONG} if hasattr(paper(), name) else {"imprint": PublicationDetails(**{name: LONG})}
    after, cut = cut_to_limits(Parsed(paper(**fields)))
    assert text_of(name, after.paper) == LONG[: MAX_CHARS[name]].rstrip()
    assert cut == f"Too long for a paper, and cut: “{name}” of 100,000 characters."


def test_entries_that_are_too_long_or_too_many_are_left_out() -> None:
    urls = ("https://a.example", "https://b.example/" + "x" * 3_000)
    assert cut_to_limits(Parsed(paper(urls=urls)))[0].paper.urls == urls[:1]
    many = tuple(Author("Family", "Given") for _ in range(20_000))
    after, cut = cut_to_limits(Parsed(paper(authors=many)))
    assert (len(after.paper.authors), "20,000 entries" in cut) == (10_000, True)
    wide = tuple(Author("F" * 900) for _ in range(2_000))
    assert sum(len(each.family) for each in cut_to_limits(Parsed(paper(authors=wide)))[0].paper.authors) <= 300_000


def test_an_id_without_end_is_refused() -> None:
    with pytest.raises(BadInput, match="An id of 3,006 characters"):
        cut_to_limits(Parsed(paper(id=PaperId("local:" + "x" * 3_000))))


def with_text(*blocks: Block, references: int = 0) -> Parsed:
    entries = tuple(Reference(index, f"Entry {index}") for index in range(references))
    built = build_document(
        PaperId("local:1"), blocks, origin="jsonl", parser="x", references=References(entries, known=True)
    )
    return Parsed(paper(), built)


def test_a_full_text_that_nobody_can_read_is_left_out_and_the_record_stays() -> None:
    after, cut = cut_to_limits(with_text(Block("title", "A title"), Block("body", "x" * 200_000)))
    assert (after.paper, after.document) == (paper(), None)
    assert "the full text, which has a sentence of 200,000 characters and is left out" in cut
    plenty = with_text(*(Block("body", sentences=("word " * 9_000,) * 6) for _ in range(20)))
    assert "5,399,999 characters" in cut_to_limits(plenty)[1] and cut_to_limits(plenty)[0].document is None
    sections = with_text(*(Block("heading", "A title") for _ in range(20_001)))
    assert "20,001 sections" in cut_to_limits(sections)[1]
    cells = with_text(Block("body", "Text."), Block("table", cells=tuple(("a",) * 100 for _ in range(6_000))))
    assert "tables of 600,000 cells" in cut_to_limits(cells)[1]


def test_references_have_a_limit_and_nothing_cites_those_that_are_gone() -> None:
    one = with_text(Block("body", "It was shown (A) and (B)."), references=MAX_REFERENCES + 5)
    assert one.document is not None
    marks = tuple(
        CitingContext(at, 0, Span(0, 2)) for at in (0, MAX_REFERENCES - 1, MAX_REFERENCES, MAX_REFERENCES + 4)
    )
    after, cut = cut_to_limits(replace(one, document=replace(one.document, contexts=marks)))
    assert after.document is not None
    assert (len(after.document.references), after.document.contexts) == (MAX_REFERENCES, marks[:2])
    assert "more than 10,000 entries" in cut
    long = with_text(Block("body", "Text."), references=1)
    assert long.document is not None
    entry = Reference(
        0, "x" * 10**6, "y" * 10**5, "z" * 10**5, ("f" * 10**5, "Ok"), ids=(PaperId("doi:" + "1" * 9999),)
    )
    after, cut = cut_to_limits(replace(long, document=replace(long.document, references=(entry,))))
    assert after.document is not None
    kept = after.document.references[0]
    assert max(len(kept.text), len(kept.title), len(kept.label)) <= MAX_REFERENCE_CHARS
    assert (kept.families, kept.ids, "an entry of “references”" in cut) == (("Ok",), (), True)


def hostile_rows() -> list[dict[str, object]]:
    """One row for every field, far too long there; and some whose abstracts fill what may be."""
    names = """title abstract tldr year date venue type decision status journal booktitle volume issue pages publisher
    address language bibkey doi arxiv pmid s2 anthology_id openreview url pdf_url licence retraction id""".split()
    rows: list[dict[str, object]] = [{"title": f"Quokka {name}", name: "quokka " * 20_000} for name in names]
    lists = ("authors", "editors", "keywords", "aliases", "urls", "references")
    rows += [{"title": f"Quokka list {name}", name: ["quokka " * 20_000, "x"]} for name in lists]
    rows += [{"title": f"Quokka long {name}", name: [f"Quokka {n}" for n in range(12_000)]} for name in lists]
    rows += [{"title": "Quokka text", "sections": [{"title": "One", "text": "quokka " * 20_000}]}]
    rows += [{"title": "Quokka heading", "sections": [{"title": "quokka " * 20_000, "text": "Text."}]}]
    return rows + [{"title": f"Quokka number {n}", "abstract": f"{n} " + "quokka " * 5_000} for n in range(20)]


def litterm(*arguments: str, home: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "litterm", "--offline", *arguments],
        env={**os.environ, "LITTERM_HOME": str(home)}, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip


def test_whatever_was_imported_all_that_reads_works_afterwards(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "hostile.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in hostile_rows()))
    added = litterm("add", str(file), "--json", home=home)
    assert added.returncode == 1, added.stderr[-2000:]
    report = json.loads(added.stdout)
    assert report["added"] > 50
    assert any("“title”: " in each["cause"] or "cut: “title”" in each["cause"] for each in report["failures"])
    found = litterm("search", "quokka", "-k", "50", "--json", home=home)
    assert (found.returncode, len(json.loads(found.stdout)["results"])) == (0, 50), found.stderr[-2000:]
    ids = [each["id"] for each in json.loads(found.stdout)["results"]]
    for asked in (("export", "--all", "--jsonl"), ("export", *ids, "--bibtex"), ("show", ids[0]), ("read", ids[0])):
        done = litterm(*asked, *(["--plain"] if asked[0] == "read" else []), home=home)
        assert done.returncode == 0, (asked[0], done.stderr[-2000:])
