"""BibTeX entries to records, each on its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litterm.importers.bibtex.entries import raw_entries
from litterm.importers.bibtex.reader import decode_latex, read_bibtex
from litterm.importers.byte_sources import memory_content
from litterm.importers.detect import detect
from litterm.model.library import Failure, Parsed, ReadEvent
from litterm.model.paper import Author, Paper


def test_entries_and_their_failures(samples: Path, read: Callable[[Path], list[ReadEvent]]) -> None:
    found = read(samples / "entries.bib")
    first, second, third = (each.paper for each in found if isinstance(each, Parsed))
    assert (first.id, first.imprint.bibkey, first.type) == ("doi:10.9999/bib.1", "lovelace2031", "inproceedings")
    assert first.title == "BERT and Émile: ß at 95% – a very long story"
    assert first.authors == (
        Author("Łovelace", "Ada"),
        Author("Berg", "Jan", prefix="van der"),
        Author("The Demo Group", is_literal=True),
        Author("Müller", "Jé"),
    )
    assert (first.venue, first.imprint.booktitle) == ("DemoConf", "Demo Conference (DemoConf 2031)")
    assert (first.date, first.imprint.pages) == ("2031-07", "1–9")
    assert (second.id, second.venue, second.type) == ("arxiv:2101.00001", "arXiv", "preprint")
    assert second.authors == (Author("Thompson", "Ken", suffix="Jr."), Author("Doe", "Jane"))
    assert (third.type, third.date, third.authors) == ("book", "2019-05-02", (Author("Roe", "Mary"),))
    failures = [(each.origin.rpartition(":")[2], each.cause) for each in found if isinstance(each, Failure)]
    assert failures == [
        ("13", "A BibTeX entry with unbalanced braces or quotes, or a field without a value."),
        ("14", "The entry “untitled” has no title."),
    ]


def papers(text: str | bytes) -> list[Paper]:
    content = text if isinstance(text, bytes) else text.encode()
    return [each.paper for each in read_bibtex(memory_content("x.bib", content)) if isinstance(each, Parsed)]


def test_a_repeated_key_is_two_entries() -> None:
    found = papers("@article{a, title={One}, author={Roe, A.}}\n@article{a, title={Two}, author={Roe, B.}}")
    assert [(each.title, each.authors) for each in found] == [
        ("One", (Author("Roe", "A."),)),
        ("Two", (Author("Roe", "B."),)),
    ]


def test_of_a_repeated_field_the_first_counts() -> None:
    [found] = papers("@article{a, title={One}, title={Two}, author={Roe, A.}}")
    assert (found.title, found.authors) == ("One", (Author("Roe", "A."),))


def test_what_a_crossref_or_xdata_entry_states_is_taken_over() -> None:
    later, shared, book = papers("""
        @inproceedings{child, title={A Child}, author={Roe, A.}, pages={1--2}, crossref={Book}}
        @online{other, title={Another}, xdata={common, unknown}, crossref={missing}}
        @proceedings{book, title={Proceedings of Demo}, editor={Doe, J.}, year=2019, publisher={ACM}, doi={10.9999/b}}
        @xdata{common, year={2013}, publisher={Shared}}""")
    assert (later.imprint.booktitle, later.year, later.imprint.publisher) == ("Proceedings of Demo", 2019, "ACM")
    assert (later.title, later.imprint.editors, later.id[:6]) == ("A Child", (Author("Doe", "J."),), "local:")
    assert (shared.year, shared.imprint.publisher) == (2013, "Shared")
    assert (book.id, book.title) == ("doi:10.9999/b", "Proceedings of Demo")


def test_an_entry_without_a_key_lends_nothing_to_the_others() -> None:
    keyless, child = papers("@article{, title={Keyless}, year=2004}\n@article{c, title={Child}, crossref={gone}}")
    assert (keyless.year, child.year) == (2004, None)


def test_a_forgotten_comma_hides_no_field() -> None:
    [found] = papers('@article{a, title={E = mc} author="Roe, A." year=2001 volume = 3, journal={Demo}}')
    assert (found.title, found.authors, found.year) == ("E = mc", (Author("Roe", "A."),), 2001)
    assert (found.imprint.volume, found.venue) == ("3", "Demo")


@pytest.mark.parametrize(
    ("address", "slug"),
    [
        ("https://aclanthology.org/2020.acl-main.1/", "acl"),
        ("https://aclanthology.org/2020.findings-emnlp.7", "findings"),
        ("https://aclanthology.org/P18-1001", "acl"),
        ("https://aclanthology.org/J09-3004.pdf", "cl"),
    ],
)
def test_a_paper_of_the_anthology_is_found_by_its_venue(address: str, slug: str) -> None:
    [found] = papers(f"@inproceedings{{a, title={{One}}, booktitle={{Proceedings of Demo}}, url={{{address}}}}}")
    assert found.venue == "Proceedings of Demo"
    assert slug in found.venue_keys


def test_a_workshop_of_the_anthology_has_no_venue_in_its_id() -> None:
    [found] = papers("@inproceedings{a, title={One}, url={https://aclanthology.org/W18-1001}}")
    assert found.venue_keys == ()


def test_values_are_joined_only_where_the_file_joins_them() -> None:
    first, second = papers(r"""
        @string{demo = "Demo" # { Meeting}}
        @article{a, title = {C# and F# compared}, journal = demo # " on " # 2019, month = jul, year = 2019}
        @article(b, title = "A \"uber {"quoted"} title", year = 2001)""")
    assert (first.title, first.venue, first.date) == ("C# and F# compared", "Demo Meeting on 2019", "2019-07")
    assert second.title == 'A über "quoted" title'


def test_a_brace_that_nothing_closes_costs_its_own_entry_only() -> None:
    text = "@article{a, title={Un{closed}, year=2001}\n@article{b, title={Whole}}\n@article{c, title={Open"
    found = list(read_bibtex(memory_content("x.bib", text.encode())))
    assert [each.origin if isinstance(each, Failure) else each.paper.title for each in found] == [
        "x.bib:1",
        "Whole",
        "x.bib:3",
    ]


def test_a_file_in_an_unstated_encoding_is_read_and_told_once() -> None:
    content = "@article{a, title={Für – alle}}\n".encode("cp1252") + b"@book{b, title={B}}"
    found = [each for each in read_bibtex(memory_content("x.bib", content)) if isinstance(each, Parsed)]
    assert [each.paper.title for each in found] == ["Für – alle", "B"]
    assert [each.remark[:21] for each in found] == ["Read as Windows-1252,", ""]


@pytest.mark.parametrize(
    "text",
    [
        "@article{k, author={Roe, M}, % a note, of {one line\n title={Kelp}, year=1999}",
        "@article{k, author={Roe, M} % a note\n, title={Kelp}, year=1999}",
        "@article{k, % don't\n author={Roe, M},\n % title={No},\n title={Kelp}, % end\n year=1999 % last\n}",
        '@article(k, author="Roe, M", % (a note)\n title="Kelp", year=1999)',
        "% @article{old, title={Old}}\n%% @{\n@article{k, author={Roe, M}, title={Kelp}, year=1999}",
        "@comment{5% of}\n@article{k,author={Roe, M},%,\ntitle={Kelp},%\nyear=1999}",
        "@book{open, title={Open\n@article{k, author={Roe, M}, % @note{\n title={Kelp}, year=1999}",
    ],
)
def test_a_comment_takes_no_field_with_it(text: str) -> None:
    [found] = papers(text)
    assert (found.title, found.authors, found.year) == ("Kelp", (Author("Roe", "M"),), 1999)


def test_a_sign_of_per_cent_in_a_value_is_text() -> None:
    [found] = papers(
        '@misc{a, % note\n title={Of 50\\% and 9% of {1% more}}, abstract="5% {%} a\n% b",\n url={http://x.org/a%20b}}'
    )
    assert (found.title, found.abstract) == ("Of 50% and 9% of 1% more", "5% % a % b")
    assert found.urls == ("http://x.org/a%20b",)


@pytest.mark.parametrize(
    "key", ["Roe(1999)b", "Möwe1999", "鴎1999", "O'Roe99", "DBLP:conf/x/Roe99", 'a"b', "a=b", "a%b", "a+b@c"]
)
def test_keys_of_any_characters(key: str) -> None:
    text = f"@article{{{key},\n  title = {{Kelp}},\n  year = 1999\n}}"
    assert detect(text.encode()) == "bibtex"
    assert [(found.imprint.bibkey, found.title, found.year) for found in papers(text)] == [(key, "Kelp", 1999)]


def test_other_texts_with_an_at_sign_are_no_bibliographies() -> None:
    assert detect(b"@app.route(path='/', methods=['GET'])\ndef index(): ...\n") != "bibtex"


def test_groups_of_authors_keep_their_name_whole() -> None:
    [found] = papers(
        "@misc{a, title={T}, author={{The {ATLAS} Group} and {Barnes and Noble} and {\\'E}va Roe and others}}"
    )
    groups = (Author("The ATLAS Group", is_literal=True), Author("Barnes and Noble", is_literal=True))
    assert found.authors == (*groups, Author("Roe", "Éva"))
    assert found.has_more_authors and not found.imprint.has_more_editors


def test_what_litterm_exports_it_reads_again() -> None:
    told, preprint, edited = papers("""
        @article{a, title={T}, journal={J}, note={Retracted: The numbers were wrong.}}
        @misc{b, title={U}, howpublished={bioRxiv}}
        @inproceedings{c, title={V}, editor={Roe, A.}, booktitle={Proceedings of Demo}}""")
    assert told.retraction == "retracted: The numbers were wrong."
    assert (preprint.venue, preprint.type) == ("bioRxiv", "preprint")
    assert (edited.authors, edited.imprint.editors) == ((), (Author("Roe", "A."),))
    [kept] = papers("@misc{d, title={W}, note={Corrected proofs are in press}, howpublished={A talk}}")
    assert (kept.retraction, kept.venue, kept.type) == ("", "A talk", "other")


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ("eprint={math.GT/0309136}, archiveprefix={arXiv}", "arxiv:math/0309136"),
        ("eprint={arXiv:0706.1234v2}, eprinttype={arxiv}, eprintclass={cs.CL}", "arxiv:0706.1234"),
        ("eprint={0309136}, archive={hep-th}", "arxiv:hep-th/0309136"),
        ("eprint={0309136}, archiveprefix={arXiv}, primaryclass={math.GT}", "arxiv:math/0309136"),
        ("eprint={https://arxiv.org/abs/0706.1234}", "arxiv:0706.1234"),
        ("journal={CoRR}, volume={abs/0706.1234}", "arxiv:0706.1234"),
        ("journal={CoRR}, volume={cs.CL/0501001}", "arxiv:cs/0501001"),
        ("journal={CoRR abs/0706.1234}", "arxiv:0706.1234"),
        ("journal={arXiv preprint arXiv:0706.1234v5 [cs.CL]}", "arxiv:0706.1234"),
        ("journal={arXiv e-prints}, eid={arXiv:0706.1234}", "arxiv:0706.1234"),
        ("note={arXiv:0706.1234 [cs.CL]}", "arxiv:0706.1234"),
        ("note={Preprint available at https://arxiv.org/abs/hep-th/0309136}", "arxiv:hep-th/0309136"),
        ("note={A comment on arXiv:0706.1234}", "local:"),
        ("howpublished={arXiv:0706.1234}", "arxiv:0706.1234"),
        ("arxivid={0706.1234}", "arxiv:0706.1234"),
        ("url={https://arxiv.org/pdf/0706.1234v2.pdf}", "arxiv:0706.1234"),
        ("doi={10.48550/arXiv.0706.1234}", "arxiv:0706.1234"),
        (r"doi={10.1000/a{\_}b--c}", "doi:10.1000/a_b--c"),
        (r"doi={10.1000/a{\textless}1:b\textgreater{}c}", "doi:10.1000/a<1:b>c"),
        ("note={PMID: 123456}", "pmid:123456"),
        ("eprint={123456}, eprinttype={pubmed}", "pmid:123456"),
        ("journal={Computing}, volume={0706.1234}", "local:"),
    ],
)
def test_ids_in_every_habit(fields: str, found: str) -> None:
    [paper] = papers(f"@article{{k, title={{Kelp}}, {fields}}}")
    assert paper.id == found or (found == "local:" and paper.id.startswith(found))


def test_an_article_of_corr_is_a_preprint() -> None:
    [paper] = papers("@article{k, title={Kelp}, journal={CoRR}, volume={abs/0706.1234}, year=2007}")
    assert (paper.venue, paper.type) == ("arXiv", "preprint")


def test_a_series_is_no_venue() -> None:
    first, second, book = papers("""
        @inproceedings{a, title={A}, booktitle={Tides and Ebbs}, series={LNCS}, volume={12}}
        @inproceedings{b, title={B}, booktitle={Proceedings of Tides (TIDES 2020)}, series={TIDES '20}}
        @book{c, title={C}, series={Springer Texts}, publisher={Springer}}""")
    assert [each.venue for each in (first, second, book)] == ["Tides and Ebbs", "TIDES", ""]
    assert [each.imprint.series for each in (first, second, book)] == ["LNCS", "TIDES '20", "Springer Texts"]


@pytest.mark.parametrize(
    ("entry", "degree"),
    [
        ("@phdthesis{a, title={T}", "phd"),
        ("@mastersthesis{a, title={T}", "master"),
        ("@mastersthesis{a, title={T}, type={Bachelor's thesis}", "bachelor"),
        ("@thesis{a, title={T}, type={mathesis}", "master"),
        ("@thesis{a, title={T}, type={phdthesis}", "phd"),
        ("@thesis{a, title={T}, type={Doctoral dissertation}", "phd"),
        ("@thesis{a, title={T}, type={M.Sc. thesis}", "master"),
        ("@thesis{a, title={T}, type={Habilitationsschrift}", "habilitation"),
        ("@phdthesis{a, title={T}, type={Theses}", "phd"),
        ("@thesis{a, title={T}, type={Licentiate}", "Licentiate"),
        ("@thesis{a, title={T}", ""),
        ("@book{a, title={T}, type={PhD thesis}", ""),
    ],
)
def test_the_degree_of_a_thesis(entry: str, degree: str) -> None:
    [found] = papers(f"{entry}, school={{Demo College}}, publisher={{Demo Press}}}}")
    assert (found.imprint.thesis, found.type == "thesis") == (degree, "thesis{" in entry)
    assert (found.imprint.institution, found.imprint.publisher) == ("Demo College", "Demo Press")


def test_every_field_of_a_bibliography_is_read() -> None:
    article, proceedings = papers(
        r"""
        @article{a, title={A}, journal={J}, volume=3, number={e1002}, year=2019, month={15~July}, issn={1234-5678},
          abstract={Of tides.}, keywords={sea, tide}, author_keywords={tide; ebb}, note={In part}, addendum={Seen},
          file={Full Text:papers/a\_b.pdf:application/pdf;C\:\\x.pdf}, pmid={123}, pmcid={PMC456}, langid={german}}
        @inproceedings{b, title={B}, booktitle={P}, eid={17}, number=2, edition={2nd}, isbn={978-1}, year=2019,
          month=jul, day=9}"""
    )
    assert (article.imprint.article_number, article.imprint.issue, article.date) == ("e1002", "", "2019-07-15")
    assert (article.abstract, article.keywords) == ("Of tides.", ("sea", "tide", "ebb"))
    imprint = article.imprint
    assert (imprint.note, imprint.issn, imprint.language) == ("In part; Seen", "1234-5678", "german")
    assert imprint.files == ("papers/a_b.pdf", "C:\\x.pdf")
    assert (article.id, article.aliases) == ("pmc:PMC456", ("pmid:123",))
    imprint = proceedings.imprint
    assert (imprint.article_number, imprint.issue, imprint.edition, imprint.isbn) == ("17", "2", "2nd", "978-1")
    assert proceedings.date == "2019-07-09"


def test_addresses_are_found_inside_commands() -> None:
    [found] = papers("@misc{a, title={T}, howpublished={Available at \\url{http://demo.org/a_b}}}")
    assert found.urls == ("http://demo.org/a_b",)


@given(st.text(alphabet='@{}()"#=,\\ \nab1', max_size=200))
def test_no_text_breaks_the_grammar(text: str) -> None:
    for entry in raw_entries(text):
        assert 1 <= entry.line <= text.count("\n") + 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("{The {NASA} Way}", "The NASA Way"),
        (r"G{\"o}del, Escher, B{\'a}ch", "Gödel, Escher, Bách"),
        ("``quoted'' --- or not", "“quoted” — or not"),
        (r"100\% \& more", "100% & more"),
        (r"C:\textbackslash{}1", "C:\\1"),
        (
            r"Don~Knuth, \textasciitilde{}5, \~n and \url{http://demo.org/~don}",
            "Don Knuth, ~5, ñ and http://demo.org/~don",
        ),
        (r"5 \textmugreek{} of \ch{H2O} is \og{}water\fg{}", "5 μ of H₂O is «water»"),
        (r"\texteuro{} and \textperiodcentered{} \textdaggerdbl", "€ and · ‡"),
    ],
)
def test_values_are_decoded(value: str, text: str) -> None:
    assert decode_latex(value) == text


def test_a_book_series_written_as_the_journal_is_no_venue() -> None:
    entry = "@inproceedings{a, title={Owls}, booktitle={Proceedings of Birds}, journal={LNCS}, year=2020}"
    (found,) = (item for item in read_bibtex(memory_content("x.bib", entry.encode())) if isinstance(item, Parsed))
    assert found.paper.venue == "Proceedings of Birds"
