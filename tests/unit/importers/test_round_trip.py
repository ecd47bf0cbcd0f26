"""Whatever a row says, its paper can be written in every form, and what is written is read again."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from litterm.importers.bibtex.reader import read_bibtex
from litterm.importers.byte_sources import memory_content
from litterm.importers.jsonl.reader import read_jsonl
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Paper, PaperId
from litterm.render.bibliography import bibtex, csl, ris
from litterm.render.export import jsonl
from litterm.text.documents.builder import Block, build_document
from litterm.text.documents.hyphens import HyphenStatistics

FIELDS = """id abstract authors editors year date venue type decision status retraction keywords doi arxiv pmid
anthology_id url urls aliases sections references pages volume booktitle journal bibkey""".split()
# Characters that mean something to LaTeX or HTML are read as such, so that text with them does not come back the same.
WORDS = st.text(alphabet=st.characters(exclude_characters="\\$<&{}~", exclude_categories=("Cs",)), max_size=30)
NAMES = st.sampled_from("title text sentences family given name id year level label".split())
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
ROWS = st.fixed_dictionaries({"title": WORDS}, optional=dict.fromkeys(FIELDS, ANYTHING))


def read(line: str) -> list[Parsed]:
    return [
        each for each in read_jsonl(memory_content("x", line.encode()), HyphenStatistics()) if isinstance(each, Parsed)
    ]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(ROWS)
def test_a_row_of_anything_is_written_and_read_again(row: dict[str, object]) -> None:
    found = list(read_jsonl(memory_content("x", json.dumps(row).encode()), HyphenStatistics()))
    assert all("\n" not in each.cause for each in found if isinstance(each, Failure))
    for parsed in (each for each in found if isinstance(each, Parsed)):
        paper = parsed.paper
        (entry,) = read_bibtex(memory_content("x.bib", bibtex.entries([paper]).encode()))
        assert isinstance(entry, Parsed)
        assert ris.entries([paper]).endswith("ER  - \n")
        assert len(json.loads(csl.entries([paper]))) == 1
        (again,) = read(jsonl.paper_row(paper, parsed.document))
        told = ("id", "title", "authors", "year", "abstract")
        assert [getattr(again.paper, name) for name in told] == [getattr(paper, name) for name in told]


def test_headings_without_sentences_of_their_own_come_back_with_number_and_level() -> None:
    headings = [(1, "1", "Setting"), (1, "2", "Methods"), (2, "2.1", "Mice"), (3, "", "7 weeks"), (1, "", "3 Mice")]
    headings += [(1, "Q-7", "Odd numbers"), (9, "", "Deep below")]
    blocks = [Block("title", "T"), Block("body", "A lead.")]
    for at, (level, number, title) in enumerate(headings):
        blocks.append(Block("heading", title, number=number, level=level))
        blocks += [Block("body", f"Sentence {at}.")] if at in (0, 3, 5) else []
    paper = Paper(PaperId("doi:10.1/x"), "T")
    written = build_document(paper.id, blocks, origin="jats", parser="x")
    (again,) = read(jsonl.paper_row(paper, written))
    assert again.document is not None
    told = [(s.level, s.number, s.title) for s in again.document.sections if s.title]
    assert told == [*headings[:-1], (6, "", "Deep below")]
    texts = [(again.document.sections[s.section].title, s.text) for s in again.document.sentences if s.kind == "body"]
    assert texts == [("", "A lead."), *((headings[at][2], f"Sentence {at}.") for at in (0, 3, 5))]
