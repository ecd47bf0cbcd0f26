"""JATS to records and documents."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.etree.ElementTree import XML

import pytest

from litterm.core.errors import BadInput
from litterm.importers.jats.article import parse_article
from litterm.importers.jats.front import licence_of
from litterm.importers.jats.inline import formula_text, inline_text
from litterm.importers.xml.tables import table_grid
from litterm.importers.xml.tree import parse_tree
from litterm.model.document import Document
from litterm.model.library import Parsed
from litterm.model.paper import Author

Papers = Callable[[Path], list[Parsed]]


@pytest.fixture
def article(samples: Path) -> Parsed:
    return parse_article(parse_tree((samples / "article.xml").read_bytes()), "article.xml")


@pytest.fixture
def document(article: Parsed) -> Document:
    assert article.document is not None
    return article.document


def cited(document: Document) -> list[tuple[int, str, str]]:
    """Reference number, citation mark and sentence of every context."""
    return [
        (c.reference + 1, document.text[c.span.start : c.span.end], document.sentences[c.sentence].text)
        for c in document.contexts
    ]


def test_the_record(article: Parsed) -> None:
    paper = article.paper
    assert (paper.id, paper.aliases) == ("pmc:PMC9900001", ("pmid:99000011", "doi:10.9999/demo.1"))
    assert paper.title == "Uptake of CO₂ by Mus demo: A trial"
    assert paper.authors == (Author("Gómez", "Ana", suffix="Jr"), Author("The Demo Group", is_literal=True))
    assert paper.abstract == "Background: Gas matters. Results: It was taken up (p < 0.05)."
    assert (paper.year, paper.date) == (2030, "2030")
    assert (paper.venue, paper.type) == ("Journal of Demonstrations", "article")
    assert "j-demo" in paper.venue_keys
    assert (paper.imprint.volume, paper.imprint.issue, paper.imprint.pages) == ("4", "2", "263–273")
    assert paper.keywords == ("gas", "uptake")


LICENCED = """<article xmlns:ali="http://www.niso.org/schemas/ali/1.0/"><front><journal-meta><custom-meta-group>
<custom-meta><meta-name>pmc-license-ref</meta-name><meta-value>of the journal</meta-value></custom-meta>
</custom-meta-group></journal-meta><article-meta><permissions><copyright-statement>© Demo</copyright-statement>{licence}
</permissions>{notes}</article-meta></front></article>"""
NOTED = """<custom-meta-group><custom-meta><meta-name>pmc-license-ref</meta-name>
<meta-value>CC BY-NC</meta-value></custom-meta></custom-meta-group>"""


@pytest.mark.parametrize(
    ("licence", "notes", "stated"),
    [
        ("<license><ali:license_ref>https://l.example/by</ali:license_ref></license>", NOTED, "https://l.example/by"),
        ("<license><license-p>Free to read.</license-p></license>", "", "Free to read."),
        ("", NOTED, "CC BY-NC"),
        ("", "", "© Demo"),
    ],
)
def test_a_licence_wherever_it_is_stated(licence: str, notes: str, stated: str) -> None:
    assert licence_of(parse_tree(LICENCED.format(licence=licence, notes=notes).encode())) == stated


def test_sections_nest_and_keep_their_numbers(document: Document) -> None:
    assert [(s.level, s.number, s.title, s.kind) for s in document.sections] == [
        (1, "", "", "front"),
        (1, "", "Abstract", "abstract"),
        (2, "", "Background", "introduction"),
        (2, "", "Results", "results"),
        (1, "", "Teaser", "abstract"),
        (1, "", "", "other"),
        (1, "1", "Introduction", "introduction"),
        (1, "2", "Materials and Methods", "methods"),
        (2, "2.1", "Model", "methods"),
        (1, "", "Results", "results"),
        (1, "", "Acknowledgements", "back"),
    ]


def test_text_kinds_and_reading_order(document: Document) -> None:
    told = [(s.kind, s.text) for s in document.sentences if s.kind in ("abstract", "body", "caption")]
    assert told == [
        ("abstract", "Gas matters."),
        ("abstract", "It was taken up (p < 0.05)."),
        ("abstract", "A teaser."),
        ("body", "A lead paragraph before any section."),
        ("body", "Gas was studied before [1–3], and after.[4]"),
        ("body", "See Figure 1."),
        ("body", "Ions: Ca²⁺."),
        ("caption", "Figure 1. The apparatus."),
        ("caption", "As built by Smith [2]."),
        ("body", "Outer text with xᵢ² once."),
        ("body", "We set α = x₀ and $\\frac{a + b}{c}$ (1) where:"),
        ("body", "1. first item;"),
        ("body", "second item."),
        ("body", "The end."),
        ("caption", "Table 1. Uptake by group."),
        ("caption", "ᵃSignificant."),
        ("body", "Both cite 1,4."),
        ("body", "We thank nobody."),
    ]


def test_tables_are_kept_as_cells(document: Document) -> None:
    (table,) = document.tables
    assert (table.label, table.caption) == ("Table 1", "Uptake by group.")
    assert table.rows == (("Group", "Uptake", ""), ("", "Mean", "SD"), ("A", "1.5ᵃ", "0.1"))
    assert document.sentences[table.first_sentence].kind == "table"


def test_all_four_kinds_of_citation(document: Document) -> None:
    assert [(r.label, r.title, r.families, r.year, r.ids) for r in document.references] == [
        ("1", "First of all", ("Smith", "Lee", "Ray"), 2001, ("doi:10.9999/demo.0001",)),
        ("2", "Second thoughts", ("Poe",), 2002, ()),
        ("Roe, 2003", "Third time", ("Roe",), 2003, ("pmid:99000003",)),
        ("4", "Fourth estate", ("The Old Group",), 2004, ()),
    ]
    assert document.references[0].text == "Smith J, Lee K, Ray L. First of all. J Demo. 2001; 1:1–9."
    assert document.references[1].text == "Poe, E. (2002). Second thoughts. Demo Lett."
    assert document.references_known


def test_contexts_cover_the_gap_of_a_range(document: Document) -> None:
    first = "Gas was studied before [1–3], and after.[4]"
    assert cited(document) == [
        (1, "1", first),
        (3, "3", first),
        (2, "1–3", first),
        (4, "4", first),
        (2, "2", "As built by Smith [2]."),
        (1, "1,4", "Both cite 1,4."),
        (4, "1,4", "Both cite 1,4."),
    ]


def test_sub_articles_and_licence(document: Document) -> None:
    assert "Reviewers said" not in document.text
    assert "Not ours" not in [r.text for r in document.references]
    assert document.licence == "https://creativecommons.org/licenses/by/4.0/"


def test_wrappers_hold_the_same_article(samples: Path, papers: Papers, article: Parsed) -> None:
    alone, wrapped = papers(samples / "article.xml"), papers(samples / "oai.xml")
    assert len(papers(samples / "articleset.xml")) == 2
    assert alone[0].document == article.document
    assert wrapped[0].document is not None
    assert wrapped[0].document.sections == article.document.sections if article.document else False


def test_an_article_without_body_is_a_record_only() -> None:
    title = "<title-group><article-title>T</article-title></title-group>"
    xml = f"<article><front><article-meta>{title}</article-meta></front></article>"
    found = parse_article(XML(xml), "x")
    assert found.document is None
    assert found.paper.id.startswith("local:")


def test_raised_citations_stand_in_brackets_each_time_they_come() -> None:
    title = "<title-group><article-title>T</article-title></title-group>"
    marks = "<sup><xref ref-type='bibr' rid='r1'>1</xref></sup>"
    body = f"<body><sec><title>S</title><p>One thing{marks} is so, another{marks} too.</p></sec></body>"
    back = "<back><ref-list><ref id='r1'><mixed-citation>A. 2001. B.</mixed-citation></ref></ref-list></back>"
    xml = f"<article><front><article-meta>{title}</article-meta></front>{body}{back}</article>"
    document = parse_article(XML(xml), "x").document
    assert document is not None
    assert "One thing[1] is so, another[1] too." in document.text


@pytest.mark.parametrize(
    ("marked", "text"),
    [
        ("worldwide.{1} The", "worldwide.[1] The"),
        ("prevention.{1},{2} So", "prevention.[1],[2] So"),
        ("the child.{1 2} So", "the child.[1 2] So"),
        ("studies{1}–{2} show", "studies[1]–[2] show"),
        ("as shown [{1},{2}] before", "as shown [1,2] before"),
        ("as shown ({1}) before", "as shown (1) before"),
        ("see ref. {1} there", "see ref. 1 there"),
    ],
)
def test_numbers_of_references_do_not_run_into_the_word_before_them(marked: str, text: str) -> None:
    title = "<title-group><article-title>T</article-title></title-group>"
    links = {number: f"<xref ref-type='bibr' rid='r{number}'>{number}</xref>" for number in (1, 2)}
    both = "<xref ref-type='bibr' rid='r1 r2'>1 2</xref>"
    paragraph = marked.replace("{1}", links[1]).replace("{2}", links[2]).replace("{1 2}", both)
    entries = "".join(f"<ref id='r{number}'><mixed-citation>A. 2001. B.</mixed-citation></ref>" for number in links)
    xml = (
        f"<article><front><article-meta>{title}</article-meta></front><body><sec><title>S</title>"
        f"<p>Words {paragraph} words of the text.</p></sec></body><back><ref-list>{entries}</ref-list></back></article>"
    )
    document = parse_article(XML(xml), "x").document
    assert document is not None
    assert f"Words {text} words" in document.text


def test_nothing_at_all_is_refused() -> None:
    with pytest.raises(BadInput):
        parse_article(XML("<article><body><sec/></body></article>"), "x")


@pytest.mark.parametrize(
    ("xml", "text"),
    [
        ("<inline-formula><tex-math>$\\alpha$</tex-math></inline-formula>", "α"),
        ("<inline-formula><inline-graphic/></inline-formula>", "[formula]"),
        ("<inline-formula><italic>n</italic> = 5</inline-formula>", "n = 5"),
        (
            "<math><mrow><munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover><msub><mi>x</mi><mi>i</mi></msub></mrow></math>",
            "∑ᵢⁿxᵢ",
        ),
        ("<math><mover><mi>y</mi><mo>^</mo></mover></math>", "ŷ"),
        ("<math><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mi>x</mi></mtd></mtr></mtable></math>", "1 x"),
        ("<math><msqrt><mi>T</mi></msqrt></math>", "√T"),
        ("<math><mroot><mi>T</mi><mn>3</mn></mroot></math>", "$\\sqrt[3]{T}$"),
    ],
)
def test_formulas(xml: str, text: str) -> None:
    assert formula_text(XML(xml)) == text


def test_footnotes_and_breaks_in_mixed_content() -> None:
    assert inline_text(XML("<p>One<break/>two<fn><p>aside</p></fn> CO<sub>2</sub> T<sub>reg</sub></p>")) == (
        "One two (aside) CO₂ Treg"
    )


def test_spans_keep_columns_aligned() -> None:
    table = XML(
        "<table><tr><td rowspan='3'>a</td><td>b</td><td rowspan='2'>c</td></tr>"
        "<tr><td colspan='1'>d</td></tr><tr><td colspan='2'>e</td></tr>"
        "<tr><td rowspan='x' colspan='99999999'>f</td></tr></table>"
    )
    assert table_grid(table, lambda cell: cell.text or "") == (("a", "b", "c"), ("", "d", ""), ("", "e", ""), ("f",))


def told(body: str) -> list[tuple[str, str]]:
    """The text of an article with this body, each row with the title of the section it is said to stand in."""
    title = "<title-group><article-title>T</article-title></title-group>"
    xml = f"<article><front><article-meta>{title}</article-meta></front><body>{body}</body></article>"
    document = parse_article(XML(xml), "x").document
    assert document is not None
    titles = [f"{each.number} {each.title}".strip() for each in document.sections]
    return [(titles[each.section], each.text) for each in document.sentences if each.kind not in ("title", "heading")]


def test_a_box_is_a_section_of_its_own_and_takes_no_paragraph_of_the_text_around_it() -> None:
    box = """<boxed-text><label>Box 1.</label><caption><title>Roots</title><p>Kinds of them.</p></caption>
      <p>Three.</p><sec><title>Fine</title><p>Thin ones.</p></sec></boxed-text>"""
    for around in (
        "{}<p>After.</p>",
        "<p>See {} here.</p><p>After.</p>",
        "<list><list-item>{}</list-item></list><p>After.</p>",
    ):
        found = told(f"<sec><title>Methods</title>{around.format(box)}<sec><title>Sub</title><p>Deep.</p></sec></sec>")
        assert ("Methods", "After.") in found
        assert [row for row in found if row[0] != "Methods"] == [
            ("Box 1 Roots", "Kinds of them."),
            ("Box 1 Roots", "Three."),
            ("Fine", "Thin ones."),
            ("Sub", "Deep."),
        ]


def test_a_box_without_a_title_is_read_where_it_stands_unless_it_has_sections() -> None:
    quote = "<boxed-text><p>Said aloud.</p></boxed-text>"
    parts = "<boxed-text><sec><title>Inside</title><p>Boxed.</p></sec></boxed-text>"
    assert told(f"<sec><title>Talk</title><p>One.</p>{quote}{parts}<p>Two.</p></sec>") == [
        ("Talk", "One."),
        ("Talk", "Said aloud."),
        ("Talk", "Two."),
        ("Inside", "Boxed."),
    ]


def test_text_behind_a_subsection_does_not_belong_to_it() -> None:
    found = told("<sec><title>A</title><sec><title>B</title><p>In B.</p></sec><p>Behind.</p></sec><p>Last.</p>")
    assert found == [("B", "In B."), ("", "Behind."), ("", "Last.")]


def test_what_lists_and_statements_are_called_is_read() -> None:
    body = """<list><title>Steps</title><list-item><p>Cut.</p></list-item></list>
      <def-list><title>Short forms</title><def-item><term>A</term><def><p>Adult</p></def></def-item></def-list>
      <statement><label>Theorem 1</label><title>Limits.</title><p>All ends.</p></statement>"""
    assert [text for _, text in told(body)] == [
        "Steps",
        "Cut.",
        "Short forms",
        "A: Adult",
        "Theorem 1 Limits.",
        "All ends.",
    ]


def test_of_several_spellings_of_a_name_the_western_one_is_taken() -> None:
    names = """<name-alternatives>
      <name name-style="eastern"><surname>王</surname><given-names>小明</given-names></name>
      <name name-style="western"><surname>Wang</surname><given-names>Xiaoming</given-names></name>
      </name-alternatives>"""
    meta = "<title-group><article-title>T</article-title></title-group>"
    contributors = f"<contrib-group><contrib contrib-type='author'>{names}</contrib></contrib-group>"
    xml = f"<article><front><article-meta>{meta}{contributors}</article-meta></front></article>"
    assert parse_article(XML(xml), "x").paper.authors == (Author("Wang", "Xiaoming"),)


def test_members_of_a_group_are_no_authors_and_dates_may_be_attributes() -> None:
    paper = parse_article(
        XML("""<article><front><article-meta><title-group><article-title>T</article-title></title-group>
          <contrib-group><contrib><name><surname>Roe</surname></name></contrib><contrib><collab>The Group
            <contrib-group><contrib><name><surname>Member</surname></name></contrib></contrib-group></collab></contrib>
          </contrib-group>
          <contrib-group content-type="editors"><contrib>
            <name><surname>Editor</surname></name></contrib></contrib-group>
          <pub-date date-type="pub" iso-8601-date="2019-05-06"/>
          <kwd-group><kwd>one</kwd><compound-kwd><compound-kwd-part>two</compound-kwd-part><compound-kwd-part>parts
          </compound-kwd-part></compound-kwd></kwd-group></article-meta></front></article>"""),
        "x",
    ).paper
    assert paper.authors == (Author("Roe"), Author("The Group", is_literal=True))
    assert (paper.year, paper.date, paper.keywords) == (2019, "2019-05-06", ("one", "two parts"))


def test_every_table_of_a_group_is_kept_behind_the_caption_of_the_group() -> None:
    table = "<table-wrap><label>Table {0}</label><table><tr><td>a{0}</td><td>b{0}</td></tr></table></table-wrap>"
    group = (
        f"<table-wrap-group><caption><p>Both counts.</p></caption>{table.format(1)}{table.format(2)}</table-wrap-group>"
    )
    xml = (
        "<article><front><article-meta><title-group><article-title>T</article-title></title-group></article-meta>"
        f"</front><body><sec><title>S</title><p>Text here.</p>{group}</sec></body></article>"
    )
    found = parse_article(parse_tree(xml.encode()), "x.xml").document
    assert found is not None
    assert "Both counts." in found.text
    assert [found.text.index(cell) > found.text.index("Both counts.") for cell in ("a1", "b2")] == [True, True]


@pytest.mark.parametrize(
    ("base", "tex"),
    [("<mo>∑</mo>", "∑ᵢ"), ("<mi>x</mi>", r"$\underset{i}{x}$"), ("<mi>Abc</mi>", "Abcᵢ")],
)
def test_what_stands_below_a_large_sign_is_its_index(base: str, tex: str) -> None:
    found = formula_text(XML(f"<inline-formula><math><munder>{base}<mi>i</mi></munder></math></inline-formula>"))
    assert found == tex


def _article(refs: str, body: str = "<p>Text.</p>") -> Document:
    head = "<article-meta><title-group><article-title>T</article-title></title-group></article-meta>"
    back = f"<back><ref-list>{refs}</ref-list></back>"
    xml = f"<article><front>{head}</front><body>{body}</body>{back}</article>"
    document = parse_article(XML(xml), "x.xml").document
    assert document is not None
    return document


PARTS = (
    "<ref id='r1'><label>1</label><mixed-citation id='r1a'><label>a</label>"
    "Ant A. First. J Ants 2001, 1, 2.</mixed-citation>"
    "<mixed-citation id='r1b'>(b) Bee B. Second. J Bees 2002, 3, 4.</mixed-citation></ref>"
    "<ref id='r2'><label>2.</label><note><p>Measured at noon, see Methods.</p></note></ref>"
    "<ref id='r3'><label>3</label><mixed-citation>Cow C. Third. J Cows 2003, 5, 6.</mixed-citation></ref>"
    "<ref id='r4'><label>4</label><mixed-citation>Doe D. Fourth. J Does 2004, 7, 8.</mixed-citation></ref>"
)


def test_each_of_several_citations_in_one_entry_is_a_reference_and_a_footnote_is_none() -> None:
    document = _article(PARTS)
    assert [(r.label, r.text) for r in document.references] == [
        ("1a", "Ant A. First. J Ants 2001, 1, 2."),
        ("1b", "Bee B. Second. J Bees 2002, 3, 4."),
        ("3", "Cow C. Third. J Cows 2003, 5, 6."),
        ("4", "Doe D. Fourth. J Does 2004, 7, 8."),
    ]


def test_no_comma_stands_before_marked_up_names_behind_a_label() -> None:
    name = "<string-name><surname>Ant</surname> <given-names>A</given-names></string-name>"
    both = "".join(
        f"<mixed-citation><label>{label}</label>{name}. J Ants 2001, 1, 2.</mixed-citation>" for label in "ab"
    )
    document = _article(f"<ref id='r1'><label>1</label>{both}</ref>")
    assert [(r.label, r.text) for r in document.references] == [
        ("1a", "Ant A. J Ants 2001, 1, 2."),
        ("1b", "Ant A. J Ants 2001, 1, 2."),
    ]


@pytest.mark.parametrize(
    ("mark", "cited"),
    [
        ("<xref rid='r1'>1</xref>", [0, 1]),
        ("<xref rid='r1'>1b</xref>", [1]),
        ("<xref rid='r1b'>1</xref>", [1]),
        ("<xref rid='r1 r3'>1,3</xref>", [0, 1, 2]),
        ("<xref rid='r1'>1–3</xref>", [0, 1, 2]),
        ("<xref rid='r1'>1</xref>–<xref rid='r4'>4</xref>", [0, 1, 2, 3]),
        ("<xref rid='r2'>2</xref>", []),
    ],
)
def test_marks_lead_to_the_parts_of_an_entry(mark: str, cited: list[int]) -> None:
    document = _article(PARTS, f"<p>They said so ({mark}).</p>")
    assert sorted({context.reference for context in document.contexts}) == cited


def test_two_forms_of_one_citation_are_one_reference() -> None:
    both = (
        "<element-citation><person-group><name><surname>Ant</surname><given-names>A</given-names></name></person-group>"
        "<article-title>First things</article-title><source>J Ants</source><year>2001</year></element-citation>"
        "<mixed-citation>Ant A. First things. J Ants, 2001.</mixed-citation>"
    )
    other = "<element-citation><article-title>Bees at sea</article-title><year>2009</year></element-citation>"
    wrapped = f"<ref><label>1</label><citation-alternatives>{both}</citation-alternatives>{other}</ref>"
    assert [r.label for r in _article(f"<ref><label>1</label>{both}</ref>").references] == ["1"]
    assert [(r.title, r.text) for r in _article(wrapped).references] == [
        ("First things", "Ant A. First things. J Ants, 2001."),
        ("Bees at sea", "Bees at sea. 2009."),
    ]


def test_a_reference_in_the_element_of_a_note_stays_a_reference() -> None:
    note = (
        "<ref><label>1</label><note><p>Ant, A., and Bee, B. (2001). Ants of the north. J Ants 1, 2–3.</p></note></ref>"
    )
    assert len(_article(note).references) == 1


@pytest.mark.parametrize(
    ("printed", "ids"),
    [
        ("J Ants 2001;3:4-5. doi:10.5555/ant.1.", ("doi:10.5555/ant.1",)),
        ("J Ants 2001. https://doi.org/10.5555/ant(2001)7", ("doi:10.5555/ant(2001)7",)),
        ("arXiv preprint arXiv:1706.01234, 2017.", ("arxiv:1706.01234",)),
        ("J Ants 2001. PMID: 12345678; PMCID: PMC123456.", ("pmc:PMC123456", "pmid:12345678")),
        ("J Ants 2001. <pub-id pub-id-type='doi'>10.5555/a</pub-id> (erratum doi:10.5555/b)", ("doi:10.5555/a",)),
        ("J Ants 2001, <bold>10</bold>, 1234.", ()),
    ],
)
def test_ids_printed_in_a_reference_are_read(printed: str, ids: tuple[str, ...]) -> None:
    (reference,) = _article(f"<ref><mixed-citation>Ant A. First things. {printed}</mixed-citation></ref>").references
    assert reference.ids == ids


def test_a_cut_list_and_the_parts_of_a_name_are_kept() -> None:
    people = """<contrib-group><contrib contrib-type="author"><name><prefix>Dr.</prefix><surname>Holm</surname>
      <given-names>Ida</given-names><suffix>III</suffix></name></contrib><etal/></contrib-group>"""
    meta = f"<title-group><article-title>T</article-title></title-group>{people}"
    paper = parse_article(XML(f"<article><front><article-meta>{meta}</article-meta></front></article>"), "x").paper
    assert (paper.authors, paper.has_more_authors) == ((Author("Holm", "Ida", suffix="III"),), True)
